// Pythons with the agent server of the OpenHands SDK in them, one for each version: made once in the user's cache folder, from
// requirements/, which names every package with its hashes.
// THREADKEEP_AGENT_SERVER=1.58.0 chooses that version where none is given; otherwise it is the first below.
import path from "node:path";
import { Stop } from "../../scripts/process.mjs";
import { environment, ofTheSdk } from "../support/python-environment.mjs";

/** The versions that these tests run against, named only here: the second has the session socket. */
export const serverVersions = ["1.43.1", "1.58.0"];

/**
 * The newest alone, for what only this side decides, or what a server of either version does by the same few requests: tools of the page, whose
 * calls the suite of homes plays on both; what a page keeps while it is offline; names and contents of files.
 */
export const newestVersion = serverVersions.at(-1);

// It would print a banner, fetch a price table, and count its users.
const quiet = {
  PYTHONDONTWRITEBYTECODE: "1",
  OPENHANDS_SUPPRESS_BANNER: "1",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  DO_NOT_TRACK: "1",
};

/** How to start it: `{ argv, env }`, or `{ argv: null, reason }` where this machine has no Python for it. */
export async function python(version = process.env.THREADKEEP_AGENT_SERVER || serverVersions[0], { say = console.error } = {}) {
  if (!serverVersions.includes(version)) throw new Stop(`no agent server ${version}: choose from ${serverVersions.join(" and ")}`);
  return environment({
    name: `threadkeep-agent-server-${version}`,
    oldest: 12,
    // Every package is named there, with its hashes.
    install: ["--require-hashes", "--no-deps"],
    requirements: path.join(import.meta.dirname, "requirements", `${version}.txt`),
    alike: ofTheSdk,
    probe: `import importlib.metadata as m; assert m.version("openhands-agent-server") == "${version}"; import openhands.agent_server.models, openhands.tools`,
    env: quiet,
    size: "750 MB",
    say,
  });
}
