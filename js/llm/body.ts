// Reads the body of an answer for the wasm. Pieces that arrive while the wasm is busy are passed on together, because a call
// into the wasm costs more than the work for most pieces.
import { joined } from "../input/bytes.js";

/** The maximum number of pieces, and of bytes, that are passed on together. More of them wait in the stream. */
const maxPieces = 64;
const maxBytes = 1 << 16;

/**
 * How many microtasks a further piece is waited for. A stream has its next piece ready some of them after the last one, by
 * what makes it: three for a `pull` that is async, six for an async generator. Nothing else of the page runs in between.
 */
const maxWait = 8;

/** @internal */
export interface Body {
  /** The next bytes; `undefined` at the end. If the stream fails after some bytes, the next call rejects. */
  next(): Promise<Uint8Array | undefined>;
  /** Stops reading. */
  cancel(): void;
}

/** A response of `fetch`, or of the host's function in its place. @internal */
export interface Response {
  body?: unknown;
  text?: () => unknown;
}

/** The body of a response: a stream, or the text of a test double. `onBytes` is called with bytes that have arrived. @internal */
export function bodyOf(response: Response, onBytes: (bytes: Uint8Array) => void): Body {
  const { body } = response;
  const reader = hasReader(body) ? body.getReader() : readerOf(response);
  /** The current read, and its result: `null` at the end of the stream. At most one read is ahead of the caller. */
  let read: Promise<void> | undefined;
  let arrived: Uint8Array | null | undefined;
  const take = ({ done, value }: Read) => void (arrived = done ? null : bytesOf(value));
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
      while (pieces.length < maxPieces && length < maxBytes) {
        read ??= begin();
        if (pieces.length === 0) await read;
        for (let waited = 0; arrived === undefined && waited < maxWait; waited++) await undefined;
        if (!arrived) break;
        pieces.push(arrived);
        length += arrived.length;
        read = arrived = undefined;
      }
      // A failure of this read is reported by the next call; until then it must not be an unhandled rejection.
      read?.catch(() => {});
      if (pieces.length === 0) return undefined;
      const bytes = pieces.length > 1 ? joined(pieces) : pieces[0]!;
      onBytes(bytes);
      return bytes;
    },
    cancel() {
      // A stream of the host may ignore the signal, and may throw here.
      (async () => reader.cancel())().catch(() => {});
    },
  };
}

/** The result of a read. */
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

/** A reader for a response without a stream, as test doubles have it; the text may be missing too. */
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
  throw new TypeError("the response's body contains a chunk that is not bytes");
}
