// The names by which the model calls the tools of servers.
import { shown } from "./tools.js";

const longest = 64;

/**
 * Gives each tool of each server a name of its own. A name that was given stays with its tool, also after a reload: a call
 * that waits for approval must not reach another server.
 */
export class ToolNames {
  /** The tool that has a name, as server and name at the server; for names of other tools, an empty text. */
  readonly #owners = new Map<string, string>();
  readonly #given = new Map<string, { name: string; note?: string }>();
  readonly #usesPrefix: boolean;

  /** @param usesPrefix As in the SDK, tools have the name of their server in front if there are several servers. */
  constructor(reserved: Iterable<string>, usesPrefix: boolean) {
    for (const name of ["finish", "think", "invoke_skill", ...reserved]) this.#owners.set(name, "");
    this.#usesPrefix = usesPrefix;
  }

  /** The name of a tool, and a note if it is not the one that the server or the SDK would use. */
  nameOf(server: string, tool: string, stored?: string): { name: string; note?: string } {
    const owner = `${server}\n${tool}`;
    const before = this.#given.get(owner);
    if (before) return before;
    const wanted = this.#usesPrefix ? `${server}_${tool}` : tool;
    const name = this.#free([stored, wanted, `${server}_${tool}`], owner);
    this.#owners.set(name, owner);
    const note = `the tool ${shown(wanted)} is called ${name}, because that name is taken or not possible`;
    const given = { name, ...(name !== wanted && { note }) };
    this.#given.set(owner, given);
    return given;
  }

  #free(wishes: Array<string | undefined>, owner: string): string {
    const names = wishes.filter((wish) => wish !== undefined).map((wish) => wish.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longest));
    const isFree = (name: string) => name !== "" && (this.#owners.get(name) ?? owner) === owner;
    const free = names.find(isFree);
    if (free !== undefined) return free;
    for (let number = 2; ; number += 1) {
      const name = `${names.at(-1)!.slice(0, longest - 8)}_${number}`;
      if (isFree(name)) return name;
    }
  }
}
