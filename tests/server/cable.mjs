// The way from pages to a server of this machine, which can be cut, and which sees what they send.
import { once } from "node:events";
import net from "node:net";

/** A cable to this port. Pages use its `host`; `close()` it in the end. */
export async function cable(port) {
  const made = new Cable(port);
  await made.mend();
  return made;
}

class Cable {
  /** What each connection has sent, a character for each byte. */
  sent = [];
  /** The first lines of all requests so far: `GET /path HTTP/1.1`. */
  requests = [];
  #target;
  #port = 0;
  #listener;
  #open = new Set();
  #holds = false;
  /** Whether it swallows the answers to all that ask for a socket, as some proxies do. */
  swallowsSockets = false;

  constructor(target) {
    this.#target = target;
  }

  get host() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The sockets that pages have open, that is connections which were made one. */
  get sockets() {
    return [...this.#open].filter((joined) => this.#isSocket(joined) && !joined.isSwallowed).length;
  }

  /** Until the next cut, what pages post reaches the server, but no answer to it gets back, and nothing over sockets. */
  hold() {
    this.#holds = true;
    for (const joined of this.#open) if (this.#isSocket(joined)) joined.far.unpipe(joined.near);
  }

  #isSocket({ number }) {
    return /^upgrade: websocket/im.test(this.sent[number]);
  }

  /** Destroys all connections. Others are refused, as by a machine on which nothing runs, until `mend()`. */
  async cut() {
    const closed = this.#listener && once(this.#listener, "close");
    this.#listener?.close();
    this.#listener = undefined;
    this.#holds = false;
    this.drop();
    await closed;
  }

  /** Destroys all connections, in whatever state they are. */
  drop() {
    for (const { near, far } of this.#open) {
      near.destroy();
      far.destroy();
    }
  }

  async mend() {
    this.#listener = net.createServer((near) => this.#join(near));
    this.#listener.listen(this.#port, "127.0.0.1");
    await once(this.#listener, "listening");
    this.#port = this.#listener.address().port;
  }

  async close() {
    await this.cut();
  }

  #join(near) {
    const far = net.connect(this.#target, "127.0.0.1");
    const joined = { near, far, number: this.sent.push("") - 1 };
    this.#open.add(joined);
    let count = 0;
    near.on("data", (bytes) => {
      this.sent[joined.number] += bytes.toString("latin1");
      const lines = this.sent[joined.number].match(/^[A-Z]+ \/\S* HTTP\/1\.1(?=\r\n)/gm) ?? [];
      this.requests.push(...lines.slice(count));
      if (this.#holds && lines.slice(count).some((line) => line.startsWith("POST "))) far.unpipe(near);
      if (this.swallowsSockets && this.#isSocket(joined)) {
        joined.isSwallowed = true;
        far.unpipe(near);
      }
      count = lines.length;
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.setNoDelay(true);
      one.pipe(other);
      one.on("error", () => {}); // it is closed as well
      one.on("close", () => {
        other.destroy();
        this.#open.delete(joined);
      });
    }
  }
}
