// All texts of the settings, so that a page can replace them by those of another language.

const seconds = (count: number): string => new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(count);
const ollama = (origin: string): string => `Start Ollama with OLLAMA_ORIGINS=${origin}.`;

/** Titles of failures by `ThreadkeepError.code`. */
const failures: Readonly<Record<string, string>> = {
  llm_rate_limit: "The server asks for a pause",
  llm_unavailable: "The model is not available",
  llm_timeout: "The model took too long",
  llm_content_policy: "The provider declined the request",
  llm_bad_request: "The server did not accept the request",
};

const allowing: Readonly<Record<string, ((origin: string) => string) | undefined>> = {
  ollama,
  ollama_chat: ollama,
  lm_studio: () => "Start the server of LM Studio with: lms server start --cors.",
};

export const defaultModelLabels = {
  settings: "The model",
  provider: "Provider",
  otherProvider: "Another server",
  baseUrl: "Base URL",
  baseUrlHelp: "The address of the API, such as https://llm.example.com/v1.",
  wrongUrl: "The address has to begin with https:// or http:// and to name a server, such as https://api.openai.com/v1.",
  secretInUrl: "The address must not contain a password, a key or other parameters: enter the key below.",
  model: "Model",
  otherModelHelp: "Its name, as the server has it.",
  knownModels: "Known models",
  chooseModel: (count: number) => `Choose one of ${count}`,
  listModels: "Ask the server for its models",
  listing: "Asking the server…",
  listed: (count: number) => (count === 1 ? "The server has one model." : `The server has ${count} models.`),

  key: "Key",
  keyHelp: (host: string) => `Sent to ${host} and nowhere else.`,
  hasKey: (host: string) => `The key for ${host} is there, and is not shown again. What you enter takes its place.`,
  hasLockedKey: (host: string) => `The key for ${host} is locked.`,
  removeKey: "Remove the key",
  keep: "Keep keys",
  protections: {
    memory: "Until the page closes",
    passphrase: "On this device, under a passphrase",
    passkey: "On this device, with a passkey",
  },
  protectionHelp: {
    memory: "In memory only, so you enter the key again next time.",
    passphrase:
      "Encrypted in this browser. That helps against a copy of the disk, not against an extension, or a passphrase that can be guessed.",
    passkey:
      "Encrypted in this browser with a secret that your device gives after you have agreed. That helps against a copy of the disk, not against an extension. Without the passkey you enter the key again.",
  },
  passphrase: "Passphrase",
  passphraseKept: "Leave it empty to keep the one that you have.",
  locked: "The stored keys are locked.",
  unlock: "Unlock",
  forget: "Forget the stored keys",
  unlockHeading: "Unlock the key",
  unlockHelp: "It is stored encrypted, and the model is asked with it. Nothing is sent before.",
  wrongPassphrase: "This is not the passphrase.",
  passkeyDeclined: "The passkey did not unlock the key.",
  cancel: "Cancel",

  more: "More about this model",
  apiMode: "API of the server",
  apiModes: {
    auto: "Automatic, by the model's name",
    chat: "OpenAI Chat Completions",
    responses: "OpenAI Responses",
    anthropic: "Anthropic Messages",
  },
  apiModeHelp: "Automatic is right for most servers.",
  nativeToolCalling: "The model calls tools by itself",
  nativeToolCallingHelp: "Clear this for a model that cannot: tools are then explained and called in plain text.",

  test: "Test the connection",
  testing: "Asking the model for one word…",
  works: (model: string, time: number) => `It works: ${model} answered in ${seconds(time)} s.`,
  wantsKey: (host: string, status: number) => `${host} wants a key, and none is entered (status ${status}).`,
  refusesKey: (host: string, status: number) =>
    `${host} does not accept this key (status ${status}). Check that it is complete, and that it belongs to this server.`,
  notFound: (text: string) => `Not found (404): check the model's name and the base URL. ${text}`,
  failed: (code: string, text: string) => (failures[code] === undefined ? text : `${failures[code]}. ${text}`),
  noList: (host: string, status: number) =>
    `${host} gives no list of its models that this page can read (status ${status}). Type the name of one.`,
  offline: "This device is offline. Try again when it is connected.",
  notEncrypted: (origin: string) =>
    `A page from an https address may not ask ${origin}, because http is not encrypted. Use an https address.`,
  nothingAnswers: (origin: string, isLocal: boolean) =>
    `Nothing answers at ${origin}. Check the address${isLocal ? ", and that the server is running" : ""}.`,
  notAllowed: (host: string, origin: string, advice: string) =>
    `The server answers, but does not allow requests from web pages (CORS): ${host} refuses ${origin}. ${advice}`,
  /** What to do so that a server on the user's computer allows this page, by the id of its provider. */
  allowing,
  allowingOther: "Its owner has to allow them, or a server of yours has to pass the requests on.",

  save: "Save",
  saved: "Saved.",
  notStored: "In effect, but this browser does not store it: it is gone after a reload.",
  notSavedLocked: "Not saved, because the stored keys are locked.",
  noPasskey: "Saved. No passkey was made, so the key is in memory only: it is gone when the page closes.",
  keyNotKept: (text: string) => `Saved. The key is in memory only: ${text}`,
};

type DefaultLabels = typeof defaultModelLabels;

/** The texts of the settings of a model. Some are functions of what they name. */
export interface ModelLabels extends DefaultLabels {}
