// All styles of the chat, for a shadow root.
import base from "./base.css";
import calls from "./calls.css";
import code from "./code.css";
import composer from "./composer.css";
import controls from "./controls.css";
import prose from "./prose.css";
import thread from "./thread.css";
import tokens from "./tokens.css";

const texts = [tokens, base, thread, prose, code, calls, controls, composer];

let sheets: CSSStyleSheet[] | undefined;

/** Shared by all shadow roots of the page. */
export function styleSheets(): CSSStyleSheet[] {
  sheets ??= texts.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return sheets;
}
