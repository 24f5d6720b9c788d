// Beside the bench of the same name: an agent server with two long conversations. Its model is never asked.
import { startAgentServer } from "../tests/server/agent-server.mjs";
import { adopted } from "../tests/server/long-log.mjs";
import { serverVersions } from "../tests/server/setup.mjs";

/** Resolves to what the bench is given, and `end()`. */
export async function start() {
  const server = await startAgentServer({ version: serverVersions.at(-1), model: "http://127.0.0.1:9/v1" });
  if (server === null) return undefined;
  const { host, apiKey, workspace: workingDir } = server;
  const given = { home: { host, apiKey, workingDir }, short: await adopted(server, 1_000), long: await adopted(server, 10_000) };
  return { given, end: () => server.stop() };
}
