// Where a conversation on a server is not the same as one here. Each entry has words of docs/server.md that say so; everything else has
// to be the same, and a case that is not different any more has to leave this list. A title may begin with the only version it is about.
import { noted, waitsForThePage } from "./stage.mjs";

/** Cases that call what is `unsupported`, by the method in the table of the page. */
export const unsupported = {
  sendMessage: [
    "sendMessage() with a sender",
    "sendMessage() with a sender that is none",
    "sendMessage() with a file stores the file with it",
    "sendMessage() with two files, one with text of its own",
    "sendMessage() with a file whose text a reader reads",
    "a message with pending: keep waits beside calls that wait",
  ],
  run: ["a run approves single calls", "a run that approves none"],
  rejectPendingActions: ["rejectPendingActions() of one, and the other approved"],
  editAction: [
    "editAction() resolves to the new call, which runs",
    "editAction() with arguments that the tool refuses",
    "editAction() of a call that does not wait",
    "editAction() of what is no id",
  ],
  executeTool: [
    "executeTool() resolves to the observation, and writes no event",
    "executeTool() of a tool that does not exist",
    "executeTool() with arguments that do not fit",
    "executeTool() with an unknown option",
    "executeTool() is stopped by its signal, which the tool sees",
    "executeTool() with a signal that was aborted before",
    "executeTool() with a signal that is none",
    "two calls of executeTool() at once",
    "executeTool() whose progress is heard",
    "executeTool() of a built-in tool changes the files of the conversation",
    "executeTool() gives the tool its conversation, a key and the secrets of the loop",
    "executeTool() of a tool that throws",
  ],
  setLimits: [
    "setLimits() with limits that are not stored",
    "setLimits() of steps",
    "setLimits() below one step",
    "setLimits() with an unknown limit",
    "a limit that was set stops the next run",
  ],
  setAllowedTools: ["setAllowedTools() lets calls run from the next answer on", "setAllowedTools()", "setAllowedTools() with a text"],
  setAgentState: [
    "calls of several kinds that are not awaited keep their order",
    "setAgentState() sets values",
    "setAgentState() removes what is null",
    "setAgentState() of what the library uses",
  ],
  allowSecrets: ["allowSecrets() without secrets"],
  generateTitle: [
    "generateTitle() makes a title",
    "generateTitle() without a message",
    "generateTitle() with a length that is none",
    "generateTitle() with a signal that was aborted before",
    "generateTitle() is stopped by its signal",
    "generateTitle() with an unknown option",
  ],
  editMessage: ["editMessage() with a file"],
};

const noSuchTool = "an agent with one that no server has, such as `fetch`, is refused with `unsupported`";

/** Cases whose conversation is `unsupported`, with the words of the page. */
export const refused = new Map([
  ["a hook of messages is that of the loop", "Hooks are functions of the page, and refused with `unsupported`."],
  ["a sub-agent's call waits in the parent, and is approved there", noSuchTool],
  ["a sub-agent's call is rejected through the parent", noSuchTool],
  ["a sub-agent's call is edited through the parent", noSuchTool],
]);

const untold = "Not told are the progress of its tools, its waits for the model, and at once what a question has cost.";

/** What has to be let go while a tool runs, because the server takes it then. */
export const heldBack = "While one of its tools runs, it takes messages and `pause()` when that has ended.";

const second = "Such a server may also take a second run while one begins.";

/** Cases that wait for what a server does not tell, or does only sometimes. */
export const untoldCases = new Map([
  ["a tool's progress is heard", untold],
  ["a run that waits for the server says so, and retryNow() ends the wait", untold],
  ["askAgent() answers, and writes no event", untold],
  ["pause() lets a tool end", heldBack],
  ["1.43.1: run() twice at once", second],
]);

const duringTools = [
  "a message during a run is read by the same run",
  "queue.list() has what was sent during a run, in its order",
  "queue.edit() puts another message in its place",
  "queue.edit() with what is no message",
  "queue.remove() takes a message back",
  "queue.remove() of an unknown message",
];

/** Cases whose messages come while a tool of the server runs, and are taken behind it or behind the run. */
export const heldCases = new Map(duringTools.map((title) => [`1.58.0: ${title}`, heldBack]));
const answeredLater = "there it waits until the run has ended; the agent then goes on with it.";
const lateTitles = duringTools.map((title) => `1.43.1: ${title}`);
export const lateCases = new Map(lateTitles.map((title) => [title, answeredLater]));

/** Cases whose tools and options only tools of the page can have. */
export const onlyByPage = new Set([
  "a tool that fails",
  "pendingActions() that would not wait if their tool were allowed",
  "a policy of risks asks the analyzer of the loop",
]);

const inTheQueue = "the messages that [wait for the server]";
const waitsForNoPage = "A server waits for no page: it notes the call, tells the model so, and ends its run.";
const fails = "what it rejects with has the words of the log, and no `status`";

/** Cases that a server does not go through, with the check of theirs that fails. */
export const brokenOff = new Map([
  [
    "1.43.1: condense() without a condenser",
    ["as here, if the agent on the server has a condenser", 'the result is "network" instead of "invalid_state"'],
  ],
  ["a run that the server refuses rejects with the server's error", [fails, 'the result is ["llm_auth",null] instead of ["llm_auth",401]']],
  ["askAgent() that the server refuses", ["`network` if the model fails", 'the result is ["network",']],
  ["1.58.0: queue.list() has what was sent during a run, in its order", [inTheQueue, "the result is [] instead of [{"]],
  ["1.58.0: queue.edit() puts another message in its place", [heldBack, "does not wait any more"]],
  ["1.58.0: queue.remove() takes a message back", [heldBack, "does not wait any more"]],
  ["queue.list() has what was sent during a run, in its order, by the page", [inTheQueue, "the result is [] instead of [{"]],
  ["queue.edit() puts another message in its place, by the page", [waitsForNoPage, "does not wait any more"]],
  ["queue.remove() takes a message back, by the page", [waitsForNoPage, "does not wait any more"]],
]);

/** The title of a case that is played by tools of the page. */
export function byThePage(name) {
  return `${name}, by the page`;
}

/** The order of values by their JSON. */
const inWords = (...both) => {
  const [one, other] = both.map((each) => JSON.stringify(each));
  return one < other ? -1 : 1;
};

/** The value without these fields. */
const less = (value, ...names) =>
  JSON.parse(JSON.stringify(value, (name, each) => (names.includes(name) && typeof each !== "object" ? undefined : each)));

/** The events of the active branch, in one order for both, and how it ended. */
const shown = ({ saw, view }) => {
  const at = new Map(view.events.map((event) => [event.id, event]));
  const branch = view.branch.map((id) => less(at.get(id), "id", "parent_id", "action_id"));
  return { saw, branch, status: view.status, pending: view.pending.length, title: view.title };
};
const isStopped = ({ extended_content: [note] = [] }) => note?.text === "[This answer was stopped here.]";
/** All that does not depend on the number of events. */
const withoutSaw = ({ saw: _, ...seen }) => seen;

/** Of tools of the page. */
export const byPage = "delivers the result in a message of the user";

/** An event in a few words, the same for a call of a tool of the page on a server and here: there its result is in a message. */
function told(event) {
  const { kind, source, llm_message: message, tool_name: tool, action, observation, error, rejection_reason: reason } = event;
  const text = (content) => content.map(({ text = "an image" }) => text).join("\n");
  if (kind === "ActionEvent") return [["call", tool, action]];
  if (kind === "ObservationEvent") {
    if (text(observation.content) === noted) return [];
    return [[observation.is_error ? "failure" : "result", text(observation.content)]];
  }
  // The kind says that.
  if (kind === "AgentErrorEvent") return [["failure", error.replace(/^Error executing tool '\w+': /, "")]];
  if (kind === "UserRejectObservation") return [["rejection", reason]];
  if (kind !== "MessageEvent") return [[kind]];
  const said = text(message.content);
  if (source === "agent") return said === waitsForThePage ? [] : [["answer", said]];
  const results = message.content.map(({ text = "" }) => /^The call \S+ of the tool \S+ (.+?):\n([^]*)$/.exec(text));
  const kinds = { "has this result": "result", "has failed": "failure", "was rejected by the user": "rejection" };
  return results[0] ? results.map(([, how, text]) => [kinds[how], text]) : [["message", said]];
}

/** Both in the same few words. */
export function folded({ saw, view }) {
  const { branch, ...rest } = shown({ view });
  return { ...rest, saw: toldIn(saw), branch: branch.flatMap(told) };
}

/** The value with its events in a few words, and without what the requests to the model make of it. */
function toldIn(value) {
  if (Array.isArray(value)) return value.flatMap((each) => (each?.kind && each.id ? told(each) : [toldIn(each)]));
  if (typeof value !== "object" || value === null) return value;
  if (value.kind && value.id) return told(value);
  // How an answer has ended says nothing where the answer itself does not.
  const left = ["steps", "cost", "tokenUsage", ...(value.finalResponse === waitsForThePage ? ["finishReason"] : [])];
  const entries = Object.entries(value).filter(([name, each]) => !left.includes(name) && each !== waitsForThePage);
  return Object.fromEntries(entries.map(([name, each]) => [name, toldIn(each)]));
}

/** The differences: words of the page, what is left to compare, and the cases. */
export const differences = [
  {
    page: "A server refuses in its own words, with its `status`, and the code is the same.",
    left: (seen) => less(seen, "message", "error", "detail", "status", "retryable"),
    cases: [
      "1.58.0: run() twice at once",
      "a signal stops a run during a tool, which sees it",
      "interrupt() ends a run at once",
      "a run at its limit of steps",
      "1.58.0: condense() without a condenser",
      "1.58.0: condense() in an empty conversation",
      "setTags() with a name in capitals",
      "setConfirmationPolicy() of an unknown kind",
      "sendMessage() with an unknown part",
    ],
  },
  {
    page: "Its log has changes of its state as events of their own, which `events` has too and the branch has not",
    left: withoutSaw,
    cases: [
      "iterating a run gives its pieces and events",
      "events after a run",
      "an iteration over events after a run",
      "editMessage() of what is no message of the user",
    ],
  },
  {
    page: fails,
    left: ({ saw: _, ...seen }) => less(seen, "detail", "code", "kind", "retryable", "user_action"),
    cases: ["run() without anything to answer", "a run that the server asks to come back later"],
  },
  {
    page: "it does not keep the text of an answer that was stopped",
    left: ({ saw, view }) => {
      const { branch, ...rest } = shown({ saw, view });
      return { ...rest, branch: branch.filter((event) => !isStopped(event)) };
    },
    cases: ["a signal stops a run during its answer"],
  },
  { page: inTheQueue, left: withoutSaw, cases: ["1.58.0: a message during a run is read by the same run"] },
  {
    page: answeredLater,
    // The agent has answered once more, and has had its say before.
    left: (seen) => ({
      saw: toldIn(seen.saw).slice(0, 2),
      branch: folded(seen).branch.filter(([kind]) => kind !== "answer"),
    }),
    cases: lateTitles,
  },
  {
    // The message is there before the result, because the server rests meanwhile.
    page: waitsForNoPage,
    left: ({ branch, saw, ...seen }) => ({ ...seen, branch: branch.toSorted(inWords), saw: [saw[0], saw.at(-1)] }),
    cases: [
      "a message during a run is read by the same run",
      "queue.remove() of an unknown message",
      "queue.edit() with what is no message",
    ].map(byThePage),
  },
  {
    page: "lets the call end, or stops it; the agent goes on with the next `run()`",
    left: ({ branch, ...seen }) => ({
      ...seen,
      branch: branch
        .filter(([kind]) => !/^(Pause|Interrupt)Event$/.test(kind))
        .map((event) => (event[0] === "failure" ? ["failure"] : event)),
    }),
    cases: ["a signal stops a run during a tool, which sees it", "interrupt() ends a run at once", "pause() lets a tool end"].map(
      byThePage,
    ),
  },
  {
    page: "unless the last run was paused or has failed; then `run()` does",
    left: ({ branch, ...seen }) => ({ ...seen, branch: branch.filter(([kind]) => kind !== "result") }),
    cases: [byThePage("a run at its limit of steps")],
  },
  {
    page: "so a tool cannot be allowed for good",
    left: ({ saw: [all], ...seen }) => ({ ...seen, saw: all }),
    cases: [byThePage("pendingActions() that would not wait if their tool were allowed")],
  },
  {
    page: "as here, with one that the server has",
    left: ({ saw: [status, , result], branch, ...seen }) => ({
      ...seen,
      saw: [status, result],
      branch: branch.filter(([kind]) => kind !== "SecurityAnalysisEvent"),
    }),
    cases: [byThePage("a policy of risks asks the analyzer of the loop")],
  },
  {
    page: waitsForNoPage,
    left: withoutSaw,
    cases: [
      "events after a run",
      "an iteration over events after a run",
      "stats after a run",
      "state after a run",
      "toMessages() after a run",
      "toMessages() for Chat Completions after a run",
      "exportSession() after a run",
      "exportTrajectory() after a run",
      "exportMarkdown() after a run",
    ].map(byThePage),
  },
  {
    page: "sends the last message again on a new branch",
    left: (seen) => {
      const { saw, branch, ...rest } = shown(seen);
      return { ...rest, saw: saw[0] ?? saw, branch: branch.filter((event) => !isStopped(event)) };
    },
    cases: ["regenerate() answers again on a branch of its own", "regenerate() that a signal stops"],
  },
  {
    page: "a server does not run what has finished",
    left: ({ view: { title, pending } }) => ({ title, pending }),
    cases: ["navigateTo() an event"],
  },
  {
    page: "What goes to the server",
    left: ({ view, ...seen }) => ({ ...seen, view: { ...view, state: { ...view.state, agent_state: {} } } }),
    cases: ["run() with calls of tools"],
  },
  {
    page: "before the first event without another system prompt",
    // Until the next message, activeBranch() has what was left, because a server does not tell that HEAD is empty.
    left: ({ view: { events, status } }) => {
      const messages = events.filter(({ kind }) => kind === "MessageEvent");
      return { messages: messages.map((event) => less(event, "parent_id")), status };
    },
    cases: ["navigateTo() before the first event"],
  },
  {
    page: "A closed conversation",
    left: (code) => typeof code,
    cases: ["editMessage() after close()", "queue.list() after close()"],
  },
  {
    page: "of older ones the socket only tells that there is something new",
    left: (seen) => less(seen, "message_id"),
    cases: ["1.43.1: run() resolves to its result"],
  },
  {
    page: "as here, if the agent on the server has a condenser",
    left: ({ saw: _, ...seen }) => seen,
    cases: ["1.43.1: condense() in an empty conversation"],
  },
  { page: "Tools of the library are those of the server with the same name", left: withoutSaw, cases: ["exportTrajectory() after a run"] },
];
