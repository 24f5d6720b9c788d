/** @jsxImportSource preact */
// The decisions about one conversation: when calls wait for approval, which tools are always allowed, and which secrets its tools may
// use. Changes apply at once and are stored with the conversation. Before the first message they are those for the next one.

import { useRef, useState } from "preact/hooks";
import type { Conversation } from "threadkeep";
import { analyzer, choiceOf, policies, policyFor, type PolicyChoice } from "../agent/policy.ts";
import { secretsOf, setSecret } from "../agent/secrets.ts";
import { API_TOKEN } from "../agent/tools.ts";
import { currentSession } from "../conversation/stage.ts";
import { Check, Dialog, Field, showDialog } from "../layout/dialogs.tsx";
import { sentence } from "../layout/failures.ts";
import { changeSettings, settings } from "../settings/settings.ts";

export const openControl = (): void => void showDialog(<Control />);

interface Part {
  /** `undefined` before the first message. */
  conversation: Conversation | undefined;
  /** Says what was done, or why it was not. */
  attempt: (act: () => Promise<unknown>, done: string) => Promise<void>;
}

function Control() {
  const session = useRef(currentSession()).current;
  const [said, setSaid] = useState({ text: "", isWrong: false });
  const attempt: Part["attempt"] = async (act, done) => {
    try {
      await act();
      setSaid({ text: done, isWrong: false });
      session?.changed();
    } catch (error) {
      setSaid({ text: sentence(error instanceof Error ? error.message : String(error)), isWrong: true });
    }
  };
  const part = { conversation: session?.conversation, attempt };
  return (
    <Dialog heading="Control" class="settings" close="Close the control">
      <div class="sections">
        <p class={said.isWrong ? "wrong" : "saved"} role="status">
          {said.text}
        </p>
        <Policy {...part} />
        <Allowed {...part} />
        <Secrets {...part} />
      </div>
    </Dialog>
  );
}

function Policy({ conversation, attempt }: Part) {
  const current = conversation ? choiceOf(conversation.state)?.id : settings().policy;
  const choose = async (choice: PolicyChoice): Promise<void> => {
    if (conversation === undefined) return changeSettings({ policy: choice });
    await conversation.setSecurityAnalyzer(analyzer);
    await conversation.setConfirmationPolicy(policyFor(choice));
  };
  return (
    <fieldset>
      <legend>When the agent asks first</legend>
      {policies.map(({ id, label }) => (
        <Check
          key={id}
          id={`policy-${id}`}
          name="policy"
          label={label}
          checked={id === current}
          onChange={() => void attempt(() => choose(id), "")}
        />
      ))}
      <p class="quiet">
        Each payment needs your approval, and so does each call of another tool that is marked as destructive, unless you always allow that
        tool. A call is also risky if its tool reaches beyond this page, or if it matches a pattern for payments, addresses, credentials and
        stored data. A change applies from the next answer on.
      </p>
    </fieldset>
  );
}

function Allowed({ conversation, attempt }: Part) {
  const allowed = conversation?.allowedTools ?? [];
  if (allowed.length === 0) return null;
  const forget = (name: string): Promise<void> =>
    attempt(async () => {
      document.getElementById("policy-risky")!.focus();
      await conversation!.setAllowedTools(allowed.filter((each) => each !== name));
    }, `You will be asked about ${name} again.`);
  return (
    <fieldset>
      <legend>Always allowed here</legend>
      <ul class="names">
        {allowed.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <button type="button" class="button small" aria-label={`Ask again about ${name}`} onClick={() => void forget(name)}>
              Ask again
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function Secrets({ conversation, attempt }: Part) {
  const form = useRef<HTMLFormElement>(null);
  /** A server takes secrets, and gives none back. */
  const isOnServer = conversation?.home === "server";
  const here = secretsOf(conversation?.id);
  const names = conversation ? Object.keys(conversation.state.secret_registry?.secret_sources ?? {}) : Object.keys(here);
  /** Secrets that came with an import: whoever made its file has chosen where they are fetched from. */
  const held = conversation?.heldSecrets ?? [];
  const add = (event: Event): void => {
    event.preventDefault();
    const { name, value } = Object.fromEntries(new FormData(form.current!)) as { name: string; value: string };
    void attempt(() => setSecret(conversation, name.trim(), value), `Tools can ask for ${name}.`);
    form.current!.reset();
    form.current!.querySelector("input")!.focus();
  };
  const remove = (name: string): void => {
    void attempt(() => setSecret(conversation, name, null), `${name} is removed.`);
    form.current!.querySelector("input")!.focus();
  };
  return (
    <fieldset class="secrets">
      <legend>Secrets</legend>
      <ul class="names secret-names" aria-label="Secrets of this conversation" hidden={names.length === 0}>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <span class="quiet">{held.find((each) => each.name === name)?.url}</span>
            {!isOnServer && !Object.hasOwn(here, name) && <span class="quiet">not stored, enter it again</span>}
            {!isOnServer && (
              <button type="button" class="button small" aria-label={`Remove ${name}`} onClick={() => remove(name)}>
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {held.length > 0 && (
        <>
          <p class="quiet">Whoever made the file of this import has chosen the addresses above, and would see that you ask there.</p>
          <button
            type="button"
            class="button small"
            onClick={() => void attempt(() => conversation!.allowSecrets(), "Tools of this conversation may fetch its secrets.")}
          >
            Let its tools fetch them
          </button>
        </>
      )}
      <form class="secret-form" ref={form} onSubmit={add}>
        <Field id="secret-name" name="name" label="Name" required maxLength={100} placeholder={API_TOKEN} />
        <Field id="secret-value" name="value" label="Value" type="password" required />
        <button class="button">Add</button>
      </form>
      <p class="quiet">
        A tool asks for a secret by its name; the model sees neither, and where the value turns up, it is hidden.{" "}
        {isOnServer
          ? "The agent server keeps it as long as the conversation: it can be replaced, but not removed."
          : `Kept in memory until the page closes. The tool call_api uses ${API_TOKEN}.`}
      </p>
    </fieldset>
  );
}
