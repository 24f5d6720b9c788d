/** @jsxImportSource preact */
// The decisions about one conversation: when calls wait for approval, which tools are always allowed, and which secrets its tools may
// use. Changes apply at once and are stored with the conversation.
import { useEffect, useId, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { ConfirmationPolicy, Conversation, SecurityAnalyzer } from "threadkeep";
import { sentence } from "../chat/controls/failures.js";
import { type ControlLabels, defaultControlLabels } from "./labels.js";

export interface ControlViewProps {
  conversation: Conversation;
  /** The secrets whose values were given since the page was loaded. Of the others that it names, it says that they are not stored. */
  givenSecrets?: readonly string[] | undefined;
  /** Called when the user has given a secret, or removed one: then `value` is `null`. Their values are stored nowhere. */
  onSecret?: ((name: string, value: string | null) => void) | undefined;
  /** Called after each change. */
  onChange?: (() => void) | undefined;
  /** Texts in place of the English ones. */
  labels?: Partial<ControlLabels> | undefined;
}

interface Part {
  conversation: Conversation;
  labels: ControlLabels;
  /** Says what was done, or why it was not. */
  attempt: (act: () => Promise<unknown>, done: string) => Promise<void>;
}

/** Patterns need no model. */
const securityAnalyzer: SecurityAnalyzer = { kind: "PatternSecurityAnalyzer" };

const policies: ReadonlyArray<{ label: "neverAsks" | "asksIfRisky" | "alwaysAsks"; policy: ConfirmationPolicy }> = [
  { label: "neverAsks", policy: { kind: "NeverConfirm" } },
  { label: "asksIfRisky", policy: { kind: "ConfirmRisky", threshold: "MEDIUM" } },
  { label: "alwaysAsks", policy: { kind: "AlwaysConfirm" } },
];

/** The decisions about a conversation, which the user can change. */
export function ControlView({ conversation, givenSecrets = [], onSecret, onChange, labels: own }: ControlViewProps) {
  const labels = useMemo<ControlLabels>(() => ({ ...defaultControlLabels, ...own }), [own]);
  const [said, setSaid] = useState({ text: "", state: "good" });
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  // Another tab may change them, too.
  useEffect(() => conversation.subscribe(({ kind }) => kind === "ConversationStateUpdateEvent" && redraw()), [conversation]);
  const attempt: Part["attempt"] = async (act, done) => {
    try {
      await act();
      setSaid({ text: done, state: "good" });
      onChange?.();
    } catch (error) {
      setSaid({ text: sentence(error instanceof Error ? error.message : String(error)), state: "bad" });
    }
    redraw();
  };
  const part = { conversation, labels, attempt };
  return (
    <div class="control">
      <p class="outcome" role="status" data-state={said.state}>
        {said.text}
      </p>
      <Policy {...part} />
      <Allowed {...part} />
      <Secrets {...part} given={givenSecrets} onSecret={onSecret} />
    </div>
  );
}

function Policy({ conversation, labels, attempt }: Part) {
  const id = useId();
  const current = conversation.state.confirmation_policy?.kind ?? "NeverConfirm";
  const choose = async (policy: ConfirmationPolicy): Promise<void> => {
    await conversation.setSecurityAnalyzer(securityAnalyzer);
    await conversation.setConfirmationPolicy(policy);
  };
  return (
    <fieldset>
      <legend>{labels.policy}</legend>
      {policies.map(({ label, policy }) => (
        <div key={label} class="check">
          <input
            type="radio"
            id={`${id}-${label}`}
            name={`${id}-policy`}
            value={policy.kind}
            checked={policy.kind === current}
            onChange={() => void attempt(() => choose(policy), "")}
          />
          <label for={`${id}-${label}`}>{labels[label]}</label>
        </div>
      ))}
      <p class="quiet">{labels.policyHelp}</p>
    </fieldset>
  );
}

function Allowed({ conversation, labels, attempt }: Part) {
  const { allowedTools } = conversation;
  if (allowedTools.length === 0) return null;
  const forget = (name: string, button: HTMLElement): void => {
    // Its button goes with it.
    button.closest(".control")!.querySelector<HTMLElement>("input:checked")?.focus();
    void attempt(() => conversation.setAllowedTools(allowedTools.filter((each) => each !== name)), labels.willAsk(name));
  };
  return (
    <fieldset>
      <legend>{labels.allowed}</legend>
      <ul class="names">
        {allowedTools.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <button
              type="button"
              class="button small"
              aria-label={labels.askAgainAbout(name)}
              onClick={({ currentTarget }) => forget(name, currentTarget)}
            >
              {labels.askAgain}
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

interface SecretsProps extends Part {
  given: readonly string[];
  onSecret: ControlViewProps["onSecret"];
}

function Secrets({ conversation, labels, attempt, given, onSecret }: SecretsProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  /** A server takes secrets, and gives none back. */
  const isOnServer = conversation.home === "server";
  const names = Object.keys(conversation.state.secret_registry?.secret_sources ?? {});
  /** Secrets that came with an import: whoever made its file has chosen where they are fetched from. */
  const held = conversation.heldSecrets;
  const change = (name: string, value: string | null, done: string): void => {
    form.current!.querySelector("input")!.focus();
    void attempt(async () => {
      await conversation.updateSecrets({ [name]: value });
      onSecret?.(name, value);
    }, done);
  };
  const add = (event: Event): void => {
    event.preventDefault();
    const { name, value } = Object.fromEntries(new FormData(form.current!)) as { name: string; value: string };
    form.current!.reset();
    change(name.trim(), value, labels.added(name.trim()));
  };
  return (
    <fieldset>
      <legend>{labels.secrets}</legend>
      <ul class="names secret-names" aria-label={labels.secrets} hidden={names.length === 0}>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <span class="quiet">{held.find((each) => each.name === name)?.url}</span>
            {!isOnServer && !given.includes(name) && <span class="quiet">{labels.notStored}</span>}
            {!isOnServer && (
              <button
                type="button"
                class="button small"
                aria-label={labels.removeSecret(name)}
                onClick={() => change(name, null, labels.removed(name))}
              >
                {labels.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      {held.length > 0 && (
        <>
          <p class="quiet">{labels.held}</p>
          <button type="button" class="button small" onClick={() => void attempt(() => conversation.allowSecrets(), labels.heldAllowed)}>
            {labels.allowHeld}
          </button>
        </>
      )}
      <form class="secret-form" ref={form} onSubmit={add}>
        <div class="field">
          <label for={`${id}-name`}>{labels.name}</label>
          <input id={`${id}-name`} name="name" type="text" required maxLength={100} spellcheck={false} autocomplete="off" />
        </div>
        <div class="field">
          <label for={`${id}-value`}>{labels.value}</label>
          <input id={`${id}-value`} name="value" type="password" required autocomplete="off" />
        </div>
        <button class="button">{labels.add}</button>
      </form>
      <p class="quiet">{isOnServer ? labels.secretsOnServer : labels.secretsHelp}</p>
    </fieldset>
  );
}
