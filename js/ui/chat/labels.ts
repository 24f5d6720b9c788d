// All texts of the chat, so that a page can replace them by those of another language.
import { controlLabels } from "./controls/labels.js";
import { messageLabels } from "./messages/labels.js";

export const defaultLabels = { ...messageLabels, ...controlLabels };

type DefaultLabels = typeof defaultLabels;

/** The texts of the chat. Some are functions of what they name. An interface, which editors and the reference name in place of its members. */
export interface ChatLabels extends DefaultLabels {}
