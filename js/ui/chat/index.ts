// `threadkeep/chat`: the element `<threadkeep-chat>`. Importing this module defines it.
import { ThreadkeepChat } from "./element.js";

export { ThreadkeepChat };
export type { ChatModel } from "./controls/index.js";
export type { ChatLabels } from "./labels.js";
export type { ConversationVisualizer, Visualize, VisualizerOption } from "./visualizer.js";

/** Defines the element, also under another name. Does nothing without a DOM, or if the name is taken. */
export function defineChat(name = "threadkeep-chat"): void {
  const registry = globalThis.customElements;
  if (registry === undefined || registry.get(name) !== undefined) return;
  // A class can have only one name.
  registry.define(name, name === "threadkeep-chat" ? ThreadkeepChat : class extends ThreadkeepChat {});
}

defineChat();
