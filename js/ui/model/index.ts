// `threadkeep/model`: the element `<threadkeep-model>`. Importing this module defines it.
import { ThreadkeepModel } from "./element.js";

export { ThreadkeepModel };
export { type KeyProtection, KeyStore } from "./keys.js";
export { defaultModelLabels, type ModelLabels } from "./labels.js";
export { type ModelProvider, modelProviders } from "./providers.js";
export { type ModelSettings, ModelStore, type ModelStoreOptions } from "./store.js";

/** Defines the element, also under another name. Does nothing without a DOM, or if the name is taken. */
export function defineModel(name = "threadkeep-model"): void {
  const registry = globalThis.customElements;
  if (registry === undefined || registry.get(name) !== undefined) return;
  // A class can have only one name.
  registry.define(name, name === "threadkeep-model" ? ThreadkeepModel : class extends ThreadkeepModel {});
}

defineModel();
