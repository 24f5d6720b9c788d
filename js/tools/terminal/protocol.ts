// The messages between the page, which has the files and the network, and the shell in its worker.
import type { Workspace } from "../../workspace/types.js";

/** The methods of a workspace that the shell calls. */
export const fileMethods = ["read", "write", "stat", "list", "makeDirectory", "remove", "move"] as const;
export type Files = Pick<Workspace, (typeof fileMethods)[number]>;

/** An HTTP request of `curl`, for an address that the host has allowed. */
export interface WebRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface WebResponse {
  url: string;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** The functions of the page that the shell calls. */
export interface Page extends Files {
  /** `undefined` if the terminal has no network. */
  fetch?: ((request: WebRequest) => Promise<WebResponse>) | undefined;
}

/** Where the shell runs. */
export interface ShellOptions {
  workingDir: string;
  hasNetwork: boolean;
  /**
   * Whether the shell shares its thread with a page, which it blocks while it computes: then its limits are so small that
   * this takes a moment at most.
   */
  isInPage: boolean;
  /** Further files, by their absolute paths, which are no part of the workspace. */
  files?: Record<string, ShellFile> | undefined;
}

export interface ShellFile {
  content: Uint8Array;
  /** The bits of a Unix file: whether it may be run. */
  mode: number;
}

export interface ShellCommand {
  command: string;
  cwd: string;
  env: Record<string, string>;
  /**
   * The standard input. A command that has one is a script of any number of statements; its errors are apart from its output, and so are
   * the programs that it has called and that are missing.
   */
  input?: string | undefined;
}

/** Either the result of the command, or, if it has several, their texts: then nothing was run. */
export type ShellResult =
  | { output: string; errors?: string; missing?: string[]; exitCode: number; cwd: string; env: Record<string, string> }
  | { statements: string[] };

/** A shell, in a worker or in this thread. */
export interface Shell {
  /** Runs a command; if `signal` is aborted, it ends as soon as it can. */
  run(command: ShellCommand, signal: AbortSignal): Promise<ShellResult>;
}

/** Messages to the worker. */
export type ToWorker =
  | { type: "start"; options: ShellOptions }
  | { type: "run"; command: ShellCommand }
  | { type: "abort" }
  | { type: "answer"; id: number; value: unknown }
  | { type: "refusal"; id: number; code: string; message: string };

/** Messages from the worker. */
export type FromWorker =
  | { type: "ready" }
  | { type: "call"; id: number; method: keyof Page; args: unknown[] }
  | { type: "result"; result: ShellResult }
  | { type: "failure"; message: string };
