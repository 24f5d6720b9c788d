// Asks the server of the settings for its models, and for one short answer that tests the connection. A failure becomes a
// sentence that says what to change.

import { Agent, Conversation, LLM, type MCPServer, type MCPServerState, memoryStore, ThreadkeepError } from "threadkeep";
import { sentence, titleOf } from "../shell/failures.ts";
import { optionsOf } from "./profiles.ts";
import { servers } from "./servers.ts";
import { absoluteBaseUrl, type ModelSettings } from "./settings.ts";
import { whyUnreached } from "./unreached.ts";

export interface Connection {
  model: ModelSettings;
  /** Empty for none. */
  apiKey: string;
}

const PATIENCE = 20_000;
/** Of a list; a server is not trusted to be brief. */
const MOST_MODELS = 2000;
const LONGEST_NAME = 200;

/**
 * The names of the server's models, as the settings take them: with the provider in front.
 * @throws Error with a sentence for the user
 */
export async function listModels(connection: Connection): Promise<string[]> {
  const { model, apiKey } = connection;
  const provider = providerOf(model);
  const isAnthropic = provider === "anthropic" || model.apiMode === "anthropic";
  const url = `${absoluteBaseUrl(model.baseUrl)}/models${isAnthropic ? "?limit=1000" : ""}`;
  const response = await fetch(url, {
    headers: isAnthropic ? anthropicHeaders(apiKey) : apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(PATIENCE),
  }).catch(async () => {
    throw new Error(await unreached(connection));
  });
  if (!response.ok)
    throw new Error(
      refusal(response.status, connection) ??
        `${hostOf(model)} gives no list of its models (status ${response.status}). Type the name of one.`,
    );
  const names = namesIn(await response.json().catch(() => null));
  if (names.length === 0) throw new Error(`${hostOf(model)} gives no list of models that this page can read. Type the name of one.`);
  return names.map((name) => `${provider}/${name}`);
}

/**
 * Asks the model for one word, as a conversation would: with the same request, but stored nowhere. Resolves to a sentence. `signal` ends it.
 * @throws Error with a sentence for the user
 */
export async function testConnection(connection: Connection, signal: AbortSignal): Promise<string> {
  const { model, apiKey } = connection;
  const started = performance.now();
  try {
    const llm = new LLM({
      ...optionsOf({ ...model, background: false }),
      ...(apiKey !== "" && { apiKey }),
      numRetries: 0,
      timeout: PATIENCE / 1000,
      reasoningEffort: "low",
    });
    const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore(), offline: "fail" });
    try {
      await conversation.sendMessage("This is a test of the connection. Answer with the word OK.");
      await conversation.run({ signal });
    } finally {
      await conversation.close();
    }
  } catch (error) {
    throw new Error(await failure(error, connection), { cause: error });
  }
  const seconds = new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format((performance.now() - started) / 1000);
  return `It works: ${model.model} answered in ${seconds} s.`;
}

/** Connects an MCP server as a conversation would, and lets go of it. Resolves to its state, `null` if it has none in time. */
export async function testServer(name: string, server: MCPServer): Promise<MCPServerState | null> {
  const llm = new LLM({ model: "openai/none", baseUrl: absoluteBaseUrl("/v1") });
  const conversation = await Conversation.open({ agent: new Agent({ llm, mcpServers: { [name]: server } }), store: memoryStore() });
  try {
    return await new Promise((resolve) => {
      const look = (): void => {
        const state = conversation.mcp?.servers[0];
        if (state !== undefined && state.state !== "connecting") resolve(state);
      };
      conversation.subscribe(look);
      setTimeout(() => resolve(null), PATIENCE);
      look();
    });
  } finally {
    await conversation.close();
  }
}

async function failure(error: unknown, connection: Connection): Promise<string> {
  if (!(error instanceof ThreadkeepError)) return sentence(String(error));
  if (error.code === "network" || error.code === "offline") return unreached(connection);
  const refused = refusal(error.status, connection);
  if (refused !== null) return refused;
  const heading = error.status === 404 ? "Not found (404): check the model's name and the base URL" : titleOf(error.code);
  return `${heading}. ${sentence(error.message)}`;
}

/** A sentence for a key that is missing or wrong; null for other statuses. */
function refusal(status: number | undefined, { model, apiKey }: Connection): string | null {
  if (status !== 401 && status !== 403) return null;
  return apiKey === ""
    ? `${hostOf(model)} wants a key, and none is entered (status ${status}).`
    : `${hostOf(model)} does not accept this key (status ${status}). Check that it is complete, and that it belongs to this server.`;
}

/** Servers on the user's computer that refuse pages until they are told otherwise. */
const ALLOWING: Record<string, string> = {
  ollama: `Start Ollama with OLLAMA_ORIGINS=${location.origin}.`,
  ollama_chat: `Start Ollama with OLLAMA_ORIGINS=${location.origin}.`,
  lm_studio: "Start the server of LM Studio with: lms server start --cors.",
};

const unreached = ({ model }: Connection): Promise<string> =>
  whyUnreached(
    absoluteBaseUrl(model.baseUrl),
    ALLOWING[providerOf(model)] ?? "Its owner has to allow them, or a server of yours has to pass the requests on.",
  );

const hostOf = ({ baseUrl }: ModelSettings): string => new URL(absoluteBaseUrl(baseUrl)).host;

/** The provider of the server, or the one that is written in front of the model's name. */
function providerOf({ model, baseUrl }: ModelSettings): string {
  const known = Object.entries(servers).find(([, url]) => url === baseUrl);
  const [written = "", ...rest] = model.split("/");
  return known?.[0] ?? (rest.length > 0 && written !== "" ? written : "openai");
}

const anthropicHeaders = (apiKey: string): Record<string, string> => ({
  ...(apiKey !== "" && { "x-api-key": apiKey }),
  "anthropic-version": "2023-06-01",
  "anthropic-dangerous-direct-browser-access": "true",
});

/** Most servers answer `{ data: [{ id }] }`, and Together AI with the list alone. */
function namesIn(answer: unknown): string[] {
  const list: unknown = Array.isArray(answer) ? answer : (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) return [];
  const ids = list.slice(0, MOST_MODELS).map((each: { id?: unknown } | null) => each?.id);
  const names = ids.filter((id): id is string => typeof id === "string" && id !== "" && id.length <= LONGEST_NAME);
  // Gemini writes `models/` in front.
  return [...new Set(names.map((name) => name.replace(/^models\//, "")))].sort((one, other) => one.localeCompare(other));
}
