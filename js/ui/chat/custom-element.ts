// What the custom elements of the library share.

/** A server has no DOM: there the module of an element can be imported, but nothing is defined. */
export const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/** Sets those of an element's properties again that a page has set before the element was defined. */
export function upgradeProperties(element: HTMLElement, names: readonly string[]): void {
  for (const name of names) {
    if (!Object.hasOwn(element, name)) continue;
    const value: unknown = Reflect.get(element, name);
    Reflect.deleteProperty(element, name);
    Reflect.set(element, name, value);
  }
}

/** The styles of an element for its shadow roots, all of which share them. */
export function sharedStyleSheets(text: string): () => CSSStyleSheet[] {
  let sheets: CSSStyleSheet[] | undefined;
  return () => {
    if (sheets === undefined) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      sheets = [sheet];
    }
    return sheets;
  };
}
