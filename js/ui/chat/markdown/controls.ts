// Adds to sanitised Markdown what HTML alone does not give: colours and a copy button for code, formulas, buttons that load
// images, scrolling by keyboard for what may be wider than the page, and the direction of its script.
import { copyButton } from "../copy-button.js";
import { el } from "../dom.js";
import { highlight } from "./highlight.js";
import type { MarkdownHost } from "./host.js";
import { imagePlaceholder } from "./image-placeholder.js";
import { drawMath } from "./math.js";
import { mathClass } from "./math-syntax.js";

export function addControls(fragment: DocumentFragment, host: MarkdownHost): DocumentFragment {
  for (const element of fragment.children) element.setAttribute("dir", "auto");
  for (const pre of fragment.querySelectorAll("pre")) addCodeControls(pre, host);
  for (const code of fragment.querySelectorAll<HTMLElement>(`code.${mathClass.inline}, code.${mathClass.display}`)) {
    if (code.closest("pre") === null) drawMath(code, code.className === mathClass.display, host);
  }
  for (const image of fragment.querySelectorAll<HTMLImageElement>("img[data-src]")) replaceImage(image, host);
  // A heading without words, such as the corner of a comparison, heads nothing.
  for (const cell of fragment.querySelectorAll("th:empty")) cell.replaceWith(el("td"));
  for (const table of fragment.querySelectorAll("table")) {
    const frame = el("div", { class: "table-frame", dir: "auto", tabindex: 0, role: "group", "aria-label": host.labels.table });
    table.replaceWith(frame);
    // The frame tells its direction from what has none of its own.
    table.removeAttribute("dir");
    frame.append(table);
  }
  for (const box of fragment.querySelectorAll("input"))
    box.setAttribute("aria-label", box.checked ? host.labels.taskDone : host.labels.taskToDo);
  return fragment;
}

function addCodeControls(pre: HTMLPreElement, host: MarkdownHost): void {
  const code = pre.querySelector("code");
  const text = pre.textContent ?? "";
  const language = /language-(\S+)/.exec(code?.className ?? "")?.[1] ?? "";
  if (code !== null && language === "math") {
    pre.replaceWith(code);
    return drawMath(code, true, host);
  }
  pre.tabIndex = 0;
  pre.dir = "ltr";
  const head = el(
    "div",
    { class: "code-head" },
    el("span", {}, language),
    copyButton(() => text, host.labels.copyCode, host),
  );
  const block = el("div", { class: "code-block", part: "code" }, head);
  pre.replaceWith(block);
  block.append(pre);
  if (code !== null && language !== "") highlight(code, language);
}

function replaceImage(image: HTMLImageElement, host: MarkdownHost): void {
  const placeholder = imagePlaceholder(image.dataset["src"]!, image.alt, host);
  // A link cannot contain another one, nor a button.
  const link = image.closest("a");
  if (link === null) return image.replaceWith(placeholder);
  image.replaceWith(image.alt);
  if (link.textContent === "") link.textContent = link.href;
  link.after(" ", placeholder);
}
