// Names in the directory of a conversation: those of the layout, and which paths can be files of any disk. The core has the
// same names in src/format/layout.rs.

/** The file with everything that is not an event. */
export const baseStateFile = "base_state.json";
/** The directory of the event files. */
export const eventsFolder = "events";
/** The directory of the conversations of sub-agents. */
export const subagentsFolder = "subagents";
/** The directory of what the store keeps beside the layout. Nobody else reads it. */
export const ownFolder = ".threadkeep";
/** The file that Python locks to append, and so touches. */
export const pythonsLock = ".eventlog.lock";

/** The longest name of a file, in bytes, with the ending that Chromium adds while it writes. */
const longestName = 240;
const encoder = new TextEncoder();

export const hexOf = (conversation: string): string => conversation.replaceAll("-", "").toLowerCase();

/** The id in the name of a conversation's directory, with dashes. */
export function idOf(name: string): string | undefined {
  return /^[0-9a-f]{32}$/.test(name) ? name.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") : undefined;
}

export function eventFile(index: number, id: string): string {
  return `event-${String(index).padStart(5, "0")}-${id}.json`;
}

/** The SDK's marker of a log's length, which it believes while it exists. */
export const lengthMarker = (length: number): string => `.eventlog-len-${length}.marker`;

/** The index and the id in the name of an event file, as the SDK's pattern reads them. */
export function eventIn(name: string): [index: number, id: string] | undefined {
  const parts = /^event-(\d{5,})-([0-9a-fA-F-]{8,})\.json$/.exec(name);
  return parts ? [Number(parts[1]), parts[2]!] : undefined;
}

/** Whether the name of an event file with this id is one that disks accept. */
export const isStorableId = (id: string): boolean => id.length + 24 <= longestName;

/**
 * The conversations in whose directories that of this conversation is, the outermost first, by the path in its base state:
 * `…/<32 hex digits>/subagents/<this conversation>`.
 */
export function ancestorsOf(baseState: string, hex: string): string[] {
  let directory: unknown;
  try {
    directory = JSON.parse(baseState)?.persistence_dir;
  } catch {
    return [];
  }
  const parts = typeof directory === "string" ? directory.split(/[/\\]/) : [];
  const ancestors: string[] = [];
  if (parts.pop() !== hex) return ancestors;
  while (parts.pop() === subagentsFolder) {
    const name = hexOf(parts.pop() ?? "");
    if (!idOf(name)) break;
    ancestors.unshift(name);
  }
  return ancestors;
}

/** Equal for names that some file systems do not distinguish. */
export function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Whether a file that is not one of the layout can have this path on any disk. Others are stored aside. */
export function isPortable(path: string): boolean {
  const names = path.split("/");
  const top = folded(names[0]!);
  if (top === baseStateFile || top === eventsFolder || top === ownFolder) return false;
  if (top === subagentsFolder && names.length > 1 && /^[0-9a-f]{32}$/i.test(names[1]!)) return false;
  return names.every(isPortableName);
}

/** Whether a file that is found on the disk is one of the conversation's further files. */
export function isFurther(name: string): boolean {
  return !/[\0-\x1f\x7f-\x9f\\:]/.test(name) && !isForeign(name);
}

function isPortableName(name: string): boolean {
  if (/[\0-\x1f\x7f-\x9f<>:"|?*\\]|^ |[ .]$|\p{Surrogate}/u.test(name)) return false;
  // Names of devices, and endings that Windows or browsers do not leave alone.
  if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) || /\.(lnk|local|scf|url|desktop|crswap)$/i.test(name)) return false;
  return !isForeign(name) && encoder.encode(name).length <= longestName;
}

/** Files that are only useful to the process or file manager that wrote them, as an import ignores them. */
function isForeign(name: string): boolean {
  return (
    /^(owner_lease\.json|\.owner_lease\.lock|\.DS_Store|Thumbs\.db|desktop\.ini|__MACOSX)$/i.test(name) || /^\._|\.crswap$/i.test(name)
  );
}
