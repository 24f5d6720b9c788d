// The arguments of a call while the model writes them. Each character is read once, however many pieces there are.
import type { JSONValue } from "threadkeep";

type Place = "start" | "name" | "colon" | "text" | "value" | "end";

/** A complete escape. */
const escape = /^\\(?:u[0-9a-fA-F]{4}|[^u])$/;

export class GrowingArguments {
  /** The JSON text that has come. */
  text = "";
  /** Fields that are complete, in their order. */
  readonly #fields = new Map<string, JSONValue>();
  #place: Place = "start";
  /** The field that is being written. */
  #name = "";
  /** The string that is being read, decoded; or the JSON of a value that is none. */
  #read = "";
  /** An escape that is not complete. */
  #escape = "";
  /** Of a value that is no string: how many brackets are open, and whether a string is. */
  #depth = 0;
  #isInString = false;
  #args: { [name: string]: JSONValue } | undefined;

  push(piece: string): void {
    this.text += piece;
    this.#args = undefined;
    for (let at = 0; at < piece.length; ) at = this.#step(piece, at);
  }

  /** The fields that are complete, and the beginning of a text that is not; without those that the library adds to every tool. */
  get args(): { readonly [name: string]: JSONValue } {
    if (this.#args) return this.#args;
    const fields = new Map(this.#fields);
    if (this.#place === "text") fields.set(this.#name, this.#read);
    fields.delete("summary");
    fields.delete("security_risk");
    return (this.#args = Object.fromEntries(fields));
  }

  /** The purpose of the call in the model's words, once it is complete. */
  get summary(): string | null {
    const summary = this.#fields.get("summary");
    return typeof summary === "string" ? summary : null;
  }

  /** Reads from here, and returns where to go on. */
  #step(piece: string, at: number): number {
    switch (this.#place) {
      case "start":
        return this.#find(piece, at, '"', "name");
      case "name":
        return this.#string(piece, at, () => {
          this.#name = this.#read;
          this.#place = "colon";
        });
      case "colon":
        if (/[\s:]/.test(piece[at]!)) return at + 1;
        this.#read = "";
        this.#place = piece[at] === '"' ? "text" : "value";
        return piece[at] === '"' ? at + 1 : at;
      case "text":
        return this.#string(piece, at, () => this.#take(this.#read));
      case "value":
        return this.#value(piece, at);
      case "end":
        return piece.length;
    }
  }

  #find(piece: string, at: number, mark: string, place: Place): number {
    const found = piece.indexOf(mark, at);
    if (found < 0) return piece.length;
    this.#place = place;
    this.#read = "";
    return found + 1;
  }

  #string(piece: string, at: number, end: () => void): number {
    if (this.#escape !== "") {
      this.#escape += piece[at];
      if (escape.test(this.#escape)) this.#decode();
      return at + 1;
    }
    const stop = /["\\]/g;
    stop.lastIndex = at;
    const found = stop.exec(piece);
    this.#read += piece.slice(at, found?.index);
    if (!found) return piece.length;
    if (found[0] === "\\") this.#escape = "\\";
    else end();
    return found.index + 1;
  }

  #decode(): void {
    try {
      this.#read += JSON.parse(`"${this.#escape}"`);
    } catch {
      this.#read += this.#escape;
    }
    this.#escape = "";
  }

  /** Anything but a text: it ends with a comma or a bracket that it has not opened. */
  #value(piece: string, at: number): number {
    const character = piece[at]!;
    if (this.#escape !== "") this.#escape = "";
    else if (this.#isInString) {
      if (character === "\\") this.#escape = "\\";
      else if (character === '"') this.#isInString = false;
    } else if (this.#depth === 0 && (character === "," || character === "}")) {
      this.#end();
      return at;
    } else if (character === '"') this.#isInString = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") this.#depth -= 1;
    this.#read += character;
    return at + 1;
  }

  #end(): void {
    try {
      this.#take(JSON.parse(this.#read));
    } catch {
      // Nothing behind a value that cannot be read is shown; the complete call says what is wrong with it.
      this.#place = "end";
    }
  }

  #take(value: JSONValue): void {
    this.#fields.set(this.#name, value);
    this.#place = "start";
  }
}
