// The working directory and the environment of a terminal, which are stored beside the events, so that a reload loses
// neither.
import type { BuiltInContext } from "../../tool/types.js";

/** The file of a conversation with its terminal's session. */
const sessionFile = "terminal_session.json";

export interface Session {
  cwd: string;
  env: Record<string, string>;
  /** Names of secrets that a command has used. Later commands have them as well, as in a terminal of the SDK. */
  secrets: string[];
}

/** Variables that the shell sets itself. */
const own = new Set([
  "?",
  "_",
  "PWD",
  "IFS",
  "OPTIND",
  "SHELLOPTS",
  "BASHOPTS",
  "BASH_VERSION",
  "BASHPID",
  "PPID",
  "UID",
  "EUID",
  "SHLVL",
  "LINENO",
  "RANDOM",
  "SECONDS",
  "OSTYPE",
  "MACHTYPE",
  "HOSTTYPE",
]);
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function newSession(workingDir: string): Session {
  return { cwd: workingDir, env: { HOME: workingDir, USER: "user", SHELL: "/bin/bash", TERM: "dumb", TMPDIR: "/tmp" }, secrets: [] };
}

/** The stored session, or a new one if there is none that can be read. */
export async function readSession({ files }: BuiltInContext, workingDir: string): Promise<Session> {
  const stored = await files.read(sessionFile);
  const session = newSession(workingDir);
  if (!stored) return session;
  try {
    const { cwd, env, secrets } = JSON.parse(new TextDecoder().decode(stored)) as { readonly [name: string]: unknown };
    if (typeof cwd === "string" && cwd.startsWith("/")) session.cwd = cwd;
    if (typeof env === "object" && env !== null) session.env = onlyTexts(env);
    if (Array.isArray(secrets)) session.secrets = secrets.filter((name) => typeof name === "string" && variableName.test(name)) as string[];
  } catch {
    // A damaged file costs the session only.
  }
  return session;
}

/** Stores the session with the result of this call. */
export function writeSession({ files }: BuiltInContext, session: Session): void {
  files.write(sessionFile, `${JSON.stringify(session)}\n`);
}

/** The variables after a command, without those of the shell, and without secrets: neither under their names nor copies. */
export function environmentAfter(env: Record<string, string>, secrets: Readonly<Record<string, string>>): Record<string, string> {
  const values = Object.values(secrets).filter((value) => value !== "");
  const kept = Object.entries(onlyTexts(env)).filter(
    ([name, value]) => !own.has(name) && !(name in secrets) && !values.some((secret) => value.includes(secret)),
  );
  return Object.fromEntries(kept);
}

/** The names of secrets that a command may have: the words in it, and those that commands before it have used. */
export function namesIn(command: string, session: Session): string[] {
  return [...new Set([...session.secrets, ...(command.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []).slice(0, 1000)])];
}

/** The values of those that are secrets. */
export async function secretsOf(names: readonly string[], { secret }: Pick<BuiltInContext, "secret">): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const value = await secret(name).catch(() => null);
    if (value !== null) secrets[name] = value;
  }
  return secrets;
}

function onlyTexts(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => variableName.test(name) && typeof value === "string"),
  ) as Record<string, string>;
}
