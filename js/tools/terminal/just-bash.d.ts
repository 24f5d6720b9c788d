// The parts of just-bash that the shell uses. Its own types refer to those of Node, which do not hold in a page.

export type FileContent = string | Uint8Array;
export type Encoding = string | { encoding?: string | null } | undefined;

export interface FsStat {
  isFile: boolean;
  isDirectory: boolean;
  isSymbolicLink: boolean;
  mode: number;
  size: number;
  mtime: Date;
  /** The same for two paths of one file. Without it, commands refuse to replace a file. */
  identity: string;
}

export interface DirentEntry extends Pick<FsStat, "isFile" | "isDirectory" | "isSymbolicLink"> {
  name: string;
}

export interface IFileSystem {
  readFile(path: string, options?: Encoding): Promise<string>;
  /** The characters of the string are bytes. */
  readFileBytes(path: string): Promise<string>;
  readFileBuffer(path: string): Promise<Uint8Array>;
  writeFile(path: string, content: FileContent, options?: Encoding): Promise<void>;
  appendFile(path: string, content: FileContent, options?: Encoding): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<FsStat>;
  lstat(path: string): Promise<FsStat>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  readdir(path: string): Promise<string[]>;
  readdirWithFileTypes(path: string): Promise<DirentEntry[]>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void>;
  mv(from: string, to: string): Promise<void>;
  resolvePath(base: string, path: string): string;
  getAllPaths(): string[];
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  utimes(path: string, accessed: Date, modified: Date): Promise<void>;
}

export class InMemoryFs implements IFileSystem {
  constructor(files?: Record<string, FileContent | { content: FileContent; mode: number }>, options?: { maxTotalBytes?: number });
}
export interface InMemoryFs extends IFileSystem {}

export class MountableFs implements IFileSystem {
  constructor(options: { base: IFileSystem; mounts: Array<{ mountPoint: string; filesystem: IFileSystem }> });
}
export interface MountableFs extends IFileSystem {}

/** The library names many more. */
export interface ExecutionLimits {
  readonly [name: `max${string}`]: number;
}

export interface FetchOptions {
  method?: string;
  headers?: Headers | Record<string, string>;
  body?: string;
}

export interface FetchResult {
  url: string;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface Command {
  name: string;
}

export function defineCommand(
  name: string,
  execute: (args: string[]) => Promise<{ stdout: string; stderr: string; exitCode: number }>,
): Command;

export class Bash {
  constructor(options: {
    fs: IFileSystem;
    cwd: string;
    executionLimits: ExecutionLimits;
    defenseInDepth: boolean;
    customCommands: Command[];
    fetch?: (url: string, options?: FetchOptions) => Promise<FetchResult>;
  });
  readonly fs: IFileSystem;
  exec(
    command: string,
    options: { cwd: string; env: Record<string, string>; rawScript: boolean; signal: AbortSignal; stdin?: string },
  ): Promise<{
    stdout: string;
    stderr: string;
    exitCode: number;
    env: Record<string, string>;
  }>;
  /** Parses a command. @throws Error for a syntax error */
  transform(command: string): unknown;
}
