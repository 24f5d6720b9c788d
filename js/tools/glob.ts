// The tool `glob`: finds files by a pattern of their paths. The SDK's is `tools/glob/`, with Python's `glob` behind it.
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, ToolPlace } from "../tool/types.js";
import type { Workspace, WorkspaceEntry } from "../workspace/types.js";
import { messageOf, present } from "./definition.js";
import { inWorkspace, nameOf, resolved, statOf } from "./paths.js";
import { Pauses, alternatives, listing, nameMatcher, newest, searchSchema } from "./search.js";

interface GlobArguments {
  pattern: string;
  path?: string | null;
}

const description = (
  workingDir: string,
) => `Finds files by a pattern of their paths, such as "**/*.js", "src/**/*.ts" or "**/*.{json,yaml}".

* \`*\` matches a part of a name, \`**\` any number of directories, \`?\` one character, \`[abc]\` one of several.
* A pattern without \`**\` matches in every subdirectory too.
* The result lists the paths of the files, those changed last first, and at most 100 of them.
* Hidden files are matched only by patterns that begin with a dot.

The working directory is ${workingDir}; without a path, patterns are relative to it.`;

const parameters = searchSchema('The pattern, such as "**/*.js" or "src/**/*.ts".', {});

export function define({ workingDir }: ToolPlace): BuiltInDefinition {
  return {
    description: description(workingDir),
    parameters,
    annotations: { title: "glob", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    className: "Glob",
    action: ({ pattern, path }: GlobArguments) => present({ pattern, path }),
    execute,
  };
}

async function execute({ pattern, path }: GlobArguments, { workspace, signal }: BuiltInContext): Promise<BuiltInOutput> {
  const split = path ? { directory: path, rest: pattern } : separated(pattern);
  const searchPath = resolved(workspace.workingDir, split.directory);
  const output = (content: string, files: string[], truncated: boolean): BuiltInOutput => ({
    content,
    fields: present({ files, pattern, search_path: searchPath, truncated }),
  });
  const failed = (content: string) => ({ ...output(content, [], false), isError: true });
  try {
    const root = inWorkspace(workspace, searchPath);
    const entry = await statOf(workspace, root);
    if (entry?.type !== "directory") return failed(`There is no directory '${searchPath}' to search.`);
    const found = new Map<string, WorkspaceEntry>();
    const lists = new Map<string, WorkspaceEntry[]>();
    for (const each of alternatives(split.rest)) {
      const start = startOf(workspace, root!, each.includes("**") ? each : `**/${each}`);
      if (start)
        for await (const file of new Search(workspace, signal, lists).below(start.directory, start.parts)) found.set(file.path, file);
    }
    const begin = `Files below '${searchPath}' whose path matches '${pattern}'`;
    const { paths, truncated } = newest(workspace, [...found.values()]);
    if (paths.length === 0) return output(`${begin}: none`, [], truncated);
    return output(listing(begin, paths, truncated), paths, truncated);
  } catch (error) {
    signal.throwIfAborted();
    return failed(messageOf(error));
  }
}

const hasMagic = (part: string) => /[*?[]/.test(part);

/** The directory of an absolute pattern, and the rest of it. */
function separated(pattern: string): { directory: string; rest: string } {
  if (pattern === "") return { directory: ".", rest: "**/*" };
  if (!pattern.startsWith("/")) return { directory: ".", rest: pattern };
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const magic = parts.findIndex((part) => hasMagic(part) || part.includes("{"));
  const first = magic < 0 ? parts.length : magic;
  return { directory: `/${parts.slice(0, first).join("/")}`, rest: parts.slice(first).join("/") || "**/*" };
}

/** The parts of a pattern, and the directory of the workspace at which they begin; `undefined` if it is outside. */
function startOf(workspace: Workspace, root: string, pattern: string): { directory: string; parts: string[] } | undefined {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  // A slash at the end asks for directories.
  if (pattern.endsWith("/")) return undefined;
  if (!pattern.startsWith("/")) return { directory: root, parts };
  const directory = inWorkspace(workspace, "/");
  if (directory !== undefined) return { directory, parts };
  const above = resolved("/", workspace.workingDir).split("/").slice(1);
  return above.every((part, index) => parts[index] === part) ? { directory: "", parts: parts.slice(above.length) } : undefined;
}

/** A search for the files that match one pattern. */
class Search {
  readonly #pauses = new Pauses();
  /** Directories with the number of the parts that were searched for below them: several `**` lead to each in many ways. */
  readonly #visited = new Set<string>();

  constructor(
    readonly workspace: Workspace,
    readonly signal: AbortSignal,
    readonly lists: Map<string, WorkspaceEntry[]>,
  ) {}

  /** The files below a directory that match the parts of a pattern. */
  async *below(directory: string, [part, ...rest]: readonly string[]): AsyncGenerator<WorkspaceEntry> {
    await this.#pauses.take(this.signal);
    const visit = `${rest.length} ${directory}`;
    if (part === undefined || this.#visited.has(visit)) return;
    this.#visited.add(visit);
    const entries = await this.#list(directory);
    if (part === "**") {
      // No directory, or a directory and what is below it. At the end of a pattern it matches files.
      if (rest.length > 0) yield* this.below(directory, rest);
      for (const entry of entries) {
        if (nameOf(entry.path).startsWith(".")) continue;
        if (entry.type === "directory") yield* this.below(entry.path, [part, ...rest]);
        else if (rest.length === 0) yield entry;
      }
      return;
    }
    const matches = hasMagic(part) ? nameMatcher(part) : (name: string) => name === part;
    const canBeHidden = part.startsWith(".") || !hasMagic(part);
    for (const entry of entries) {
      const name = nameOf(entry.path);
      if (!matches(name) || (name.startsWith(".") && !canBeHidden)) continue;
      if (rest.length === 0 && entry.type === "file") yield entry;
      if (rest.length > 0 && entry.type === "directory") yield* this.below(entry.path, rest);
    }
  }

  async #list(directory: string): Promise<WorkspaceEntry[]> {
    const known = this.lists.get(directory) ?? (await this.workspace.list(directory));
    this.lists.set(directory, known);
    return known;
  }
}
