// Files as text: the encoding, and line ends as Python reads and writes them.
import type { Workspace } from "../workspace/types.js";

/** How the text of a file is stored. */
export type Encoding = "utf-8" | "utf-8-sig" | "utf-16le" | "utf-16be" | "windows-1252";

/** Files with more bytes are neither read nor searched. */
export const maxBytes = 10 * 1024 * 1024;

/** The characters of the bytes 0x80 to 0x9f in windows-1252; the five that it does not define are controls, as in Latin-1. */
const upper = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Extensions of formats that are never text. */
const binaryExtensions = new Set(
  (
    "3ds blend dae fbx glb stl usdz 7z bz2 cab gz jar lz lz4 lzma rar tar xz z zip zst aac aif aiff alac ape flac m4a mid midi mp3 ogg opus wav wma " +
    "dwg dwf dxb step stp class dll o pyc pyo so wasm accdb db dbf mdb sqlite sqlite3 dmg img iso qcow2 vdi vhd vmdk doc docx epub mobi odt pages pdf ppt pptx xls xlsx " +
    "com exe msi bin fw rom eot otf ttc ttf woff woff2 gba n64 nds nes pak sav sfc smc shp shx avif bmp cr2 cr3 dng gif heic heif ico jfif jp2 jpeg jpg jxl nef orf png psd raw tif tiff webp xcf " +
    "arrow avro fit fits hdf5 mat npy npz parquet pcap pcapng avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv"
  ).split(" "),
);

/** Whether an extension such as `".zip"` belongs to a binary format. */
export function isBinaryExtension(suffix: string): boolean {
  return binaryExtensions.has(suffix.slice(1).toLowerCase());
}

/** The text of a file and its encoding; `undefined` for binary content. Everything that is valid UTF-8 is text. */
export function decode(bytes: Uint8Array): { text: string; encoding: Encoding } | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === "windows-1252") {
    const text = Array.from(bytes, (byte) => (byte >= 0x80 && byte < 0xa0 ? upper[byte - 0x80]! : String.fromCharCode(byte))).join("");
    return /[\0-\x08\x0e-\x1f\x7f]/.test(text) ? undefined : { text, encoding };
  }
  try {
    return { text: new TextDecoder(encoding === "utf-8-sig" ? "utf-8" : encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    return undefined;
  }
}

function encodingOf(bytes: Uint8Array): Encoding {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8-sig";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** The bytes of a text; UTF-8 if the encoding does not have all of its characters. */
export function encode(text: string, encoding: Encoding): Uint8Array {
  if (encoding === "utf-16le" || encoding === "utf-16be") return utf16(`\ufeff${text}`, encoding === "utf-16le");
  if (encoding === "windows-1252") {
    const codes = Array.from(text, (character) => {
      const index = upper.indexOf(character);
      const code = index >= 0 ? 0x80 + index : character.codePointAt(0)!;
      return code < 0x100 && (index >= 0 || code < 0x80 || code >= 0xa0) ? code : undefined;
    });
    if (!codes.includes(undefined)) return Uint8Array.from(codes as number[]);
  }
  return new TextEncoder().encode(encoding === "utf-8-sig" ? `\ufeff${text}` : text);
}

function utf16(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), isLittleEndian);
  return new Uint8Array(view.buffer);
}

/** Line ends as Python's text files have them when they are read. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Decodes UTF-8 without the bytes that are invalid. */
export function decodeValid(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replaceAll("\ufffd", "");
  }
}

/** The size of a file in the SDK's words: `"12.3MB"`. */
export function megabytes(size: number): string {
  return `${(size / 1024 / 1024).toFixed(1)}MB`;
}

/** The bytes of a file of the workspace, unless it is too large. */
export async function readSmall(workspace: Workspace, path: string, size: number): Promise<Uint8Array | undefined> {
  return size > maxBytes ? undefined : workspace.read(path);
}
