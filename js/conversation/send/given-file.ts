// Reads a file of an earlier message for a request to a model that is given the file itself.
import { textOf } from "../../input/errors.js";
import { toBase64 } from "../../input/bytes.js";
import { imageUrl } from "../../llm/images/read.js";
import type { VersionedWorkspace } from "../../workspace/types.js";
import { sha256Of, typeOf } from "./media-type.js";

/** The facts that a message has of its file. */
interface Known {
  path: string;
  size: number;
  sha256?: string;
}

/**
 * The `data:` URL of the file as it was in the message of this event; an image is made smaller as those of messages are.
 * Rejects with the end of a sentence that says why the model is not given it.
 */
export async function readGiven(workspace: VersionedWorkspace, eventId: string, json: string): Promise<string> {
  const known: Known = JSON.parse(json);
  const bytes = await asItWas(workspace, eventId, known);
  const type = typeOf(bytes) ?? "application/octet-stream";
  if (type.startsWith("image/")) return imageUrl(new Blob([bytes as BlobPart], { type }));
  return `data:${type};base64,${toBase64(bytes)}`;
}

/** The file if it is still the same, or else its version at that event. */
async function asItWas(workspace: VersionedWorkspace, eventId: string, known: Known): Promise<Uint8Array> {
  let now: Uint8Array | undefined;
  try {
    now = await workspace.read(known.path);
    if (await isThat(now, known)) return now;
  } catch (error) {
    if ((error as { code?: string }).code !== "not_found") throw new Error(`it cannot be read: ${textOf((error as Error).message)}`);
  }
  try {
    const then = await (await workspace.at(eventId)).read(known.path);
    if (await isThat(then, known)) return then;
  } catch {
    // There is no version.
  }
  throw new Error(
    `it was ${now ? "changed" : "removed"} in the workspace after the message, and its content at that time is not known any more`,
  );
}

async function isThat(bytes: Uint8Array, { size, sha256 }: Known): Promise<boolean> {
  if (bytes.length !== size) return false;
  const own = sha256 === undefined ? undefined : await sha256Of(bytes);
  return own === undefined || own === sha256;
}
