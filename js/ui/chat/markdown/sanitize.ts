// Turns HTML of a model into DOM. It is never trusted: no script, style, form or frame, no id or class of the page, no image
// from elsewhere (loading it would tell its server who reads what), and only web and mail links, which open in a tab that
// cannot reach this one.
import DOMPurify, { type Config, type DOMPurify as Purifier } from "dompurify";
import { EMBEDDED_IMAGE } from "./image-placeholder.js";
import { SHOWN_TAGS } from "./tags.js";

const ALLOWED: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [...SHOWN_TAGS],
  ALLOWED_ATTR: ["href", "title", "src", "alt", "class", "align", "start", "type", "checked", "disabled", "open"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/)/i,
  // Without this, the values of these would have to be addresses.
  ADD_URI_SAFE_ATTR: ["align", "start", "type", "open"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

/** Created when it is first used: it needs a window, which a server does not have. */
let purifier: Purifier | undefined;

/** An image from elsewhere has its address in `data-src`, so that nothing is loaded. */
export function sanitize(html: string): DocumentFragment {
  purifier ??= createPurifier();
  return purifier.sanitize(html, ALLOWED);
}

function createPurifier(): Purifier {
  const created = DOMPurify(window);
  created.addHook("afterSanitizeAttributes", (node) => {
    if (node.tagName !== "CODE" || !/^language-[\w+#.-]+$/.test(node.className)) node.removeAttribute("class");
    if (node.tagName === "A") restrictLink(node);
    if (node.tagName === "IMG") restrictImage(node);
    if (node.tagName === "INPUT" && (node.getAttribute("type") !== "checkbox" || !node.hasAttribute("disabled"))) node.remove();
  });
  return created;
}

function restrictLink(link: Element): void {
  const url = link.getAttribute("href");
  if (url === null) return;
  if (!/^(?:https?|mailto):/i.test(url)) return link.removeAttribute("href");
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer nofollow");
}

function restrictImage(image: Element): void {
  const url = image.getAttribute("src") ?? "";
  if (EMBEDDED_IMAGE.test(url)) return;
  if (!/^https?:/i.test(url)) return image.remove();
  image.removeAttribute("src");
  image.setAttribute("data-src", url);
}
