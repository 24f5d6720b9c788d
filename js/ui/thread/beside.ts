// What people are shown of an answer beside its text: the sources that it names, and what the server has done by itself. It is in the
// reasoning item, where `src/llm/beside.rs` keeps it. Files may come from elsewhere, so nothing is taken for granted.
import type { Source } from "./types.js";

interface Item {
  id?: string | null;
  encrypted_content?: string | null;
}

export interface Beside {
  sources: readonly Source[];
  /** The tools that the server has used, each in one line. */
  work: readonly string[];
}

const none: Beside = { sources: [], work: [] };
const most = 100;
const longestUrl = 2048;

export function besideOf(message: { responses_reasoning_item?: unknown } | undefined): Beside {
  const item = message?.responses_reasoning_item as Item | null | undefined;
  if (!item) return none;
  const kept = item.id ? undefined : read(item.encrypted_content);
  if (!isObject(kept)) return none;
  return {
    sources: objectsIn(kept["sources"]).flatMap(({ url, title }): Source[] =>
      isAddress(url) ? [{ url, title: typeof title === "string" && title !== "" ? title : null }] : [],
    ),
    work: objectsIn(kept["work"]).flatMap(({ name, detail }) =>
      typeof name === "string" && name !== "" ? [typeof detail === "string" && detail !== "" ? `${name}: ${detail}` : name] : [],
    ),
  };
}

/** Nothing that a page would run. */
function isAddress(url: unknown): url is string {
  if (typeof url !== "string" || url.length > longestUrl || !/^https?:\/\/\S+$/i.test(url)) return false;
  try {
    return new URL(url).host !== "";
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const objectsIn = (list: unknown): Array<Record<string, unknown>> => (Array.isArray(list) ? list.slice(0, most).filter(isObject) : []);

function read(text: unknown): unknown {
  // What a server has encrypted is no JSON.
  if (typeof text !== "string" || !text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
