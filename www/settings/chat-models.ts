// The models to choose from at the message field: the profiles, and the model of the settings if it is none of them.

import type { ChatModel } from "threadkeep/preact";
import { onProfilesChange, profileOf, profiles } from "./profiles.ts";
import { chooseModel, isScripted, onSettingsChange, settings } from "./settings.ts";

export function chatModels(): ChatModel[] {
  const now = profileOf(settings());
  const own: ChatModel[] = [...profiles()].map(([name, model]) => ({
    name,
    isCurrent: name === now,
    // The page follows its settings, also in a conversation that is open.
    llm: () => (chooseModel(model), null),
  }));
  if (now !== "" || own.length === 0) return own;
  const name = isScripted() ? "Scripted stand-in" : settings().model.replace(/^[^/]+\//, "");
  return [{ name, isCurrent: true, llm: () => null }, ...own];
}

/** Calls `listener` when they are others. Returns a function that ends it. */
export function onChatModelsChange(listener: () => void): () => void {
  const ends = [onSettingsChange(listener), onProfilesChange(listener)];
  return () => {
    for (const end of ends) end();
  };
}
