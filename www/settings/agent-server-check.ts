// Asks an agent server whether this page can use it: its version, the key, and the directory. A failure becomes a sentence that says
// what to change. Loaded with the first check.

import { agentServer, type AgentServerOptions, remoteWorkspace, ThreadkeepError } from "threadkeep";
import { sentence } from "../shell/failures.ts";
import { nameOf } from "./agent-server.ts";
import { whyUnreached } from "./unreached.ts";

const PATIENCE = 20_000;

/** The oldest version that the library is tested with. */
const OLDEST = [1, 43] as const;

/**
 * Resolves to a sentence.
 * @throws Error with a sentence for the user
 */
export async function checkAgentServer({ host, apiKey, workingDir }: Required<AgentServerOptions>): Promise<string> {
  const version = await versionOf(host);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw new Error(`The server has version ${version}. This page needs ${OLDEST.join(".")} or a newer one.`);
  const workspace = remoteWorkspace(agentServer({ host, workingDir, ...(apiKey !== "" && { apiKey }) }));
  try {
    const { length } = await workspace.list("");
    const entries = length === 0 ? "empty" : length === 1 ? "there, with one entry" : `there, with ${length} entries`;
    return `It works: an agent server of version ${version}, and its directory is ${entries}.`;
  } catch (error) {
    throw new Error(refusal(error, { host, apiKey, workingDir }), { cause: error });
  }
}

/** Servers tell it without a key. */
async function versionOf(host: string): Promise<string> {
  const response = await fetch(`${host}/server_info`, {
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(PATIENCE),
  }).catch(async () => {
    throw new Error(await whyUnreached(host, `Start it with OH_ALLOW_CORS_ORIGINS='["${location.origin}"]'.`));
  });
  const info = (await response.json().catch(() => null)) as { version?: unknown } | null;
  if (response.ok && typeof info?.version === "string" && /^\d+\.\d+/.test(info.version)) return info.version.slice(0, 20);
  throw new Error(`${nameOf(host)} answers, but not as an agent server (status ${response.status}). Check the address.`);
}

function refusal(error: unknown, { host, apiKey, workingDir }: Required<AgentServerOptions>): string {
  const { code, message } = error instanceof ThreadkeepError ? error : { code: "internal", message: String(error) };
  if (code === "server_auth")
    return apiKey === ""
      ? `${nameOf(host)} wants a key, and none is entered.`
      : `${nameOf(host)} does not accept this key. Check that it is complete, and that it belongs to this server.`;
  if (code === "network") return `The connection to ${nameOf(host)} was lost: ${message}.`;
  return `The directory ${workingDir} cannot be used. ${sentence(message)}`;
}
