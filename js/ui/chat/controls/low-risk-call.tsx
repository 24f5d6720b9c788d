/** @jsxImportSource preact */
// A call of low risk among others that wait: one line with its arguments, if they fit. The complete card is a click away.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { visibleText } from "../../thread/index.js";
import { titleOf } from "../call-title.js";
import { useChat } from "../context.js";
import { keptArguments } from "./arguments/drafts.js";
import { ApprovalCard, type ApprovalCardProps } from "./approval-card.js";

/** In characters. */
const longest = 60;

export function LowRiskCall(props: ApprovalCardProps) {
  const { thread, call, name, isTogether, isSeen, onSeen, decide } = props;
  const { labels } = useChat();
  const [isKept] = useState(() => keptArguments(thread.getSnapshot().conversationId, call.actionId) !== null);
  const [isWhole, showWhole] = useState(isKept);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  // The button with the focus is gone.
  useLayoutEffect(() => void (isWhole && !isKept && place.current?.querySelector<HTMLElement>("button")?.focus()), [isWhole]);
  const line = lineOf(call.args);
  const isLine = !isWhole && line !== null;
  // A line is in sight as a whole.
  useLayoutEffect(() => void (isLine && !isSeen && onSeen()), [isLine, isSeen]);
  if (!isLine)
    return (
      <div ref={place}>
        <ApprovalCard {...props} />
      </div>
    );
  const { actionId, risk, why } = call;
  const toolName = visibleText(call.toolName);
  return (
    <section class="ask ask-line" role="group" aria-labelledby={id} data-risk={risk} data-why={why} data-tool={toolName}>
      <div class="ask-head">
        <h3 id={id}>{titleOf(call, labels)}</h3>
        <span class="risk" data-risk={risk}>
          {labels.risks[risk]}
        </span>
        <code>{line === "" ? toolName : `${toolName}: ${line}`}</code>
      </div>
      <div class="buttons">
        {!isTogether && (
          <button
            type="button"
            class="button small"
            aria-label={labels.approveCall(name)}
            onClick={() => void decide(() => thread.approve([actionId])).catch(() => {})}
          >
            {labels.approve}
          </button>
        )}
        <button
          type="button"
          class="button plain small"
          aria-label={labels.detailsOf(name)}
          aria-expanded={false}
          onClick={() => showWhole(true)}
        >
          {labels.details}
        </button>
      </div>
    </section>
  );
}

/** All arguments in a line, such as `count 2, sides 6`; `null` if they do not fit, or have a character that is not seen as it is. */
function lineOf(args: ApprovalCardProps["call"]["args"]): string | null {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return null;
  const line = Object.entries(args)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  return line.length <= longest && line === visibleText(line) && /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(line) ? line : null;
}
