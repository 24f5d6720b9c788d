// Skills from objects of texts, URLs, archives and directories.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadSkills } from "../../dist/index.js";
import { zip } from "../support/zip-bytes.mjs";
import { listen } from "../support/listen.mjs";
import { refused } from "../support/refused.mjs";

const sailing =
  "---\nname: sailing\ndescription: How to sail\nlicense: MIT\nallowed-tools: terminal  browser\nmetadata:\n  author: nobody\n  level: 3\n---\n\n# Sailing\n\nMind the tide.\n";

/** A directory handle with these files, as a browser gives it. */
function directory(name, content) {
  const handles = Object.entries(content).map(([name, value]) =>
    typeof value === "string" ? { kind: "file", name, getFile: async () => new Blob([value]) } : directory(name, value),
  );
  return {
    kind: "directory",
    name,
    async *values() {
      yield* handles;
    },
  };
}

/** A server with these bodies by path. */
async function serve(t, bodies) {
  const server = await listen((request, response) => {
    const body = bodies[request.url];
    if (body?.location) return response.writeHead(302, { location: body.location }).end();
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  t.after(() => server.close());
  return server.origin;
}

test("a SKILL.md is read as the SDK reads it", async () => {
  const [skill] = await loadSkills({
    "sailing/SKILL.md": sailing,
    "sailing/references/tides.md": "…",
    "sailing/scripts/a/b.sh": "",
    "sailing/README.md": "",
  });
  assert.deepEqual(skill, {
    name: "sailing",
    content: "# Sailing\n\nMind the tide.",
    source: "sailing/SKILL.md",
    isAgentskillsFormat: true,
    description: "How to sail",
    license: "MIT",
    metadata: { author: "nobody", level: "3" },
    allowedTools: ["terminal", "browser"],
    resources: { skillRoot: "sailing", scripts: ["a/b.sh"], references: ["tides.md"], assets: [] },
  });
});

test("triggers, paths and inputs", async () => {
  const skill = async (yaml) => (await loadSkills({ "a/skill.md": `---\n${yaml}\n---\ntext` }))[0];
  assert.deepEqual((await skill("triggers: [git, hub]")).trigger, { type: "keyword", keywords: ["git", "hub"] });
  assert.deepEqual((await skill("paths: '*.py, src/**'\ntriggers: [x]")).trigger, { type: "path", paths: ["*.py", "src/**"] });
  assert.deepEqual((await skill("paths:\n - '*.py'")).trigger, { type: "path", paths: ["*.py"] });
  const task = await skill("inputs:\n - name: topic\n   description: What about");
  assert.deepEqual([task.trigger, task.inputs], [{ type: "task", triggers: ["/a"] }, [{ name: "topic", description: "What about" }]]);
  assert.equal((await skill("disable-model-invocation: true")).disableModelInvocation, true);
  assert.equal((await skill("- a list")).name, "a");
});

test("front matter that is wrong is an error that names the file", async () => {
  const cases = [
    ["name: Sailing", /a\/SKILL\.md: the name "Sailing" must be/],
    ["name: b", /differs from that of its folder, "a"/],
    ["description: 7", /description must be a text/],
    ["triggers: git", /triggers must be a list/],
    ["inputs: 7", /inputs must be a list/],
    ["metadata: []", /metadata must be a mapping/],
    ["metadata: {a: {b: c}}", /metadata must contain texts/],
    ["allowed-tools: 7", /allowed-tools/],
    ["a: [", /front matter cannot be read/],
    ["disable-model-invocation: 1", /true or false/],
    [`x: ${"y".repeat(70_000)}`, /too long/],
    ["a: !!js/function 'x'", /cannot be read/],
  ];
  for (const [yaml, words] of cases)
    await assert.rejects(loadSkills({ "a/SKILL.md": `---\n${yaml}\n---\ntext` }), refused("invalid_options", words), yaml);
  await assert.rejects(loadSkills({ "SKILL.md": "text" }), refused("invalid_options", /the name "" must be/));
});

test("YAML that describes much with few characters takes no time", async () => {
  const levels = Array.from({ length: 40 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1},*a${i - 1}` : "x"}]`).join("\n");
  const [skill] = await loadSkills({ "a/SKILL.md": `---\n${levels}\n---\ntext` });
  assert.equal(skill.content, "text");
  const deep = `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  await loadSkills({ "a/SKILL.md": `---\n${deep}\n---\ntext` }).catch(refused("invalid_options", /front matter/));
});

test("a skill from a URL says to the model that nobody has checked it", async (t) => {
  const origin = await serve(t, { "/skills/sailing/SKILL.md": sailing, "/raw": sailing });
  const [skill] = await loadSkills(`${origin}/skills/sailing/SKILL.md`);
  assert.match(
    skill.content,
    new RegExp(`^<UNTRUSTED_CONTENT>\nThis skill was loaded from ${origin}/skills/sailing/SKILL\\.md, and nobody has checked it\\.`),
  );
  assert.ok(skill.content.endsWith("</UNTRUSTED_CONTENT>\n\n# Sailing\n\nMind the tide."));
  assert.equal(skill.source, `${origin}/skills/sailing/SKILL.md`);
  // A file of another name has no folder that the skill must be named after.
  assert.equal((await loadSkills(new URL(`${origin}/raw`)))[0].name, "sailing");
});

test("a failing URL", async (t) => {
  const origin = await serve(t, { "/large": "x".repeat(5000), "/elsewhere": { location: "/large" } });
  await assert.rejects(loadSkills(`${origin}/missing/SKILL.md`), refused("network", /answered 404/));
  await assert.rejects(loadSkills(`${origin}/elsewhere`), refused("network", /could not be loaded/));
  await assert.rejects(
    loadSkills(`${origin}/large`, { maxBytes: 1000 }),
    refused("invalid_options", /more than 1000 bytes; raise maxBytes/),
  );
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(loadSkills(`${origin}/large`, { signal: controller.signal }), refused("aborted", /stopped by its signal/));
});

test("skills of an archive, given or from a URL", async (t) => {
  const archive = zip([
    { name: "pack/", content: "" },
    { name: "pack/sailing/SKILL.md", content: sailing },
    { name: "pack/sailing/scripts/go.sh", content: "rm -rf /" },
    { name: "pack/rowing/SKILL.md", content: "Row.", method: 0 },
  ]);
  const skills = await loadSkills(new Blob([archive]));
  assert.deepEqual(
    skills.map(({ name, source }) => [name, source]),
    [
      ["rowing", "a zip archive/pack/rowing/SKILL.md"],
      ["sailing", "a zip archive/pack/sailing/SKILL.md"],
    ],
  );
  assert.ok(skills.every(({ content }) => content.startsWith("<UNTRUSTED_CONTENT>\nThis skill was loaded from a zip archive")));
  assert.deepEqual(skills[1].resources.scripts, ["go.sh"]);
  const origin = await serve(t, { "/skills.zip": archive });
  assert.equal((await loadSkills(`${origin}/skills.zip`))[0].source, `${origin}/skills.zip/pack/rowing/SKILL.md`);
});

test("archives that are damaged, too large, or lead out of themselves", async () => {
  const bomb = zip([{ name: "a/SKILL.md", content: "x".repeat(5_000_000) }]);
  await assert.rejects(loadSkills(new Uint8Array(bomb)), refused("invalid_options", /more than 4194304 bytes/));
  await assert.rejects(loadSkills(new Blob([bomb.subarray(0, 100)])), refused("archive_invalid", /cannot be read/));
  await assert.rejects(
    loadSkills(zip([{ name: "a/SKILL.md", content: "x", crc: 7 }]).buffer),
    refused("archive_invalid", /cannot be read/),
  );
  await assert.rejects(
    loadSkills(new Blob([zip([{ name: "a/SKILL.md", content: "x", crc: 7 }])])),
    refused("archive_invalid", /a\/SKILL\.md: its checksum/),
  );
  const odd = [
    { name: "../a/SKILL.md", content: "x" },
    { name: "b/SKILL.md", content: "/etc/passwd", attributes: 0o120777 * 0x10000 },
    { name: "c/SKILL.md", content: "x", flags: 1 },
  ];
  await assert.rejects(loadSkills(new Blob([zip(odd)])), refused("invalid_options", /no SKILL\.md/));
});

test("skills of a directory", async () => {
  const handle = directory("skills", {
    sailing: { "SKILL.md": sailing, assets: { "map.png": "" } },
    ".git": { "SKILL.md": "---\nname: no\n---" },
    notes: { "readme.md": "" },
    deep: { down: { rowing: { "skill.md": "Row." } } },
  });
  const skills = await loadSkills(handle);
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["rowing", "sailing"],
  );
  assert.equal(skills[1].content, "# Sailing\n\nMind the tide.");
  assert.deepEqual(skills[1].resources, { skillRoot: "skills/sailing", scripts: [], references: [], assets: ["map.png"] });
  const [single] = await loadSkills(directory("sailing", { "SKILL.md": sailing }));
  assert.equal(single.source, "sailing/SKILL.md");
  await assert.rejects(
    loadSkills(directory("rowing", { "SKILL.md": sailing })),
    refused("invalid_options", /differs from that of its folder, "rowing"/),
  );
});

test("bounds", async () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`s${i}/SKILL.md`, "text"]));
  await assert.rejects(loadSkills(many), refused("invalid_options", /there are 101 skills; raise maxSkills/));
  assert.equal((await loadSkills(many, { maxSkills: 101 })).length, 101);
  await assert.rejects(loadSkills(many, { maxSkills: 101, maxBytes: 100 }), refused("invalid_options", /raise maxBytes/));
  const endless = {
    kind: "directory",
    name: "x",
    async *values() {
      for (let i = 0; ; i++) yield { kind: "file", name: `${i}` };
    },
  };
  await assert.rejects(loadSkills(endless), refused("invalid_options", /more than 10000 files/));
});

test("arguments that are wrong", async () => {
  for (const source of [undefined, null, 7, {}, { a: 7 }, [], () => {}])
    await assert.rejects(loadSkills(source), refused("invalid_options", /loadSkills\(\) takes/), String(source));
  await assert.rejects(loadSkills({ a: "" }, { maxSkill: 1 }), refused("invalid_options", /did you mean maxSkills/));
  await assert.rejects(loadSkills({ a: "" }, { maxSkills: 0 }), refused("invalid_options", /maxSkills must be/));
  await assert.rejects(loadSkills({ a: "" }, { fetch: 7 }), refused("invalid_options", /fetch must be a function/));
  await assert.rejects(loadSkills({ a: "" }, { signal: 7 }), refused("invalid_options", /AbortSignal/));
  await assert.rejects(
    loadSkills(
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("no");
          },
        },
      ),
    ),
    refused("invalid_options", /cannot be read: no/),
  );
});
