/** @jsxImportSource preact */
// The view of a row: one item on the thread.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { type MessagePart, type TextPart, type UIMessage, visibleText } from "../../thread/index.js";
import { useChat } from "../context.js";
import { MessageActions } from "../controls/index.js";
import type { ChatLabels } from "../labels.js";
import { Markdown } from "../markdown/index.js";
import type { ConversationVisualizer } from "../visualizer.js";
import { AttachedFiles } from "./attached-files.js";
import { Fold } from "./folds.js";
import { ImageView } from "./image.js";
import { memo } from "./memo.js";
import { ErrorView, NoticeView } from "./notice.js";
import { Foreign, PlainText } from "./plain.js";
import type { Row } from "./rows.js";
import { Sources } from "./sources.js";
import { SubagentView } from "./subagent.js";
import { ThoughtsLine } from "./thinking.js";
import { Time } from "./time.js";
import { ToolView } from "./tool.js";

export interface EntryProps {
  row: Row;
  visualizer: ConversationVisualizer;
  /** Whether messages can be edited and answered again: not those of a sub-agent, or under a summary. */
  hasActions: boolean;
  /** Whether this is a call that the user decides about: then it is shown there, with everything about it. */
  isAsked?: boolean;
  /** Whether the agent has written the messages in place of the user: to a sub-agent. */
  isFromAgent?: boolean;
}

/** Takes the row apart: a row of a message that has changed is a new object, and most of its parts are the same. */
export function Entry({ row: { key, message, part, isFirstText, isLast }, ...shared }: EntryProps) {
  const needsMessage = part === null || isFirstText || isLast || shared.visualizer.visualize !== undefined;
  return <PartEntry id={key} part={part} message={needsMessage ? message : null} isFirstText={isFirstText} isLast={isLast} {...shared} />;
}

interface PartProps extends Omit<EntryProps, "row"> {
  id: string;
  part: MessagePart | null;
  /** `null` where it makes no difference. */
  message: UIMessage | null;
  isFirstText: boolean;
  isLast: boolean;
}

const PartEntry = memo((props: PartProps) => {
  const { thread, labels, messageActions } = useChat();
  const { part, message, isLast, hasActions, isAsked = false } = props;
  if (part === null) return <UserEntry {...props} message={message!} />;
  const hasVerbs = isLast && hasActions && message?.state === "done";
  const own = isAsked ? null : ownView(props);
  if (own === null && !(isAsked && hasVerbs)) return null;
  const isLive = "state" in part && part.state === "streaming";
  const isMessage = part.type === "text";
  return (
    <div
      class={`entry ${ENTRIES[part.type]}${isLive ? " live" : ""}`}
      part={`entry ${part.type}`}
      {...(isMessage && { role: "article", "aria-label": labels.agent })}
    >
      {own === undefined ? <PartView {...props} part={part} /> : own}
      {hasVerbs ? (
        <MessageActions thread={thread} message={message}>
          {messageActions(message)}
        </MessageActions>
      ) : null}
    </div>
  );
});

const ENTRIES: Record<MessagePart["type"], string> = {
  text: "entry-agent",
  reasoning: "entry-reasoning",
  image: "entry-image",
  tool: "entry-tool",
  error: "entry-error",
  notice: "entry-aside",
};

/** The view by the page's visualizer; `undefined` for the default one. A visualizer that fails hides nothing. */
function ownView({ part, message, visualizer }: PartProps): ComponentChildren {
  if (visualizer.visualize === undefined || part === null || message === null) return undefined;
  try {
    const view = visualizer.visualize(part, message);
    if (view === undefined || view === null) return view;
    if (typeof view === "string")
      return (
        <p class="plain-text" dir="auto">
          <PlainText text={view} />
        </p>
      );
    return <Foreign node={() => view} of={[view]} />;
  } catch (error) {
    reportError(error);
    return undefined;
  }
}

function UserEntry({ id, message, visualizer, hasActions, isFromAgent }: PartProps & { message: UIMessage }) {
  const { thread, labels, messageActions } = useChat();
  const speaker = message.sender ?? (isFromAgent ? labels.agent : labels.user);
  const isQueued = message.state === "queued";
  const mark = useId();
  return (
    <div
      class={isQueued ? "entry entry-user queued" : "entry entry-user"}
      part="entry user"
      role="article"
      aria-label={speaker}
      aria-describedby={isQueued ? mark : undefined}
    >
      <div class="message-head">
        <h2 class="speaker">
          {speaker}
          <Time date={message.createdAt} />
        </h2>
        {hasActions ? (
          <MessageActions thread={thread} message={message}>
            {messageActions(message)}
          </MessageActions>
        ) : null}
      </div>
      {message.parts.map((part, index) => {
        const own = ownView({ id, part, message, visualizer, hasActions, isFirstText: false, isLast: false });
        if (own !== undefined) return own;
        if (part.type !== "text")
          return (
            <PartView
              key={index}
              id={`${id}/${index}`}
              part={part}
              message={message}
              visualizer={visualizer}
              hasActions={false}
              isFirstText={false}
              isLast={false}
            />
          );
        return part.text === "" ? null : (
          <p key={index} class="message" dir="auto">
            <PlainText text={part.text} />
          </p>
        );
      })}
      <AttachedFiles files={message.attachments} />
      {isQueued && (
        <p class="quiet queued-mark" id={mark}>
          {labels.queued}
        </p>
      )}
      {message.skills.length === 0 ? null : (
        <p class="quiet skills">
          {labels.skillsUsed(message.skills.length)}
          {message.skills.map((name) => (
            <span key={name} class="skill" dir="auto">
              {visibleText(name)}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** Why a text ends where it does. */
function markOf({ text, reason }: TextPart, labels: ChatLabels): string {
  if (reason === "length" && text === "") return labels.onlyThoughts;
  return (reason && labels.cutOffBy[reason]) ?? labels.cutOff;
}

function PartView({ id, part, message, isFirstText, isLast, visualizer }: PartProps & { part: MessagePart }) {
  const { labels } = useChat();
  switch (part.type) {
    case "text":
      return (
        <>
          <h2 class={isFirstText ? "speaker" : "visually-hidden"}>
            {labels.agent}
            {isFirstText ? <Time date={message?.createdAt ?? null} /> : null}
          </h2>
          <Markdown text={part.text} />
          {part.sources && <Sources id={`${id}/sources`} sources={part.sources} />}
          {part.state === "incomplete" && isLast ? <p class="mark">{markOf(part, labels)}</p> : null}
        </>
      );
    case "reasoning":
      return (
        <Fold id={id} class="reasoning" summary={<ThoughtsLine id={id} part={part} />}>
          {() => (
            <p class="reasoning-text" dir="auto">
              <PlainText text={part.text} />
            </p>
          )}
        </Fold>
      );
    case "image":
      return <ImageView url={part.url} />;
    case "tool":
      return (
        <>
          <ToolView id={id} part={part} />
          <SubagentView
            id={id}
            part={part}
            visualizer={visualizer}
            entry={(row, own) => <Entry key={row.key} row={row} visualizer={own} hasActions={false} isFromAgent />}
          />
        </>
      );
    case "error":
      return <ErrorView part={part} />;
    case "notice":
      return (
        <NoticeView id={id} part={part} entry={(row) => <Entry key={row.key} row={row} visualizer={visualizer} hasActions={false} />} />
      );
  }
}
