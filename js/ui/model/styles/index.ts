// The styles of the settings of a model, for a shadow root. `threadkeep/preact.css` has those for a part of a page.
import text from "./index.css";

let sheets: CSSStyleSheet[] | undefined;

/** Shared by all shadow roots of the page. */
export function styleSheets(): CSSStyleSheet[] {
  if (sheets === undefined) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets = [sheet];
  }
  return sheets;
}
