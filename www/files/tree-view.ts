// The tree of a workspace: files as buttons, directories as details that list their entries when they are opened.

import type { Workspace, WorkspaceEntry } from "threadkeep";
import { el } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import { sizeText } from "./size.ts";

/** A directory with more entries shows only the first ones. */
const MOST_ENTRIES = 500;

type Marks = ReadonlyMap<string, string>;

interface Source {
  workspace: () => Workspace;
  /** A word for each file about which there is something to say, by its path. */
  marks: () => Marks;
  open: (path: string) => void;
  /** Said in place of the tree if there is no file. */
  empty: string;
}

export class TreeView {
  readonly element = el("div", { class: "tree" });
  #source: Source;
  #opened = new Set<string>();
  #latest = 0;
  #drawn = "";

  constructor(source: Source) {
    this.#source = source;
  }

  /** Lists the workspace and the opened directories again. Rejects if it cannot be listed. */
  async draw(): Promise<void> {
    const mine = (this.#latest += 1);
    const listed = new Map<string, WorkspaceEntry[]>();
    await this.#list("", listed);
    if (mine !== this.#latest) return;
    const marks = this.#source.marks();
    const state = JSON.stringify([[...listed], [...marks]]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const focused =
      document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement)
        ? document.activeElement.dataset["path"]
        : undefined;
    const hasEntries = listed.get("")!.length > 0;
    this.element.replaceChildren(hasEntries ? this.#directory("", listed, marks) : el("p", { class: "quiet" }, this.#source.empty));
    // The entry with the focus may be gone.
    if (focused !== undefined)
      [...this.element.querySelectorAll<HTMLElement>("[data-path]")]
        .find(({ dataset }) => dataset["path"] === focused)
        ?.focus({ preventScroll: true });
  }

  /** Shows nothing, because the workspace cannot be listed. */
  clear(): void {
    this.#drawn = "";
    this.element.replaceChildren();
  }

  async #list(path: string, listed: Map<string, WorkspaceEntry[]>): Promise<void> {
    const entries = await this.#source.workspace().list(path);
    const isFile = ({ type }: WorkspaceEntry): number => (type === "file" ? 1 : 0);
    listed.set(
      path,
      entries.sort((a, b) => isFile(a) - isFile(b) || a.path.localeCompare(b.path)),
    );
    const opened = entries.filter((entry) => entry.type === "directory" && this.#opened.has(entry.path));
    await Promise.all(opened.map((directory) => this.#list(directory.path, listed)));
  }

  #directory(path: string, listed: ReadonlyMap<string, WorkspaceEntry[]>, marks: Marks): HTMLElement {
    const entries = listed.get(path) ?? [];
    const left = entries.length - MOST_ENTRIES;
    return el(
      "ul",
      { ...(path === "" && { "aria-label": "Files" }) },
      ...entries
        .slice(0, MOST_ENTRIES)
        .map((entry) => el("li", {}, entry.type === "file" ? this.#file(entry, marks) : this.#folder(entry.path, listed, marks))),
      left > 0 && el("li", { class: "quiet" }, `and ${left.toLocaleString()} more`),
    );
  }

  #file({ path, size }: WorkspaceEntry, marks: Marks): HTMLElement {
    return el(
      "button",
      { type: "button", class: "tree-row", "data-path": path, onclick: () => this.#source.open(path) },
      icon("file"),
      el("span", { class: "tree-name" }, nameOf(path)),
      marks.has(path) && el("span", { class: "badge" }, marks.get(path)),
      el("span", { class: "quiet" }, sizeText(size)),
    );
  }

  #folder(path: string, listed: ReadonlyMap<string, WorkspaceEntry[]>, marks: Marks): HTMLElement {
    const details = el(
      "details",
      { open: this.#opened.has(path) },
      el("summary", { class: "tree-row", "data-path": path }, icon("folder"), el("span", { class: "tree-name" }, nameOf(path))),
    );
    if (listed.has(path)) details.append(this.#directory(path, listed, marks));
    details.addEventListener("toggle", () => {
      if (details.open === this.#opened.has(path)) return;
      if (details.open) this.#opened.add(path);
      else this.#opened.delete(path);
      void this.draw().catch(() => undefined);
    });
    return details;
  }
}

const nameOf = (path: string): string => path.split("/").at(-1)!;
