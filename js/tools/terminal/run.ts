// The shell: a library that interprets bash, with a workspace as its files. It runs in a worker, or in this thread.
import { Bash, type ExecutionLimits, type FetchOptions, type IFileSystem, InMemoryFs, MountableFs, defineCommand } from "just-bash/browser";
import { WorkspaceFileSystem } from "./file-system.js";
import type { Page, Shell, ShellCommand, ShellFile, ShellOptions, ShellResult } from "./protocol.js";
import { statementsOf } from "./statements.js";

/** The page stops a worker after some time; these limits keep its memory small. */
const workerLimits: ExecutionLimits = {
  maxCommandCount: 10_000_000,
  maxLoopIterations: 10_000_000,
  maxAwkIterations: 10_000_000,
  maxSedIterations: 10_000_000,
  maxJqIterations: 1_000_000,
  maxSourceBytes: 1 << 20,
  maxStringLength: 32 << 20,
  maxOutputSize: 16 << 20,
  maxLiveBytes: 256 << 20,
  maxInputBytes: 256 << 20,
  maxArchiveBytes: 128 << 20,
  maxArchiveEntryBytes: 64 << 20,
  maxExtensionCleanupTimeMs: 100,
};

/** In a page nothing else can happen meanwhile, not even the timer that would stop the command. */
const pageLimits: ExecutionLimits = {
  ...workerLimits,
  maxCommandCount: 3_000,
  maxLoopIterations: 3_000,
  maxAwkIterations: 10_000,
  maxSedIterations: 10_000,
  maxJqIterations: 10_000,
  maxTraversalEntries: 10_000,
  maxTraversalWork: 10_000,
};

/** Bytes of files outside of the workspace, such as those in `/tmp`. */
const temporaryBytes = 64 << 20;

const noProgram = [
  "python",
  "python3",
  "pip",
  "pip3",
  "uv",
  "node",
  "npm",
  "npx",
  "deno",
  "bun",
  "git",
  "sqlite3",
  "js-exec",
  "tar",
  "yq",
  "xan",
  "html-to-markdown",
  "make",
  "gcc",
  "cc",
  "cargo",
  "go",
  "docker",
];
const noSystem = ["apt", "apt-get", "brew", "sudo", "su", "systemctl", "ssh", "scp", "tmux", "nohup", "jobs", "fg", "bg"];
const noNetwork = ["curl", "wget"];

/** @param page Its functions are called with paths relative to the workspace. */
export function createShell(page: Page, { workingDir, hasNetwork, isInPage, files = {} }: ShellOptions): Shell {
  /** The missing programs that the command has called. */
  const missing = new Set<string>();
  const unavailable = (name: string, why: string) =>
    defineCommand(name, async () => {
      missing.add(name);
      return { stdout: "", stderr: `${name}: not available. ${why}\n`, exitCode: 127 };
    });
  const bash = new Bash({
    fs: fileSystem(page, workingDir, files),
    cwd: workingDir,
    executionLimits: isInPage ? pageLimits : workerLimits,
    // It would replace functions of the page while a command runs. A worker has nothing that must be protected.
    defenseInDepth: false,
    customCommands: [
      ...noProgram.map((name) =>
        unavailable(
          name,
          "This terminal is a shell inside a web page: it has the usual text and file commands, but no other programs, and none can be installed.",
        ),
      ),
      ...noSystem.map((name) =>
        unavailable(name, "This terminal is a shell inside a web page: it has no system, no packages and no processes."),
      ),
      ...(hasNetwork ? [] : noNetwork.map((name) => unavailable(name, "This terminal has no network."))),
    ],
    ...(hasNetwork && { fetch: requestOf(page) }),
  });
  return {
    run(command, signal) {
      missing.clear();
      return command.input === undefined
        ? run(bash, workingDir, command, signal)
        : runScript(bash, command, command.input, missing, signal);
    },
  };
}

function fileSystem(page: Page, workingDir: string, files: Record<string, ShellFile>): IFileSystem {
  const workspace = new WorkspaceFileSystem(page);
  const memory = new InMemoryFs({ "/tmp/.keep": "", "/dev/null": "", ...files }, { maxTotalBytes: temporaryBytes });
  // A file system cannot be mounted at the root.
  if (workingDir === "/") {
    const tops = [...new Set(["/tmp", ...Object.keys(files).map((path) => `/${path.split("/")[1]}`)])];
    const below = (top: string) =>
      new InMemoryFs(
        { "/.keep": "", ...Object.fromEntries(Object.entries(files).flatMap(([path, file]) => inside(top, path, file))) },
        { maxTotalBytes: temporaryBytes },
      );
    return new MountableFs({
      base: workspace,
      mounts: tops.map((mountPoint) => ({ mountPoint, filesystem: mountPoint === "/tmp" ? memory : below(mountPoint) })),
    });
  }
  return new MountableFs({ base: memory, mounts: [{ mountPoint: workingDir, filesystem: workspace }] });
}

function inside(top: string, path: string, file: ShellFile): Array<[string, ShellFile]> {
  return path.startsWith(`${top}/`) ? [[path.slice(top.length), file]] : [];
}

function requestOf({ fetch }: Page) {
  return (url: string, { method = "GET", headers = {}, body }: FetchOptions = {}) =>
    fetch!({ url, method, headers: Object.fromEntries(new Headers(headers)), body });
}

async function runScript(
  bash: Bash,
  { command, cwd, env }: ShellCommand,
  stdin: string,
  missing: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ShellResult> {
  const { stdout, stderr, exitCode } = await bash.exec(command, { cwd, env, rawScript: true, signal, stdin });
  return { output: stdout, errors: stderr, missing: [...missing], exitCode, cwd, env };
}

async function run(bash: Bash, workingDir: string, { command, cwd, env }: ShellCommand, signal: AbortSignal): Promise<ShellResult> {
  const statements = statementsOf(command, (text) => {
    try {
      bash.transform(text);
      return true;
    } catch {
      return false;
    }
  });
  if (statements.length > 1) return { statements };
  const directory = (await bash.fs.exists(cwd)) ? cwd : workingDir;
  // In a terminal, errors appear between the other lines.
  const {
    stdout,
    stderr,
    exitCode,
    env: after,
  } = await bash.exec(`exec 2>&1\n${command}`, { cwd: directory, env, rawScript: true, signal });
  // Messages about limits name an option that only programs can set.
  const output = (stdout + stderr).replace(/, increase executionLimits\.\w+/g, "");
  return {
    output: signal.aborted ? output.replace(/(^|\n)bash: execution aborted\n?$/, "$1") : output,
    exitCode,
    cwd: after["PWD"] ?? directory,
    env: { ...after },
  };
}
