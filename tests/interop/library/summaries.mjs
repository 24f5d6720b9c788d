// Takes away what the library says around a summary in requests, and the SDK does not.
import { readFileSync } from "node:fs";
import path from "node:path";

const prompt = readFileSync(path.resolve(import.meta.dirname, "../../../src/context/prompts/summary.md"), "utf8").trimEnd();
const [start, end] = prompt.split("{summary}");

/** The body of a request with bare summaries. */
export function withBareSummaries(body) {
  const bare = (_, value) =>
    typeof value === "string" && value.startsWith(start) && value.endsWith(end) ? value.slice(start.length, -end.length) : value;
  return JSON.parse(JSON.stringify(body, bare));
}
