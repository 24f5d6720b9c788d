// Finds the words of a query in texts, and cuts out what is around them.
import type { EventText } from "./event-texts.js";
import type { Query, SearchHit } from "./types.js";
import { eachWord, fold, isMatch } from "./words.js";

/** How much of a text is shown before and behind the first place, in UTF-16 units. */
const before = 40;
const behind = 140;

type Found = Pick<SearchHit, "excerpt" | "ranges" | "path" | "offset">;

/** The place of the query in these texts, which together have all its words; `undefined` if they do not. */
export function placeIn(texts: readonly EventText[], { words, runs }: Query): Found | undefined {
  const missing = new Set(words);
  const missingRuns = new Set(runs);
  let best: { text: EventText; ranges: SearchHit["ranges"]; count: number } | undefined;
  for (const text of texts) {
    const seen = new Set<unknown>();
    const ranges: SearchHit["ranges"] = [];
    eachWord(text.text, (word, start, end) => {
      for (const wanted of words)
        if (isMatch(word, wanted)) {
          seen.add(wanted);
          missing.delete(wanted);
          const last = ranges.at(-1);
          // Pairs of letters overlap.
          if (last && start <= last[1]) last[1] = Math.max(last[1], end);
          else ranges.push([start, end]);
        }
    });
    if (seen.size > (best?.count ?? 0)) best = { text, ranges, count: seen.size };
    if (missingRuns.size > 0) {
      const folded = fold(text.text);
      for (const run of missingRuns) if (folded.includes(run)) missingRuns.delete(run);
    }
  }
  if (!best || missing.size > 0 || missingRuns.size > 0) return undefined;
  return { ...cut(best.text.text, best.ranges), path: best.text.path, offset: best.ranges[0]![0] };
}

/** The part of a text around the first of these ranges, in one line, with those that are in it. */
function cut(text: string, ranges: SearchHit["ranges"]): Pick<SearchHit, "excerpt" | "ranges"> {
  const [first] = ranges as [[number, number]];
  let [from, to] = [Math.max(0, first[0] - before), Math.min(text.length, first[1] + behind)];
  // At a space, if one is near, and never within a character.
  const space = text.slice(from, first[0]).search(/\s/);
  if (from > 0 && space >= 0) from += space + 1;
  const end = text.slice(first[1], to).search(/\s\S*$/);
  if (to < text.length && end > 0) to = first[1] + end;
  if (isWithinCharacter(text, from)) from++;
  if (isWithinCharacter(text, to)) to--;
  const lead = from > 0 ? "…" : "";
  // A white space for a white space, so that the ranges stay.
  const excerpt = lead + text.slice(from, to).replace(/\s/g, " ") + (to < text.length ? "…" : "");
  const shift = lead.length - from;
  const shown = ranges.filter(([start, end]) => start >= from && end <= to);
  return { excerpt, ranges: shown.map(([start, end]) => [start + shift, end + shift]) };
}

function isWithinCharacter(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");
}
