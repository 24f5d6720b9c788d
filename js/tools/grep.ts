// The tool `grep`: finds files by a regular expression. The SDK's is `tools/grep/`.
//
// Patterns have Python's syntax and ignore case. A search takes a limited number of steps, so that no pattern stops the page.
import { Steps, TooLong, automaton, characters } from "../input/automaton.js";
import { UnreadablePattern, foldDotted, pythonRegExp } from "../python-regex/translate.js";
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, ToolPlace } from "../tool/types.js";
import type { Workspace, WorkspaceEntry } from "../workspace/types.js";
import { messageOf, present } from "./definition.js";
import { decodeValid, readSmall, withLineFeeds } from "./file-content.js";
import { inWorkspace, nameOf, resolved, statOf } from "./paths.js";
import { Pauses, alternatives, listing, nameMatcher, newest, searchSchema } from "./search.js";

interface GrepArguments {
  pattern: string;
  path?: string | null;
  include?: string | null;
}

/** How many steps the searches of a call may take: some five seconds. */
const maxSteps = 150_000_000;
/** How large the automaton of a pattern may be. */
const maxStates = 20_000;

const description = (
  workingDir: string,
) => `Finds files whose content matches a regular expression in Python's syntax. Case is ignored, and \`^\` and \`$\` match at the ends of lines.

* \`include\` limits the search to names that match a pattern, such as "*.js" or "*.{ts,tsx}".
* The result lists the paths of the files, those changed last first, and at most 100 of them.
* Hidden files and directories are not searched.

The working directory is ${workingDir}; without a path the search is made there.`;

const parameters = searchSchema("The regular expression.", {
  include: { type: "string", description: 'A pattern for the names of the files to search, such as "*.js" or "*.{ts,tsx}".' },
});

export function define({ workingDir }: ToolPlace): BuiltInDefinition {
  return {
    description: description(workingDir),
    parameters,
    annotations: { title: "grep", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    className: "Grep",
    action: ({ pattern, path, include }: GrepArguments) => present({ pattern, path, include }),
    execute,
  };
}

async function execute({ pattern, path, include }: GrepArguments, { workspace, signal }: BuiltInContext): Promise<BuiltInOutput> {
  const searchPath = resolved(workspace.workingDir, path || ".");
  const output = (content: string, matches: string[], more: { truncated: boolean; isError?: boolean }): BuiltInOutput => ({
    content,
    ...(more.isError && { isError: true }),
    fields: present({ matches, pattern, search_path: searchPath, include_pattern: include, truncated: more.truncated }),
  });
  const failed = (content: string) => output(content, [], { truncated: false, isError: true });
  try {
    const root = inWorkspace(workspace, searchPath);
    const entry = await statOf(workspace, root);
    if (entry?.type !== "directory") return failed(`There is no directory '${path || searchPath}' to search.`);
    const isFound = searching(pattern);
    const found: WorkspaceEntry[] = [];
    const pauses = new Pauses();
    for await (const file of candidates(workspace, root!, filter(include))) {
      await pauses.take(signal);
      const content = await readSmall(workspace, file.path, file.size);
      if (content && isFound(withLineFeeds(decodeValid(content)))) found.push(file);
    }
    const filtered = include ? `, in names like '${include}'` : "";
    const begin = `Files below '${searchPath}' with a match of '${pattern}'${filtered}`;
    const { paths, truncated } = newest(workspace, found);
    if (paths.length === 0) return output(`${begin}: none`, [], { truncated });
    return output(listing(begin, paths, truncated), paths, { truncated });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadablePattern) return failed(`The pattern is no regular expression of Python: ${error.message}`);
    if (error instanceof TooLong)
      return failed(`The search was stopped because ${error.message}. Use a simpler pattern, or limit the search with path and include.`);
    return failed(messageOf(error));
  }
}

/** Whether the name of a file is searched. */
function filter(include: string | null | undefined): (name: string) => boolean {
  if (!include) return (name) => !name.startsWith(".");
  const matchers = alternatives(include).map(nameMatcher);
  return (name) => matchers.some((matches) => matches(name));
}

/** The files below a directory, without hidden directories. */
async function* candidates(workspace: Workspace, directory: string, isSearched: (name: string) => boolean): AsyncGenerator<WorkspaceEntry> {
  for (const entry of await workspace.list(directory)) {
    const name = nameOf(entry.path);
    if (entry.type === "file" && isSearched(name)) yield entry;
    if (entry.type === "directory" && !name.startsWith(".")) yield* candidates(workspace, entry.path, isSearched);
  }
}

/**
 * A search for a pattern. JavaScript's own search is used for patterns that it cannot repeat, because it is fast then and
 * never takes long; an automaton searches for the others.
 * @throws UnreadablePattern, TooLong
 */
function searching(pattern: string): (text: string) => boolean {
  const regExp = multiline(pattern);
  const tokens = tokensOf(regExp.source);
  if (tokens.filter((token) => /^[?|]/.test(token)).length < 8 && !tokens.some((token) => /^(?:[*+{]|\\[1-9k])/.test(token))) {
    return (text) => regExp.test(foldDotted(text));
  }
  const search = automaton(regExp.source, new Steps(maxStates));
  const needed = new RegExp(literalOf(tokens), "iu");
  const steps = new Steps(maxSteps);
  return (given) => {
    const text = foldDotted(given);
    return needed.test(text) && search(characters(text), steps);
  };
}

/** The parts of an expression: beginnings and ends of groups, alternatives, quantifiers, characters and classes. */
function tokensOf(source: string): string[] {
  return source.match(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\[(?:[^\]\\]|\\[^])*\]|(?:[*+?]|\{\d[^}]*\})\??|\\u\{[^}]*\}|\\x..|\\?[^]/gu) ?? [];
}

/** The longest text that is a part of every match; empty if there is none. */
function literalOf(tokens: readonly string[]): string {
  let [depth, longest, current]: [number, string[], string[]] = [0, [], []];
  const finish = () => {
    if (current.length > longest.length) longest = current;
    current = [];
  };
  for (const [index, token] of tokens.entries()) {
    if (token === "|" && depth === 0) return "";
    if (token.startsWith("(")) depth += 1;
    const isLiteral = depth === 0 && /^(?:[^\\[()|^$.*+?{}]|\\u\{.*)$/u.test(token);
    const isRepeated = /^[*+?{]/.test(tokens[index + 1] ?? "");
    if (isLiteral && !isRepeated) current.push(token);
    else finish();
    if (token === ")") depth -= 1;
  }
  finish();
  return longest.join("");
}

/** The pattern with `^` and `$` at the ends of lines, which is how command-line tools search. */
function multiline(pattern: string): RegExp {
  const flags = /^\(\?([aimsux]+)\)/.exec(pattern);
  return pythonRegExp(flags ? `(?${flags[1]}m)${pattern.slice(flags[0].length)}` : `(?m)${pattern}`);
}
