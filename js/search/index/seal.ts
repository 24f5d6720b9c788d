// Seals the rows of an index: AES-GCM with a random nonce, which stands in front of the sealed bytes. The place of a row is authenticated,
// so that it opens nowhere else.
import type { Postings } from "./postings.js";

const nonceLength = 12;
const noNumbers = new Uint32Array();

export interface Seal {
  /** The row for this value at this place. */
  close(place: string, value: object): Promise<unknown>;
  /** Its value. Rejects for a row that was not closed with this key, at this place. */
  open(place: string, row: unknown): Promise<unknown>;
}

/** Without a key rows are stored as they are. */
export const noSeal: Seal = {
  close: async (_, value) => value,
  open: async (_, row) => row,
};

export function sealWith(key: CryptoKey): Seal {
  const algorithm = (place: string, iv: Uint8Array<ArrayBuffer>) => ({
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(place),
  });
  return {
    async close(place, value) {
      const iv = crypto.getRandomValues(new Uint8Array(nonceLength));
      const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm(place, iv), key, bytesOf(value)));
      const row = new Uint8Array(nonceLength + sealed.length);
      row.set(iv);
      row.set(sealed, nonceLength);
      return row;
    },
    async open(place, row) {
      if (!(row instanceof Uint8Array)) throw new Error("the row is not sealed");
      const iv = new Uint8Array(row.subarray(0, nonceLength));
      const sealed = new Uint8Array(row.subarray(nonceLength));
      return valueOf(await crypto.subtle.decrypt(algorithm(place, iv), key, sealed));
    },
  };
}

// As bytes, a value is two numbers of four bytes, the lengths of `counts` and `numbers`, then both, and then the words. A value that has
// none of these is two zeros and its JSON.

function bytesOf(value: object): Uint8Array<ArrayBuffer> {
  const { words = JSON.stringify(value), counts = noNumbers, numbers = noNumbers } = value as Partial<Postings>;
  const text = new TextEncoder().encode(words);
  const length = 2 + counts.length + numbers.length;
  const bytes = new Uint8Array(4 * length + text.length);
  const inFront = new Uint32Array(bytes.buffer, 0, length);
  inFront.set([counts.length, numbers.length]);
  inFront.set(counts, 2);
  inFront.set(numbers, 2 + counts.length);
  bytes.set(text, inFront.byteLength);
  return bytes;
}

function valueOf(bytes: ArrayBuffer): unknown {
  const [counts, numbers] = new Uint32Array(bytes, 0, 2) as unknown as [number, number];
  const text = new TextDecoder().decode(new Uint8Array(bytes, 4 * (2 + counts + numbers)));
  if (counts === 0) return JSON.parse(text);
  return { words: text, counts: new Uint32Array(bytes, 8, counts), numbers: new Uint32Array(bytes, 4 * (2 + counts), numbers) };
}
