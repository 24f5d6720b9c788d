/** @jsxImportSource preact */
// The model that answers, chosen where one writes. Nothing is shown where there is nothing to choose.
import { useId, useState } from "preact/hooks";
import type { LLM } from "threadkeep";
import { type Thread, visibleText } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { sentence } from "./failures.js";

/** A model that the user can choose. */
export interface ChatModel {
  /** Shown, and unlike that of the others. */
  name: string;
  /** The model, or what makes it when it is chosen; `null` if that has given it to the conversation itself. */
  llm: LLM | (() => LLM | null | Promise<LLM | null>);
  /** Whether the conversation has it now. Default: the last one that was chosen here, or the one with the stored name and base URL. */
  isCurrent?: boolean | undefined;
}

export interface ModelMenuProps {
  thread: Thread;
  models: readonly ChatModel[];
  /** Called when the conversation has another model, which is durable then. */
  onChange?: ((name: string) => void) | undefined;
}

export function ModelMenu({ thread, models, onChange }: ModelMenuProps) {
  const { labels, announce } = useChat();
  const { conversation, home, phase, isRunning } = useSnapshot(thread);
  const [chosen, choose] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const id = useId();
  if (models.length < 2) return null;
  const stored = conversation?.state.agent?.llm as { model?: string; base_url?: string | null } | undefined;
  const isStored = ({ llm }: ChatModel): boolean =>
    typeof llm === "object" && llm.options.model === stored?.model && (llm.options.baseUrl ?? null) === (stored?.base_url ?? null);
  const current = models.find(({ isCurrent }) => isCurrent) ?? models.find(({ name }) => name === chosen) ?? models.find(isStored);
  const reason = phase !== "open" ? labels.notOpen : home === "tab" ? labels.modelElsewhere : null;
  const change = async (name: string): Promise<void> => {
    const model = models.find((each) => each.name === name);
    if (model === undefined || model === current || isBusy) return;
    setBusy(true);
    setWrong("");
    try {
      const llm = typeof model.llm === "function" ? await model.llm() : model.llm;
      // A conversation that begins with its first message has none to change yet.
      if (llm) await thread.getSnapshot().conversation?.switchLLM(llm);
      choose(name);
      announce(labels.modelChanged(visibleText(name), thread.getSnapshot().isRunning));
      onChange?.(name);
    } catch (error) {
      setWrong(sentence((error as Error).message));
    }
    setBusy(false);
  };
  return (
    <div class="model-menu">
      <select
        aria-label={labels.model}
        aria-describedby={`${id}-why`}
        title={reason ?? labels.model}
        disabled={reason !== null}
        aria-busy={isBusy}
        value={current?.name ?? ""}
        onChange={({ currentTarget }) => {
          void change(currentTarget.value);
          // Until the conversation has it, the menu shows what it has.
          currentTarget.value = current?.name ?? "";
        }}
      >
        {current === undefined && (
          <option value="" disabled>
            {visibleText(stored?.model ?? labels.model)}
          </option>
        )}
        {models.map(({ name }) => (
          <option key={name} value={name}>
            {visibleText(name)}
          </option>
        ))}
      </select>
      <span class="visually-hidden" id={`${id}-why`}>
        {reason ?? (isRunning ? labels.modelInRun : "")}
      </span>
      {wrong && (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
