// The LiteLLM proxy as a server of these tests, in front of a scripted model.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { python } from "./setup.mjs";

/** The key that the proxy demands of its clients. */
export const key = "sk-of-the-proxy-0123456789abcdef";

const keptWords = 20_000;
const slowestStart = 600_000;

/**
 * Starts the proxy; `upstream` is the base URL of the model that it passes requests on to, as `scripted`. Returns
 * `{ baseUrl, close() }`, or `null` where it is not available: that is reported, and in CI it is an error.
 */
export async function startProxy(upstream) {
  const { argv, env, reason } = await python();
  if (!argv) {
    if (process.env.CI) throw new Error(`the LiteLLM proxy is needed here: ${reason}`);
    console.log(`\nNOT CHECKED: against the LiteLLM proxy: ${reason}`);
    return null;
  }
  const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-proxy-"));
  const config = path.join(place, "config.yaml");
  writeFileSync(config, JSON.stringify(configuration(upstream)));
  const program = "from litellm.proxy.proxy_cli import run_server; run_server()";
  const child = spawn(
    argv[0],
    [...argv.slice(1), "-c", program, "--config", config, "--host", "127.0.0.1", "--port", "0", "--telemetry", "False"],
    {
      cwd: place,
      // The proxy's own files are deleted together with this folder.
      env: { ...env, HOME: place },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
      await Promise.race([once(child, "exit"), delay(5000).then(() => child.kill("SIGKILL"))]);
    }
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { baseUrl: `${await originOf(child)}/v1`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As JSON, which is YAML too. */
const configuration = (upstream) => ({
  model_list: [
    // A provider without a Responses or Messages API of its own, so that the proxy speaks both for it.
    { model_name: "scripted", litellm_params: { model: "lm_studio/scripted", api_base: upstream, api_key: "sk-upstream" } },
    { model_name: "scripted-once", litellm_params: { model: "lm_studio/once", api_base: upstream, api_key: "sk-upstream" } },
    { model_name: "mocked", litellm_params: { model: "openai/gpt-4o", api_key: "sk-none", mock_response: "Hello from the proxy." } },
    { model_name: "busy", litellm_params: { model: "openai/gpt-4o", api_key: "sk-none", mock_response: "litellm.RateLimitError" } },
  ],
  general_settings: { master_key: key },
  router_settings: { disable_cooldowns: true, num_retries: 0 },
});

/** Resolves when it serves, to where that is: the port is any that was free. */
function originOf(child) {
  let words = "";
  return new Promise((resolve, reject) => {
    const fail = (what) => reject(new Error(`the LiteLLM proxy ${what}; its last words:\n${words}`));
    const timer = setTimeout(() => fail(`did not start within ${slowestStart / 1000} s`), slowestStart);
    const hear = (text) => {
      words = (words + text).slice(-keptWords);
      const [, origin] = /running on (http:\/\/127\.0\.0\.1:[1-9]\d*)/.exec(words) ?? [];
      if (origin) {
        clearTimeout(timer);
        resolve(origin);
      }
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? signal}`);
    });
  });
}
