// The only scripts that this page starts by their address: its service worker, the worker that chats can run in, and the workers of
// the library's terminal and its search, and of PDF.js. The page's security policy refuses all others, whatever model output may attempt.

const ALLOWED = ["service-worker.js", "background-worker.js", "terminal-worker.js", "search-worker.js", "pdf.worker.min.mjs"].map(
  (name) => new URL(name, document.baseURI).href,
);

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): unknown;
}

/** A policy of this name also applies to the library, which knows nothing of policies. */
export function allowScripts(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  trustedTypes?.createPolicy("default", { createScriptURL });
}

function createScriptURL(url: string): string {
  const { href } = new URL(url, document.baseURI);
  if (!ALLOWED.includes(href)) throw new TypeError(`this page does not start the script ${href}`);
  return href;
}
