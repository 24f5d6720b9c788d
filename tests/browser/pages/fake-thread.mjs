// A thread whose messages a test decides, for tests of views.

let count = 0;
const id = () => `id-${++count}`;

export const text = (words, state = "done") => ({ type: "text", text: words, state });
export const reasoning = (words, state = "done") => ({ type: "reasoning", text: words, state });
export const image = (url) => ({ type: "image", url });

export function tool(fields = {}) {
  const number = ++count;
  return {
    type: "tool",
    toolCallId: `call-${number}`,
    toolName: "get_time",
    actionId: `action-${number}`,
    state: "done",
    args: {},
    argsText: "{}",
    summary: null,
    risk: "LOW",
    value: undefined,
    output: null,
    result: null,
    error: null,
    progress: null,
    subagent: [],
    original: null,
    ...fields,
  };
}

/** A call of a tool of the library with its result: `fields` are those of its observation. */
export const done = (toolName, args, output, fields = {}) =>
  tool({
    toolName,
    args,
    argsText: JSON.stringify(args),
    output: [{ type: "text", text: output }],
    result: { is_error: false, ...fields },
  });

export const notice = (kind, words, event = {}) => ({
  type: "notice",
  notice: kind,
  text: words,
  forgotten: [],
  event: { kind: "PauseEvent", id: id(), timestamp: "2026-01-02T10:00:00", ...event },
});

export const user = (parts, fields = {}) => message("user", parts, fields);
export const agent = (parts, fields = {}) => message("assistant", parts, fields);

function message(role, parts, fields) {
  const list = typeof parts === "string" ? [text(parts)] : parts;
  return {
    id: id(),
    role,
    parts: list,
    state: "done",
    eventIds: [],
    createdAt: new Date(2026, 0, 2, 10),
    sender: null,
    skills: [],
    attachments: [],
    ...fields,
  };
}

/** `earlier` is a list of pages of older messages, the next one last; they come when `gate` resolves. */
export function fakeThread(messages, { earlier = [], gate = Promise.resolve(), ...fields } = {}) {
  const listeners = new Set();
  let snapshot = {
    phase: "open",
    conversationId: "fake",
    conversation: null,
    access: "writer",
    status: "idle",
    isRunning: false,
    waiting: null,
    messages,
    hasEarlier: earlier.length > 0,
    continuations: [],
    approvals: [],
    title: null,
    error: null,
    warnings: [],
    ...fields,
  };
  const thread = {
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    getSnapshot: () => snapshot,
    opened: async () => null,
    branches: async () => [],
    close: async () => {},
    async loadEarlier({ all = false } = {}) {
      await gate;
      const pages = earlier.splice(all ? 0 : earlier.length - 1);
      thread.set({ messages: [...pages.flat(), ...snapshot.messages], hasEarlier: earlier.length > 0 });
      return earlier.length > 0;
    },
    /** Changes the snapshot, as a running agent does. */
    set(changes) {
      snapshot = { ...snapshot, ...changes };
      for (const listener of [...listeners]) listener();
    },
  };
  return thread;
}
