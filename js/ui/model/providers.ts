// The providers that a user can choose from.
import { servers } from "./generated/servers.js";

/** A provider of models, or a server of your own. */
export interface ModelProvider {
  /** The prefix of its models, such as `"openai"`; for a server of your own any other text. */
  id: string;
  /** Shown. */
  name: string;
  /** The URL of its API, or a path of the page. */
  baseUrl: string;
  /** The model that is named first, without the prefix. */
  model?: string | undefined;
  /** Whether it is asked with a key. Default: true. */
  takesKey?: boolean | undefined;
  /** Shown below the choice. */
  about?: string | undefined;
}

const known: Record<keyof typeof servers, Pick<ModelProvider, "name" | "model"> | null> = {
  openai: { name: "OpenAI", model: "gpt-5-mini" },
  anthropic: { name: "Anthropic", model: "claude-sonnet-5" },
  openrouter: { name: "OpenRouter", model: "openai/gpt-5-mini" },
  mistral: { name: "Mistral", model: "mistral-large-latest" },
  gemini: { name: "Google Gemini", model: "gemini-flash-latest" },
  deepseek: { name: "DeepSeek", model: "deepseek-chat" },
  groq: { name: "Groq", model: "openai/gpt-oss-120b" },
  xai: { name: "xAI" },
  together_ai: { name: "Together AI" },
  fireworks_ai: { name: "Fireworks AI" },
  moonshot: { name: "Moonshot AI" },
  openhands: { name: "OpenHands" },
  ollama: { name: "Ollama on this computer", model: "llama3.1" },
  // The same server as that of `ollama`.
  ollama_chat: null,
  lm_studio: { name: "LM Studio on this computer" },
};

export const isLocal = (baseUrl: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/.test(baseUrl);

/** The providers with a public server, and programs on the user's computer. */
export const modelProviders: readonly ModelProvider[] = Object.entries(known).flatMap(([id, provider]) => {
  const baseUrl = servers[id as keyof typeof servers];
  return provider === null ? [] : [{ id, baseUrl, ...provider, takesKey: !isLocal(baseUrl) }];
});

/** What stands in front of the names of a provider's models. */
export const prefixOf = (id: string): string => (Object.hasOwn(servers, id) ? `${id}/` : "");

/** The public or local server of a provider, if it has one. */
export const serverUrl = (id: string): string | undefined => (Object.hasOwn(servers, id) ? servers[id as keyof typeof servers] : undefined);
