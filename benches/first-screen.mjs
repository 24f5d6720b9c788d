// The first screen: how long two pages need that show the same stored chat of 100 messages, one with threadkeep and one with the AI SDK,
// and how long until a message is answered then. From a cold and a warm cache, over three networks, medians of five.
//
//     node benches/first-screen.mjs
//     node benches/first-screen.mjs --rounds 3
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { build as bundle } from "esbuild";
import { build } from "../scripts/build.mjs";
import { main, root, run } from "../scripts/process.mjs";
import { wasms } from "../scripts/wasms.mjs";
import { launch } from "../tests/support/browser/driver.mjs";
import { listen } from "../tests/support/listen.mjs";
import { createModel } from "../tests/support/model.mjs";
import { print } from "./print.mjs";

const here = path.join(root, "benches");
const pages = ["threadkeep", "ai"];
/** Bytes in a second, milliseconds of latency, and how many times slower the processor is. */
const networks = {
  "slow 4G, processor 4× slower": { throughput: 200_000, latency: 150, slowness: 4 },
  "fast 4G, processor 4× slower": { throughput: 1_125_000, latency: 60, slowness: 4 },
  cable: { throughput: 5_000_000, latency: 10, slowness: 1 },
};
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

await main(async () => {
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
  await build();
  if (!existsSync(path.join(here, "node_modules/ai"))) await run("npm", ["ci", "--ignore-scripts"], { cwd: here });
  const model = createModel(() => ({ text: "one two three four five six seven eight nine ten" }), { checks: false });
  const browser = await launch("chromium");
  const origins = [];
  const servers = [];
  try {
    for (const name of pages) {
      const server = await listen(served(await bundled(name), model));
      servers.push(server);
      origins.push(server.origin);
      const page = await browser.page(`${server.origin}/#fill`);
      await page.waitForFunction(() => globalThis.isFilled);
      await page.close();
    }
    const lines = [];
    for (const [network, conditions] of Object.entries(networks)) {
      for (const cache of ["cold", "warm"]) {
        const found = pages.map(() => []);
        for (let round = 0; round < Number(values.rounds); round++)
          for (const [place, origin] of origins.entries()) found[place].push(await measured(browser, origin, { ...conditions, cache }));
        lines.push(line(`${network}, ${cache}`, found));
      }
    }
    print("chromium", { title: "The first screen of a stored chat, then the answer to a message, milliseconds", lines });
  } finally {
    await browser.close();
    for (const server of servers) await server.close();
  }
});

/** Bundles a page as an app does, with the library's wasm beside it. */
async function bundled(name) {
  const outdir = path.join(root, `.cache/first-screen/${name}`);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  await bundle({
    entryPoints: [path.join(here, `first-screen/${name}.js`)],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    alias: { threadkeep: path.join(root, "dist/slim.js"), "threadkeep/thread": path.join(root, "dist/thread.js") },
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" },
  });
  for (const { file } of wasms) writeFileSync(path.join(outdir, file), readFileSync(path.join(root, "dist", file)));
  writeFileSync(
    path.join(outdir, "index.html"),
    `<!doctype html><meta charset="utf-8"><body><script type="module" src="${name}.js"></script>`,
  );
  return outdir;
}

/** Serves a page as a host on the web does: compressed, to be kept for a year; and the model. */
function served(folder, model) {
  const known = new Map();
  return async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname.startsWith("/v1/")) return model.handle(request, response);
    const file = path.join(folder, pathname === "/" ? "index.html" : path.basename(pathname));
    if (!existsSync(file)) return response.writeHead(404).end();
    if (!known.has(file)) known.set(file, brotliCompressSync(readFileSync(file)));
    const type = types[path.extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-encoding": "br", "cache-control": "max-age=31536000" });
    response.end(known.get(file));
  };
}

async function measured(browser, origin, { throughput, latency, slowness, cache }) {
  const page = await browser.page("about:blank");
  const session = await page.createCDPSession();
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: cache === "cold" });
  const speed = { downloadThroughput: throughput, uploadThroughput: throughput / 2 };
  await session.send("Network.emulateNetworkConditions", { offline: false, latency, ...speed });
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  await page.goto(`${origin}/`);
  await page.waitForFunction(() => globalThis.shown);
  const downloaded = bytes;
  const answer = await page.evaluate(() => globalThis.askedAndAnswered());
  const { at, messages, longest } = await page.evaluate(() => globalThis.shown);
  // Each round has added two.
  if (messages < 100) throw new Error(`${origin} has shown ${messages} messages`);
  await page.close();
  return { at, answer, longest, bytes: downloaded };
}

function line(label, found) {
  const median = (place, key) => found[place].map((one) => one[key]).sort((one, other) => one - other)[found[place].length >> 1];
  const columns = {};
  for (const [place, name] of pages.entries()) {
    columns[name] = median(place, "at").toFixed(0);
    columns[`${name}: answer`] = median(place, "answer").toFixed(0);
    columns[`${name}: longest task`] = median(place, "longest").toFixed(0);
    columns[`${name}: kB`] = (median(place, "bytes") / 1000).toFixed(0);
  }
  return { label, columns, ratio: median(0, "at") / median(1, "at") };
}
