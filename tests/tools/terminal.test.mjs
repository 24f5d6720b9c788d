// The tool `terminal`, called through a conversation. In Node it runs in this thread; tests/browser/tools/terminal.test.mjs has it in a worker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, terminal } from "../../dist/index.js";
import { fromSource } from "../support/bundled.mjs";

const { statementsOf } = await fromSource("tools/terminal/statements.ts");

const llm = new LLM({ model: "openai/gpt-4o", fetch: () => assert.fail("no model is asked here") });
const text = ({ content }) => content.map((part) => part.text).join("");

async function open(options = {}) {
  const { tools = [terminal()], ...others } = options;
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools }), store: memoryStore(), ...others });
  const run = (command, args = {}, more) => conversation.executeTool("terminal", { command, ...args }, more);
  return { conversation, run, workspace: conversation.workspace, [Symbol.asyncDispose]: () => conversation.close() };
}

async function output(run, command) {
  const observation = await run(command);
  return [observation.exit_code, text(observation)];
}

test("a command's result is a TerminalObservation with the SDK's fields", async () => {
  const { conversation, run } = await open();
  assert.deepEqual(await run("echo one; echo two >&2; (exit 3)"), {
    content: [{ cache_prompt: false, type: "text", text: "one\ntwo" }],
    is_error: false,
    command: "echo one; echo two >&2; (exit 3)",
    exit_code: 3,
    timeout: false,
    metadata: { exit_code: 3, pid: -1, username: "user", hostname: "localhost", working_dir: "/workspace", prefix: "", suffix: "" },
    kind: "TerminalObservation",
  });
  await conversation.close();
});

test("calls that run nothing say so, and what to do", async () => {
  const { conversation, run } = await open();
  const cases = [
    [["  "], "There is no command to run, and none is running whose output could be read."],
    [["C-c", { is_input: true }], "No command is running that could read this input. Run it as a command, without `is_input`."],
    [
      ["cd /tmp\nls"],
      "Nothing was run: these are 2 commands, and a call runs one. Join them with && or ;, or make a call for each.\n(1) cd /tmp\n(2) ls",
    ],
  ];
  for (const [args, expected] of cases) {
    const observation = await run(...args);
    assert.deepEqual([text(observation), observation.is_error, "exit_code" in observation], [expected, true, false]);
    assert.deepEqual(observation.metadata, { exit_code: -1, pid: -1, prefix: "", suffix: "" });
  }
  assert.match(text(await run('["ls", "-l"]')), /^Nothing was run: .* this is a list in Python or JSON, which begins with "\[\\"ls/);
  assert.match(text(await run("ls", { reset: true, is_input: true })), /`reset` and `is_input` exclude each other/);
  await conversation.close();
});

test("statements begin on lines of their own", async () => {
  const count = (text, word) => text.split(word).length - 1;
  const complete = (text) => count(text, '"') % 2 === 0 && count(text, "for ") === count(text, "done");
  for (const [command, expected] of [
    ["ls", ["ls"]],
    ["ls; pwd && id | cat", ["ls; pwd && id | cat"]],
    ["ls\npwd", ["ls", "pwd"]],
    ["ls &&\npwd", ["ls &&\npwd"]],
    ["ls | # to a file\ncat", ["ls | # to a file\ncat"]],
    ["ls \\\n -l", ["ls \\\n -l"]],
    ["for i in 1 2\ndo\necho $i\ndone\nls", ["for i in 1 2\ndo\necho $i\ndone", "ls"]],
    ['echo "a\nb"', ['echo "a\nb"']],
    ["# list\nls\n# that was it\n", ["# list\nls\n# that was it"]],
    ['echo "open\nls', ['echo "open\nls']],
  ])
    assert.deepEqual(statementsOf(command, complete), expected);
});

test("quotes, here-documents, loops and functions that go over several lines are one command", async () => {
  const { conversation, run } = await open();
  assert.deepEqual(await output(run, "cat > a.txt <<'END'\n  one\n# two\nEND"), [0, ""]);
  assert.deepEqual(await output(run, "for line in 1 2\ndo\n  echo $line\ndone | cat - a.txt"), [0, "1\n2\n  one\n# two"]);
  assert.match(text(await run("if true; then")), /syntax error/i);
  await conversation.close();
});

test("files are those of the workspace, and nothing else is kept", async () => {
  const store = memoryStore();
  const first = await open({ store });
  assert.deepEqual(
    await output(
      first.run,
      "mkdir -p src/empty && echo fact > src/facts.txt && echo more >> src/facts.txt && echo tmp > /tmp/x && cat /tmp/x src/facts.txt && cd src && export NAME=tea && PLAIN=1",
    ),
    [0, "tmp\nfact\nmore"],
  );
  assert.equal(new TextDecoder().decode(await first.workspace.read("src/facts.txt")), "fact\nmore\n");
  const { id } = first.conversation;
  await first.conversation.close();

  const { conversation, run, workspace } = await open({ store, conversationId: id });
  assert.deepEqual(await output(run, "pwd; echo $NAME $PLAIN; ls; ls /tmp/x"), [
    2,
    "/workspace/src\ntea 1\nempty\nfacts.txt\nls: /tmp/x: No such file or directory",
  ]);
  assert.deepEqual(await output(run, "cp -r . ../copy; mv facts.txt ../copy/moved.txt; cd ..; find . | sort"), [
    0,
    ".\n./copy\n./copy/empty\n./copy/facts.txt\n./copy/moved.txt\n./src\n./src/empty",
  ]);
  await workspace.remove("src");
  assert.deepEqual(await output(run, "cd src"), [1, "bash: cd: src: No such file or directory"]);
  assert.deepEqual(await output(run, "rm -rf copy; ls -A"), [0, ""]);
  assert.equal(
    text(await run("", { reset: true })),
    "This is a new session: variables, the working directory and temporary files are as at the beginning. The workspace is unchanged.",
  );
  const again = await run("echo [$NAME]; pwd", { reset: true });
  assert.deepEqual(
    [text(again), again.command],
    [
      "This is a new session: variables, the working directory and temporary files are as at the beginning. The workspace is unchanged.\n\n[]\n/workspace",
      "[RESET] echo [$NAME]; pwd",
    ],
  );
  await conversation.close();
});

test("files are replaced, appended to and sorted in place as in any shell", async () => {
  const { conversation, run } = await open();
  assert.deepEqual(await output(run, "echo 2 > a; echo 1 >> a; cp a b; cp b a; mv b c; cp a b && mv b c && mv -f a c; ls; cat c"), [
    0,
    "c\n2\n1",
  ]);
  assert.deepEqual(
    await output(
      run,
      "sort -o c c; sed -i s/2/two/ c; cat c; echo x | tee -a c > /dev/null; tail -1 c; wc -c < c; touch c new; test -s new || echo empty",
    ),
    [0, "1\ntwo\nx\n8\nempty"],
  );
  assert.deepEqual(await output(run, "mkdir d && mv c new d && cp -r d e && mv e d && find d | sort; mv d d/x; rmdir d; rm d"), [
    1,
    "d\nd/c\nd/e\nd/e/c\nd/e/new\nd/new\nmv: cannot move 'd' into itself, '/workspace/d/x'\nrmdir: failed to remove 'd': Directory not empty\nrm: cannot remove 'd': Is a directory",
  ]);
  assert.deepEqual(
    await output(run, "gzip -k d/e/c; gunzip -c d/e/c.gz | tr a-z A-Z; printf 'a\\0b' > bin; wc -c < bin; md5sum < bin | cut -c1-6"),
    [0, "1\nTWO\nX\n3\n70350f"],
  );
  await conversation.close();
});

test("no path and no link leads out of the workspace", async () => {
  const { conversation, run, workspace } = await open();
  await workspace.write("a.txt", "a");
  assert.deepEqual(await output(run, "cat ../../../workspace/./x/../a.txt"), [0, "a"]);
  for (const command of ["ln -s /etc/passwd link", "ln -s ../.. up", "ln a.txt b.txt"]) {
    assert.notEqual((await run(command)).exit_code, 0, command);
  }
  assert.deepEqual(
    (await workspace.list("")).map(({ path }) => path),
    ["a.txt"],
  );
  assert.notEqual((await run("cat /etc/passwd")).exit_code, 0);
  await conversation.close();
});

test("long output is shortened in the middle, to the SDK's length", async () => {
  const { conversation, run } = await open();
  const observation = await run("for i in 1 2 3 4 5 6 7 8 9; do printf '%04000d\\n' $i; done");
  assert.equal(text(observation).length, 30_000);
  assert.match(text(observation), /^0.*0\n\[The middle of the output is left out here: .*\]\n0.*9$/s);
  await conversation.close();
});

test("an endless command ends, and what the terminal cannot do it says", async () => {
  const { conversation, run } = await open();
  for (const command of ["while true; do :; done", "f() { f; }; f", "awk 'BEGIN { while (1) x++ }'"]) {
    const observation = await run(command);
    assert.notEqual(observation.exit_code, 0, command);
    assert.doesNotMatch(text(observation), /executionLimits/);
  }
  for (const [command, expected] of [
    ["python3 -c 1", /no other programs/],
    ["apt-get install jq", /no packages/],
    ["curl https://example.com", /no network/],
  ]) {
    const observation = await run(command);
    assert.equal(observation.exit_code, 127);
    assert.match(text(observation), expected);
  }
  await conversation.close();
});

test("a command that takes too long is stopped, and one whose signal is aborted has no result", async () => {
  const { conversation, run } = await open();
  const observation = await run("echo x > a.txt; sleep 100", { timeout: 0.3 });
  assert.deepEqual(
    [observation.exit_code, observation.timeout, observation.metadata.suffix.slice(0, 46)],
    [124, true, "\n[The command was stopped after 0.3 seconds. C"],
  );
  assert.deepEqual(await output(run, "cat a.txt"), [0, "x"]);
  const stop = new AbortController();
  const stopped = run("sleep 100", {}, { signal: stop.signal });
  stop.abort();
  await assert.rejects(stopped, { code: "aborted" });
  await conversation.close();
});

test("a secret is in the environment of a command that names it, and nowhere else", async () => {
  const store = memoryStore();
  const { conversation, run } = await open({ store, secrets: { API_TOKEN: "s3cret-value", OTHER: "other-value" } });
  assert.deepEqual(await output(run, 'echo $API_TOKEN | wc -c; COPY=x$API_TOKEN; [ -z "$(env | grep OTH)" ] && echo none'), [
    0,
    "13\nnone",
  ]);
  assert.deepEqual(await output(run, "echo $API_TOKEN"), [0, "<secret-hidden>"]);
  // As in a terminal of the SDK, later commands have it as well.
  assert.deepEqual(await output(run, "env | grep -c s3cret"), [0, "1"]);
  const session = new TextDecoder().decode(await store.readFile(conversation.id, "terminal_session.json"));
  assert.doesNotMatch(session, /s3cret/);
  assert.deepEqual(JSON.parse(session).secrets, ["API_TOKEN"]);
  await conversation.close();
});

test("a host decides per command which secrets it gets, before a value is resolved", async () => {
  const asked = [];
  const resolved = [];
  const answers = [["API_TOKEN"], [], ["API_TOKEN", "OTHER", "NEVER"], "all", Promise.reject(new Error("no"))];
  answers[4].catch(() => {});
  const allowedSecrets = (request) => (asked.push(request), answers[asked.length - 1]);
  const source = (name) => () => (resolved.push(name), `value-of-${name}`);
  const { conversation, run } = await open({
    tools: [terminal({ allowedSecrets })],
    secrets: { API_TOKEN: source("API_TOKEN"), OTHER: source("OTHER") },
  });
  assert.deepEqual(await output(run, "echo nothing"), [0, "nothing"]);
  assert.deepEqual(asked, [], "a command without secrets is not asked about");
  assert.deepEqual(await output(run, "echo [$OTHER] ${#API_TOKEN}"), [0, "[] 18"]);
  assert.deepEqual(await output(run, "echo [$API_TOKEN]"), [0, "[]"]);
  assert.deepEqual(resolved, ["API_TOKEN"]);
  assert.deepEqual(await output(run, "echo ${#OTHER} [$API_TOKEN] $NEVER"), [0, "14 [<secret-hidden>]"]);
  assert.deepEqual(
    asked.map(({ names }) => names),
    [["OTHER", "API_TOKEN"], ["API_TOKEN"], ["OTHER", "API_TOKEN"]],
  );
  assert.equal(asked[1].command, "echo [$API_TOKEN]");
  assert.match(text(await run("echo $OTHER")), /must return an array of names/);
  assert.match(text(await run("echo $OTHER")), /was not run/);
  assert.throws(() => terminal({ allowedSecrets: ["API_TOKEN"] }), { code: "invalid_options" });
  await conversation.close();
});

test("curl reaches the allowed hosts only", async (t) => {
  const requests = [];
  t.mock.method(globalThis, "fetch", async (url, init) => {
    requests.push([String(url), init.method, init.credentials, init.redirect]);
    return String(url).endsWith("/moved")
      ? new Response(null, { status: 302, headers: { location: "https://evil.example/" } })
      : new Response("hello", { headers: { "x-a": "b" } });
  });
  const { conversation, run } = await open({ tools: [terminal({ allowedHosts: ["api.example.com"] })] });
  assert.deepEqual(await output(run, "curl -s https://api.example.com/a"), [0, "hello"]);
  assert.deepEqual(await output(run, "curl -s -X POST -d x=1 https://api.example.com/b"), [0, "hello"]);
  for (const url of [
    "https://evil.example/a",
    "http://api.example.com/a",
    "https://api.example.com:8443/",
    "https://api.example.com/moved",
    "https://api.example.com@evil.example/",
  ]) {
    const [code, said] = await output(run, `curl -sS ${url}`);
    assert.notEqual(code, 0, url);
    assert.match(said, /not allowed|may not contain/, url);
  }
  assert.deepEqual(
    requests,
    ["a", "b", "moved"].map((path) => [`https://api.example.com/${path}`, path === "b" ? "POST" : "GET", "omit", "manual"]),
  );
  await conversation.close();
});

test("options are checked", () => {
  assert.throws(() => terminal({ hosts: [] }), { code: "invalid_options", message: /allowedHosts/ });
  assert.throws(() => terminal({ allowedHosts: "api.example.com" }), { code: "invalid_options" });
});
