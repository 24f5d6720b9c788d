/** @jsxImportSource preact */
// The work of a sub-agent, folded under the call that has started it.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type ToolPart, visibleText } from "../../thread/index.js";
import { useChat } from "../context.js";
import { type ConversationVisualizer, visualizerOf } from "../visualizer.js";
import { Fold } from "./folds.js";
import { type Row, rowsOf } from "./rows.js";

interface SubagentProps {
  id: string;
  part: ToolPart;
  visualizer: ConversationVisualizer;
  /** The view of one of its rows, which is that of every thread. */
  entry: (row: Row, visualizer: ConversationVisualizer) => ComponentChildren;
}

export function SubagentView({ id, part, visualizer, entry }: SubagentProps) {
  const { labels } = useChat();
  const own = useMemo(
    () => (visualizer.createSubVisualizer === undefined ? visualizer : visualizerOf(visualizer.createSubVisualizer(part))),
    [visualizer, part.toolCallId],
  );
  if (part.subagent.length === 0 || own === null) return null;
  const { subagent_type: name } = (part.args ?? {}) as { subagent_type?: unknown };
  return (
    <Fold
      id={`${id}/subagent`}
      class="folded subagent"
      summary={labels.subagent(typeof name === "string" ? visibleText(name) : labels.subagentUnnamed)}
    >
      {() => <div class="inner-items subagent-items">{rowsOf(part.subagent).map((row) => entry(row, own))}</div>}
    </Fold>
  );
}
