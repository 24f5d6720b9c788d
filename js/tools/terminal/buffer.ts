// The part of Node's `Buffer` that the shell library uses. The build puts it in place of the global.

class Bytes extends Uint8Array {
  override toString(encoding = "utf8"): string {
    if (/^utf-?8$/.test(encoding)) return new TextDecoder().decode(this);
    const parts: string[] = [];
    for (let at = 0; at < this.length; at += 8192) parts.push(String.fromCharCode(...this.subarray(at, at + 8192)));
    return encoding === "base64" ? btoa(parts.join("")) : parts.join("");
  }
}

export const Buffer = {
  from(data: string | ArrayLike<number>, encoding = "utf8"): Bytes {
    if (typeof data !== "string") return new Bytes(data);
    if (encoding === "base64") return Buffer.from(atob(data.replace(/[^A-Za-z0-9+/]/g, "")), "latin1");
    return /^utf-?8$/.test(encoding)
      ? new Bytes(new TextEncoder().encode(data))
      : (Bytes.from(data, (character) => character.charCodeAt(0)) as Bytes);
  },
};
