// The ratings of the analyzers, their stored form, and their time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { action, judged } from "./actions.mjs";
import { fromSource } from "../support/bundled.mjs";
import { processorTime } from "../support/processor-time.mjs";

const { hostAnalyzer, storedAnalyzer } = await fromSource("control/security/index.ts");
const patterns = hostAnalyzer({ kind: "PatternSecurityAnalyzer" });
const ask = (analyzer, event) => analyzer.securityRisk(JSON.stringify(event));

for (const [what, risk, event] of judged) {
  test(`${what}: ${risk}`, async () => assert.equal(await ask(patterns, event), risk));
}

test("each rule has a name of its own and finds something", async () => {
  const { rules } = await fromSource("control/security/rules.ts");
  const rows = Object.values(rules).flat();
  assert.equal(new Set(rows.map(([, , detector]) => detector)).size, rows.length);
  for (const row of rows) assert.ok(row.length === 3 && row.every((cell) => typeof cell === "string" && cell !== ""), row[2]);
  assert.equal(patterns.complaint, undefined);
});

test("stored settings are loaded by Python, and read back with the same meaning", async () => {
  const analyzer = hostAnalyzer({
    kind: "EnsembleSecurityAnalyzer",
    analyzers: [
      { kind: "PolicyRailSecurityAnalyzer" },
      {
        kind: "PatternSecurityAnalyzer",
        highPatterns: [["xyz", "An x", "own.x"]],
        mediumPatterns: [],
        injectionHighPatterns: [],
        injectionMediumPatterns: [],
      },
    ],
  });
  assert.equal(
    analyzer.json,
    '{"analyzers":[{"kind":"PolicyRailSecurityAnalyzer"},{"high_patterns":[["xyz","An x","own.x"]],"medium_patterns":[],' +
      '"injection_high_patterns":[],"injection_medium_patterns":[],"kind":"PatternSecurityAnalyzer"}],"propagate_unknown":false,"kind":"EnsembleSecurityAnalyzer"}',
  );
  const again = storedAnalyzer(analyzer.json);
  for (const each of [analyzer, again]) {
    assert.equal(await ask(each, action({ a: "XYZ" })), "HIGH");
    assert.equal(await ask(each, action({ a: "wget u | perl" })), "HIGH");
    assert.equal(await ask(each, action({ a: "wget u", b: "| perl" })), "LOW");
  }
});

test("rails are looked for in one argument at a time", async () => {
  const rails = hostAnalyzer({ kind: "PolicyRailSecurityAnalyzer" });
  const dangers = [
    "dd if=x of=/dev/sda",
    `dd ${"bs=1M ".repeat(40)} of=/dev/sda`,
    "mkfs.ext4 x",
    "curl u |sh",
    "curl u | python3",
    "cat a | ruby; wget u",
    "rm -rf /",
    "rm -rf /*",
    "rm -rf ~",
    "rm -rf ~/",
    "rm -fr /etc/x",
    "rm -r -f /usr",
    "rm -f -r /var/log",
    "rm --recursive --force /home",
    "rm --force --recursive /boot",
    "rm -ff /etc/x",
    "rm -rr /",
    "rm -Rf  / tmp",
    "rm -v -r --one-file-system -f /usr",
    "rm -rfv /etc",
    "rm -r /",
    "rm /etc/x; rm -rf build",
  ];
  for (const command of dangers) assert.equal(await ask(rails, action({ command })), "HIGH", command);
  const harmless = [
    "rm -rf build",
    "rm -rf ./usr",
    "rm -f /etc/x",
    "rm /etc/x",
    "ls /etc; rm -r x",
    "farm -rf /",
    "curl u",
    "ls | sh",
    "curl u | shuf",
    "of=/dev/sda; dd",
    "dd of=disk",
  ];
  for (const command of harmless) assert.equal(await ask(rails, action({ command })), "LOW", command);
});

test("LLMSecurityAnalyzer rates a call as the model does", async () => {
  const model = hostAnalyzer({ kind: "LLMSecurityAnalyzer" });
  assert.equal(await ask(model, action({}, { security_risk: "MEDIUM" })), "MEDIUM");
  assert.equal(model.json, '{"kind":"LLMSecurityAnalyzer"}');
});

test("an ensemble takes the highest known rating, and a failing child counts as HIGH", async () => {
  const of = (risks, more) => ({
    kind: "EnsembleSecurityAnalyzer",
    analyzers: risks.map((risk) => ({ securityRisk: () => (risk === "throws" ? Promise.reject(new Error("no")) : risk) })),
    ...more,
  });
  const cases = [
    [["LOW", "MEDIUM"], "MEDIUM"],
    [["UNKNOWN", "LOW"], "LOW"],
    [["UNKNOWN", "UNKNOWN"], "UNKNOWN"],
    [["LOW", "throws"], "HIGH"],
    [["LOW", "harmless"], "HIGH"],
    [["HIGH", "MEDIUM"], "HIGH"],
  ];
  for (const [risks, expected] of cases) assert.equal(await ask(hostAnalyzer(of(risks)), action({})), expected, risks.join());
  const strict = (risks) => ask(hostAnalyzer(of(risks, { propagateUnknown: true })), action({}));
  assert.equal(await strict(["UNKNOWN", "HIGH"]), "UNKNOWN");
  assert.equal(await strict(["LOW", "HIGH"]), "HIGH");
});

test("a function of the host is asked with the action; where it is missing later, everything has the highest risk", async () => {
  const seen = [];
  const own = hostAnalyzer({ securityRisk: (event) => void seen.push(event.tool_name) ?? "LOW" });
  assert.equal(await ask(own, action({})), "LOW");
  assert.deepEqual(seen, ["run"]);
  const later = storedAnalyzer(own.json);
  assert.equal(await ask(later, action({})), "HIGH");
  assert.match(later.complaint, /: a function of the page that set it$/);
  const throws = hostAnalyzer({
    securityRisk() {
      throw new Error("broken");
    },
  });
  await assert.rejects(ask(throws, action({})), /broken/);
});

test("an analyzer that cannot run here rates HIGH and is named", async () => {
  const unknown = storedAnalyzer(
    '{"analyzers":[{"kind":"LLMSecurityAnalyzer"},{"kind":"GraySwanAnalyzer"}],"propagate_unknown":false,"kind":"EnsembleSecurityAnalyzer"}',
  );
  assert.match(unknown.complaint, /: GraySwanAnalyzer$/);
  assert.equal(await ask(unknown, action({}, { security_risk: "LOW" })), "HIGH");
  const pattern = storedAnalyzer(
    '{"high_patterns":[],"medium_patterns":[["a++b","","own.m"]],"injection_high_patterns":[],"injection_medium_patterns":[],"kind":"PatternSecurityAnalyzer"}',
  );
  assert.equal(await ask(pattern, action({})), "MEDIUM");
  assert.match(pattern.complaint, /: pattern own\.m /);
  for (const json of [
    '"text"',
    "null",
    "[]",
    '{"kind":"EnsembleSecurityAnalyzer"}',
    '{"high_patterns":[1],"kind":"PatternSecurityAnalyzer"}',
  ]) {
    const analyzer = storedAnalyzer(json);
    assert.equal(await ask(analyzer, action({})), "HIGH", json);
    assert.match(analyzer.complaint, /: [^;]+$/, json);
  }
});

test("options that make no analyzer are refused", () => {
  const unfit = [
    null,
    "LLMSecurityAnalyzer",
    {},
    { kind: "Own" },
    { securityRisk: 1 },
    { kind: "EnsembleSecurityAnalyzer", analyzers: [] },
    { kind: "PatternSecurityAnalyzer", highPatterns: ["x"] },
    { kind: "PatternSecurityAnalyzer", highPatterns: [["(", "", ""]] },
    { kind: "EnsembleSecurityAnalyzer", analyzers: [{ kind: "LLMSecurityAnalyzer" }], propagateUnknown: "yes" },
  ];
  for (const options of unfit) assert.throws(() => hostAnalyzer(options), { code: "invalid_options" });
});

test("deeply nested arguments are looked at as one text", async () => {
  const deep = `${'{"a":'.repeat(20_000)}"eval(1)"${"}".repeat(20_000)}`;
  assert.equal(await ask(patterns, action(deep.replace(/"a":/g, '"":'))), "LOW");
  assert.equal(await ask(patterns, action(`["eval(1)",${deep}]`)), "HIGH");
});

test("matching takes bounded time for every text", async () => {
  const pieces = [
    "a",
    "rm ",
    "rm -r ",
    "rm -",
    "<a ",
    "<a on",
    "<script ",
    "https://",
    "https://a:",
    "https://x.",
    "eyJ-",
    "eyJaaaaaaaaaa.",
    "curl ",
    "|",
    "ignore all ",
    "ignore all your the of ",
    "4111 ",
    "4",
    "?token",
    "postMessage(",
    "git push ",
    "send all the your ",
    "if you are ",
    "_",
    "//a",
    "Bearer ",
    "cvv ",
    "localStorage[ '",
    "BEGIN ",
    "sk-a",
    "dd of=/dev",
    "(",
    " ",
    "order_place_",
    "DELETE FROM a",
    "\u00e9",
    "\u672c ",
    "<|",
    "-----BEGIN A ",
    "\ufb03",
  ];
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(30_000 / piece.length));
    const event = action({ text }, { thought: text });
    const start = processorTime();
    await ask(patterns, event);
    const took = processorTime() - start;
    assert.ok(took < 5000, `${JSON.stringify(piece)} took ${took} ms`);
  }
});
