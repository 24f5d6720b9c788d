// A Python with the LiteLLM proxy in it, a server that nobody here wrote: made once in the user's cache folder, from
// requirements.txt, which names every package with its hashes.
import { readFileSync } from "node:fs";
import path from "node:path";
import { environment } from "../support/python-environment.mjs";

const requirements = path.join(import.meta.dirname, "requirements.txt");

/** How to start it: `{ argv, env }`, or `{ argv: null, reason }` where this machine has no Python for it. */
export function python({ say = console.error } = {}) {
  const [, version] = /^litellm==(\S+)/m.exec(readFileSync(requirements, "utf8"));
  return environment({
    name: `threadkeep-litellm-${version}`,
    oldest: 11,
    // With its dependencies named as well, pip has none to choose: it would look at newer versions, which have no hash here.
    install: ["--only-binary", ":all:", "--require-hashes", "--no-deps"],
    requirements,
    // It would fetch a price table.
    env: { PYTHONDONTWRITEBYTECODE: "1", LITELLM_LOCAL_MODEL_COST_MAP: "True" },
    probe: `import importlib.metadata as m; assert m.version("litellm") == "${version}"; import litellm.proxy.proxy_cli`,
    size: "750 MB",
    say,
  });
}
