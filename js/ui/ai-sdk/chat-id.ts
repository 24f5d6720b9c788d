// The id of a chat as the id of a conversation. Conversations have UUIDs, and `useChat` makes ids of 16 letters and digits.
import { ThreadkeepError } from "threadkeep";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The namespace of the ids of chats, as RFC 9562 means it: a UUID made once, at random. */
const namespace = "5f0cd1b6-8a37-4c0e-9d57-2b6f3a91e4c8";

/**
 * The id of the conversation of a chat. A UUID is the conversation's id itself; any other text becomes a UUID of version 5,
 * which is the same for the same text in every browser.
 */
export function conversationIdOf(chatId: string): string {
  if (typeof chatId !== "string") throw new ThreadkeepError("invalid_options", "the id of a chat must be a string");
  if (uuid.test(chatId)) return chatId.toLowerCase();
  const name = new TextEncoder().encode(chatId);
  const bytes = namespace
    .replaceAll("-", "")
    .match(/../g)!
    .map((pair) => Number.parseInt(pair, 16));
  const hash = sha1(new Uint8Array([...bytes, ...name])).slice(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** SHA-1, which UUIDs of version 5 are made with. `crypto.subtle` does not exist on pages without https, and is asynchronous. */
function sha1(message: Uint8Array): number[] {
  const length = message.length;
  const padded = new DataView(new ArrayBuffer(((length + 72) >> 6) << 6));
  message.forEach((byte, at) => padded.setUint8(at, byte));
  padded.setUint8(length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(length) * 8n);
  const sum = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const rotated = (word: number, by: number) => (word << by) | (word >>> (32 - by));
  const words = new Int32Array(80);
  for (let block = 0; block < padded.byteLength; block += 64) {
    let [a, b, c, d, e] = sum as [number, number, number, number, number];
    for (let round = 0; round < 80; round++) {
      words[round] =
        round < 16
          ? padded.getInt32(block + 4 * round)
          : rotated(words[round - 3]! ^ words[round - 8]! ^ words[round - 14]! ^ words[round - 16]!, 1);
      const [mixed, constant] =
        round < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : round < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : round < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6];
      [a, b, c, d, e] = [(rotated(a, 5) + mixed + e + constant + words[round]!) | 0, a, rotated(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, at) => (sum[at] = (sum[at]! + word) | 0));
  }
  return sum.flatMap((word) => [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff));
}
