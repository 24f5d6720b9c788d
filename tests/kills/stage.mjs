// The surroundings of the page of the kill suite: its server, a model for each conversation, the place where its tools act,
// and the witness of all that it reports.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { json } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { Witness } from "./witness.mjs";
import { deferred } from "../support/deferred.mjs";

/** A page that has not come so far in this time does not come at all. */
const patience = 180_000;

export class Stage {
  /** Conversations by id. */
  conversations = new Map();
  #stopped = deferred();
  #sockets;
  #server;

  static async open() {
    const stage = new Stage();
    stage.#sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(stage.#sockets, "listening");
    stage.#server = await startServer({
      mounts: {
        "/act": (request, response) => stage.#act(request, response),
        "/let-go": (request, response) => {
          stage.conversations.get(request.url.split("?")[1]).letGo();
          response.end();
          return true;
        },
        "/stopped": () => {
          stage.#stopped.resolve();
          return true;
        },
      },
    });
    return stage;
  }

  get page() {
    return `${this.#server.origin}/pages/kills.html?socket=ws://127.0.0.1:${this.#sockets.address().port}`;
  }

  /** Resolves when a page has stopped itself. */
  get stopped() {
    return this.#stopped.promise;
  }

  /**
   * A new conversation whose model follows `script`, a function of a promise that resolves when the page lets the model
   * go on. The model has an origin of its own, because a browser has few connections for one.
   */
  async conversation(script, { actTakes = () => 0, ...expected } = {}) {
    const { promise, resolve: letGo } = deferred();
    const model = createModel(script(promise));
    const server = await model.listen();
    const id = crypto.randomUUID();
    const conversation = { id, baseUrl: server.baseUrl, model, server, letGo, actTakes, witness: new Witness(expected), acts: [] };
    this.conversations.set(id, conversation);
    return conversation;
  }

  /** The life of the page that connects next. */
  life() {
    return new Life(this.#sockets, this.conversations);
  }

  async #act(request, response) {
    const act = await json(request);
    const { witness, acts, actTakes } = this.conversations.get(act.conversation);
    witness.see(act);
    acts.push(act);
    await delay(actTakes());
    response.end(`${act.what} is done`);
    return true;
  }

  async close() {
    this.#sockets.close();
    for (const client of this.#sockets.clients) client.terminate();
    for (const { server } of this.conversations.values()) await server.close();
    await this.#server.close();
  }
}

/** One life of a page, from its connection to its death, as it reports it. */
class Life {
  /** Faults of the conversations that this life found, as sentences. */
  complaints = [];
  /** The files of a folder as the life before has left them, by path. */
  left;
  turns = 0;
  #reports = 0;
  #begun = false;
  #ended = new Set();
  #change = () => {};
  #end;
  #socket;

  constructor(sockets, conversations) {
    sockets.once("connection", (socket) => {
      this.#socket = socket;
      socket.on("message", (text) => this.#hear(JSON.parse(text), conversations));
      // The browser that is killed resets the connection.
      socket.on("error", () => {});
    });
  }

  #hear(report, conversations) {
    const { kind, value, conversation } = report;
    const witness = conversations.get(conversation)?.witness;
    this.#begun = true;
    if (kind === "problem") this.complaints.push(`the page failed: ${value}`);
    if (kind === "left") this.left = value;
    if (kind === "opened") this.complaints.push(...witness.complaints(value));
    if (kind === "turn") {
      this.turns++;
      if (value.status !== "finished") this.complaints.push(`turn ${value.turn} ended with status ${value.status}`);
    }
    if (kind === "end") this.#ended.add(conversation);
    if (this.turns > 0) this.#reports++;
    witness?.hear(report);
    this.#change();
  }

  /** The page works no more, because of this error: usually its death. Who still waits for it hears of that. */
  end(error) {
    this.#end = error;
    this.#change();
  }

  /** Resolves when so many turns and, after the first of them, reports have been heard, or as soon as there is a complaint. */
  async until({ turns = 0, reports = 0, after = 0 }) {
    await this.#becomes(() => this.complaints.length > 0 || (this.#begun && this.turns >= turns && this.#reports >= reports));
    if (after > 0) await delay(after);
  }

  /** Resolves when what the page reported of a conversation before it was through with it has been heard. */
  async through(conversation) {
    await this.#becomes(() => this.#ended.delete(conversation));
  }

  /** Resolves when the page has shown a part of an answer. */
  async shows(witness) {
    await this.#becomes(() => witness.shown.length > 0);
  }

  async #becomes(condition) {
    const late = new AbortController();
    const timeout = delay(patience, undefined, { signal: late.signal }).then(() => {
      throw new Error(`the page did not get so far: it ${this.#begun ? "began" : "did not begin"}, and had ${this.turns} turns`);
    });
    timeout.catch(() => {});
    try {
      while (!condition()) {
        if (this.#end) throw new Error(`the page does not get so far: ${this.#end.message}`, { cause: this.#end });
        await Promise.race([new Promise((resolve) => (this.#change = resolve)), timeout]);
      }
    } finally {
      late.abort();
    }
  }

  /** Resolves when everything has been heard that the page could send before it died. */
  async isOver() {
    if (this.#socket && this.#socket.readyState !== this.#socket.CLOSED) await once(this.#socket, "close");
  }
}
