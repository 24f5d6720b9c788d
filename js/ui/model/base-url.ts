// The base URL as people type and paste it.
import { LLM } from "threadkeep";

/** The URL that is meant: without a second `https://` in front, with one where it is missing, and without the path of a request. */
export function mendedUrl(text: string): string {
  const url = text
    .trim()
    .replace(/^(?:https?:\/*)+(?=https?:\/\/)/i, "")
    .replace(/\/(?:chat\/completions|responses|messages|models)\/*(?=\?|$)/, "")
    .replace(/\/+$/, "");
  if (/^(localhost|\d+(\.\d+){3}|\[[\da-f:]+\])(?=[:/]|$)/i.test(url)) return `http://${url}`;
  return /^[\w-]+(\.[\w-]+)+(?=:\d|\/|$)/.test(url) ? `https://${url}` : url;
}

/** What is wrong with it: it is no address, or it contains a secret, which would be stored with it. */
export function problemOfUrl(url: string): "address" | "secret" | null {
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return "secret";
  try {
    new LLM({ model: "openai/any", baseUrl: url });
    const { searchParams, hash } = new URL(url, location.href);
    return url === "" ? "address" : hash !== "" || [...searchParams.keys()].some((name) => name !== "api-version") ? "secret" : null;
  } catch {
    return "address";
  }
}

/** `/v1` means the page's own server. */
export const absoluteUrl = (baseUrl: string): string => new URL(baseUrl, location.href).href.replace(/\/$/, "");
