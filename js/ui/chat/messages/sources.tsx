/** @jsxImportSource preact */
// The sources of an answer, as links. Their titles come from elsewhere, so each has the name of its server beside it.
import { type Source, visibleText } from "../../thread/index.js";
import { useChat } from "../context.js";
import { Fold } from "./folds.js";

/** So many are shown at once. */
const few = 10;

export function Sources({ id, sources }: { id: string; sources: readonly Source[] }) {
  const { labels } = useChat();
  const list = () => (
    <ol class="sources" aria-label={labels.sources(sources.length)}>
      {sources.map(({ url, title }, at) => {
        const host = hostOf(url);
        return (
          <li key={at}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow" dir="auto">
              {title === null ? host : visibleText(title)}
            </a>
            {title === null ? null : <span class="quiet"> {host}</span>}
          </li>
        );
      })}
    </ol>
  );
  if (sources.length <= few) return list();
  return (
    <Fold id={id} class="folded" summary={labels.sources(sources.length)}>
      {list}
    </Fold>
  );
}

/** Names with letters of other scripts come as `xn--…`, so that none looks like another one. */
const hostOf = (url: string): string => new URL(url).host;
