// `npm start`: builds, then serves the demo page with a scripted model. PORT sets the port, --quick selects the fast build.
import http from "node:http";
import { buildForPages } from "./build.mjs";
import { Stop, main } from "./process.mjs";
import { createScriptedModel } from "./scripted-model.mjs";
import { site } from "./site.mjs";

await main(async () => {
  await buildForPages({ quick: process.argv.includes("--quick") });
  // Imported here, because it needs npm packages that the build has just installed.
  const page = await import("../www/build.mjs");
  await page.build();
  const server = http.createServer(site({ model: createScriptedModel() }));
  const port = await listen(server);
  console.log(`\nthreadkeep is at http://localhost:${port}/ (stop with Ctrl-C)`);
});

/** Listens on PORT, or on the first free port from 3000, because a page's storage belongs to its port. */
async function listen(server) {
  const wanted = process.env.PORT;
  if (wanted !== undefined && !/^\d{1,5}$/.test(wanted)) throw new Stop(`PORT is ${wanted}, which is not a port number`);
  const candidates = wanted === undefined ? [...Array.from({ length: 20 }, (_, i) => 3000 + i), 0] : [Number(wanted)];
  for (const port of candidates) {
    if (await tryPort(server, port)) return server.address().port;
  }
  throw new Stop(`port ${wanted} is taken: stop what uses it, or choose another with PORT`);
}

function tryPort(server, port) {
  return new Promise((resolve, reject) => {
    const failed = (error) => (error.code === "EADDRINUSE" ? resolve(false) : reject(error));
    server.once("error", failed);
    // Only this machine, so that the page's API key does not travel through a network.
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed);
      resolve(true);
    });
  });
}
