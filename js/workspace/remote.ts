// The files of an agent server as a workspace. A server sends and takes whole files by its own requests; for all else there is a script in
// its shell, whose output is ASCII, because a server decodes what a command writes in pieces, which breaks other characters.
//
// No part of a path below the working directory may be a link: a repository, or the agent, may have made one that leads out of it. This
// keeps what a page shows, exports and removes inside; it is no wall around the agent, which has the whole machine.
import { invalidOptions, textOf, ThreadkeepError } from "../input/errors.js";
import { requestsTo, serverOptions } from "../server/requests.js";
import type { AgentServer } from "../server/server.js";
import { Commands, quoted } from "./commands.js";
import { confined } from "./confined.js";
import { changesIn, changesScript, nameOf } from "./git-changes.js";
import { checkSize } from "./limits.js";
import { Watchers } from "./listeners.js";
import { childOf, notFound, relativePath, shown } from "./path.js";
import type { RemoteWorkspace, Workspace, WorkspaceEntry } from "./types.js";

/** So many seconds a change of files may take on the server. */
const changesWithin = 300;
/** So many milliseconds a whole file may be on its way. */
const sentWithin = 600_000;
/** The exit code of the script if it refuses what it was asked. */
const refusal = 3;

/**
 * Follows the variables `op`, `root`, `path` and `to`. `enter` goes into the directory of a path, one name after the other, and sets
 * `leaf`: it makes what is missing, or only looks. A refusal says why, and which of the names is in the way. No name has a slash, so
 * that an entry of the output begins where there is one.
 */
const script = `
LC_ALL=C; export LC_ALL
set -f; IFS=/
F=-c P='%f %s %Y %n'
stat $F %f / >/dev/null 2>&1 || { F=-f P='%Xp %z %m %N'; }
fail() { echo "$1 $depth"; exit ${refusal}; }
check() { if [ -L "$leaf" ]; then fail "$mode-link"; fi; }
enter() {
  mode=$1 depth=1; shift
  cd -P "$root" || exit 1
  while [ $# -gt 1 ]; do
    leaf=./$1; check
    if [ $mode = make ] && [ ! -e "$leaf" ]; then mkdir "$leaf" || exit 1; fi
    if [ ! -d "$leaf" ]; then fail $mode-file; fi
    cd -P "$leaf" || exit 1
    depth=$((depth + 1)); shift
  done
  leaf=./$1; check
}
look() { enter look $path; if [ ! -e "$leaf" ]; then fail missing; fi; }
mkdir -p "$root" || exit 1
case $op in
stat) look; stat $F "$P" "$leaf" | base64 ;;
list)
  look
  if [ ! -d "$leaf" ]; then fail file; fi
  cd -P "$leaf" || exit 1
  find . ! -name . -prune -exec stat $F "$P" {} + | base64 ;;
make) enter make $path . ;;
write)
  enter make $path
  if [ -d "$leaf" ]; then fail directory; fi
  if [ ! -e "$leaf" ]; then leaf=.; elif [ ! -f "$leaf" ]; then fail device; fi
  if [ ! -w "$leaf" ]; then echo 'Permission denied' >&2; exit 1; fi ;;
remove) look; rm -rf "$leaf" ;;
move)
  look; from=$PWD/$leaf
  enter make $to
  if [ -e "$leaf" ] && [ -d "$from" ]; then fail exists; fi
  if [ -d "$leaf" ]; then fail directory; fi
  mv -f "$from" "$leaf" ;;
esac`;

type Operation = "stat" | "list" | "make" | "write" | "remove" | "move";

/** @throws ThreadkeepError `invalid_options` for the options of `agentServer()` */
export function remoteFiles(given: AgentServer, workingDir: string): RemoteWorkspace {
  const server = serverOptions(given);
  const requests = requestsTo(server);
  const commands = new Commands(requests);
  const watchers = new Watchers();
  const files = confined(backend());
  const absolute = (path: string) => childOf(files.workingDir === "/" ? "" : files.workingDir, path) || "/";
  const inQuery = (path: string) => `path=${encodeURIComponent(absolute(path))}`;

  /** The output of the script, or the reason why it has refused. */
  async function attempt(op: Operation, path: string, to: string): Promise<{ output: string; why?: string; depth?: number }> {
    const variables = Object.entries({ op, root: workingDir, path, to }).map(([name, value]) => `${name}=${quoted(value)}`);
    const isReading = op === "stat" || op === "list";
    const { exitCode, stdout, stderr } = await commands.script(variables.join(" ") + script, changesWithin, isReading);
    const [why = "", depth] = stdout.trim().split(" ");
    if (exitCode === refusal) return { output: "", why, depth: Number(depth) };
    if (exitCode === 0) return { output: stdout };
    const code = /no space left|quota/i.test(stderr) ? "store_quota" : "store_unavailable";
    const said = stderr.trim().slice(0, 300) || `its shell has ended with ${exitCode}`;
    throw new ThreadkeepError(code, `the agent server cannot ${op} ${shown(path)}: ${said}`);
  }

  /** The output of the script. @throws ThreadkeepError with the reason why it has refused */
  async function ask(op: Operation, path: string, to = ""): Promise<string> {
    const { output, why, depth } = await attempt(op, path, to);
    if (why === undefined) return output;
    const place = shown((to || path).split("/").slice(0, depth).join("/"));
    const problems: { [why: string]: string } = {
      "make-link": `${place} is a link, which may lead out of the workspace`,
      "make-file": `${place} is a file, not a directory`,
      file: `${place} is a file, not a directory`,
      directory: `${place} is a directory, not a file`,
      device: `${place} is neither a file nor a directory`,
      exists: `${place} exists already, so the directory ${shown(path)} cannot be moved there`,
    };
    throw why in problems ? invalidOptions(problems[why]!) : notFound(path);
  }

  /** Refuses a path with a link in it, whether there is a file or not. */
  async function checkLinks(path: string): Promise<void> {
    const { why } = await attempt("stat", path, "");
    if (why === "look-link") throw notFound(path);
  }

  function backend(): Workspace {
    // Changes reach the server one after the other.
    let last: Promise<unknown> = Promise.resolve();
    const change = (make: () => Promise<void>): Promise<void> => {
      const done = last.then(make);
      last = done.catch(() => {});
      return done;
    };
    const stat = async (path: string) => entriesIn(await ask("stat", path)).map(({ name: _, ...entry }) => ({ ...entry, path }))[0];
    return {
      workingDir,
      async read(path) {
        const entry = await stat(path);
        if (!entry) throw notFound(path);
        if (entry.type === "directory") throw invalidOptions(`${shown(path)} is a directory, not a file`);
        checkSize(path, entry.size);
        return requests.request("GET", `/api/file/download?${inQuery(path)}`, { within: sentWithin });
      },
      write: (path, content) =>
        change(async () => {
          await ask("write", path);
          const body = new FormData();
          body.append("file", new Blob([content as Uint8Array<ArrayBuffer>]), "file");
          await requests.request("POST", `/api/file/upload?${inQuery(path)}`, { body, within: sentWithin });
          watchers.notify(path, "written");
        }),
      stat: (path) =>
        stat(path).catch((error: ThreadkeepError) => {
          if (error.code === "not_found") return undefined;
          throw error;
        }),
      list: async (path) => entriesIn(await ask("list", path)).map(({ name, ...entry }) => ({ ...entry, path: childOf(path, name) })),
      makeDirectory: (path) =>
        change(async () => {
          await ask("make", path);
          watchers.notify(path, "written");
        }),
      remove: (path) =>
        change(async () => {
          await ask("remove", path);
          watchers.notify(path, "removed");
        }),
      move: (from, to) =>
        change(async () => {
          await ask("move", from, to);
          watchers.notify(from, "removed");
          watchers.notify(to, "written");
        }),
      watch: (listener) => watchers.add(listener),
    };
  }

  return {
    ...files,
    executeCommand: (command, options = {}) =>
      commands.execute(command, options, async (cwd) => {
        const place = relativePath(cwd, workingDir);
        // This makes the directory of the workspace, too.
        await files.list(place);
        return absolute(place);
      }),
    async gitChanges(path = "") {
      const place = relativePath(path, workingDir);
      await checkLinks(place);
      const { exitCode, stdout, stderr } = await commands.script(`place=${quoted(absolute(place))}${changesScript}`, changesWithin, true);
      if (exitCode === 0) return read(() => changesIn(stdout));
      throw new ThreadkeepError("network", `the agent server cannot read the changes: ${stderr.trim().slice(0, 300) || exitCode}`);
    },
    async gitDiff(path) {
      const place = relativePath(path, workingDir);
      await checkLinks(place);
      const text = (side: unknown) => (typeof side === "string" ? side : null);
      return requests.ask("GET", `/api/git/diff?${inQuery(place)}`, {}, ({ modified, original }) => ({
        modified: text(modified),
        original: text(original),
      }));
    },
  };
}

/** The files and directories in the output of the script, in Base64: for each its mode, size and time, and `./` before its name. */
function entriesIn(output: string): Array<{ name: string } & Omit<WorkspaceEntry, "path">> {
  const text = read(() => atob(output));
  let [before = "", ...parts] = text.split("./");
  return parts.flatMap((part) => {
    const end = part.lastIndexOf("\n");
    const [mode = "", size, seconds] = before.split(" ");
    const name = nameOf(part.slice(0, end));
    before = part.slice(end + 1);
    const type = { 8: "file", 4: "directory" }[Number.parseInt(mode, 16) >> 12] as WorkspaceEntry["type"] | undefined;
    // Links and devices are left out, and names that no path of a page can have.
    if (!type || name === undefined) return [];
    return { name, type, size: type === "file" ? Number(size) : 0, modifiedAt: Number(seconds) * 1000 };
  });
}

/** The value in the output of a script. @throws ThreadkeepError `network` if it is of another form */
function read<T>(value: () => T): T {
  try {
    return value();
  } catch (error) {
    throw new ThreadkeepError("network", `the output of a command on the agent server cannot be read: ${textOf(error)}`, { cause: error });
  }
}
