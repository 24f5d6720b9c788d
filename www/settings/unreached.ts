// Why a server gave no answer: a browser does not tell a page, so the page looks for the reason.

const PATIENCE = 20_000;

export const isLocal = ({ hostname }: URL): boolean => /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);

/** A sentence. `advice` is one, too, for a server that does not allow pages. */
export async function whyUnreached(address: string, advice: string): Promise<string> {
  if (!navigator.onLine) return "This device is offline. Try again when it is connected.";
  const url = new URL(address);
  if (location.protocol === "https:" && url.protocol === "http:" && !isLocal(url))
    return `A page from an https address may not ask ${url.origin}, because http is not encrypted. Use an https address.`;
  // Any server answers a request whose answer the page may not read.
  const answers = await fetch(url, {
    mode: "no-cors",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(PATIENCE),
  }).then(
    () => true,
    () => false,
  );
  if (!answers) return `Nothing answers at ${url.origin}. Check the address${isLocal(url) ? ", and that the server is running" : ""}.`;
  return `The server answers, but does not allow requests from web pages (CORS): ${url.host} refuses ${location.origin}. ${advice}`;
}
