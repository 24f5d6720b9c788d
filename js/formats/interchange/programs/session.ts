// What every reader of another program's export makes: a session, and what had no place in it.

/** A message of a session, which names the one before it. */
interface Message {
  id: string;
  parent: string | null;
  role: string;
  content: string;
  timestamp?: number | string;
  reasoning_content?: string;
}

/** A conversation as `importJSON()` takes it, and what was left out, by its name. */
export interface Converted {
  session: { title?: string; model?: string; created_at?: number | string; leaf?: string; messages: Message[] };
  leftOut: ReadonlyMap<string, number>;
}

/** A message as a program has it. Without a text and without files it is none, and what follows it follows the one before it. */
export interface Said {
  id: string;
  parent: string | null;
  role: "user" | "assistant" | "system";
  text: string;
  reasoning?: string | undefined;
  timestamp?: unknown;
  /** The names of its files, with their text if it is known. */
  files?: ReadonlyArray<{ name: string; text?: string | undefined }>;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
export const object = (value: unknown): Fields => (isObject(value) ? value : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const objects = (value: unknown): Fields[] => list(value).filter(isObject);
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
/** An id, which may be a number; empty if there is none. */
export const idOf = (value: unknown): string => (typeof value === "number" ? String(value) : text(value));

/** A date as a session has it: a text, or a number of seconds or milliseconds. */
const date = (value: unknown): number | string | undefined =>
  typeof value === "number" || (typeof value === "string" && value !== "") ? value : undefined;

/** Collects the messages of one conversation, in the order in which they follow each other. */
export class Collecting {
  readonly #messages: Message[] = [];
  readonly #leftOut = new Map<string, number>();
  /** In place of a message that is none: the one before it, and reasoning that belongs to the one after it. */
  readonly #skipped = new Map<string, { parent: string | null; reasoning: string }>();

  /** Adds a message, after the one that it follows. */
  add({ id, parent, role, text: said, reasoning = "", timestamp, files = [] }: Said): void {
    const before = this.#before(parent);
    const named = files.map(({ name, text: content }) => (content ? `[${name}]\n${content}` : `[${name}]`));
    const content = [...named, said].filter((part) => part.trim() !== "").join("\n\n");
    const thoughts = [before.reasoning, reasoning].filter((part) => part !== "").join("\n\n");
    if (content === "") return void this.#skipped.set(id, { parent: before.parent, reasoning: thoughts });
    const at = date(timestamp);
    this.#messages.push({
      id,
      parent: before.parent,
      role,
      content,
      ...(at !== undefined && { timestamp: at }),
      ...(thoughts !== "" && role === "assistant" && { reasoning_content: thoughts }),
    });
  }

  /** Counts what has no place in a conversation. */
  leaveOut(name: string): void {
    this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1);
  }

  /** The conversation. `leaf` is the last message of the branch that was shown. */
  converted({ title, model, createdAt, leaf }: { title: unknown; model: unknown; createdAt: unknown; leaf?: string }): Converted {
    const at = date(createdAt);
    const shown = leaf !== undefined && leaf !== "" ? this.#before(leaf).parent : null;
    const session: Converted["session"] = {
      ...(text(title).trim() !== "" && { title: text(title) }),
      ...(text(model) !== "" && { model: text(model) }),
      ...(at !== undefined && { created_at: at }),
      ...(shown !== null && { leaf: shown }),
      messages: this.#messages,
    };
    return { session, leftOut: this.#leftOut };
  }

  #before(id: string | null): { parent: string | null; reasoning: string } {
    return (id !== null && this.#skipped.get(id)) || { parent: id, reasoning: "" };
  }
}

/** A tree from its first messages on, each before those that follow it, as often as it is met first. */
export function* inOrder(first: readonly string[], next: (id: string) => readonly string[]): Generator<string> {
  const met = new Set<string>();
  const open = [...first].reverse();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (met.has(id)) continue;
    met.add(id);
    yield id;
    open.push(...[...next(id)].reverse());
  }
}
