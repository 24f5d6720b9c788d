// Asks a server for its models, and for one short answer that tests the connection. Each failure becomes a sentence that says what to
// change, in which the key never stands.
import { Agent, Conversation, LLM, memoryStore, ThreadkeepError } from "threadkeep";
import { sentence } from "../chat/controls/failures.js";
import { visibleText } from "../thread/visible-text.js";
import { absoluteUrl } from "./base-url.js";
import type { ModelLabels } from "./labels.js";
import { isLocal, prefixOf } from "./providers.js";
import { type ModelSettings, optionsOf } from "./store.js";

export interface Connection {
  settings: ModelSettings;
  /** Empty for none. */
  apiKey: string;
}

/** In milliseconds. */
const patience = 20_000;
/** Of a list; a server is not trusted to be brief. */
const mostModels = 2000;
const longestName = 200;
/** What a server says about a failure is shortened. */
const longestText = 500;

const request = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" } as const;

/** The names of the server's models, without the prefix of the provider. @throws Error with a sentence */
export async function listModels(connection: Connection, labels: ModelLabels, signal: AbortSignal): Promise<string[]> {
  const { settings, apiKey } = connection;
  const isAnthropic = settings.provider === "anthropic" || settings.apiMode === "anthropic";
  const response = await fetch(`${absoluteUrl(settings.baseUrl)}/models${isAnthropic ? "?limit=1000" : ""}`, {
    ...request,
    headers: isAnthropic ? anthropicHeaders(apiKey) : apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
  }).catch(async () => {
    throw new Error(await unreached(connection, labels));
  });
  const host = hostOf(settings);
  if (!response.ok) throw new Error(refusal(response.status, connection, labels) ?? labels.noList(host, response.status));
  const names = namesIn(await response.json().catch(() => null), prefixOf(settings.provider));
  if (names.length === 0) throw new Error(labels.noList(host, response.status));
  return names;
}

/** Asks the model for one word, as a conversation would, but stored nowhere. Resolves to a sentence. @throws Error with a sentence */
export async function testConnection(connection: Connection, labels: ModelLabels, signal: AbortSignal): Promise<string> {
  const { settings, apiKey } = connection;
  const started = performance.now();
  try {
    const llm = new LLM({ ...optionsOf(settings), apiKey, numRetries: 0, timeout: patience / 1000, reasoningEffort: "low" });
    const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore(), offline: "fail" });
    try {
      await conversation.sendMessage("This is a test of the connection. Answer with the word OK.");
      await conversation.run({ signal });
    } finally {
      await conversation.close();
    }
  } catch (error) {
    throw new Error(withoutKey(await failure(error, connection, labels), apiKey));
  }
  return labels.works(settings.model, (performance.now() - started) / 1000);
}

async function failure(error: unknown, connection: Connection, labels: ModelLabels): Promise<string> {
  if (!(error instanceof ThreadkeepError)) return sentence(String(error));
  if (["network", "cors", "offline"].includes(error.code)) return unreached(connection, labels);
  const refused = refusal(error.status, connection, labels);
  if (refused !== null) return refused;
  const text = sentence(visibleText(error.message.slice(0, longestText)));
  return error.status === 404 ? labels.notFound(text) : labels.failed(error.code, text);
}

/** A sentence for a key that is missing or wrong; `null` for other statuses. */
function refusal(status: number | undefined, { settings, apiKey }: Connection, labels: ModelLabels): string | null {
  if (status !== 401 && status !== 403) return null;
  return (apiKey === "" ? labels.wantsKey : labels.refusesKey)(hostOf(settings), status);
}

/** Why a server gave no answer: a browser does not tell a page, so the page looks for the reason. */
async function unreached({ settings: { baseUrl, provider } }: Connection, labels: ModelLabels): Promise<string> {
  if (!navigator.onLine) return labels.offline;
  const url = absoluteUrl(baseUrl);
  const { origin, host, protocol } = new URL(url);
  if (location.protocol === "https:" && protocol === "http:" && !isLocal(url)) return labels.notEncrypted(origin);
  // Any server answers a request whose answer the page may not read.
  const signal = AbortSignal.timeout(patience);
  const answers = await fetch(url, { ...request, mode: "no-cors", signal }).then(
    () => true,
    () => false,
  );
  if (!answers) return labels.nothingAnswers(origin, isLocal(url));
  return labels.notAllowed(host, location.origin, labels.allowing[provider]?.(location.origin) ?? labels.allowingOther);
}

/** A server may repeat what it was sent. */
const withoutKey = (text: string, key: string): string => (key === "" ? text : text.replaceAll(key, "…"));

const hostOf = ({ baseUrl }: ModelSettings): string => new URL(absoluteUrl(baseUrl)).host;

const anthropicHeaders = (apiKey: string): Record<string, string> => ({
  ...(apiKey !== "" && { "x-api-key": apiKey }),
  "anthropic-version": "2023-06-01",
  "anthropic-dangerous-direct-browser-access": "true",
});

/** Most servers answer `{ data: [{ id }] }`, and Together AI with the list alone. */
function namesIn(answer: unknown, prefix: string): string[] {
  const list: unknown = Array.isArray(answer) ? answer : (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) return [];
  const ids = list.slice(0, mostModels).map((each: { id?: unknown } | null) => each?.id);
  const names = ids.filter((id): id is string => typeof id === "string" && id !== "" && id.length <= longestName);
  // Gemini writes `models/` in front, and a LiteLLM proxy the name of the provider.
  const bare = names
    .map((name) => name.replace(/^models\//, ""))
    .map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
  return [...new Set(bare)].sort((one, other) => one.localeCompare(other));
}
