// Tabs of one conversation that all call everything at random, and are closed, killed and frozen at random: no event is lost,
// doubled or torn, nothing is carried out twice, every promise settles, and in the end every tab shows the log.
// No seed plays it again, because it lasts for a time: only `npm run explore` has it, with ten tabs. That it is the number in each commit which
// keeps two writers apart is proved in tests/conversation/two_writers.rs: here locks and the length of the log nearly always do as well.
import assert from "node:assert/strict";
import { json } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { amount, seed } from "../../support/explored.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { deferred } from "../../support/deferred.mjs";
import { randomFrom } from "../../support/random.mjs";
import { startServer } from "../../support/server.mjs";

const seconds = amount(5);
const count = seconds > 30 ? 10 : 4;
const patience = 30_000;

/** What the tabs have told. */
let told;
/** What answers the tabs that are to be stuck, as soon as they are. One that is killed before never is. */
const stuck = new Map();
const stuckTab = (name) => stuck.get(name) ?? stuck.set(name, deferred()).get(name);
let server;
before(async () => {
  server = await startServer({
    mounts: {
      "/tell": async (request, response) => {
        const { kind, value } = await json(request);
        (told[kind] ??= []).push(value);
        response.end();
        return true;
      },
      "/stuck": (request, response) => {
        stuckTab(request.url.split("?")[1]).resolve(() => response.end());
        return true;
      },
    },
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: ${count} tabs, for ${seconds} s, with seed ${seed}: all of them call everything at random, and nothing is lost`, async () => {
    told = {};
    stuck.clear();
    const random = randomFrom(seed);
    const browser = await launch(kind);
    const id = crypto.randomUUID();
    const tabs = [];
    const did = {};
    let number = 0;
    const open = async () => {
      const name = `t${++number}`;
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.evaluate(() => import("/pages/homes-chaos.mjs").then(() => {}));
      await page.evaluate((given) => window.live(given), { id, tab: name, seed: random.between(1, 2 ** 31) });
      tabs.push({ name, page, thaw: undefined });
    };
    // While a tab of Chromium is stuck in a transaction no other one gets at the database, and none can be opened.
    const soon = (tab) =>
      void delay(random.between(100, 4000))
        .then(() => tab.thaw?.())
        .catch(() => {});
    const forget = (tab) => tabs.splice(tabs.indexOf(tab), 1);
    const disturbances = {
      async close(tab) {
        forget(tab);
        tab.thaw?.();
        await tab.page.close();
      },
      // Without a word: its process ends.
      async kill(tab) {
        forget(tab);
        tab.thaw?.();
        if (kind === "chromium") {
          const session = await tab.page.createCDPSession();
          await Promise.race([session.send("Page.crash").catch(() => {}), delay(1000)]);
        }
        await Promise.race([tab.page.close().catch(() => {}), delay(5000)]);
      },
      async stick(tab) {
        if (tab.thaw) return;
        soon(tab);
        tab.thaw = async () => {
          tab.thaw = undefined;
          const release = await stuckTab(tab.name).promise;
          stuck.delete(tab.name);
          release();
        };
        await tab.page.evaluate((name) => void window.beStuck(name), tab.name);
      },
      // As the browser freezes a tab in the background.
      async freeze(tab) {
        if (tab.thaw || kind !== "chromium") return;
        soon(tab);
        const session = await tab.page.createCDPSession();
        const set = (state) => session.send("Page.setWebLifecycleState", { state });
        tab.thaw = async () => {
          tab.thaw = undefined;
          await set("active");
        };
        await set("frozen");
      },
      async thaw(tab) {
        await tab.thaw?.();
      },
    };
    const complaints = [];
    try {
      for (let n = 0; n < count; n++) await open();
      const end = Date.now() + seconds * 1000;
      while (Date.now() < end) {
        await delay(random.between(50, 400));
        const name = random.of(["close", "kill", "stick", "freeze", "thaw", "thaw", "stick"]);
        // One of them at least can act.
        if (name !== "thaw" && tabs.filter(({ thaw }) => !thaw).length < 2) continue;
        did[name] = (did[name] ?? 0) + 1;
        await disturbances[name](random.of(tabs));
        while (tabs.length < count) await open();
      }
      for (const tab of tabs) await tab.thaw?.();
      for (const { page } of tabs) await page.evaluate(() => window.stop());
      for (const { name, page } of tabs) {
        const { open, ...where } = await page.evaluate((milliseconds) => window.rest(milliseconds), patience);
        if (open.length > 0) complaints.push(`${name} (${JSON.stringify(where)}) has calls without an answer: ${open}`);
      }
      const log = await logOf(browser, id);
      const queues = new Set();
      for (const { name, page } of tabs) {
        const view = await page.evaluate((...given) => window.view(...given), log.events.length, patience);
        complaints.push(...differences(view, log).map((difference) => `${name}: ${difference}`));
        for (const each of view.queue) queues.add(each);
      }
      complaints.push(...complaintsAbout(log, queues, told));
      console.log(
        `${kind}: ${log.events.length} events, ${told.stored?.length ?? 0} values and ${told.acknowledged?.length ?? 0} messages acknowledged, ${told.acted?.length ?? 0} calls of tools, ${JSON.stringify(did)}`,
      );
    } finally {
      await browser.close();
    }
    assert.deepEqual(complaints, []);
  });
}

/** The log and the state as a tab reads them that has nothing to do with the others. */
async function logOf(browser, id) {
  const page = await browser.page(`${server.origin}/pages/blank.html`);
  const log = await page.evaluate(async (id) => {
    const { indexedDBStore } = await import("/threadkeep/index.js");
    const store = indexedDBStore();
    const listing = await store.load(id);
    const events = await store.events(id, 0, listing.length);
    return { events: events.map((event) => JSON.parse(event.json ?? event)), state: JSON.parse(listing.baseState) };
  }, id);
  await page.close();
  return log;
}

/** What is wrong with the log, as sentences. `queue` has the messages that no model has read. */
function complaintsAbout({ events, state }, queue, { acknowledged = [], acted = [], problem = [], removed = [], stored = [] }) {
  const complaints = [...problem];
  for (const key of stored) if (!state.agent_state[key]) complaints.push(`the state ${key} was acknowledged, and is lost`);
  const ids = events.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) complaints.push("an event is in the log twice");
  // A branch may begin before the first event.
  const known = new Set([...ids, "__root__"]);
  for (const { id, parent_id } of events) if (parent_id && !known.has(parent_id)) complaints.push(`the event ${id} has no parent`);
  const counts = countsOf(events.map(({ llm_message }) => llm_message?.content?.[0]?.text));
  const gone = new Set(removed);
  for (const { id, text } of acknowledged) {
    const found = counts.get(text) ?? 0;
    if (found > 1) complaints.push(`the message ${text} is in the log ${found} times`);
    if (found === 1 && !known.has(id)) complaints.push(`the message ${text} has another id in the log`);
    if (found === 0 && !queue.has(id) && !gone.has(id)) complaints.push(`the message ${text} was acknowledged, and is lost`);
  }
  for (const [text, found] of counts)
    if (/^t\d+\.m/.test(text ?? "") && found > 1) complaints.push(`${text} was carried out ${found} times`);
  for (const [key, found] of countsOf(acted.map(({ key }) => key)))
    if (found > 1) complaints.push(`the call ${key} was made ${found} times`);
  for (const [what, found] of countsOf(acted.map(({ what }) => what).filter((what) => what.includes(".x")))) {
    const by = acted.flatMap((call) => (call.what === what ? [`${call.tab} at ${call.at}`] : []));
    if (found > 1) complaints.push(`executeTool() of ${what} was made ${found} times, by ${by}`);
  }
  return complaints;
}

function countsOf(list) {
  const counts = new Map();
  for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

/** The differences of what a tab shows from the log, as sentences. */
function differences({ events, heard, firstHeard, changes, state }, log) {
  const found = [];
  const [ids, stored] = [events, log.events].map((list) => list.map(({ id }) => id));
  if (JSON.stringify(ids) !== JSON.stringify(stored)) found.push(`shows ${ids.length} events, ${stored.length} are stored`);
  else if (JSON.stringify(events) !== JSON.stringify(log.events)) found.push("shows other events than are stored");
  const expected = stored.slice(firstHeard);
  if (JSON.stringify(heard) !== JSON.stringify(expected)) {
    const place = expected.findIndex((id, index) => id !== heard[index]);
    const missing = expected.flatMap((id, index) =>
      heard.includes(id) ? [] : [`${firstHeard + index} ${log.events[firstHeard + index].kind}`],
    );
    found.push(
      `its subscribers have heard ${heard.length} events of ${expected.length}; the first difference is at ${firstHeard + place}, missing are: ${missing}; changes: ${changes}`,
    );
  }
  for (const key of ["execution_status", "leaf_event_id", "tags", "max_iterations"])
    if (JSON.stringify(state[key]) !== JSON.stringify(log.state[key]))
      found.push(`shows ${key} ${JSON.stringify(state[key])} instead of ${JSON.stringify(log.state[key])}`);
  return found;
}
