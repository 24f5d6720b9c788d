// What is refused is refused in the same words, and what cannot be passed on says so.
import { outcome } from "./kit.mjs";

/** What is wrong with the arguments is said where the loop runs. */
const wrong = [
  ["sendMessage() with a number", (it) => it.sendMessage(7)],
  ["sendMessage() with an unknown option", (it) => it.sendMessage("x", { sendr: "y" })],
  ["sendMessage() with a sender that is none", (it) => it.sendMessage("x", { sender: 7 })],
  ["sendMessage() with an unknown part", (it) => it.sendMessage([{ type: "smell", smell: "rose" }])],
  ["run() with an unknown option", (it) => it.run({ aprove: [] })],
  ["run() with ids that are none", (it) => it.run({ approve: "all" })],
  ["run() with a signal that is none", (it) => it.run({ signal: 7 })],
  ["run() with null", (it) => it.run(null)],
  ["regenerate() with an unknown option", (it) => it.regenerate({ singal: 1 })],
  ["navigateTo() a number", (it) => it.navigateTo(7)],
  ["navigateTo() what is no id", (it) => it.navigateTo("nowhere")],
  ["rejectPendingActions() with a reason that is none", (it) => it.rejectPendingActions(7)],
  ["editAction() of what is no id", (it) => it.editAction("nothing", {})],
  ["queue.remove() of what is no id", (it) => it.queue.remove("nothing")],
  ["askAgent() with a number", (it) => it.askAgent(7)],
  ["condense() in an empty conversation", (it) => it.condense()],
];

/** After close(), every method is refused, and nothing is left open. */
const methods = {
  sendMessage: (it) => it.sendMessage("x"),
  editMessage: (it) => it.editMessage("x", "y"),
  run: (it) => it.run(),
  regenerate: (it) => it.regenerate(),
  navigateTo: (it) => it.navigateTo(null),
  pause: (it) => it.pause(),
  interrupt: (it) => it.interrupt(),
  condense: (it) => it.condense(),
  setLimits: (it) => it.setLimits({}),
  setAllowedTools: (it) => it.setAllowedTools([]),
  setConfirmationPolicy: (it) => it.setConfirmationPolicy({ kind: "NeverConfirm" }),
  setAgentState: (it) => it.setAgentState({ a: 1 }),
  setTags: (it) => it.setTags({}),
  askAgent: (it) => it.askAgent("x"),
  generateTitle: (it) => it.generateTitle(),
  "queue.list": (it) => it.queue.list(),
};

export const refusals = [
  ...wrong.map(([name, call]) => ({
    name,
    play: ({ conversation }) => outcome(call(conversation)),
  })),
  ...Object.entries(methods).map(([name, call]) => ({
    name: `${name}() after close()`,
    closes: true,
    async play({ conversation }) {
      await conversation.close();
      const { code } = await outcome(call(conversation));
      return code ?? "no error";
    },
  })),
];
