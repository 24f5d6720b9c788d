// The suite of homes on the real agent server: a conversation there is the same as one here, except for what docs/server.md says. The cases
// are those of tests/conversation/homes. Their tools `note` and `slow` are once tools of the server (tools_of_homes.py), in conversations
// that are made as another client would; and once tools of the page, which the name of the test says then.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import * as library from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { cases } from "../conversation/homes/suite.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { startServer } from "../support/server.mjs";
import { startAgentServer } from "./agent-server.mjs";
import * as lists from "./differences.mjs";
import { newestVersion, serverVersions } from "./setup.mjs";
import { noted, startStage } from "./stage.mjs";

/** So many cases are played at once. */
const atOnce = 5;

const methodOf = new Map(Object.entries(lists.unsupported).flatMap(([method, names]) => names.map((name) => [name, method])));
const differenceOf = new Map(lists.differences.flatMap((difference) => difference.cases.map((title) => [title, difference])));

const keys = (list) => [...list.keys()];
const { refused, brokenOff, untoldCases, heldCases, lateCases } = lists;
const listed = [methodOf, differenceOf, refused, brokenOff, untoldCases, heldCases, lateCases].flatMap(keys);
const isOfOneVersion = /^\d[\d.]+: /;

/** What the older version is asked as well: a case of each method, unless the library itself refuses it, and what the two answer in different ways. */
const ofBoth = new Set(listed.filter((title) => isOfOneVersion.test(title)).map((title) => title.replace(isOfOneVersion, "")));
const oneOfEachMethod = new Set(new Map(cases.toReversed().map(({ name }) => [/^[\w.]+/.exec(name)[0], name])).values());
const isOfBoth = ({ name, title }) => ofBoth.has(title) || (oneOfEachMethod.has(name) && !methodOf.has(name) && !refused.has(name));

/** Every case once, or twice if it has tools that both can have; each under a title of its own. */
const plays = await playsOf(cases);

test("the page says where a server is different, and the lists have only cases that there are", () => {
  const page = readFileSync(path.join(root, "docs/server.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`.+?) \| (.+?) \|$/gm)];
  for (const method of Object.keys(lists.unsupported)) {
    const [, , says] = rows.find(([, names]) => names.includes(`\`${method === "editMessage" ? "sendMessage" : method}\``));
    assert.ok(says.includes("`unsupported`"), `${method}: ${says}`);
  }
  const { byPage, onlyByPage } = lists;
  const said = [refused, untoldCases, heldCases, lateCases].flatMap((list) => [...list.values()]);
  const differ = [...lists.differences.map(({ page }) => page), ...[...brokenOff.values()].map(([words]) => words)];
  for (const words of [byPage, ...said, ...differ]) assert.ok(page.includes(words), words);
  const titles = new Set(plays.map(({ title }) => title));
  for (const title of [...listed, ...[...onlyByPage].map(lists.byThePage)]) assert.ok(titles.has(title.replace(isOfOneVersion, "")), title);
});

describe("the suite of homes on agent servers", () => {
  let stage;
  let web;
  let servers = [];
  before(async () => {
    stage = await startStage();
    web = await startServer({ mounts: { "/tests/": "tests" } });
    const env = { THREADKEEP_STAGE: stage.origin };
    servers = await Promise.all(serverVersions.map((version) => startAgentServer({ version, model: "", env })));
  });
  after(async () => {
    await Promise.all(servers.map((server) => server?.stop()));
    await web.close();
    await stage.close();
  });

  for (const kind of availableBrowsers) {
    test(`${kind}: each case of the suite of homes is the same on an agent server, or differs as docs/server.md says`, async (context) => {
      const there = servers.filter((server) => server !== null);
      if (there.length === 0) return context.skip("no server is here");
      const browser = await tabs(kind);
      try {
        const page = await browser.page(`${web.origin}/pages/blank.html`);
        await page.evaluate(() => import("/tests/server/homes-page.mjs").then(() => {}));
        const here = new Map();
        await inTurns(cases, async ({ name }) => {
          here.set(name, await playHere(name, page));
        });
        // Both versions side by side, because each server is one process.
        const serversOf = (each) => there.filter(({ version }) => version === newestVersion || isOfBoth(each));
        const played = plays.flatMap((each) => serversOf(each).map((server) => ({ ...each, server })));
        const told = played.filter(({ title, server }) => !find(lists.untoldCases, title, server));
        const seen = new Map();
        await inTurns(told, async (each) => seen.set(each, await playThere(each, page, stage)));
        for (const each of told) {
          const title = `${each.server.version}: ${each.title}`;
          await context.test(title, async () => {
            compare(each, here.get(each.name), seen.get(each));
          });
        }
      } finally {
        await browser.close();
      }
    });
  }
});

async function playsOf(cases) {
  const all = [];
  for (const { name, setup = () => ({}) } of cases) {
    const { tools = [] } = await setup({ library, gate: {} });
    const names = tools.map(({ name }) => name).filter((name) => /^(note|slow)$/.test(name));
    const isRefused = methodOf.has(name) || lists.refused.has(name);
    if (lists.refused.has(name)) all.push({ name, title: name, setup, ofServer: [] });
    else if (!lists.onlyByPage.has(name)) all.push({ name, title: name, setup, ofServer: names });
    if (names.length > 0 && !isRefused) all.push({ name, title: lists.byThePage(name), setup, ofServer: [], isByPage: true });
  }
  return all;
}

/** Of a list of titles, the entry for this title, which may be for this version only. */
function find(list, title, { version }) {
  return list.get(title) ?? list.get(`${version}: ${title}`);
}

/** Calls `body` for each, several at once. */
async function inTurns(all, body) {
  const left = [...all];
  const worker = async () => {
    for (let each = left.shift(); each; each = left.shift()) await body(each);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function playHere(name, page) {
  return page.evaluate((...given) => playHere(...given), name, randomUUID());
}

async function playThere({ name, title, setup, ofServer, server }, page, stage) {
  const token = randomUUID();
  const isLate = Boolean(find(lists.lateCases, title, server));
  let parts;
  await stage.set(token, async (kit) => {
    parts = await setup({ library, ...kit });
    const { replies = [] } = parts;
    // The agent answers once more.
    return isLate ? [...replies, { text: "Again." }] : replies;
  });
  const isMade = ofServer.length > 0;
  if (isMade) await make(server, token, `${stage.origin}/${token}/v1`, ofServer, parts.options);
  const { host, apiKey, workspace: workingDir } = server;
  const given = {
    token,
    server: { host, apiKey, workingDir },
    stage: stage.origin,
    isHeld: Boolean(find(lists.heldCases, title, server)),
    isLate,
    ...(isMade && { conversationId: token }),
  };
  try {
    return await page.evaluate((...given) => playThere(...given), name, given);
  } finally {
    stage.end(token);
  }
}

/** Makes a conversation whose agent has these tools of the server. */
async function make(server, id, baseUrl, tools, { confirmationPolicy = { kind: "NeverConfirm" }, maxIterationPerRun = 500 } = {}) {
  const llm = { model: "openai/gpt-4o", api_key: "sk-scripted", base_url: baseUrl, usage_id: "default", num_retries: 1, stream: true };
  const names = tools.map((name) => `homes_${name}`);
  const { status, text } = await server.ask("POST", "/api/conversations", {
    conversation_id: id,
    agent: { kind: "Agent", llm, tools: names.map((name) => ({ name })), system_prompt: "Be brief." },
    workspace: { kind: "LocalWorkspace", working_dir: server.workspace },
    confirmation_policy: confirmationPolicy,
    max_iterations: maxIterationPerRun,
    autotitle: false,
    tool_module_qualnames: Object.fromEntries(names.map((name) => [name, "tools_of_homes"])),
  });
  assert.equal(status, 201, text);
}

function compare({ name, title, isByPage, server }, here, { seen, refused, error }) {
  const method = lists.refused.has(name) ? "open" : methodOf.get(name);
  if (method !== undefined) return assert.deepEqual(refused.slice(0, 1), [method], error);
  assert.deepEqual(refused, []);
  const broken = find(lists.brokenOff, title, server);
  if (broken) return assert.ok(error?.includes(broken[1]), error ?? "it went through");
  assert.equal(error, undefined);
  const isSame = "it is the same as here: take it out of the list";
  // Results come in messages as soon as a server has noted a call.
  const isFolded = isByPage && JSON.stringify(seen).includes(noted);
  const [there, home] = isFolded ? [seen, here].map(lists.folded) : [seen, here];
  const difference = find(differenceOf, title, server);
  if (!difference) return assert.deepEqual(there, home);
  assert.notDeepEqual(there, home, isSame);
  assert.deepEqual(named(difference.left(there)), named(difference.left(home)));
}

/** The value with names for its ids by their places. */
function named(value) {
  const names = new Map();
  const nameOf = (id) => {
    if (!names.has(id)) names.set(id, `#${names.size}`);
    return names.get(id);
  };
  return JSON.parse(JSON.stringify(value).replace(/#\d+/g, nameOf));
}
