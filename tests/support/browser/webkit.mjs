// WebKit for the page tests, over W3C WebDriver: what `launch` of driver.mjs gets from puppeteer for the other browsers, as far
// as tests use it here. A page has evaluate, goto, reload, goBack, url, waitForFunction and close; it cannot be typed into, and
// there is no protocol of developer tools.
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../listen.mjs";

/** Switched on in Safari, and off in WebKitGTK. */
const features = ["StorageAPI", "StorageAPIEstimate", "FileSystem", "AccessHandle", "FileSystemWritableStream"];
const launcher = path.join(import.meta.dirname, "webkit-window.py");
const calls = "__callsOfTheDriver";

/** Starts the browser on this profile. Gives, as puppeteer does, newPage(), process() and close(). */
export async function startWebKit({ driver, python, profile }) {
  const display = await startDisplay();
  const env = {
    ...process.env,
    DISPLAY: display.name,
    // No service of a desktop is asked, so none is started and left behind.
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    GIO_USE_VFS: "local",
    GSETTINGS_BACKEND: "memory",
    NO_AT_BRIDGE: "1",
  };
  const port = await freePort();
  // The leader of a group, so that a kill ends it, the window and WebKit's own processes at one moment.
  const child = spawn(...withParent(driver, "-p", String(port)), { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  child.once("exit", display.end);
  child.once("error", display.end);
  const server = new Server(`http://127.0.0.1:${port}`);
  try {
    await server.starts(child);
    const options = { binary: python, args: [launcher, profile, features.join(",")] };
    const capabilities = { "webkitgtk:browserOptions": options, timeouts: { script: 300_000, pageLoad: 60_000 } };
    const { sessionId } = await server.ask("POST", "/session", { capabilities: { alwaysMatch: capabilities } });
    return new WebKit(child, new Session(server, sessionId), await server.ask("GET", `/session/${sessionId}/window`));
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** A program that the system ends with this process, however that ends. */
const withParent = (...command) => ["setpriv", ["--pdeathsig", "KILL", ...command]];

/** A screen of its own, which nobody sees. */
async function startDisplay() {
  const command = withParent("Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp");
  const child = spawn(...command, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const end = () => child.kill();
  const given = once(child.stdio[3], "data").then(([number]) => `:${String(number).trim()}`);
  const failed = once(child, "exit").then(() => Promise.reject(new Error("Xvfb did not start")));
  return { name: await Promise.race([given, failed]), end };
}

/** The commands of a WebDriver. */
class Server {
  #origin;

  constructor(origin) {
    this.#origin = origin;
  }

  async ask(method, resource, body = {}) {
    const request = { method, ...(method === "POST" && { body: JSON.stringify(body) }) };
    const response = await fetch(this.#origin + resource, request);
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
    return value;
  }

  async starts(child) {
    let failure;
    child.once("error", (error) => (failure = error));
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.ask("GET", "/status");
      } catch (error) {
        if (failure || child.exitCode !== null || attempt === 200) throw failure ?? error;
        await delay(25);
      }
    }
  }
}

/** A session has one window that commands are for, so each command is sent when its window is that one. */
class Session {
  #server;
  #path;
  #last = Promise.resolve();
  #current;

  constructor(server, id) {
    this.#server = server;
    this.#path = `/session/${id}`;
  }

  /** One after the other; `handle` is the window. */
  command(handle, method, resource, body) {
    return this.#inTurn(async () => {
      await this.#choose(handle);
      return this.#ask(method, resource, body);
    });
  }

  /** A command whose answer may take long: others are sent meanwhile, once the driver has had time to see which window this one is for. */
  async longCommand(handle, method, resource, body) {
    const { answer } = await this.#inTurn(async () => {
      await this.#choose(handle);
      const answer = this.#ask(method, resource, body);
      answer.catch(() => {});
      await Promise.race([answer.catch(() => {}), delay(20)]);
      return { answer };
    });
    return answer;
  }

  end() {
    return this.#ask("DELETE", "");
  }

  async #choose(handle) {
    if (handle === this.#current) return;
    await this.#ask("POST", "/window", { handle });
    this.#current = handle;
  }

  #ask(method, resource, body) {
    return this.#server.ask(method, this.#path + resource, body);
  }

  #inTurn(body) {
    const result = this.#last.then(body);
    this.#last = result.catch(() => {});
    return result;
  }
}

class WebKit {
  #child;
  #session;
  /** The window that it begins with, which stays empty: a session ends with its last window. */
  #first;
  #pages = new Set();

  constructor(child, session, first) {
    this.#child = child;
    this.#session = session;
    this.#first = first;
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", (line) => this.#hear(line));
  }

  process() {
    return this.#child;
  }

  async newPage() {
    const { handle } = await this.#session.command(this.#first, "POST", "/window/new", { type: "window" });
    const page = new Page(this.#session, handle, () => this.#pages.delete(page));
    this.#pages.add(page);
    return page;
  }

  async close() {
    await this.#session.end();
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }

  /**
   * What pages write on their console, and uncaught errors; as in the other browsers, no requests that fail. Where no place in a file is
   * given, any page may have written it.
   */
  #hear(line) {
    const [, place, isUncaught, text] = /^(?:(http\S+):\d+:\d+: )?CONSOLE (JS )?ERROR (.*)$/.exec(line) ?? [];
    if (text === undefined || / due to access control checks\.$/.test(text)) return;
    const origin = place && new URL(place).origin;
    for (const page of this.#pages) {
      if (origin && page.origin !== origin) continue;
      if (isUncaught) page.emit("pageerror", text);
      else page.emit("console", { type: () => "error", text: () => text });
    }
  }
}

/** A window; events: pageerror, console. */
class Page extends EventEmitter {
  /** The origin of the page that it was sent to last. */
  origin;
  #session;
  #handle;
  #closed = false;
  #isGone;

  constructor(session, handle, isGone) {
    super();
    this.#session = session;
    this.#handle = handle;
    this.#isGone = isGone;
  }

  async goto(url) {
    if (/^http/.test(url)) this.origin = new URL(url).origin;
    await this.#command("POST", "/url", { url });
  }

  reload() {
    return this.#command("POST", "/refresh");
  }

  goBack() {
    return this.#command("POST", "/back");
  }

  isClosed() {
    return this.#closed;
  }

  async close() {
    this.#closed = true;
    await this.#command("DELETE", "/window");
    this.#isGone();
  }

  /**
   * Runs a function in the page, awaits its promise, and returns its JSON value. It is begun by one command; a promise is awaited by
   * another, which is the one that other windows do not wait for, and which could find itself in another window.
   */
  async evaluate(body, ...args) {
    const id = crypto.randomUUID();
    const given = args.map((value) => (value === undefined ? {} : { value }));
    const begun = { script: `return (${begin})(${body}, ...arguments);`, args: [calls, id, given] };
    const text = await this.#command("POST", "/execute/sync", begun);
    if (text !== null) return outcome(JSON.parse(text));
    for (let attempt = 0; attempt < 3; attempt++) {
      const result = { script: `(${awaitCall})(...arguments);`, args: [calls, id] };
      const text = await this.#session.longCommand(this.#handle, "POST", "/execute/async", result);
      if (text !== null) return outcome(JSON.parse(text));
    }
    throw new Error("the page was left before the function had returned");
  }

  /** Resolves when the function returns something that is true. */
  async waitForFunction(body, { polling = 20, timeout = 30_000 } = {}, ...args) {
    const interval = Number(polling) || 20;
    for (const deadline = Date.now() + timeout; !(await this.evaluate(body, ...args)); await delay(interval)) {
      if (Date.now() > deadline) throw new Error(`not in ${timeout} ms: ${body}`);
    }
  }

  #command(method, resource, body) {
    return this.#session.command(this.#handle, method, resource, body);
  }
}

/** For a page: begins to run a function. A result that is there at once is returned, because the page may be stuck afterwards. */
function begin(body, calls, id, given) {
  const text = (value) => JSON.stringify({ value });
  const failed = (error) => {
    const { name, message, stack } = error instanceof Error || error instanceof DOMException ? error : { message: String(error) };
    return JSON.stringify({ error: { name, message, stack } });
  };
  let result;
  try {
    result = body(...given.map(({ value }) => value));
  } catch (error) {
    return failed(error);
  }
  if (typeof result?.then !== "function") return text(result);
  window[calls] ??= new Map();
  window[calls].set(id, Promise.resolve(result).then(text, failed));
  return null;
}

/** For a page: hands over what came of it; null if this is not the page that runs it. */
function awaitCall(calls, id, done) {
  const call = window[calls]?.get(id);
  if (!call) return done(null);
  call.then((text) => {
    window[calls].delete(id);
    done(text);
  });
}

function outcome({ value, error }) {
  if (!error) return value;
  const failure = new Error(error.message);
  if (error.name) failure.name = error.name;
  failure.stack = `${failure.name}: ${failure.message}\n${error.stack ?? ""}`;
  throw failure;
}
