// Which code makes requests: a promise of ARCHITECTURE.md, held against every way in which a page can reach out.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";

/** Whatever makes a browser load or send something; texts and comments are taken out before. */
const ways = {
  ts: /(?<![.\w])fetch\(|\.fetch\(|\bfetch\)\(|\bsendBeacon\b|\bimportScripts\b|\bnew \w*(?:Worker|WebSocket|EventSource|XMLHttpRequest|WebTransport|RTCPeerConnection|Image|Audio|FontFace)\(|\bimport\((?!"")|\bserviceWorker\b|\.(?:src|srcset|action)\s*=(?!=)|<(?:img|video|audio|iframe|link|script)\b[^>]*\b(?:src|href)=|\blocation\.(?:assign|replace)\(|\blocation\.href\s*=(?!=)|\bglobalThis\.open\b|\bwindow\.open\b/,
  rs: /\bjs_name = fetch\b|\bfetch_with_|\bweb_sys::(?:\{[^}]*\b)?(?:Request|XmlHttpRequest|WebSocket|EventSource|Worker|RtcPeerConnection)\b|\bsend_beacon/,
};
/** A `fetch` that is a parameter or a method of the library's own, not the page's. */
const own = [/^export async function fetchAllowed/, /\bfetch\(call: /];

const code = (file) =>
  readFileSync(path.join(root, file), "utf8")
    .replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replace(/(?:String\.raw|\br)`[^`]*`/g, '""')
    .split("\n")
    .filter((line) => !own.some((pattern) => pattern.test(line)))
    .join("\n");

/** Tests in Rust files make no requests of the library. */
const withoutTests = (text) => text.replace(/#\[cfg\(test\)\]\s*mod tests \{[^]*$/, "");

test("only the code that ARCHITECTURE.md lists makes requests", () => {
  const [, section] = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8").split("## Every request");
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file]) => file).sort();
  const files = ["js", "src"]
    .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => /(?<!\.d)\.tsx?$|\.rs$/.test(file));
  assert.ok(files.length > 400);
  const found = files
    .filter((file) => (file.endsWith(".rs") ? ways.rs.test(withoutTests(code(file))) : ways.ts.test(code(file))))
    .map((file) => file.replaceAll("\\", "/"))
    .sort();
  assert.deepEqual(found, listed);
});

test("every way to reach out is found", () => {
  const lines = [
    'fetch("/x")',
    "await globalThis.fetch(url)",
    "(remote.fetch ?? globalThis.fetch)(url)",
    "navigator.sendBeacon(url)",
    "new WebSocket(url)",
    "new EventSource(url)",
    "new XMLHttpRequest()",
    "new Worker(url)",
    "new SharedWorker(url)",
    "import(url)",
    "image.src = url",
    "<img src={url} />",
    "location.assign(url)",
    "popup.location.href = url",
    "globalThis.open?.(url)",
    "navigator.serviceWorker.register(url)",
  ];
  for (const line of lines) assert.match(line, ways.ts);
  for (const line of ['import("")', "prefetch(x)", "location.href === x"]) assert.doesNotMatch(line, ways.ts);
});
