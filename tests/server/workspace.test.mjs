// The files of the real agent server as a workspace, and commands that it runs, in Node: the checks of all workspaces, names and contents
// that a shell could misread, links, and the example of docs/server.md.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import {
  Agent,
  Conversation,
  LLM,
  agentServer,
  fileEditor,
  glob,
  grep,
  memoryStore,
  memoryWorkspace,
  remoteWorkspace,
} from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";
import { createModel } from "../support/model.mjs";
import { randomFrom } from "../support/random.mjs";
import { common, compare, refused, text, tree } from "../workspace/checks.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { newestVersion, serverVersions } from "./setup.mjs";

const page = readFileSync(path.join(root, "docs/server.md"), "utf8");

/** Names that are files on a server and words, options or patterns of a shell. */
const hostile = [
  "-rf",
  "--help",
  "a b",
  " ",
  "'",
  '"',
  "'; touch pwned; '",
  "$(touch pwned)",
  "`touch pwned`",
  "$HOME",
  "~",
  "*",
  "?",
  "[a-z]",
  "a&b|c;d<e>f",
  "#",
  "!!",
  "%s%n",
  "{a,b}",
  "(a)",
  "ü",
  "e\u0301",
  "日本語",
  "😀",
  "...",
  "x".repeat(255),
  "é".repeat(127),
];

for (const version of serverVersions) {
  describe(`a workspace on the agent server ${version}`, () => {
    let server;
    before(async () => (server = await startAgentServer({ version })));
    after(async () => server?.stop());
    const on = (workingDir, options = {}) =>
      remoteWorkspace(agentServer({ host: server.host, apiKey: server.apiKey, workingDir, ...options }));
    /** A workspace in a folder of its own, which is not there yet. */
    const fresh = () => {
      const folder = path.join(mkdtempSync(path.join(server.workspace, "own-")), "files of 'mine'");
      return { folder, workspace: on(folder) };
    };
    /** Names and contents reach both versions by the same requests. */
    const checkNewest = (name, run) => check(name, run, version !== newestVersion && "the newest shows it");
    const check = (name, run, skip = false) =>
      test(name, { skip }, async (t) => {
        if (server === null) return t.skip("it is not here");
        await run();
      });

    for (const [name, run] of Object.entries(common)) check(name, () => run(async () => fresh().workspace));

    checkNewest("random calls do the same as in memory", async () => {
      assert.ok((await compare(fresh().workspace, memoryWorkspace(), randomFrom(26), 120)) > 8);
    });

    checkNewest("names that a shell could misread are names", async () => {
      const { folder, workspace } = fresh();
      for (const name of hostile) {
        await workspace.write(`${name}/${name}`, name);
        assert.equal(text(await workspace.read(`${name}/${name}`)), name);
        assert.equal((await workspace.stat(`${name}/${name}`)).size, new TextEncoder().encode(name).length);
      }
      assert.deepEqual(readdirSync(folder).sort(), hostile.toSorted());
      assert.deepEqual((await workspace.list("")).map(({ path }) => path).sort(), hostile.toSorted());
      for (const name of hostile) {
        await workspace.move(`${name}/${name}`, `${name}/-moved`);
        assert.equal((await workspace.list(name)).length, 1, name);
        await workspace.remove(name);
      }
      assert.deepEqual(readdirSync(folder), []);
    });

    check("what others have named or made is listed as it is, or left out", async () => {
      const { folder, workspace } = fresh();
      mkdirSync(folder, { recursive: true });
      // The first could pass for two entries, the second is not UTF-8.
      writeFileSync(path.join(folder, "a\n81a4 5 1700000000 .\nb"), "");
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff])]), "");
      spawnSync("mkfifo", [path.join(folder, "pipe")]);
      symlinkSync("/etc", path.join(folder, "link"));
      writeFileSync(path.join(folder, "é"), "12");
      assert.deepEqual(
        (await workspace.list("")).map(({ path, type, size }) => [path, type, size]),
        [["é", "file", 2]],
      );
      assert.equal(await workspace.stat("pipe"), undefined);
      await assert.rejects(workspace.read("pipe"), refused("not_found", /pipe/));
      await assert.rejects(workspace.write("pipe", "x"), refused("invalid_options", /neither a file/));
    });

    check("a link is not followed", async () => {
      const { folder, workspace } = fresh();
      const outside = path.join(folder, "../outside");
      mkdirSync(outside, { recursive: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(outside, "secret"), "of somebody");
      writeFileSync(path.join(folder, "own"), "mine");
      symlinkSync(outside, path.join(folder, "out"));
      symlinkSync(path.join(outside, "secret"), path.join(folder, "file"));
      assert.deepEqual(await tree(workspace), ["own 4"]);
      for (const way of ["out", "out/secret", "file"]) {
        assert.equal(await workspace.stat(way), undefined);
        for (const call of ["read", "remove", "gitDiff"]) await assert.rejects(workspace[call](way), refused("not_found", /no file/));
        await assert.rejects(workspace.list(way), { code: "not_found" });
        await assert.rejects(workspace.move(way, "x"), { code: "not_found" });
        for (const call of [
          () => workspace.write(way, "x"),
          () => workspace.makeDirectory(`${way}/below`),
          () => workspace.move("own", way),
        ])
          await assert.rejects(call(), refused("invalid_options", /is a link/));
      }
      await assert.rejects(workspace.write("out/new/deep", "x"), refused("invalid_options", /"out" is a link/));
      // With the directory around it a link goes, and not what it leads to.
      await workspace.makeDirectory("around");
      symlinkSync(outside, path.join(folder, "around/out"));
      await workspace.remove("around");
      assert.deepEqual(readdirSync(outside), ["secret"]);
      // The working directory itself may be one.
      const linked = path.join(folder, "../linked");
      symlinkSync(folder, linked);
      assert.equal(text(await on(linked).read("own")), "mine");
    });

    checkNewest("bytes survive, many of them too, and long lists", async () => {
      const { folder, workspace } = fresh();
      // Nothing here may block for seconds: Node would then ask over a connection that the server has closed for its idleness.
      const bytes = randomBytes(20 << 20);
      await workspace.write("large.bin", bytes);
      assert.deepEqual(Buffer.compare(await workspace.read("large.bin"), bytes), 0);
      mkdirSync(path.join(folder, "many"));
      const names = Array.from({ length: 12_000 }, (_, i) => `${"ä".repeat(40)} ${String(i).padStart(5, "0")}`);
      for (const name of names) await writeFile(path.join(folder, "many", name), "");
      assert.deepEqual(
        (await workspace.list("many")).map(({ path }) => path).sort(),
        names.map((name) => `many/${name}`),
      );
    });

    check("what fails has a code", async () => {
      const { folder, workspace } = fresh();
      await workspace.write("a", "1");
      for (const name of ["read", "stat", "list", "remove", "executeCommand", "gitChanges"]) {
        await assert.rejects(on(folder, { apiKey: "wrong" })[name]("a"), { code: "server_auth", status: 401 });
        await assert.rejects(on(folder, { host: "http://127.0.0.1:9" })[name]("a"), { code: "network" });
      }
      await assert.rejects(on("relative").list(""), { code: "invalid_options" });
      await assert.rejects(on("/proc/self/fdinfo/none").list(""), { code: "store_unavailable" });
      await assert.rejects(on(folder, { host: "nowhere" }).list(""), { code: "invalid_options" });
    });

    check("commands run, and say how they ended", async () => {
      const { folder, workspace } = fresh();
      await workspace.write("sub/a.txt", "1");
      const command = "pwd; echo ü >&2; exit 7";
      assert.deepEqual(await workspace.executeCommand(command, { cwd: "sub" }), {
        command,
        exitCode: 7,
        stdout: `${folder}/sub\n`,
        stderr: "ü\n",
        timeoutOccurred: false,
      });
      assert.equal((await workspace.executeCommand("pwd")).stdout, `${folder}\n`);
      const late = await workspace.executeCommand("echo begun; sleep 60", { timeout: 0.5 });
      assert.deepEqual([late.exitCode, late.stdout, late.timeoutOccurred], [-1, "begun\n", true]);
      await assert.rejects(workspace.executeCommand("pwd", { cwd: "none" }), { code: "not_found" });
      const pieces = [];
      const much = await workspace.executeCommand("seq 600000; while [ ! -e go ]; do sleep 0.05; done; echo over", {
        timeout: 120,
        onOutput({ stdout }) {
          if (pieces.push(stdout) === 1) void workspace.write("go", "");
        },
      });
      assert.ok(pieces.length > 2, `${pieces.length}`);
      assert.equal(pieces.join(""), much.stdout);
      assert.match(much.stdout, /^1\n2\n[^]*\n600000\nover\n$/);
      for (const wrong of [
        { cwd: "/etc" },
        { cwd: "../x" },
        { timeout: 0 },
        { timeout: "1" },
        { onOutput: 1 },
        { signal: 1 },
        { shell: "bash" },
      ])
        await assert.rejects(workspace.executeCommand("true", wrong), { code: "invalid_options" }, JSON.stringify(wrong));
      await assert.rejects(workspace.executeCommand(7), { code: "invalid_options" });
    });

    check("a signal stops a command, where the server can", async () => {
      const { folder, workspace } = fresh();
      await workspace.list("");
      const stop = new AbortController();
      const running = workspace.executeCommand("trap 'touch stopped; exit' TERM; touch begun; while [ ! -e end ]; do sleep 0.05; done", {
        signal: stop.signal,
        timeout: 60,
      });
      while (!existsSync(path.join(folder, "begun"))) await workspace.stat("begun");
      stop.abort();
      await assert.rejects(running, { code: "aborted" });
      assert.equal(existsSync(path.join(folder, "stopped")), version !== "1.43.1");
      await assert.rejects(workspace.executeCommand("touch no", { signal: stop.signal }), { code: "aborted" });
      await workspace.write("end", "");
    });

    check("changes of a Git repository", async () => {
      const { folder, workspace } = fresh();
      await workspace.write("repository/sub/a.txt", "one\n");
      await workspace.write("repository/b.txt", "two\n");
      assert.deepEqual(await workspace.gitChanges(), []);
      assert.deepEqual(await workspace.gitDiff("repository/b.txt"), { modified: null, original: null });
      const git = "git -c user.name=a -c user.email=a@example.com";
      const { exitCode, stderr } = await workspace.executeCommand(`git init -q && git add . && ${git} commit -qm one`, {
        cwd: "repository",
      });
      assert.equal(exitCode, 0, stderr);
      await workspace.write("repository/sub/a.txt", "other\n");
      await workspace.write("repository/new.txt", "new\n");
      await workspace.remove("repository/b.txt");
      const changes = await workspace.gitChanges("repository");
      assert.deepEqual(changes.map(({ status, path }) => `${status} ${path}`).sort(), [
        "ADDED new.txt",
        "DELETED b.txt",
        "UPDATED sub/a.txt",
      ]);
      assert.deepEqual(await workspace.gitChanges("repository/sub"), [{ status: "UPDATED", path: "a.txt" }]);
      assert.deepEqual(await workspace.gitDiff("repository/sub/a.txt"), { modified: "other", original: "one" });
      const gone = workspace.gitDiff("repository/b.txt");
      if (version === "1.43.1") await assert.rejects(gone, { code: "invalid_options" });
      else assert.deepEqual(await gone, { modified: "", original: "two" });
      await assert.rejects(workspace.gitDiff("repository/none"), { code: "invalid_options" });
      await assert.rejects(workspace.gitDiff("../x"), { code: "invalid_options" });
      assert.ok(existsSync(path.join(folder, "repository/.git")));
    });

    check("changes of files whatever their names", async () => {
      const { workspace } = fresh();
      const names = ["a b.txt", "ü.txt", 'a "quote".txt', "two  spaces", "日本語/😀.txt"];
      for (const name of names) await workspace.write(`deleted ${name}`, "1");
      const git = "git -c user.name=a -c user.email=a@example.com";
      const { exitCode, stderr } = await workspace.executeCommand(`git init -q && git add . && ${git} commit -qm one`);
      assert.equal(exitCode, 0, stderr);
      for (const name of names) await workspace.remove(`deleted ${name}`);
      for (const name of names) await workspace.write(`new ${name}`, "1");
      await workspace.write("below/own repository.txt", "1");
      assert.equal((await workspace.executeCommand("git init -q", { cwd: "below" })).exitCode, 0);
      const expected = names.flatMap((name) => [`ADDED new ${name}`, `DELETED deleted ${name}`]);
      assert.deepEqual(
        (await workspace.gitChanges()).map(({ status, path }) => `${status} ${path}`).sort(),
        [...expected, "ADDED below/own repository.txt"].sort(),
      );
      assert.deepEqual(await workspace.gitDiff("new ü.txt"), { modified: "1", original: "" });
    });

    check("the tools of the library work on it", async () => {
      const { folder, workspace } = fresh();
      const llm = new LLM({ model: "openai/m", fetch: createModel(() => ({ text: "Done." })).fetch });
      const agent = new Agent({ llm, tools: [fileEditor(), glob(), grep()] });
      const conversation = await Conversation.open({ agent, store: memoryStore(), workspace });
      await conversation.sendMessage("Hello");
      const made = await conversation.executeTool("file_editor", {
        command: "create",
        path: `${folder}/a.txt`,
        file_text: "a plan\n",
      });
      assert.equal(made.is_error, false, JSON.stringify(made));
      assert.equal(readFileSync(path.join(folder, "a.txt"), "utf8"), "a plan\n");
      const found = await conversation.executeTool("grep", { pattern: "plan" });
      assert.match(JSON.stringify(found), /a\.txt/);
      assert.match(JSON.stringify(await conversation.executeTool("glob", { pattern: "*.txt" })), /a\.txt/);
      assert.equal((await conversation.workspace.executeCommand("cat a.txt")).stdout, "a plan\n");
      await assert.rejects(conversation.workspace.history(), { code: "no_history" });
      await conversation.close();
    });

    check("it is the workspace of a conversation on this server", async () => {
      const model = createModel(() => ({ text: "Done." }));
      const upstream = await model.listen();
      const agent = new Agent({ llm: new LLM({ model: "openai/scripted", apiKey: "sk", baseUrl: upstream.baseUrl }) });
      const home = (name) => agentServer({ host: server.host, apiKey: server.apiKey, workingDir: path.join(server.workspace, name) });
      const store = memoryStore();
      const conversation = await Conversation.open({ agent, store, home: home("one") });
      await conversation.workspace.write("early.txt", "1");
      await conversation.sendMessage("Hello");
      await conversation.run();
      await conversation.close();
      // Where the agent works is what counts, for this page and for one that has no copy.
      for (const each of [store, memoryStore()]) {
        const again = await Conversation.open({ agent, store: each, home: home("two"), conversationId: conversation.id });
        const { workspace } = again;
        assert.equal(workspace.workingDir, path.join(server.workspace, "one"));
        assert.deepEqual(
          (await tree(workspace)).filter((each) => !each.startsWith(".git")),
          ["early.txt 1"],
        );
        assert.equal((await workspace.executeCommand("cat early.txt")).stdout, "1");
        for (const call of ["at", "changes", "history"]) await assert.rejects(workspace[call]("e", "e"), { code: "no_history" });
        await again.close();
      }
      const given = (workspace) => Conversation.open({ agent, store: memoryStore(), home: home("one"), workspace });
      await assert.rejects(given(memoryWorkspace()), { code: "unsupported", message: /remoteWorkspace/ });
      const other = await given(on(path.join(server.workspace, "three")));
      await other.workspace.write("a", "1");
      assert.ok(existsSync(path.join(server.workspace, "three/a")));
      await other.close();
      await upstream.close();
    });

    check("the example of the page", async () => {
      const shown = [];
      const names = {
        remoteWorkspace,
        apiKey: server.apiKey,
        agentServer: ({ host, workingDir, ...more }) => {
          assert.deepEqual([host, workingDir], ["http://127.0.0.1:8000", "/workspace/project"]);
          return agentServer({ ...more, host: server.host, workingDir: fresh().folder });
        },
        output: { append: (piece) => shown.push(piece) },
      };
      const found = await runExample(exampleNamed(page, "files of a server"), names, "{ entries, exitCode, changes, diff }");
      assert.deepEqual(found.entries.map(({ path }) => path).sort(), [".git", "notes"]);
      assert.deepEqual([found.exitCode, shown.length > 0], [0, true]);
      assert.deepEqual(found.changes, [{ status: "ADDED", path: "notes/plan.md" }]);
      assert.deepEqual(found.diff, { modified: "# Plan", original: "" });
    });
  });
}
