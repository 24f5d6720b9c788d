// Decides how the parts of messages are shown: the SDK's `ConversationVisualizer`, in a page.
import type { MessagePart, ToolPart, UIMessage } from "../thread/index.js";

/**
 * Shows a part of a message: returns a DOM node, or a text, which is shown as plain text; `null` to leave the part out;
 * `undefined` for the default view. Called again when the part has changed, often while it streams.
 */
export type Visualize = (part: MessagePart, message: UIMessage) => Node | string | null | undefined;

export interface ConversationVisualizer {
  /** Without it, every part has the default view. */
  visualize?: Visualize | undefined;
  /**
   * Shows the messages of the sub-agent that this call has started. `null` leaves them out. Without this function, they are
   * shown as those of the conversation.
   */
  createSubVisualizer?(call: ToolPart): VisualizerOption;
}

/** `"default"`: the view of this library. `null`: no messages at all. */
export type VisualizerOption = "default" | null | Visualize | ConversationVisualizer;

/** `null` if nothing is shown. */
export function visualizerOf(option: VisualizerOption): ConversationVisualizer | null {
  if (option === "default") return {};
  return typeof option === "function" ? { visualize: option } : option;
}
