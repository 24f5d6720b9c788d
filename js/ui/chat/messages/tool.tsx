/** @jsxImportSource preact */
// A call of a tool: one line with its purpose and result, and all details when it is unfolded.
import { type ToolPart, visibleText } from "../../thread/index.js";
import { fieldsOf, givenTitle, titleOf } from "../call-title.js";
import { useChat } from "../context.js";
import { toolIcon, writtenText } from "../built-in-tools.js";
import { Icon } from "../icons.js";
import type { ChatLabels } from "../labels.js";
import { Fold } from "./folds.js";
import { ImageView } from "./image.js";
import { PlainText } from "./plain.js";
import { imagesOf, SpecialResult, textOf } from "./results.js";

type CallState = keyof ChatLabels["callStates"];

export function ToolView({ id, part }: { id: string; part: ToolPart }) {
  const { labels, toolIcon: ownIcon } = useChat();
  const state = stateOf(part);
  const result = part.error ?? textOf(part);
  const given = givenTitle(part, labels);
  const isWritten = part.state === "streaming";
  const glance = (state === "done" && oneLine(result)) || (given === null && !isWritten && oneLine(firstText(part.args)));
  const summary = (
    <>
      {ownIcon(part.toolName) ?? <Icon name={toolIcon(part.toolName)} />}
      <span class="call-title" dir="auto">
        {titleOf(part, labels)}
      </span>
      {glance ? (
        <span class="call-glance" dir="auto">
          {visibleText(glance)}
        </span>
      ) : null}
      <span class="call-state">
        {(state === "running" && part.progress) || labels.callStates[state]}
        {isWritten && part.argsText.length >= LONG ? (
          <span class="call-length"> · {labels.writtenSoFar(part.argsText.length.toLocaleString())}</span>
        ) : null}
      </span>
    </>
  );
  return (
    <>
      <Fold id={id} class="call" part="call" data-state={state} summary={summary}>
        {() => (
          <div class="call-body">
            <p class="quiet">
              {labels.tool} <code>{visibleText(part.toolName)}</code>
            </p>
            <CallBody part={part} state={state} result={result} />
            <Original part={part} />
          </div>
        )}
      </Fold>
      {isWritten ? <Written part={part} /> : null}
    </>
  );
}

/** Arguments from so many characters on show how many they are. */
const LONG = 200;
/** The end of a text that is being written, in characters: more than its box shows. */
const SHOWN = 4_000;

/** The end of the file, or of the change, that the model is writing. */
function Written({ part: { toolName, args } }: { part: ToolPart }) {
  const { labels } = useChat();
  const text = writtenText(toolName, fieldsOf(args));
  if (text === null) return null;
  return (
    <div class="written" role="group" aria-label={labels.callStates.streaming} dir="ltr">
      <div>{visibleText(text.slice(-SHOWN))}</div>
    </div>
  );
}

/** An error event is the result of a call that has failed, and of one that was cut off. Only its fixed texts tell which. */
const CUT_OFF: ReadonlyArray<[opening: RegExp, state: CallState]> = [
  [/^(The call was stopped before it was done|Tool call interrupted)/, "stopped"],
  [/^This call was under way when the page was closed/, "broken-off"],
];

export function stateOf({ state, error }: ToolPart): CallState {
  if (state !== "error") return state;
  return CUT_OFF.find(([opening]) => opening.test(error ?? ""))?.[1] ?? "failed";
}

function Original({ part: { original } }: { part: ToolPart }) {
  const { labels } = useChat();
  return original === null ? null : <Arguments part={original} name={labels.originalArguments} />;
}

function CallBody({ part, state, result }: { part: ToolPart; state: CallState; result: string }) {
  const { labels } = useChat();
  if (part.result !== null && state === "done") {
    const special = SpecialResult({ part, labels });
    if (special !== null) return special;
  }
  const isOpen = part.output === null && part.error === null;
  const name = isOpen || state === "done" ? labels.result : state === "failed" ? labels.error : labels.messageToAgent;
  return (
    <>
      <Arguments part={part} name={labels.arguments} />
      {isOpen ? null : (
        <div role="group" aria-label={name}>
          <p class="eyebrow">{name}</p>
          <pre class="result" tabIndex={0} dir="auto">
            <PlainText text={result || labels.noText} />
          </pre>
          {imagesOf(part).map((url) => (
            <ImageView key={url} url={url} />
          ))}
        </div>
      )}
    </>
  );
}

function Arguments({ part: { args, argsText }, name }: { part: Pick<ToolPart, "args" | "argsText">; name: string }) {
  const entries = Object.entries(fieldsOf(args));
  if (entries.length === 0 && (args !== undefined || argsText === "")) return null;
  return (
    <div role="group" aria-label={name}>
      <p class="eyebrow">{name}</p>
      {args === undefined ? (
        <pre class="result" tabIndex={0}>
          <PlainText text={visibleText(argsText)} />
        </pre>
      ) : (
        <dl class="arguments">
          {entries.map(([name, value]) => [
            <dt key={name}>{visibleText(name)}</dt>,
            <dd key={`${name} value`} dir="auto">
              <PlainText text={visibleText(typeof value === "string" ? value : JSON.stringify(value, null, 1))} />
            </dd>,
          ])}
        </dl>
      )}
    </div>
  );
}

/** The most telling argument of a call without a summary. */
function firstText(args: ToolPart["args"]): string {
  const text = Object.values(fieldsOf(args)).find((value) => typeof value === "string");
  return typeof text === "string" ? text : "";
}

function oneLine(text: string): string {
  const line = text.trim();
  return line.length <= 80 && !line.includes("\n") ? line : "";
}
