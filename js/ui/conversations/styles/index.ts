// All styles of the list, for a shadow root. `threadkeep/preact.css` has the same, for a part of a page.
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
