// Modal dialogs on the browser's <dialog>, which holds the focus, returns it, and closes on Escape.

import { el } from "./dom.ts";
import type { ExportForm } from "./transfer.ts";

/** Resolves to the new title, or null if the user cancels. */
export async function askTitle(title: string): Promise<string | null> {
  const input = el("input", { id: "title-field", type: "text", value: title, maxlength: 200, required: true, autocomplete: "off" });
  const answer = await ask({
    heading: "Rename the conversation",
    body: [el("label", { for: "title-field" }, "Title"), input],
    actions: [{ value: "rename", name: "Rename", look: "primary" }],
    onOpen: () => input.select(),
  });
  const chosen = input.value.trim();
  return answer === "rename" && chosen !== "" ? chosen : null;
}

/** `server` is the name of the agent server that runs it. */
export async function askDelete(title?: string, server: string | null = null): Promise<"delete" | "export" | null> {
  const name = title === undefined ? "It" : `“${title}”`;
  const what =
    server === null
      ? `${name} is stored on this device only. Once deleted it cannot be brought back, except from an export.`
      : `The copy of ${name} on this device is deleted, and this page does not list the conversation any more. On ${server} it stays.`;
  const answer = await ask({
    heading: "Delete this conversation?",
    body: [el("p", {}, what)],
    actions: [
      { value: "delete", name: "Delete", look: "danger" },
      ...(title === undefined ? [] : [{ value: "export", name: "Export first", look: "" }]),
    ],
    // The default is not what cannot be undone.
    onOpen: () => document.querySelector<HTMLElement>('dialog[open] button[value=""]')?.focus(),
  });
  return answer === "delete" || answer === "export" ? answer : null;
}

const EXPORT_FORMS: Record<ExportForm, [name: string, help: string]> = {
  archive: ["Archive", "Everything, as a zip file that the Python SDK can continue."],
  files: ["Archive with files", "The same, with the files that the agent works on in a folder workspace/."],
  html: ["Page", "To read and to print: one HTML file that needs no network."],
  markdown: ["Markdown", "To read and to edit, for notes and repositories."],
  session: ["Session", "The messages, as JSON for chat programs."],
  trajectory: ["Trajectory", "The actions and results, as JSON for OpenHands V0."],
};
const FORMS = Object.keys(EXPORT_FORMS) as ExportForm[];

/** Resolves to the chosen format, or null if the user cancels. */
export async function askExport(heading: string): Promise<ExportForm | null> {
  const choice = (form: ExportForm): HTMLElement => {
    const [name, help] = EXPORT_FORMS[form];
    const [id, described] = [`export-${form}`, `export-${form}-help`];
    const radio = el("input", {
      type: "radio",
      name: "export-form",
      id,
      value: form,
      checked: form === FORMS[0],
      "aria-describedby": described,
    });
    return el("div", { class: "check" }, radio, el("label", { for: id }, name), el("p", { class: "quiet", id: described }, help));
  };
  const choices = el("fieldset", {}, el("legend", {}, "As"), ...FORMS.map(choice));
  const answer = await ask({
    heading,
    body: [choices],
    actions: [{ value: "export", name: "Export", look: "primary" }],
  });
  if (answer !== "export") return null;
  return choices.querySelector<HTMLInputElement>("input:checked")!.value as ExportForm;
}

interface Question {
  heading: string;
  body: Node[];
  actions: Array<{ value: string; name: string; look: string }>;
  onOpen?: () => void;
}

export function ask({ heading, body, actions, onOpen }: Question): Promise<string> {
  const dialog = el(
    "dialog",
    { class: "dialog", "aria-labelledby": "question" },
    el(
      "form",
      { method: "dialog" },
      el("h2", { id: "question" }, heading),
      ...body,
      el(
        "div",
        { class: "buttons" },
        ...actions.map(({ value, name, look }) => el("button", { value, class: `button ${look}` }, name)),
        el("button", { value: "", class: "button", formnovalidate: true }, "Cancel"),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  onOpen?.();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}
