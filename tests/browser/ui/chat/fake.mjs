// The page with <threadkeep-chat> and a thread whose messages a test decides.

/** Gives the page short names for what the tests do. */
export async function prepare() {
  const [{ agent, done, fakeThread, reasoning, text, tool, user }, fixtures] = await Promise.all([
    import("/pages/fake-thread.mjs"),
    import("/pages/chat-fixtures.mjs"),
  ]);
  const chat = document.querySelector("threadkeep-chat");
  const all = (selector) => [...chat.shadowRoot.querySelectorAll(selector)];
  const one = (selector) => chat.shadowRoot.querySelector(selector);
  let thread;
  const show = (messages, fields) => void (window.thread = chat.thread = thread = fakeThread(messages, fields));
  const isAtEnd = () => {
    const { scrollHeight, scrollTop, clientHeight } = one(".scroller");
    return Math.abs(scrollHeight - clientHeight - scrollTop) < 2;
  };
  const pageErrors = [];
  window.addEventListener("error", ({ message }) => pageErrors.push(message));
  const streamed = agent("");
  const stream = (words, state = "streaming") => {
    const messages = thread.getSnapshot().messages.filter(({ id }) => id !== streamed.id);
    thread.set({ messages: [...messages, { ...streamed, state, parts: [text(words, state)] }] });
  };
  Object.assign(window, {
    chat,
    pageErrors,
    all,
    one,
    show,
    isAtEnd,
    stream,
    fixtures: {
      ...fixtures,
      agentSays: agent,
      reasoning,
      text,
      tool,
      done,
      userSays: user,
      callOf: (toolName) => [agent([tool({ toolName })])],
      calls: (count) => [agent(Array.from({ length: count }, () => tool({ output: [{ type: "text", text: "done" }] })))],
    },
  });
}
