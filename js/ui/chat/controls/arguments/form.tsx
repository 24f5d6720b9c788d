/** @jsxImportSource preact */
// The arguments of a call as a form. Loaded when a call is edited.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { JSONValue } from "threadkeep";
import { visibleText } from "../../../thread/index.js";
import { useChat } from "../../context.js";
import { type Args, emptyOf, type Field, fieldOf, fieldsOf, type Schema } from "./fields.js";

export { hasSecret, withoutSecrets } from "./fields.js";
export { schemaOf } from "./schema-of.js";

export interface ArgumentsFormProps {
  schema: Schema;
  args: Args;
  onChange: (args: Args) => void;
  /** Called with the number of fields whose text is no value. */
  onWrong: (count: number) => void;
}

export function ArgumentsForm({ schema, args, onChange, onWrong }: ArgumentsFormProps) {
  const wrong = useRef(new Set<string>());
  const setWrong = (path: string, is: boolean): void => {
    if (is) wrong.current.add(path);
    else wrong.current.delete(path);
    onWrong(wrong.current.size);
  };
  const fields = fieldsOf(schema, args, schema);
  return (
    <div class="argument-fields">
      <Fields fields={fields} value={args} path="" depth={0} change={onChange} {...{ root: schema, setWrong }} />
    </div>
  );
}

interface Shared {
  root: Schema;
  depth: number;
  /** Unique in the form. */
  path: string;
  setWrong: (path: string, is: boolean) => void;
}

function Fields({
  fields,
  value,
  change,
  path,
  ...shared
}: Shared & { fields: readonly Field[]; value: Args; change: (value: Args) => void }) {
  const set = (name: string, next: JSONValue | undefined): void => {
    const { [name]: _, ...others } = value;
    // The order of the others stays.
    if (next === undefined) change(others);
    else
      change(
        Object.hasOwn(value, name)
          ? Object.fromEntries(Object.entries(value).map(([key, old]) => [key, key === name ? next : old]))
          : { ...value, [name]: next },
      );
  };
  return (
    <>
      {fields.map((field) => (
        <FieldView
          key={field.name}
          {...shared}
          path={`${path}/${field.name}`}
          field={field}
          value={value[field.name]}
          change={(next) => set(field.name, next)}
        />
      ))}
    </>
  );
}

interface FieldProps extends Shared {
  field: Field;
  value: JSONValue | undefined;
  /** `undefined` leaves the argument out. */
  change: (value: JSONValue | undefined) => void;
}

function FieldView(props: FieldProps & { isItem?: boolean }) {
  const { field, value, change, path, root, depth, setWrong, isItem = false } = props;
  const { labels } = useChat();
  const id = useId();
  const name = (
    <>
      {visibleText(field.title)}
      {field.isRequired && !isItem && <span class="required">{labels.required}</span>}
    </>
  );
  const help =
    field.description === "" ? null : (
      <p class="quiet" id={`${id}-help`}>
        {visibleText(field.description)}
      </p>
    );
  if (field.kind === "group" || field.kind === "list")
    return (
      <fieldset class="argument-group" aria-describedby={help ? `${id}-help` : undefined}>
        <legend>{name}</legend>
        {help}
        {field.kind === "list" ? (
          <List {...props} field={field} />
        ) : (
          <Fields
            {...{ root, path, setWrong }}
            depth={depth + 1}
            fields={fieldsOf(field.schema, (value ?? {}) as Args, root, depth + 1)}
            value={(value ?? {}) as Args}
            change={(next) => change(Object.keys(next).length === 0 && !field.isRequired ? undefined : next)}
          />
        )}
      </fieldset>
    );
  const shared = {
    id,
    "aria-describedby": help ? `${id}-help` : undefined,
    "aria-required": field.isRequired || undefined,
    autocomplete: "off",
    spellcheck: field.kind === "lines",
  };
  return (
    <div class={isCheckbox(field, value) ? "argument-field check" : "argument-field"}>
      <label for={id}>{name}</label>
      <Control {...props} shared={shared} />
      {help}
    </div>
  );
}

function Control({ field, value, change, path, setWrong, shared }: FieldProps & { shared: object }): ComponentChildren {
  const { labels } = useChat();
  // An argument that nobody needs is left out when its text is removed.
  const orNothing = (text: string): string | undefined => (text === "" && !field.isRequired ? undefined : text);
  switch (field.kind) {
    case "text":
      return (
        <input
          type="text"
          {...shared}
          value={String(value ?? "")}
          onInput={({ currentTarget }) => change(orNothing(currentTarget.value))}
        />
      );
    case "secret":
      return (
        <input
          type="password"
          {...shared}
          autocomplete="new-password"
          value={String(value ?? "")}
          onInput={({ currentTarget }) => change(orNothing(currentTarget.value))}
        />
      );
    case "lines": {
      const text = String(value ?? "");
      return (
        <textarea
          class="argument-lines"
          {...shared}
          rows={Math.min(12, text.split("\n").length + 1)}
          value={text}
          onInput={({ currentTarget }) => change(orNothing(currentTarget.value))}
        />
      );
    }
    case "boolean":
      if (isCheckbox(field, value))
        return (
          <input type="checkbox" {...shared} checked={value === true} onChange={({ currentTarget }) => change(currentTarget.checked)} />
        );
      return <Choice {...{ field, value, change, shared }} choices={[true, false]} />;
    case "choice":
      return <Choice {...{ field, value, change, shared }} choices={field.choices} />;
    case "number":
    case "integer":
      return (
        <Typed
          {...{ value, change, path, setWrong, shared }}
          read={(text) => numberIn(text, field.kind === "integer")}
          wrong={labels.notANumber}
          isNumber
        />
      );
    case "json":
      return <Typed {...{ value, change, path, setWrong, shared }} read={jsonIn} wrong={labels.notAValue} />;
    default:
      return null;
  }
}

function Choice({
  field,
  value,
  change,
  choices,
  shared,
}: Pick<FieldProps, "field" | "value" | "change"> & { choices: readonly JSONValue[]; shared: object }) {
  const { labels } = useChat();
  const text = (choice: JSONValue): string => (choice === true ? labels.yes : choice === false ? labels.no : visibleText(String(choice)));
  return (
    <select
      {...shared}
      value={value === undefined ? "" : String(choices.indexOf(value))}
      onChange={({ currentTarget }) => change(currentTarget.value === "" ? undefined : choices[Number(currentTarget.value)])}
    >
      {(!field.isRequired || value === undefined) && <option value="">{labels.notGiven}</option>}
      {choices.map((choice, at) => (
        <option key={at} value={String(at)}>
          {text(choice)}
        </option>
      ))}
    </select>
  );
}

interface TypedProps extends Pick<FieldProps, "value" | "change" | "path" | "setWrong"> {
  /** The value of a text; `undefined` for an empty one, and throws if it is none. */
  read: (text: string) => JSONValue | undefined;
  wrong: string;
  isNumber?: boolean;
  shared: object;
}

/** A truth value that may be left out, and is, has three states. */
const isCheckbox = (field: Field, value: JSONValue | undefined): boolean =>
  field.kind === "boolean" && (field.isRequired || value !== undefined);

/** A value that not every text is: a text that is none stays as it was typed. */
function Typed({ value, change, path, setWrong, read, wrong, isNumber = false, shared }: TypedProps) {
  const id = useId();
  const [typed, type] = useState<string | null>(null);
  const shown = typed ?? (value === undefined ? "" : JSON.stringify(value, null, 2));
  const take = (text: string): void => {
    try {
      const next = read(text);
      setWrong(path, false);
      type(text);
      change(next);
    } catch {
      setWrong(path, true);
      type(text);
    }
  };
  const isWrong = typed !== null && isNone(() => read(typed));
  const given = {
    ...shared,
    value: shown,
    "aria-invalid": isWrong,
    ...(isWrong && { "aria-errormessage": id }),
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => take(currentTarget.value),
  };
  return (
    <>
      {isNumber ? (
        <input type="text" inputMode="decimal" {...given} />
      ) : (
        <textarea class="argument-json" rows={Math.min(12, shown.split("\n").length)} {...given} />
      )}
      {isWrong && (
        <p class="wrong" id={id}>
          {wrong}
        </p>
      )}
    </>
  );
}

function List({ field, value, change, path, root, depth, setWrong }: FieldProps & { field: Field & { kind: "list" } }) {
  const { labels, announce } = useChat();
  const list = useRef<HTMLDivElement>(null);
  const items = (value ?? []) as JSONValue[];
  /** Each item has a key of its own, so that what is typed stays with it. */
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < items.length) keys.current.push(next.current++);
  const put = (at: number, item: JSONValue | undefined): void =>
    change(items.map((old, place) => (place === at ? (item ?? emptyOf(field.item, root)) : old)));
  const remove = (at: number): void => {
    setWrong(`${path}/${keys.current[at]}`, false);
    keys.current.splice(at, 1);
    const left = items.filter((_, place) => place !== at);
    change(left.length === 0 && !field.isRequired ? undefined : left);
    announce(labels.itemRemoved(at + 1));
    list.current?.querySelector<HTMLElement>(":scope > button")?.focus();
  };
  return (
    <div ref={list} class="argument-list">
      {items.map((item, at) => (
        <div key={keys.current[at]} class="argument-item">
          <FieldView
            isItem
            {...{ root, setWrong }}
            depth={depth + 1}
            path={`${path}/${keys.current[at]}`}
            field={{ ...fieldOf(String(at), field.item, item, root, true, depth + 1), title: labels.item(at + 1) }}
            value={item}
            change={(changed) => put(at, changed)}
          />
          <button
            type="button"
            class="button plain small"
            aria-label={labels.removeItem(at + 1, visibleText(field.title))}
            onClick={() => remove(at)}
          >
            {labels.removeItemShort}
          </button>
        </div>
      ))}
      <button
        type="button"
        class="button small"
        aria-label={labels.addItemTo(visibleText(field.title))}
        onClick={() => change([...items, emptyOf(field.item, root)])}
      >
        {labels.addItem}
      </button>
    </div>
  );
}

function numberIn(text: string, isInteger: boolean): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value))) throw new Error("no number");
  return value;
}

const jsonIn = (text: string): JSONValue | undefined => (text.trim() === "" ? undefined : (JSON.parse(text) as JSONValue));

function isNone(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}
