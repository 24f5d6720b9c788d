// An image from elsewhere is only loaded when the user asks for it, because loading it tells its server who reads what.
import { el } from "../dom.js";
import type { MarkdownHost } from "./host.js";

/** An image that is part of the text. */
export const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=\s]+$/i;

/** In place of an image: its name as a link, and a button that loads it. `url` begins with `http:` or `https:`. */
export function imagePlaceholder(url: string, alt: string, { labels }: Pick<MarkdownHost, "labels">): HTMLElement {
  const link = el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, labels.imageNotLoaded(alt || url));
  const button = el("button", { type: "button", class: "button small", "aria-label": labels.loadImageFrom(hostOf(url)) }, labels.loadImage);
  const placeholder = el("span", { class: "image-placeholder" }, link, " ", button);
  button.addEventListener("click", () => {
    const image = el("img", { alt: alt || labels.image, class: "attached", referrerpolicy: "no-referrer" });
    image.addEventListener("load", () => placeholder.replaceWith(image));
    image.addEventListener("error", () => button.replaceWith(el("span", { class: "quiet" }, labels.imageFailed)));
    button.disabled = true;
    image.src = url;
  });
  return placeholder;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
