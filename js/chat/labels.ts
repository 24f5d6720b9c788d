// All texts of the chat, so that a page can replace them by those of another language.
import { controlLabels } from "./controls/labels.js";
import { messageLabels } from "./messages/labels.js";

export const defaultLabels = { ...messageLabels, ...controlLabels };

/** The texts of the chat. Some are functions of what they name. */
export type ChatLabels = typeof defaultLabels;
