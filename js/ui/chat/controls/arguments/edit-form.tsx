/** @jsxImportSource preact */
// Asks for other arguments of a call until they are accepted, or the user cancels: in a form made from the tool's schema, or as
// JSON. What is not sent is kept over a reload, except for what the tool marks as secret.
import { isOfComposition } from "../../composition.js";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSONValue } from "threadkeep";
import type { Approval, Thread } from "../../../thread/index.js";
import { useChat } from "../../context.js";
import { sentence } from "../failures.js";
import type { ControlLabels } from "../labels.js";
import { keepArguments, keptArguments } from "./drafts.js";
import type { Args, Schema } from "./fields.js";

/** The code of the form and the schema of the tool; without a schema, or a network, the arguments are JSON. */
interface Loaded {
  form: typeof import("../../asked-for.js") | null;
  schema: Schema | null;
}

interface Edited {
  isJson: boolean;
  /** The text of the JSON. */
  text: string;
  args: Args;
}

export interface EditFormProps {
  thread: Thread;
  call: Approval;
  name: string;
  /** Whether it was opened by the user, and not because something was kept. */
  takesFocus: boolean;
  cancel: () => void;
  change: (args: JSONValue) => Promise<void>;
}

export function EditForm({ thread, call, name, takesFocus, cancel, change }: EditFormProps) {
  const { labels } = useChat();
  const { actionId, args: given, action } = call;
  const { conversationId, conversation } = thread.getSnapshot();
  const own = useRef<HTMLFormElement>(null);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [edited, setEdited] = useState<Edited>(() => begun(keptArguments(conversationId, actionId), given, action.tool_call.arguments));
  const [wrong, setWrong] = useState("");
  const wrongFields = useRef(0);
  const id = useId();

  useEffect(() => {
    let isOver = false;
    const loading = conversation === null || !isArgs(given) ? Promise.reject() : import("../../asked-for.js");
    loading
      .then(async (form) => ({ form, schema: await form.schemaOf(conversation!, call.toolName) }))
      .catch(() => ({ form: null, schema: null }))
      .then((found) => {
        if (isOver) return;
        setLoaded(found);
        if (found.schema === null) setEdited((edited) => ({ ...edited, isJson: true }));
      });
    return () => void (isOver = true);
  }, []);
  const Form = loaded?.schema && !edited.isJson ? loaded.form!.ArgumentsForm : null;
  const wasShown = useRef(false);
  useLayoutEffect(() => {
    if (loaded === null) return;
    const isFirst = !wasShown.current;
    wasShown.current = true;
    if (!isFirst || takesFocus) own.current!.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, [loaded === null, edited.isJson]);

  const edit = (changes: Partial<Edited>): void => {
    const next = { ...edited, ...changes };
    setEdited(next);
    setWrong("");
    keepArguments(conversationId, actionId, loaded && kept(next, loaded));
  };
  const asJson = (): void => edit({ isJson: true, text: JSON.stringify(edited.args, null, 2) });
  const asForm = (): void => {
    const args = parsed(edited.text, labels);
    if (typeof args === "string") return refuse(args);
    wrongFields.current = 0;
    edit({ isJson: false, args });
  };
  const leave = (): void => {
    keepArguments(conversationId, actionId, null);
    cancel();
  };
  const refuse = (why: string): void => {
    setWrong(why);
    (
      own.current!.querySelector<HTMLElement>("[aria-invalid=true]") ?? own.current!.querySelector<HTMLElement>("input, textarea, select")
    )?.focus();
  };
  const submit = async (): Promise<void> => {
    const args = Form ? edited.args : parsed(edited.text, labels);
    if (typeof args === "string") return refuse(args);
    if (Form && wrongFields.current > 0) return refuse(labels.fieldsAreWrong);
    setWrong("");
    try {
      await change(args);
      keepArguments(conversationId, actionId, null);
    } catch (error) {
      refuse(sentence((error as Error).message));
    }
  };
  return (
    <form
      ref={own}
      class="decision"
      noValidate
      aria-busy={loaded === null}
      onSubmit={(event) => (event.preventDefault(), void submit())}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isOfComposition(event)) return;
        event.stopPropagation();
        leave();
      }}
    >
      {loaded === null ? (
        <p class="quiet">{labels.opening}</p>
      ) : Form ? (
        <Form
          schema={loaded.schema!}
          args={edited.args}
          onChange={(args) => edit({ args })}
          onWrong={(count) => (wrongFields.current = count)}
        />
      ) : (
        <>
          <label for={id}>{labels.argumentsAsJson}</label>
          <textarea
            id={id}
            class="arguments-field"
            rows={Math.min(16, edited.text.split("\n").length + 1)}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={wrong !== ""}
            aria-describedby={`${id}-wrong ${id}-help`}
            value={edited.text}
            onInput={({ currentTarget }) => edit({ text: currentTarget.value })}
          />
        </>
      )}
      <p class="wrong arguments-wrong" id={`${id}-wrong`} role="alert">
        {wrong}
      </p>
      <p class="quiet" id={`${id}-help`}>
        {labels.argumentsHelp}
      </p>
      <div class="buttons">
        <button type="submit" class="button primary" aria-label={labels.changeCall(name)} disabled={loaded === null}>
          {labels.change}
        </button>
        <button type="button" class="button" onClick={leave}>
          {labels.cancel}
        </button>
        {loaded?.schema && (
          <button type="button" class="button plain" onClick={Form ? asJson : asForm}>
            {Form ? labels.asJson : labels.asForm}
          </button>
        )}
      </div>
    </form>
  );
}

function begun(text: string | null, args: JSONValue | undefined, raw: string): Edited {
  const own = isArgs(args) ? args : {};
  const fresh = { isJson: !isArgs(args), text: JSON.stringify(args, null, 2) ?? raw, args: own };
  if (text === null) return fresh;
  try {
    const { isJson, text: written, args: changed } = JSON.parse(text) as Partial<Edited>;
    if (isJson && typeof written === "string") return { ...fresh, isJson, text: written };
    // Secrets were not kept.
    return isArgs(changed) ? { ...fresh, args: { ...own, ...changed } } : fresh;
  } catch {
    return fresh;
  }
}

/** The text to keep. One of JSON may have a secret anywhere. */
function kept({ isJson, text, args }: Edited, { form, schema }: Loaded): string | null {
  if (isJson) return schema && form!.hasSecret(schema) ? null : JSON.stringify({ isJson, text });
  return JSON.stringify({ isJson, args: form!.withoutSecrets(schema!, args) });
}

function isArgs(value: JSONValue | undefined): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The arguments, or the sentence that says why the text has none. */
function parsed(text: string, labels: ControlLabels): Args | string {
  try {
    const value: JSONValue = JSON.parse(text);
    return isArgs(value) ? value : labels.notAnObject;
  } catch (error) {
    return sentence(labels.notJson((error as Error).message));
  }
}
