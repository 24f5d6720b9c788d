// Sentences for screen readers: about what has just happened, never about what was there before.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { MessagePart, ThreadSnapshot, ToolPart } from "../../thread/index.js";
import { titleOf } from "../call-title.js";
import type { Chat } from "../context.js";
import { wordsOf } from "./notice.js";
import { stateOf } from "./tool.js";

/** Announces texts when they are complete, and calls when they begin and when they fail. */
export function useAnnouncements({ phase, messages, isRunning, isCondensing, status }: ThreadSnapshot, { labels, announce }: Chat): void {
  useEffect(() => {
    if (isCondensing) announce(labels.condensing);
  }, [isCondensing]);
  /** All that is known of the parts of the last message. */
  const known = useRef<{ id: string | undefined; stages: ReadonlyMap<string, string>; wasRunning: boolean } | null>(null);
  useLayoutEffect(() => {
    if (phase !== "open") return;
    const last = messages.at(-1);
    const stages = new Map(
      (last?.role === "assistant" ? last.parts : []).map((part, index) => [
        part.type === "tool" && part.actionId !== null ? part.actionId : String(index),
        stageOf(part),
      ]),
    );
    const before = known.current;
    const runs = isRunning || status === "running";
    known.current = { id: last?.id, stages, wasRunning: runs };
    // A message that was loaded, or one of another branch, is no news.
    if (before === null || (!runs && !before.wasRunning)) return;
    const earlier = before.id === last?.id ? before.stages : new Map<string, string>();
    for (const [index, [key, stage]] of [...stages].entries()) {
      if (earlier.get(key) === stage) continue;
      const sentence = sentenceOf(last!.parts[index]!, earlier.has(key));
      if (sentence !== null) announce(sentence);
    }
  }, [phase, messages, isRunning, status]);

  function sentenceOf(part: MessagePart, wasThere: boolean): string | null {
    switch (part.type) {
      case "text":
        return part.state !== "streaming" ? labels.agentSays(spoken(part.text)) : null;
      case "tool":
        return toolSentence(part, wasThere);
      case "notice":
        return part.notice === "other" ? null : `${wordsOf(part, labels)}.`;
      case "error":
        return `${labels.failure}: ${part.text}`;
      default:
        return null;
    }
  }

  function toolSentence(part: ToolPart, wasThere: boolean): string | null {
    // The title of a call that is being written is not complete.
    if (part.state === "streaming") return null;
    if (!wasThere) return labels.toolStarted(titleOf(part, labels));
    return stateOf(part) === "failed" ? labels.toolFailed(titleOf(part, labels)) : null;
  }
}

function stageOf(part: MessagePart): string {
  if (part.type === "tool") return stateOf(part);
  return "state" in part ? part.state : part.type;
}

/** Markdown without the marks that a screen reader would spell. */
const spoken = (text: string): string => text.replace(/^ {0,3}(?:#{1,6}|>) +/gm, "").replace(/\*\*|`+/g, "");
