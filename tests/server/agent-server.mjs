// The agent server of the OpenHands SDK as a server of these tests, on loopback.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/listen.mjs";
import { python } from "./setup.mjs";

const keptWords = 20_000;
const slowestStart = 600_000;
const slowestEnd = 10_000;

/**
 * Starts a server of this version and waits until it is ready; `null` where none can be had, which is reported, and in CI is
 * an error. Without a `folder` it makes one of its own, which `stop()` removes. `model` is the base URL of the model that
 * `agent` asks; `env` is added to its environment.
 */
export async function startAgentServer({ version, folder, apiKey = randomBytes(12).toString("hex"), model, port, env = {} }) {
  const found = await python(version);
  if (!found.argv) {
    if (process.env.CI) throw new Error(`the agent server ${version} is needed here: ${found.reason}`);
    console.log(`\nNOT CHECKED: against the agent server ${version}: ${found.reason}`);
    return null;
  }
  const place = folder ?? mkdtempSync(path.join(os.tmpdir(), "threadkeep-server-"));
  const options = { version, place, ownsPlace: folder === undefined, apiKey, model, port: port ?? (await freePort()), env };
  const server = new AgentServer(found, options);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

class AgentServer {
  #python;
  #place;
  #ownsPlace;
  #env;
  #child;
  #words = "";

  constructor(found, { version, place, ownsPlace, apiKey, model, port, env }) {
    this.#python = found;
    this.#place = place;
    this.#ownsPlace = ownsPlace;
    this.#env = env;
    this.version = version;
    this.apiKey = apiKey;
    this.port = port;
    this.host = `http://127.0.0.1:${port}`;
    /** Each conversation is a folder in there, named by its id without dashes. */
    this.folder = path.join(place, "conversations");
    /** For the files of an agent. */
    this.workspace = path.join(place, "workspace");
    /** The least that a conversation can be created with; a request that fails is not repeated. */
    this.agent = {
      kind: "Agent",
      llm: { model: "openai/scripted", api_key: "sk-scripted", base_url: model, usage_id: "agent", num_retries: 1 },
    };
  }

  /** The end of all that it said so far. */
  get words() {
    return this.#words;
  }

  /** Starts it on the same port and folder, after `stop()` or `kill()`. */
  async start() {
    const { argv, env } = this.#python;
    for (const name of ["home", "tmux", "tmp", "conversations", "workspace"]) mkdirSync(path.join(this.#place, name), { recursive: true });
    const within = (name) => path.join(this.#place, name);
    this.#child = spawn(
      argv[0],
      [...argv.slice(1), path.join(import.meta.dirname, "watched.py"), "--host", "127.0.0.1", "--port", String(this.port)],
      {
        cwd: this.#place,
        // A group of its own, so that what its tools started ends together with it.
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
        env: {
          ...env,
          HOME: within("home"),
          TMPDIR: within("tmp"),
          TMUX_TMPDIR: within("tmux"),
          OH_CONVERSATIONS_PATH: this.folder,
          OH_WORKSPACE_PATH: this.workspace,
          OH_BASH_EVENTS_DIR: within("bash"),
          OH_SECRET_KEY: "of the tests",
          SESSION_API_KEY: this.apiKey,
          OH_ENABLE_VSCODE: "false",
          OH_PRELOAD_TOOLS: "false",
          ...this.#env,
        },
      },
    );
    const child = this.#child;
    child.stdin.on("error", () => {}); // a dead process reads nothing
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (this.#words = (this.#words + text).slice(-keptWords)));
    const closed = once(child, "close").catch(() => {}); // with all that it said
    let problem;
    child.on("error", (error) => (problem = error));
    for (const end = Date.now() + slowestStart; ; await delay(100)) {
      if (problem) throw problem;
      if (hasEnded(child)) {
        await Promise.race([closed, delay(1000)]);
        throw this.#failed(`ended with ${child.exitCode ?? child.signalCode}`);
      }
      if (Date.now() > end) throw this.#failed(`did not start within ${slowestStart / 1000} s`);
      const ready = await fetch(`${this.host}/ready`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
      await ready?.body?.cancel();
      if (ready?.status === 200) return this;
    }
  }

  /** Ends it without a warning, as a crash does. What is in its folder stays. */
  async kill() {
    await this.#end("SIGKILL");
  }

  /** Ends it for good, with the folder if that is its own. */
  async stop() {
    await this.#end("SIGTERM");
    if (this.#ownsPlace) rmSync(this.#place, { recursive: true, force: true, maxRetries: 5 });
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }

  /** Asks it, with its key; `body` is sent as JSON. Resolves to `{ status, headers, text, json }`. */
  async ask(method, pathname, body, headers = {}) {
    const response = await fetch(`${this.host}${pathname}`, {
      method,
      headers: { "x-session-api-key": this.apiKey, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /**
   * The stored events of a conversation, in the order of their numbers: `{ name, text }`. Without a file that is just being written,
   * which has a part of its text or none: 1.43.1 does not rename it into its place.
   */
  stored(conversation) {
    const folder = path.join(this.folder, conversation.replaceAll("-", ""), "events");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^event-\d+-.*\.json$/.test(name)) : [];
    const files = names.sort().map((name) => ({ name, text: readFileSync(path.join(folder, name), "utf8") }));
    return files.filter(({ text }) => isWhole(text));
  }

  async #end(signal) {
    const child = this.#child;
    if (child?.pid !== undefined) {
      const exited = hasEnded(child) ? undefined : once(child, "exit");
      if (exited) {
        child.kill(signal);
        await Promise.race([exited, delay(slowestEnd, undefined, { ref: false })]);
      }
      endGroup(child.pid);
      await exited;
    }
    this.#endTerminals();
  }

  /** The servers of tmux leave the group; they listen in this folder. */
  #endTerminals() {
    const folder = path.join(this.#place, "tmux");
    for (const users of existsSync(folder) ? readdirSync(folder) : [])
      for (const socket of readdirSync(path.join(folder, users)))
        spawnSync("tmux", ["-S", path.join(folder, users, socket), "kill-server"], { stdio: "ignore" });
  }

  #failed(text) {
    return new Error(`the agent server ${this.version} ${text}; its last words:\n${this.#words}`);
  }
}

function isWhole(text) {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** Ends every process of this group that is left. */
function endGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
