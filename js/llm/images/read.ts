// Turns Blobs into data URLs that every provider accepts: in a common type and within the strictest size limit.
import { binaryOf, toBase64 } from "../../input/bytes.js";
import { isA } from "../../input/arguments.js";
import { ThreadkeepError, invalidOptions, reading, textOf } from "../../input/errors.js";
import { type LLM, rowOf } from "../llm.js";

/**
 * The longest side, in pixels. Anthropic refuses larger images in a request with more than 20, and scales images down to
 * three quarters of this before its model sees them; OpenAI scales down to about this size.
 */
const maxSide = 2000;

/** The largest file, in bytes: Anthropic's limit of 5 MB, which applies to the base64 text. */
const maxBytes = 3.75e6;

/** The most images of a message: the strictest limit of a provider for a whole request, which is Anthropic's. */
const mostImages = 100;

/** The types that all providers accept, by the first bytes of a file, because the type of a Blob may be wrong. */
const types: ReadonlyArray<readonly [string, RegExp]> = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

export async function readImages(content: readonly unknown[], llm?: LLM): Promise<unknown[]> {
  const row = llm && (await rowOf(llm));
  if (row && JSON.parse(row)["supports_vision"] !== true) {
    const { model } = llm.options;
    throw invalidOptions(
      `${model} cannot see images; send the message without, or switch to a model that can (or say with capabilityOverrides that this one does)`,
    );
  }
  if (llm) checkUrls(content);
  return Promise.all(content.map(readPart));
}

/** Refuses what every provider would refuse in each later request, too. */
function checkUrls(content: readonly unknown[]): void {
  const urls = content.flatMap((part) => {
    if (isA(part, Blob)) return [part];
    return reading("an image", () => {
      const { image_urls: given } = part as { image_urls?: unknown };
      return Array.isArray(given) ? [...(given as unknown[])] : [];
    });
  });
  if (urls.length > mostImages)
    throw new ThreadkeepError("too_large", `a message has at most ${mostImages} images; send them in several messages`);
  for (const url of urls) {
    const [, type] = (typeof url === "string" && /^data:([^;,]*)/i.exec(url)) || [];
    if (type !== undefined && !types.some(([known]) => known === type.toLowerCase()))
      throw invalidOptions(`no model takes an image of type ${JSON.stringify(type)} as a data URL; give it as a Blob, which is converted`);
  }
}

async function readPart(part: unknown): Promise<unknown> {
  if (isA(part, Blob)) return { type: "image", image_urls: [await imageUrl(part)] };
  const image = reading("an image", () => ({ ...(part as { image_urls?: unknown }) }));
  const urls: unknown[] = reading("an image", () => (Array.isArray(image.image_urls) ? [...image.image_urls] : []));
  if (!urls.some((url) => isA(url, Blob))) return part;
  return { ...image, image_urls: await Promise.all(urls.map((url) => (isA(url, Blob) ? imageUrl(url) : url))) };
}

/** The image as a `data:` URL. */
export async function imageUrl(blob: Blob): Promise<string> {
  const start = binaryOf(new Uint8Array(await blob.slice(0, 12).arrayBuffer()));
  const type = types.find(([, beginning]) => beginning.test(start))?.[0];
  const image = await fitting(type === undefined ? blob : blob.slice(0, blob.size, type), type !== undefined);
  return `data:${image.type};base64,${toBase64(new Uint8Array(await image.arrayBuffer()))}`;
}

/** The image itself if it fits, otherwise a smaller one, or one of another type. */
async function fitting(image: Blob, isKnown: boolean): Promise<Blob> {
  if (typeof createImageBitmap === "undefined" || typeof OffscreenCanvas === "undefined") {
    // Outside of a page nothing can decode images.
    if (isKnown) return image;
    throw unreadable(image, "only PNG, JPEG, GIF and WebP can be sent from here");
  }
  const bitmap = await createImageBitmap(image).catch((error: unknown) => {
    throw unreadable(image, textOf(error));
  });
  try {
    let side = Math.max(bitmap.width, bitmap.height);
    if (isKnown && side <= maxSide && image.size <= maxBytes) return image;
    // A JPEG stays one; other types may have transparency.
    const type = image.type === "image/jpeg" ? "image/jpeg" : "image/png";
    side = Math.min(side, maxSide);
    for (;;) {
      const drawn = await draw(bitmap, side, type);
      // A quarter of the pixels has a quarter of the bytes or less, so this loop ends.
      if (drawn.size <= maxBytes) return drawn;
      side = Math.ceil(side / 2);
    }
  } finally {
    bitmap.close();
  }
}

async function draw(bitmap: ImageBitmap, side: number, type: string): Promise<Blob> {
  const scale = side / Math.max(bitmap.width, bitmap.height);
  const [width, height] = [bitmap.width, bitmap.height].map((length) => Math.max(1, Math.round(length * scale))) as [number, number];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (!context) throw invalidOptions("this browser cannot make images smaller; give smaller ones");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob({ type, quality: 0.9 });
}

function unreadable(image: Blob, why: string): Error {
  return invalidOptions(`an image of ${image.size} bytes and type "${image.type}" cannot be read: ${why}; give a PNG, JPEG, GIF or WebP`);
}
