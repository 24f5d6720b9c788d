// `threadkeep/conversations`: the element `<threadkeep-conversations>`. Importing this module defines it.
import { ThreadkeepConversations } from "./element.js";

export { ThreadkeepConversations };
export type { Importable } from "./importing.js";
export type { ConversationsLabels } from "./labels.js";
export type { Selection } from "./view.js";

/** Defines the element, also under another name. Does nothing without a DOM, or if the name is taken. */
export function defineConversations(name = "threadkeep-conversations"): void {
  const registry = globalThis.customElements;
  if (registry === undefined || registry.get(name) !== undefined) return;
  // A class can have only one name.
  registry.define(name, name === "threadkeep-conversations" ? ThreadkeepConversations : class extends ThreadkeepConversations {});
}

defineConversations();
