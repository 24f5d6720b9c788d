// The tool `list_directory`: the entries of a directory with their sizes and times. The SDK's is `tools/gemini/list_directory/`.
import type { JSONObject } from "../events/types.js";
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, ToolPlace } from "../tool/types.js";
import type { Workspace, WorkspaceEntry } from "../workspace/types.js";
import { messageOf, present } from "./definition.js";
import { inWorkspace, nameOf, pathText, statOf } from "./paths.js";
import { byCodePoints, clip, directoryNotice, maxCharacters } from "./text.js";

interface ListDirectoryArguments {
  dir_path?: string;
  recursive?: boolean;
}

const maxEntries = 500;

const description = (
  workingDir: string,
) => `Lists a directory: the name, path, size in bytes and time of the last change of each file and directory, hidden ones included.

With \`recursive\`, the entries of its subdirectories are listed too, but nothing below them. At most ${maxEntries} entries are listed.

The working directory is ${workingDir}; relative paths begin there.`;

const parameters = {
  type: "object",
  properties: {
    dir_path: { type: "string", description: "The directory; by default the working directory." },
    recursive: { type: "boolean", description: "Whether subdirectories are listed too, one level deep." },
  },
} as const;

export function define({ workingDir }: ToolPlace): BuiltInDefinition {
  return {
    description: description(workingDir),
    parameters,
    annotations: { title: "list_directory", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    className: "ListDirectory",
    action: ({ dir_path, recursive }: ListDirectoryArguments) => present({ dir_path: dir_path ?? ".", recursive: recursive ?? false }),
    execute,
  };
}

async function execute(
  { dir_path = ".", recursive = false }: ListDirectoryArguments,
  { workspace }: BuiltInContext,
): Promise<BuiltInOutput> {
  const shown = pathText(dir_path.startsWith("/") ? dir_path : `${workspace.workingDir}/${dir_path}`);
  const failed = (content: string) => ({ content, isError: true, fields: present({ entries: [], total_count: 0, is_truncated: false }) });
  try {
    const path = inWorkspace(workspace, shown);
    const entry = await statOf(workspace, path);
    if (!entry) return failed(`There is no directory ${shown}.`);
    if (entry.type === "file") return failed(`${shown} is a file, not a directory.`);
    const entries = recursive
      ? await twoLevels(workspace, path!, shown)
      : (await sorted(workspace, path!)).slice(0, maxEntries).map((child) => fields(child, shown));
    const isTruncated = entries.length >= maxEntries;
    const listed = entries.slice(0, maxEntries);
    const heading = `Entries of ${shown}: ${entries.length}${isTruncated ? `, or more; the first ${maxEntries}:` : ""}`;
    const content = [heading, ...listed.map((entry) => line(entry, shown))].join("\n");
    return {
      content: clip(content, maxCharacters, directoryNotice),
      fields: present({ dir_path: shown, entries: listed, total_count: entries.length, is_truncated: isTruncated }),
    };
  } catch (error) {
    return failed(`The directory could not be listed: ${messageOf(error)}`);
  }
}

/** Each directory with its subdirectories first, until there are enough entries. */
async function twoLevels(workspace: Workspace, path: string, shown: string): Promise<JSONObject[]> {
  const level = async (below: string, at: string) => {
    const children = await sorted(workspace, below);
    const directories = children.filter(({ type }) => type === "directory");
    const all = [...directories, ...children.filter(({ type }) => type === "file")];
    return { directories, entries: all.map((child) => fields(child, at)) };
  };
  const { directories, entries } = await level(path, shown);
  for (const directory of directories) {
    if (entries.length >= maxEntries) break;
    entries.push(...(await level(directory.path, joined(shown, nameOf(directory.path)))).entries);
  }
  return entries;
}

async function sorted(workspace: Workspace, path: string): Promise<WorkspaceEntry[]> {
  return (await workspace.list(path)).sort((one, other) => byCodePoints(one.path, other.path));
}

function fields({ path, type, size, modifiedAt }: WorkspaceEntry, directory: string): JSONObject {
  const name = nameOf(path);
  const isDirectory = type === "directory";
  return present({
    name,
    path: joined(directory, name),
    is_directory: isDirectory,
    size: isDirectory ? 0 : size,
    modified_time: localTime(modifiedAt),
  });
}

/** An entry as the model reads it. The SDK's text has only the number of entries, so a model would have to ask again. */
function line({ path, is_directory, size, modified_time }: { readonly [name: string]: unknown }, directory: string): string {
  const name = String(path).slice(joined(directory, "").length);
  return is_directory ? `${name}/` : `${name}  ${size} bytes, changed ${modified_time}`;
}

function joined(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** The local time in the form of Python's `datetime.fromtimestamp(…).isoformat()`. */
function localTime(milliseconds: number): string {
  const date = new Date(Math.floor(milliseconds));
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
  return local.endsWith(".000") ? local.slice(0, -4) : `${local}000`;
}
