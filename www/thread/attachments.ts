// Images for the next message: chosen, pasted or dropped, shown as thumbnails above the message field.

import { announce } from "../shell/announcer.ts";
import { append, byId, el } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";

export const isImage = (file: Blob): boolean => file.type.startsWith("image/");

export class Attachments {
  #list = byId("attachments");
  #button = byId<HTMLButtonElement>("attach-button");
  #images: Array<{ image: Blob; row: HTMLElement }> = [];

  constructor() {
    const input = byId<HTMLInputElement>("attach-file");
    append(this.#button, [icon("image")]);
    this.#button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.add([...(input.files ?? [])]);
      input.value = ""; // or choosing the same file again would be no change
    });
  }

  get isEmpty(): boolean {
    return this.#images.length === 0;
  }

  set disabled(is: boolean) {
    this.#button.disabled = is;
  }

  add(images: Blob[]): void {
    for (const image of images) {
      const name = image instanceof File && image.name !== "" ? image.name : "Image";
      const row = el("li", {});
      const remove = el("button", { type: "button", class: "icon-button", "aria-label": `Remove ${name}`, onclick: () => this.#remove(row) }, icon("close"));
      append(row, [el("span", { class: "attachment-name" }, name), remove]);
      void preview(image, name).then((picture) => picture && row.prepend(picture));
      this.#images.push({ image, row });
      this.#list.append(row);
      announce(`Attached ${name}.`);
    }
    this.#list.hidden = this.isEmpty;
  }

  /** Returns the images and removes them from the form. */
  take(): Blob[] {
    const images = this.#images.map(({ image }) => image);
    this.#images = [];
    this.#list.replaceChildren();
    this.#list.hidden = true;
    return images;
  }

  #remove(row: HTMLElement): void {
    this.#images = this.#images.filter((each) => each.row !== row);
    row.remove();
    this.#list.hidden = this.isEmpty;
    byId("composer-text").focus();
  }
}

/** As a data URL, which needs no release. An image that cannot be drawn is shown by its name. */
async function preview(image: Blob, name: string): Promise<HTMLElement | null> {
  const reader = new FileReader();
  const read = new Promise((resolve) => reader.addEventListener("loadend", resolve));
  reader.readAsDataURL(image);
  await read;
  return typeof reader.result === "string" && reader.result.startsWith("data:image/") ? el("img", { src: reader.result, alt: `Preview of ${name}` }) : null;
}
