// Lets a browser live, kills it, and lets it live again on what it had stored, many times over.
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { randomFrom } from "../../support/random.mjs";
import { startServer } from "../../support/server.mjs";
import { launch } from "../driver.mjs";
import { busyModel } from "./script.mjs";
import { Witness } from "./witness.mjs";

/** After so many deaths a new conversation is begun, so that the requests stay short. */
const deathsPerConversation = 8;
/** A page that has not come so far in this time does not come at all. */
const patience = 60_000;

/**
 * Kills a browser `kills` times in the middle of a conversation, and opens it once more in the end. Returns what was
 * wrong with what was found, as sentences that begin with the number of the life; and counts of what was seen.
 */
export async function live(kind, { kills, seed, loses = false }) {
  const random = randomFrom(seed);
  const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-crash-${kind}-`));
  const scene = await Scene.open(random);
  const complaints = [];
  const seen = { kills: 0, turns: 0 };
  let witness;
  let conversation;
  try {
    for (let round = 1; round <= kills + 1; round++) {
      if ((round - 1) % deathsPerConversation === 0) {
        [witness, conversation] = [new Witness(), crypto.randomUUID()];
        complaints.push(...scene.newConversation(witness));
      }
      const isLast = round === kills + 1;
      const life = new Life(scene, witness);
      const browser = await launch(kind, { profile });
      try {
        const given = { socket: scene.socketUrl, conversation, seed: random.between(0, 2 ** 31), round, limit: random.between(1, 3), ...(loses && { loses }) };
        // A page that is killed while it loads never finishes loading.
        browser.page(`${scene.server.origin}/pages/crash.html?${new URLSearchParams(given)}`).catch(() => {});
        await life.until(isLast ? { turns: 1 } : momentOfDeath(random));
      } finally {
        await (isLast ? browser.close() : browser.kill());
        if (!isLast) seen.kills++;
      }
      await life.isOver();
      complaints.push(...life.complaints.map((complaint) => `life ${round}: ${complaint}`));
      seen.turns += life.turns;
    }
    complaints.push(...scene.newConversation());
    return { complaints, seen: { ...seen, ...scene.counts } };
  } finally {
    await scene.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** While it opens; right after a report; or at any time. */
function momentOfDeath(random) {
  if (random.chance(0.2)) return { after: random.between(0, 300) };
  if (random.chance(0.6)) return { turns: 1, reports: random.between(1, 30) };
  return { turns: 1, after: random.between(0, 800) };
}

/** The world around the page: its server, the model, what its tools act upon, and where it reports to. */
class Scene {
  counts = { events: 0, actions: 0, requests: 0 };
  #witness;

  static async open(random) {
    const scene = new Scene();
    scene.random = random;
    scene.sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(scene.sockets, "listening");
    scene.socketUrl = `ws://127.0.0.1:${scene.sockets.address().port}`;
    scene.server = await startServer({
      mounts: {
        "/support/": "tests/support",
        "/act": (request, response) => scene.#act(request, response),
        "/v1/": (request, response) => scene.model.handle(request, response).then(() => true),
      },
    });
    return scene;
  }

  /** Takes leave of the model of the conversation before, and returns what it saw that was wrong. */
  newConversation(witness) {
    const violations = (this.model?.violations ?? []).map((violation) => `the model: ${violation}`);
    this.counts.requests += this.model?.requests.length ?? 0;
    this.counts.events += this.#witness?.told.size ?? 0;
    this.counts.actions += this.#witness?.done.size ?? 0;
    this.#witness = witness;
    this.model = busyModel(this.random);
    return violations;
  }

  async #act(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    this.#witness.see(JSON.parse(Buffer.concat(chunks)));
    await delay(this.random.between(0, 30));
    response.end("It is done.");
    return true;
  }

  async close() {
    this.sockets.close();
    for (const client of this.sockets.clients) client.terminate();
    await this.server.close();
  }
}

/** One life of the browser, as it reports it. */
class Life {
  complaints = [];
  turns = 0;
  #reports = 0;
  #said = false;
  #opened = false;
  #change = () => {};
  #socket;

  constructor(scene, witness) {
    scene.sockets.once("connection", (socket) => {
      this.#socket = socket;
      socket.on("message", (text) => this.#hear(JSON.parse(text), witness));
      // The browser that is killed resets the connection.
      socket.on("error", () => {});
    });
  }

  #hear(report, witness) {
    this.#said = true;
    if (report.kind === "problem") this.complaints.push(`the page failed: ${report.value}`);
    if (report.kind === "opened") {
      this.#opened = true;
      this.complaints.push(...witness.complaints(report.value));
    }
    if (report.kind === "turn") {
      this.turns++;
      if (report.value.status !== "finished") this.complaints.push(`turn ${report.value.turn} ended with status ${report.value.status}`);
    }
    if (this.turns > 0) this.#reports++;
    witness.hear(report);
    this.#change();
  }

  /** Resolves at the moment, or as soon as there is something to complain about. */
  async until({ turns = 0, reports = 0, after = 0 }) {
    const isThere = () => this.complaints.length > 0 || (this.#said && this.turns >= turns && this.#reports >= reports);
    const late = new AbortController();
    const timeout = delay(patience, undefined, { signal: late.signal }).then(() => {
      throw new Error(`the page did not get so far: it ${this.#words()}`);
    });
    timeout.catch(() => {});
    try {
      while (!isThere()) await Promise.race([new Promise((resolve) => (this.#change = resolve)), timeout]);
    } finally {
      late.abort();
    }
    if (after > 0) await delay(after);
  }

  #words() {
    return `${this.#said ? "began" : "did not begin"}, ${this.#opened ? "opened" : "did not open"}, and had ${this.turns} turns`;
  }

  /** Resolves when everything has been heard that the page could send before it died. */
  async isOver() {
    if (this.#socket && this.#socket.readyState !== this.#socket.CLOSED) await once(this.#socket, "close");
  }
}
