/** @jsxImportSource preact */
// The settings of a model: provider, name, key, and a test of the connection.
import { modelNames } from "threadkeep";
import { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { sentence } from "../chat/controls/failures.js";
import { visibleText } from "../thread/visible-text.js";
import { mendedUrl, problemOfUrl } from "./base-url.js";
import { type Connection, listModels, testConnection } from "./connection.js";
import { chosen, type Draft, draftOf, hasBaseUrl, other, serverOfDraft, settingsOf } from "./draft.js";
import { Field, type Outcome, OutcomeLine } from "./field.js";
import { KeyFields } from "./key-fields.js";
import { defaultModelLabels, type ModelLabels } from "./labels.js";
import { type ModelProvider, modelProviders } from "./providers.js";
import type { ModelStore } from "./store.js";
import { askUnlock } from "./unlock.js";

export interface ModelViewProps {
  store: ModelStore;
  /** The providers to choose from. Default: `modelProviders`. */
  providers?: readonly ModelProvider[] | undefined;
  /** Whether the user may name a server that is none of them. Default: true. */
  hasOther?: boolean | undefined;
  /** Texts in place of the English ones. */
  labels?: Partial<ModelLabels> | undefined;
  /** Called when the user has saved. */
  onSave?: (() => void) | undefined;
}

/** All of `<threadkeep-model>` as one component. */
export function ModelView({ store, providers = modelProviders, hasOther = true, labels, onSave }: ModelViewProps) {
  const texts = useMemo<ModelLabels>(() => ({ ...defaultModelLabels, ...labels }), [labels]);
  const [draft, setDraft] = useState(() => draftOf(store, providers));
  const [names, setNames] = useState<readonly string[]>([]);
  const [listed, setListed] = useState<Outcome | null>(null);
  const [tested, setTested] = useState<Outcome | null>(null);
  const [saved, setSaved] = useState<Outcome | null>(null);
  /** The address that was left, of which the user is told what is wrong with it. */
  const [leftUrl, setLeftUrl] = useState("");
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const asking = useRef(new AbortController());
  const urlField = useRef<HTMLInputElement>(null);
  const choice = useRef<HTMLSelectElement>(null);
  const id = useId();
  const { keys } = store;
  const provider = providers.find((each) => each.id === draft.provider);
  const server = serverOfDraft(draft);
  const takesKey = provider?.takesKey !== false;

  useEffect(() => keys.subscribe(() => redraw(0)), [keys]);
  useEffect(() => {
    keys.ask = () => askUnlock(keys, labels);
  }, [keys, labels]);
  useEffect(() => () => asking.current.abort(), []);
  useEffect(() => {
    let isGone = false;
    setNames([]);
    // Without the metadata the name is typed.
    modelNames(draft.provider).then(
      (known) => isGone || setNames(known),
      () => {},
    );
    return () => void (isGone = true);
  }, [draft.provider]);

  const problem = problemOfUrl(mendedUrl(draft.baseUrl));
  const wrongUrl = problem === null ? "" : problem === "secret" ? texts.secretInUrl : texts.wrongUrl;
  // Of an empty field the browser says that it is required.
  useLayoutEffect(() => urlField.current?.setCustomValidity(draft.baseUrl === "" ? "" : wrongUrl));

  /** What was asked is about another connection then. */
  const change = (changes: Partial<Draft>): void => {
    asking.current.abort();
    asking.current = new AbortController();
    for (const set of [setListed, setTested, setSaved]) set(null);
    setDraft((now) => ({ ...now, ...changes }));
  };
  const choose = (next: string): void => {
    setLeftUrl("");
    change({ ...chosen(providers.find((each) => each.id === next)), apiKey: "" });
  };
  /** `null`, and the field is shown, if something is missing, or the key stays locked. */
  const connection = async (form: HTMLFormElement, needsModel: boolean): Promise<Connection | null> => {
    const fields = [...form.elements] as HTMLInputElement[];
    const needed = fields.filter(({ name }) => name === "base-url" || (needsModel && name === "model"));
    if (!needed.every((field) => field.reportValidity())) return null;
    const typed = draft.apiKey.trim();
    try {
      return { settings: settingsOf(draft), apiKey: typed !== "" || !takesKey ? typed : await keys.request(server) };
    } catch {
      return null;
    }
  };
  /** Shows the sentence that `ask` resolves to or fails with, unless the form has changed meanwhile. */
  const attempt = async (show: (outcome: Outcome | null) => void, waiting: string, ask: (signal: AbortSignal) => Promise<string>) => {
    const { signal } = asking.current;
    show({ text: waiting, state: "waiting" });
    await ask(signal).then(
      (text) => signal.aborted || show({ text, state: "good" }),
      (error: Error) => signal.aborted || show({ text: error.message, state: "bad" }),
    );
  };
  const list = async (form: HTMLFormElement): Promise<void> => {
    const asked = await connection(form, false);
    if (asked === null) return;
    await attempt(setListed, texts.listing, async (signal) => {
      const found = await listModels(asked, texts, signal);
      if (signal.aborted) return "";
      setNames(found);
      requestAnimationFrame(() => choice.current?.focus());
      return texts.listed(found.length);
    });
  };
  const test = async (form: HTMLFormElement): Promise<void> => {
    const asked = await connection(form, true);
    if (asked !== null) await attempt(setTested, texts.testing, (signal) => testConnection(asked, texts, signal));
  };
  const unlock = async (): Promise<boolean> => !keys.isLocked || keys.ask();
  /** Resolves to what went wrong with keeping the key; empty if nothing did. */
  const keepKey = async (): Promise<string> => {
    const { protection, passphrase } = draft;
    try {
      if (protection !== keys.protection || passphrase !== "") await keys.protect(protection, passphrase);
      return "";
    } catch (error) {
      if (protection === "passkey") return texts.noPasskey;
      return texts.keyNotKept(sentence((error as Error).message));
    }
  };
  const save = async (): Promise<void> => {
    setSaved(null);
    const key = takesKey ? draft.apiKey.trim() : "";
    const changesKeys = takesKey && (key !== "" || draft.protection !== keys.protection || draft.passphrase !== "");
    if (changesKeys && !(await unlock())) return setSaved({ text: texts.notSavedLocked, state: "bad" });
    if (key !== "") await keys.set(server, key).catch(() => {});
    const wrong = changesKeys ? await keepKey() : "";
    const isStored = store.save(settingsOf(draft));
    setDraft((now) => ({ ...now, baseUrl: mendedUrl(now.baseUrl), apiKey: "", passphrase: "", protection: keys.protection }));
    setSaved(
      wrong !== "" ? { text: wrong, state: "bad" } : { text: isStored ? texts.saved : texts.notStored, state: isStored ? "good" : "bad" },
    );
    onSave?.();
  };

  return (
    <form
      class="model-settings"
      aria-label={texts.settings}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="fields">
        <Field id={`${id}-provider`} label={texts.provider} help={provider?.about}>
          {(ids) => (
            <select {...ids} name="provider" value={draft.provider} onChange={({ currentTarget }) => choose(currentTarget.value)}>
              {providers.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.name}
                </option>
              ))}
              {(hasOther || draft.provider === other) && <option value={other}>{texts.otherProvider}</option>}
            </select>
          )}
        </Field>
        {hasBaseUrl(draft) && (
          <Field
            id={`${id}-base-url`}
            label={texts.baseUrl}
            help={texts.baseUrlHelp}
            wrong={leftUrl !== "" && leftUrl === draft.baseUrl ? wrongUrl : ""}
          >
            {(ids) => (
              <input
                {...ids}
                ref={urlField}
                name="base-url"
                type="text"
                inputmode="url"
                required
                spellcheck={false}
                autocomplete="off"
                placeholder="https://"
                value={draft.baseUrl}
                onInput={({ currentTarget }) => change({ baseUrl: currentTarget.value })}
                onChange={({ currentTarget }) => {
                  const baseUrl = mendedUrl(currentTarget.value);
                  change({ baseUrl });
                  setLeftUrl(baseUrl);
                }}
              />
            )}
          </Field>
        )}
        <div class="field">
          <Field id={`${id}-model`} label={texts.model} help={draft.provider === other ? texts.otherModelHelp : undefined}>
            {(ids) => (
              <input
                {...ids}
                name="model"
                type="text"
                required
                spellcheck={false}
                autocomplete="off"
                autocapitalize="off"
                value={draft.model}
                onInput={({ currentTarget }) => change({ model: currentTarget.value })}
              />
            )}
          </Field>
          <div class="model-list">
            {names.length > 0 && (
              <select
                ref={choice}
                name="known-models"
                aria-label={texts.knownModels}
                value={names.includes(draft.model) ? draft.model : ""}
                onChange={({ currentTarget }) => currentTarget.value !== "" && change({ model: currentTarget.value })}
              >
                <option value="">{texts.chooseModel(names.length)}</option>
                {names.map((name) => (
                  <option key={name} value={name}>
                    {visibleText(name)}
                  </option>
                ))}
              </select>
            )}
            <button type="button" class="button small" onClick={({ currentTarget }) => void list(currentTarget.form!)}>
              {texts.listModels}
            </button>
          </div>
          <OutcomeLine outcome={listed} name="listed" />
        </div>
        {takesKey && <KeyFields id={id} keys={keys} server={server} draft={draft} labels={texts} onChange={change} onUnlock={unlock} />}
        <details class="more">
          <summary>{texts.more}</summary>
          <div class="fields">
            <Field id={`${id}-api-mode`} label={texts.apiMode} help={texts.apiModeHelp}>
              {(ids) => (
                <select
                  {...ids}
                  name="api-mode"
                  value={draft.apiMode}
                  onChange={({ currentTarget }) => change({ apiMode: currentTarget.value as Draft["apiMode"] })}
                >
                  {Object.entries(texts.apiModes).map(([mode, name]) => (
                    <option key={mode} value={mode}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <div class="check">
              <input
                id={`${id}-native`}
                name="native-tool-calling"
                type="checkbox"
                aria-describedby={`${id}-native-help`}
                checked={draft.nativeToolCalling}
                onChange={({ currentTarget }) => change({ nativeToolCalling: currentTarget.checked })}
              />
              <label for={`${id}-native`}>{texts.nativeToolCalling}</label>
              <p class="quiet" id={`${id}-native-help`}>
                {texts.nativeToolCallingHelp}
              </p>
            </div>
          </div>
        </details>
      </div>
      <div>
        <OutcomeLine outcome={tested} name="tested" />
        <OutcomeLine outcome={saved} name="saved" />
      </div>
      <div class="buttons">
        <button type="submit" class="button primary">
          {texts.save}
        </button>
        <button type="button" class="button" onClick={({ currentTarget }) => void test(currentTarget.form!)}>
          {texts.test}
        </button>
      </div>
    </form>
  );
}
