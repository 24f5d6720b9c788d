// The demo page for somebody who sees it for the first time: connecting a model, secrets before the first message, the
// theme, and notices.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen } from "../support/listen.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

/** A provider at `/provider/v1`: it wants a key, and knows two models. */
function provider(request, response, pathname) {
  const json = (status, body) => (response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)), true);
  if (request.headers.authorization !== "Bearer sk-right") return json(401, { error: { message: "no such key" } });
  if (pathname.endsWith("/models")) return json(200, { object: "list", data: [{ id: "small" }, { id: "large" }, { id: 7 }, {}] });
  return json(404, { error: { message: "The model `small` does not exist." } });
}

let demo;
let refusing;
before(async () => {
  demo = await startDemo({ mounts: { "/provider/v1/": provider } });
  // It answers, but not to pages of another origin.
  refusing = await listen((_, response) => response.end("here I am"));
});
after(() => Promise.all([demo.close(), refusing.close()]));

const complaints = /status of|Cross-Origin|CORS|ERR_|NetworkError|Failed to load|blocked by/;

for (const kind of availableBrowsers) {
  test(`${kind}: a newcomer connects a model in the demo, gives secrets, and chooses a theme`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const connect = async (page, { baseUrl = `${demo.origin}/provider/v1`, key = "", model = "openai/small" }) => {
      await page.choose("#connection", "other");
      await page.fill("#base-url", baseUrl);
      await page.fill("#model", model);
      await page.fill("#api-key", key);
    };

    try {
      await step(
        "a model is chosen from the list of its server",
        async (page) => {
          await page.press("Settings");
          await connect(page, {});
          await page.press("List models");
          await page.shows(/wants a key, and none is entered/, "#listed");
          await page.fill("#api-key", "sk-wrong");
          assert.equal(await page.text("#listed"), "", "the sentence was about another key");
          await page.press("List models");
          await page.shows(/does not accept this key/, "#listed");
          await page.fill("#api-key", "sk-right");
          await page.press("List models");
          await page.until("the list has the focus", () => document.activeElement.id === "model-choice");
          assert.deepEqual(await page.page.$$eval("#model-choice option", (options) => options.map(({ textContent }) => textContent)), [
            "Choose one of 2",
            "openai/large",
            "openai/small",
          ]);
          await page.isAccessible("the settings with a list");
          await photograph(page, `model-list-${kind}`);
          await page.choose("#model-choice", "openai/large");
          assert.equal(await page.page.$eval("#model", ({ value }) => value), "openai/large");
          await page.fill("#base-url", `${demo.origin}/nowhere`);
          await page.press("List models");
          await page.shows(/gives no list of its models \(status 404\)\. Type the name of one\./, "#listed");
        },
        complaints,
      );

      await step("an address that no request can be sent to is refused where it is typed", async (page) => {
        await page.press("Settings");
        for (const baseUrl of ["htp:/foo", "localhost:1234", "http://", "http:/foo", "https://http://127.0.0.1:1234/v1"]) {
          await connect(page, { baseUrl });
          await page.page.focus("#model");
          await page.shows(/^The address has to begin with https:\/\/ or http:\/\/ and to name a server, such as/, "#base-url-problem");
          assert.equal(await page.page.$eval("#base-url", (field) => field.validity.valid), false, baseUrl);
        }
        await page.isAccessible("a wrong address");
        await connect(page, { baseUrl: "http://localhost:1234" });
        await page.until("it is right", () => document.querySelector("#base-url-problem").textContent === "");
      });

      await step(
        "the connection is tested before it is used, and each failure says what to do",
        async (page) => {
          await page.press("Settings");
          const outcome = async (connection, pattern) => {
            await connect(page, connection);
            await page.press("Test the connection");
            await page.shows(pattern, "#tested");
          };
          await outcome(
            { baseUrl: `${demo.origin}/v1`, model: "openai/scripted-model" },
            /It works: openai\/scripted-model answered in [\d.]+ s/,
          );
          await photograph(page, `connection-${kind}`);
          await outcome({}, /wants a key/);
          await outcome({ key: "sk-wrong" }, /does not accept this key \(status 401\)/);
          await outcome({ key: "sk-right" }, /Not found \(404\): check the model's name.*does not exist/);
          await outcome(
            { baseUrl: `${refusing.origin}/v1`, key: "sk-right" },
            /does not allow this page\. The server answers, but does not allow requests from web pages \(CORS\): .* refuses http/,
          );
          await page.press("List models");
          await page.shows(
            /The server answers, but does not allow requests from web pages \(CORS\): .* refuses http.*Its owner has to allow them/,
            "#listed",
          );
          const gone = await listen(() => {});
          await gone.close();
          await outcome({ baseUrl: `${gone.origin}/v1` }, /Nothing answers at http:\/\/.*the server is running/);
          await page.page.evaluate(() => Object.defineProperty(navigator, "onLine", { value: false, configurable: true }));
          await outcome({ baseUrl: `${gone.origin}/v1` }, /This device is offline/);
          assert.doesNotMatch(
            await page.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.documentElement.outerHTML),
            /sk-right/,
          );
          assert.equal(await page.page.$$eval(".conversation", ({ length }) => length), 0, "a test is no conversation");
        },
        complaints,
      );

      await step("a secret can be given before the first message", async (page) => {
        await page.press("Control");
        await page.fill("#secret-name", "API_TOKEN");
        await page.fill("#secret-value", "swordfish-7123");
        await page.press("Add");
        await page.shows(/API_TOKEN/, ".secret-names");
        await page.click("#policy-always");
        await page.isAccessible("control before the first message");
        await page.press("Done");
        await page.shows(/Asks about every call/, "#control-line");
        await page.say("Call the API");
        await page.press("Approve call_api");
        await page.shows(/a friend of this page.*<secret-hidden>/);
        await page.idle();
        assert.doesNotMatch(await page.page.content(), /swordfish/);
        await page.shows(/K tokens/, ".spent");
        assert.doesNotMatch(await page.text("#control-line"), /\$/, "the stand-in costs nothing");
        await page.follow("#/");
        await page.shows(/Pick up the thread/, "#chat");
        await page.press("Control");
        assert.equal(await page.text(".secret-names"), "", "it was for that conversation");
        await page.page.evaluate(() => localStorage.clear());
      });

      await step("the theme that was chosen is there before anything is drawn", async (page) => {
        const background = () => page.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        await page.press("Settings");
        const [light, dark] = [await background(), (await page.choose("#theme", "dark"), await background())];
        assert.notEqual(light, dark);
        await page.press("Cancel");
        await page.page.evaluateOnNewDocument(() => {
          new MutationObserver((_, observer) => {
            if (document.body === null) return;
            window.themeAtFirst = document.documentElement.dataset.theme;
            observer.disconnect();
          }).observe(document, { childList: true, subtree: true });
        });
        await page.page.reload();
        await page.drawn();
        assert.deepEqual([await page.page.evaluate(() => window.themeAtFirst), await background()], ["dark", dark]);
        await photograph(page, `dark-${kind}`);
        await page.press("Settings");
        await page.choose("#theme", "system");
        assert.equal(await background(), light);
      });

      await step("a notice takes the place of the one before it about the same thing", async (page) => {
        const save = async () => {
          await page.press("Settings");
          await page.press("Save");
          await page.until("the dialog is closed", () => !document.querySelector("dialog"));
        };
        await save();
        await save();
        await page.shows(/^Settings saved\.$/, "#notices");
        for (const name of ["one", "two"])
          await page.page.evaluate((name) => dispatchEvent(new ErrorEvent("error", { error: new Error(`this is ${name}`) })), name);
        await page.shows(/This is two/, "#notices");
        assert.equal(await page.page.$$eval(".notice-failure", ({ length }) => length), 1);
        const names = await page.page.$$eval("#notices button", (buttons) =>
          buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent),
        );
        assert.deepEqual(names, [...new Set(names)], "no two buttons have the same name");
      });
    } finally {
      await browser.close();
    }
  });
}
