// The body of an answer, read for the wasm. What has come while the wasm was busy goes over in one piece: to go over costs
// more than most pieces of an answer are worth.

/** So many pieces go over at once, or as many as have so many bytes. What waits beyond that, waits in the stream. */
const MOST = 64;
const LARGEST = 1 << 16;

/** @internal */
export interface Body {
  /** The next bytes; nothing at the end. What fails behind bytes is told by the next call. */
  next(): Promise<Uint8Array | undefined>;
  /** Nothing more is wanted. */
  cancel(): void;
}

/** What `fetch` gave, or the host's in its place. @internal */
export interface Response {
  body?: unknown;
  text?: () => unknown;
}

/** A response's body, whoever made it: a stream, or the text of a test double. `lives` is called when bytes have come. @internal */
export function bodyOf(response: Response, lives: () => void): Body {
  const { body } = response;
  const reader = hasReader(body) ? body.getReader() : readerOf(response);
  /** The read that is under way, and what it gave: `null` at the end. One at most is ahead of what is asked for. */
  let read: Promise<void> | undefined;
  let came: Uint8Array | null | undefined;
  const take = ({ done, value }: Read) => void (came = done ? null : bytesOf(value));
  const begin = () => {
    try {
      return Promise.resolve(reader.read()).then(take);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return {
    async next() {
      const pieces: Uint8Array[] = [];
      let length = 0;
      while (pieces.length < MOST && length < LARGEST) {
        read ??= begin();
        // A read that the stream has answered already is heard of in one turn.
        await (pieces.length > 0 ? undefined : read);
        if (!came) break;
        pieces.push(came);
        length += came.length;
        read = came = undefined;
      }
      // Its failure is for who asks next, and has to be heard of by somebody until then.
      read?.catch(() => {});
      if (pieces.length === 0) return undefined;
      lives();
      return pieces.length > 1 ? joined(pieces, length) : pieces[0];
    },
    cancel() {
      // A stream that a host's function made may not listen to the signal, and may refuse this.
      (async () => reader.cancel())().catch(() => {});
    },
  };
}

/** What a reader gives. */
interface Read {
  done?: boolean;
  value?: unknown;
}

interface Reader {
  read(): Read | PromiseLike<Read>;
  cancel(): unknown;
}

function hasReader(body: unknown): body is { getReader(): Reader } {
  return typeof (body as { getReader?: unknown } | null | undefined)?.getReader === "function";
}

/** A response without a stream, as test doubles give it, and perhaps without a text. */
function readerOf(response: Response): Reader {
  let isRead = typeof response.text !== "function";
  return {
    read: async () => (isRead ? { done: true } : ((isRead = true), { value: await response.text!() })),
    cancel() {},
  };
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value === "string") return new TextEncoder().encode(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError("the response's body gave something that is no bytes");
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
