// Plugins from objects, archives, directories, URLs and GitHub.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPlugin } from "../../dist/index.js";
import { zip } from "../support/zip-bytes.mjs";
import { filesOf } from "./directories.mjs";
import { refused } from "./refused.mjs";

const everything = filesOf("everything");

/** A directory handle with these files, as a browser gives it. */
function directory(name, files) {
  const folders = new Map();
  const handles = [];
  for (const [path, bytes] of Object.entries(files)) {
    const [first, ...rest] = path.split("/");
    if (rest.length === 0) handles.push({ kind: "file", name: first, getFile: async () => new Blob([bytes]) });
    else folders.set(first, { ...folders.get(first), [rest.join("/")]: bytes });
  }
  for (const [folder, inner] of folders) handles.push(directory(folder, inner));
  return {
    kind: "directory",
    name,
    async *values() {
      yield* handles;
    },
  };
}

/** Answers by URL; anything else is not found. Notes what was asked. */
function answering(answers) {
  const asked = [];
  const fetch = async (url, { headers } = {}) => {
    asked.push({ url, headers });
    const answer = answers[url];
    return answer === undefined ? new Response("", { status: 404 }) : new Response(answer);
  };
  return { fetch, asked };
}

/** The parts that do not depend on a plugin's place. */
function parts({ name, version, description, skills, commands, agents, hooks, mcpConfig }) {
  return {
    name,
    version,
    description,
    skills: skills.map(({ name, content }) => [name, content]),
    commands: commands.map(({ name }) => name),
    agents: agents.map(({ name }) => name),
    hooks,
    mcpConfig,
  };
}

test("a plugin is the same from an object, an archive, a directory, a URL and GitHub", async () => {
  const expected = parts(await loadPlugin(everything));
  assert.deepEqual(
    [expected.name, expected.commands, expected.agents, Object.keys(expected.mcpConfig)],
    ["everything", ["check"], ["pilot"], ["search"]],
  );
  const entries = Object.entries(everything).map(([name, content]) => ({ name: `everything-main/${name}`, content }));
  assert.deepEqual(parts(await loadPlugin(new Blob([zip(entries)]))), expected);
  assert.deepEqual(parts(await loadPlugin(directory("somewhere", everything))), expected);

  const base = "https://plugins.example.com/everything/";
  const list = JSON.stringify({ files: Object.keys(everything) });
  const served = Object.fromEntries(Object.entries(everything).map(([path, bytes]) => [base + path, bytes]));
  const site = answering({ [`${base}plugin-files.json`]: list, ...served });
  const ofURL = await loadPlugin(base.slice(0, -1), { fetch: site.fetch });
  assert.deepEqual(parts(ofURL), expected);
  assert.deepEqual(ofURL.resolved, { source: base.slice(0, -1), resolved_ref: null, repo_path: null, original_ref: null });
  const archive = answering({ "https://plugins.example.com/e.zip": zip(entries) });
  assert.deepEqual(parts(await loadPlugin(new URL("https://plugins.example.com/e.zip"), { fetch: archive.fetch })), expected);
});

const commit = "0123456789abcdef0123456789abcdef01234567";

/** GitHub with one repository, which has the plugin in a folder. */
function github(files, folder = "plugins/everything") {
  const api = "https://api.github.com/repos/someone/things";
  const tree = Object.entries(files).map(([path, bytes]) => ({ path, mode: "100644", type: "blob", sha: "b", size: bytes.length }));
  tree.push(
    { path: "skills/link/SKILL.md", mode: "120000", type: "blob", sha: "l", size: 9 },
    { path: "skills", type: "tree", mode: "040000", sha: "s" },
  );
  return answering({
    [`${api}/commits/HEAD`]: commit,
    [`${api}/commits/v1`]: commit,
    [`${api}/commits/${commit}`]: commit,
    [`${api}/git/trees/${commit}`]: JSON.stringify({ tree: [{ path: "plugins", type: "tree", mode: "040000", sha: "aa" }] }),
    [`${api}/git/trees/aa`]: JSON.stringify({ tree: [{ path: "everything", type: "tree", mode: "040000", sha: "bb" }] }),
    [`${api}/git/trees/bb?recursive=1`]: JSON.stringify({ tree, truncated: false }),
    ...Object.fromEntries(
      Object.entries(files).map(([path, bytes]) => [`https://raw.githubusercontent.com/someone/things/${commit}/${folder}/${path}`, bytes]),
    ),
  });
}

test("a repository of GitHub is loaded at a commit, without its links", async () => {
  const expected = parts(await loadPlugin(everything));
  for (const [source, options] of [
    ["github:someone/things", { repoPath: "plugins/everything" }],
    ["github:someone/things/plugins/everything", {}],
    ["https://github.com/someone/things.git", { repoPath: "plugins/everything", ref: "v1" }],
  ]) {
    const { fetch, asked } = github(everything);
    const plugin = await loadPlugin(source, { ...options, fetch });
    assert.deepEqual(parts(plugin), expected);
    const { repoPath = null, ref = null } = options;
    assert.deepEqual(plugin.resolved, { source, resolved_ref: commit, repo_path: repoPath, original_ref: ref });
    assert.ok(!asked.some(({ url }) => url.includes("link")), "the link was not followed");
  }
  const { fetch } = github(everything);
  await refused(loadPlugin("github:someone/things/plugins/nowhere", { fetch }), "invalid_options", /no folder/);
  await refused(loadPlugin("github:someone/other", { fetch }), "network", /404/);
});

test("credentials are sent, and are nowhere else", async () => {
  const { fetch, asked } = answering({
    "https://h.example/p/plugin-files.json": '{"files":["skills/a/SKILL.md"]}',
    "https://h.example/p/skills/a/SKILL.md": "x",
  });
  const plugin = await loadPlugin("https://me:sesame@h.example/p", { fetch });
  assert.equal(plugin.resolved.source, "https://****@h.example/p");
  assert.ok(!JSON.stringify(plugin).includes("sesame"));
  assert.ok(asked.every(({ url, headers }) => !url.includes("sesame") && headers.authorization === `Basic ${btoa("me:sesame")}`));
  await refused(loadPlugin("https://me:sesame@h.example/missing", { fetch }), "network", /^(?!.*sesame).*404/);
});

test("an archive that grows, is damaged, or has links gives no more than it may", async () => {
  await refused(loadPlugin(new Blob([new Uint8Array(100)])), "archive_invalid", /cannot be read/);
  const bomb = zip([{ name: "skills/a/SKILL.md", content: "x".repeat(17 << 20), deflate: true }]);
  await refused(loadPlugin(new Blob([bomb])), "too_large", /bytes/);
});

test("a server that answers nonsense, too much or not at all is an error", async () => {
  const url = "https://plugins.example.com/p";
  const list = (answer) => loadPlugin(url, { fetch: answering({ [`${url}/plugin-files.json`]: answer }).fetch });
  await refused(list("no"), "invalid_options", /plugin-files.json/);
  await refused(list('{"files":7}'), "invalid_options", /plugin-files.json/);
  await refused(list('{"files":["../../x"]}'), "invalid_options", /path/);
  await refused(list('{"files":["x"]}'), "network", /404/);
  await refused(
    loadPlugin(url, {
      fetch: async () => {
        throw new TypeError("Failed to fetch");
      },
    }),
    "network",
    /CORS/,
  );
  const controller = new AbortController();
  const never = loadPlugin(url, { fetch: () => new Promise(() => {}), signal: controller.signal });
  controller.abort();
  await refused(never, "aborted", /signal/);
  await refused(loadPlugin("ftp://x/y"), "invalid_options", /neither/);
  await refused(loadPlugin("git@github.com:o/r.git"), "invalid_options", /neither/);
});
