// The changes in a Git repository on an agent server, read by a command in its shell. What the server itself says of them cuts a name at
// its spaces, and has those with other letters as Git quotes them.
import { expect } from "../server/answers.js";
import type { GitChange } from "./types.js";

/**
 * Follows the variable `place`, a directory. A line for each repository: its directory, what is different from its base, and what Git
 * does not know, all in Base64, because their names are separated by NUL. The base is the one that `gitDiff()` of a server compares
 * with: the branch on the origin unless it has all, the place where this branch begins, or the last commit.
 */
export const changesScript = `
LC_ALL=C GIT_TERMINAL_PROMPT=0; export LC_ALL GIT_TERMINAL_PROMPT
g() { git --no-pager "$@" 2>/dev/null; }
commit() { g rev-parse --verify -q "$1^{commit}"; }
base() {
  head=$(commit HEAD) branch=$(g symbolic-ref -q --short HEAD)
  if [ -z "$(g rev-list -n 1 --all)" ]; then g hash-object -t tree /dev/null; return; fi
  own=$([ -z "$branch" ] || commit "refs/remotes/origin/$branch")
  if [ -n "$own" ]; then
    if [ "$own" != "$head" ] || [ -n "$(g status --porcelain --untracked-files=no)" ]; then echo "$own"; return; fi
  fi
  main=$(g symbolic-ref -q --short refs/remotes/origin/HEAD | sed -n 's|^origin/||p')
  if [ -z "$main" ]; then main=$(g remote show origin | sed -n 's/^ *HEAD branch: *//p' | grep -v '^(unknown)$'); fi
  if [ -n "$main" ]; then
    if g merge-base HEAD "origin/$main" || commit "origin/$main"; then return; fi
  else
    for main in main master; do
      own=$(commit "refs/heads/$main") || continue
      if [ "$main" != "$branch" ] && [ "$(g merge-base HEAD "$main")" = "$own" ]; then echo "$own"; return; fi
      break
    done
  fi
  if [ -n "$head" ]; then echo "$head"; else g hash-object -t tree /dev/null; fi
}
packed() { base64 | tr -d '\\n'; }
repository() {
  g rev-parse --git-dir >/dev/null || return 0
  printf '=%s ' "$(printf %s "$1" | packed)"
  printf '=%s ' "$(g diff --name-status --no-renames --no-ext-diff --relative -z "$(base)" -- . | packed)"
  printf '=%s\\n' "$(g ls-files --others --exclude-standard -z | packed)"
}
cd -P "$place" 2>/dev/null || exit 0
repository ''
for nested in ./*/.git; do
  nested=\${nested%/.git}
  if [ -e "$nested/.git" ] && [ ! -L "$nested" ]; then (cd -P "$nested" && repository "\${nested#./}"); fi
done`;

/** The changes in the output of the script, by their paths. */
export function changesIn(output: string): GitChange[] {
  const repositories = output.split("\n").filter(Boolean).map(repositoryIn);
  const nested = repositories.flatMap(({ name }) => name || []);
  return repositories
    .flatMap(({ name, changes }) =>
      name ? changes.map(({ status, path }) => ({ status, path: `${name}/${path}` })) : changes.filter(({ path }) => !isIn(path, nested)),
    )
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

const isIn = (path: string, folders: readonly string[]) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

function repositoryIn(line: string): { name: string; changes: GitChange[] } {
  const [name, different, unknown] = line.split(" ").map((packed) => atob(packed.slice(1)));
  expect(name !== undefined && different !== undefined && unknown !== undefined);
  const fields = different.split("\0");
  const changes = fields.flatMap((status, place) => (place % 2 === 0 && status ? changeOf(status, fields[place + 1] ?? "") : []));
  return { name: nameOf(name) ?? "", changes: [...changes, ...unknown.split("\0").flatMap((path) => changeOf("A", path))] };
}

function changeOf(letter: string, bytes: string): GitChange[] {
  const path = nameOf(bytes);
  const status = ({ A: "ADDED", D: "DELETED" } as const)[letter] ?? "UPDATED";
  return path ? [{ status, path }] : [];
}

/** The name with these bytes, each of which is a character here; `undefined` if it is not UTF-8. */
export function nameOf(bytes: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
