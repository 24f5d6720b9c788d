/** @jsxImportSource preact */
// The calls that wait for the user, the riskiest first: each with its risk, and the buttons to decide.
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Approval, type Thread, visibleText } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { counted } from "../counted.js";
import { ApprovalCard, RejectForm, showUnread } from "./approval-card.js";
import { LowRiskCall } from "./low-risk-call.js";
import type { ControlLabels } from "./labels.js";
import { notify } from "./notices.js";

export interface ApprovalsProps {
  thread: Thread;
}

/** The calls that wait for the user, with the buttons to decide. */
export function Approvals({ thread }: ApprovalsProps) {
  const { approvals, isRunning, home } = useSnapshot(thread);
  const { labels, announce, focusField } = useChat();
  const calls = isRunning ? [] : approvals;
  const names = namesOf(calls, labels);
  const isTogether = home === "server" && calls.length > 1;
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  /** Whether the user has decided something: then the control that had the focus disappears. */
  const decided = useRef(false);
  /** The calls whose arguments have been in sight to their end. */
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const isSeen = (call: Approval): boolean => seen.has(textOf(call));

  const key = JSON.stringify(calls.map(({ actionId, risk }) => [actionId, risk]));
  useEffect(() => {
    if (calls.length > 0) announce(labels.callsWait(calls.length));
  }, [key]);
  useLayoutEffect(() => {
    if (!decided.current) return;
    decided.current = false;
    if (heading.current) heading.current.focus();
    else focusField();
  }, [key]);

  /** Rejects with the failure, which is also in the snapshot. */
  const decide = async (act: () => Promise<unknown>): Promise<void> => {
    if (isBusy) return;
    decided.current = true;
    setBusy(true);
    notify(thread, "");
    try {
      await act();
    } catch (error) {
      decided.current = false;
      throw error;
    } finally {
      setBusy(false);
    }
  };
  if (calls.length === 0) return null;
  return (
    <section class="entry entry-next approvals" part="approvals" aria-labelledby={id} aria-busy={isBusy}>
      <h2 ref={heading} class="next-title approval-heading" id={id} tabIndex={-1}>
        {labels.callsWait(calls.length)}
      </h2>
      <p>
        {labels.callsWaitLong(calls.length)}
        {isTogether && ` ${labels.decidedTogether}`}
      </p>
      {calls.map((call, place) => {
        // Among several calls those of low risk take a line each, so that all of them fit on a phone.
        const Card = calls.length > 1 && call.risk === "LOW" && call.why === "approval" ? LowRiskCall : ApprovalCard;
        return (
          <Card
            key={call.actionId}
            name={names[place]!}
            isOnly={calls.length === 1}
            isTogether={isTogether}
            isFirstOfTool={calls.findIndex(({ toolName, canAlwaysAllow }) => toolName === call.toolName && canAlwaysAllow) === place}
            isSeen={isSeen(call)}
            isToolSeen={calls.every((other) => other.toolName !== call.toolName || isSeen(other))}
            onSeen={() => setSeen((seen) => (seen.has(textOf(call)) ? seen : new Set([...seen, textOf(call)])))}
            {...{ thread, call, decide }}
          />
        );
      })}
      {calls.length > 1 && (
        <AllCalls
          thread={thread}
          calls={calls}
          names={names}
          unread={names.filter((_, place) => calls[place]!.why === "approval" && !isSeen(calls[place]!))}
          decide={decide}
        />
      )}
    </section>
  );
}

interface AllCallsProps {
  thread: Thread;
  calls: readonly Approval[];
  names: readonly string[];
  /** The names of those whose arguments have not been read to their end. */
  unread: readonly string[];
  decide: (act: () => Promise<unknown>) => Promise<void>;
}

/** Decides about all calls at once. Calls that may have run already are decided about one by one. */
function AllCalls({ thread, calls, names, unread, decide }: AllCallsProps) {
  const { labels } = useChat();
  const [asks, setAsks] = useState<"approve" | "reject" | null>(null);
  const id = useId();
  const sure = useRef<HTMLButtonElement>(null);
  const approve = useRef<HTMLButtonElement>(null);
  const reject = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asks === "approve") sure.current?.focus();
  }, [asks]);
  const undecided = calls.filter(({ why }) => why === "approval");
  const risky = calls.flatMap(({ why, risk }, place) => (why === "approval" && risk === "HIGH" ? [names[place]!] : []));
  const approveAll = (): void => void decide(() => thread.approve(undecided.map(({ actionId }) => actionId))).catch(() => {});
  const cancel = (): void => {
    const opener = asks === "approve" ? approve : reject;
    setAsks(null);
    opener.current?.focus();
  };
  if (undecided.length < 2) return null;
  return (
    <div class="all-calls" onKeyDown={(event) => event.key === "Escape" && asks && cancel()}>
      <p class="quiet" id={id}>
        {labels.approveAllWhat(summaryOf(undecided, labels))}
        {unread.length > 0 && ` ${labels.readAllFirst(unread)}`}
      </p>
      <div class="buttons">
        <button
          ref={approve}
          type="button"
          class={risky.length > 0 ? "button" : "button primary"}
          aria-describedby={id}
          aria-disabled={unread.length > 0}
          aria-expanded={risky.length > 0 ? asks === "approve" : undefined}
          onClick={({ currentTarget }) =>
            unread.length > 0 ? showUnread(currentTarget) : risky.length > 0 ? setAsks("approve") : approveAll()
          }
        >
          {labels.approveAll(undecided.length)}
        </button>
        <button ref={reject} type="button" class="button" aria-expanded={asks === "reject"} onClick={() => setAsks("reject")}>
          {labels.rejectAll}
        </button>
      </div>
      {asks === "approve" && (
        <div class="sure" role="group" aria-labelledby={`${id}-sure`}>
          <p id={`${id}-sure`}>{labels.approveAllRisky(risky, undecided.length)}</p>
          <div class="buttons">
            <button type="button" class="button danger" onClick={approveAll}>
              {labels.approveAllSure(undecided.length)}
            </button>
            <button ref={sure} type="button" class="button" onClick={cancel}>
              {labels.cancel}
            </button>
          </div>
        </div>
      )}
      {asks === "reject" && (
        <RejectForm
          submit={labels.rejectAllNow}
          cancel={cancel}
          reject={(reason) =>
            decide(() =>
              thread.reject(
                reason,
                undecided.map(({ actionId }) => actionId),
              ),
            )
          }
        />
      )}
    </div>
  );
}

/** A call as it is decided about: an edited one is another one. */
const textOf = ({ actionId, action }: Approval): string => `${actionId} ${action.tool_call.arguments}`;

/** Names that differ: of the tool, with a number if several calls have the same. */
function namesOf(calls: readonly Approval[], labels: ControlLabels): string[] {
  const seen = new Map<string, number>();
  return calls.map(({ toolName: given }) => {
    const toolName = visibleText(given);
    const count = calls.filter((other) => other.toolName === given).length;
    const number = (seen.get(given) ?? 0) + 1;
    seen.set(given, number);
    return count === 1 ? toolName : labels.callNumber(toolName, number, count);
  });
}

/** Such as `transfer_money (high risk)`, `2 × roll_dice (low risk)`. */
const summaryOf = (calls: readonly Approval[], labels: ControlLabels): string[] =>
  counted(
    calls.map(({ toolName, risk }) => labels.callWithRisk(visibleText(toolName), labels.risks[risk])),
    labels,
  );
