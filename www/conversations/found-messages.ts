// The messages that have what is typed into the search field, as a part of the list. Loaded with the first search.

import { search, type SearchHit, type SearchResult } from "threadkeep";
import { visibleText } from "threadkeep/thread";
import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import { hrefOf } from "../shell/router.ts";
import { titleOf } from "./row.ts";
import { createMore, place } from "./sections.ts";
import { howLongAgo } from "./when.ts";

const PORTION = 20;
/** How many milliseconds lie between two looks at an index that is not complete. */
const PATIENCE = 1000;

const heading = "found-messages-heading";
const list = el("ul", { "aria-labelledby": heading });
const about = el("p", { class: "quiet" });
const more = createMore("messages");
export const foundMessages = el(
  "div",
  { class: "conversation-group", id: "found-messages" },
  el("h3", { id: heading, class: "eyebrow" }, "In messages"),
  list,
  more.element,
  about,
);

let showMore = (): void => undefined;
more.element.addEventListener("click", () => showMore());

/**
 * Fills the part of the list, and again while older messages are still being read. `draw` does what it is given where the list may
 * change; it gets how many messages were found. Never rejects.
 */
export async function findMessages(text: string, signal: AbortSignal, draw: (count: number, fill: () => void) => void): Promise<void> {
  let most = PORTION;
  let told = -1;
  const show = ({ hits, more: hasMore, pending }: SearchResult): void => {
    // Those in titles are above.
    const found = hits.filter(({ eventId }) => eventId !== null);
    draw(found.length, () => {
      place(list, found.map(row));
      more.element.hidden = !hasMore;
      tell(pending === 0 ? "" : `Still reading ${older(pending)}…`);
    });
    if (found.length !== told) announce(`${found.length === 1 ? "1 message was" : `${found.length} messages were`} found.`);
    told = found.length;
  };
  const look = async (): Promise<number> => {
    const result = await search(text, { limit: most, signal });
    if (!signal.aborted) show(result);
    return result.pending;
  };
  showMore = () => {
    most += PORTION;
    void attempt(look, signal, draw);
  };
  await attempt(
    async () => {
      while ((await look()) > 0 && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    },
    signal,
    draw,
  );
}

/** How many there are is not known at first. */
function older(count: number): string {
  return Number.isFinite(count) ? `${count.toLocaleString("en")} older ${count === 1 ? "message" : "messages"}` : "older messages";
}

async function attempt(act: () => Promise<unknown>, signal: AbortSignal, draw: (count: number, fill: () => void) => void): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!signal.aborted)
      draw(0, () => (place(list, []), (more.element.hidden = true), tell(`Messages cannot be searched. ${explain(error).text}`)));
  }
}

function tell(words: string): void {
  about.textContent = words;
  about.hidden = words === "";
}

/** Its id is that of no conversation: the keys that act on one do nothing here. */
function row(hit: SearchHit): HTMLElement {
  const { conversationId, timestamp, updatedAt, archivedAt } = hit;
  const eventId = hit.eventId!;
  const id = `${conversationId}/${eventId}`;
  const when = [howLongAgo(timestamp === null ? updatedAt : new Date(timestamp)), archivedAt !== null && "archived"].filter(Boolean);
  return el(
    "li",
    { class: "conversation-row of-hit", "data-id": id },
    el(
      "a",
      { class: "conversation", href: hrefOf(conversationId, eventId), "data-stop": true, "data-focus": `${id} stop` },
      el("span", { class: "conversation-title" }, titleOf(hit)),
      excerpt(hit),
      el("span", { class: "conversation-about" }, when.join(" · ")),
    ),
  );
}

/** A model or a web page may have written it, so it stays text. */
function excerpt({ excerpt, ranges }: SearchHit): HTMLElement {
  const line = el("span", { class: "conversation-excerpt" });
  let end = 0;
  for (const [from, to] of ranges) {
    line.append(visibleText(excerpt.slice(end, from)), el("mark", {}, visibleText(excerpt.slice(from, to))));
    end = to;
  }
  line.append(visibleText(excerpt.slice(end)));
  return line;
}
