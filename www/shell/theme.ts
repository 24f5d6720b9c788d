// The theme of the page: light, dark, or as the system is set. It is chosen in the settings and stored on this device.

export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "threadkeep-demo:theme";
/** The colours of the browser's own bars around the page. */
const BAR = { light: "#f3f5f9", dark: "#10141d" };
const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const theme = (): Theme => (root.dataset["chosenTheme"] ?? "system") as Theme;

/** Shows the stored theme and follows the system. Called before anything is drawn, so that nothing flashes. */
export function startTheme(): void {
  show(stored());
  prefersDark.addEventListener("change", () => show(theme()));
}

/** Shows a theme and stores it. Where the browser stores nothing, it lasts until the page closes. */
export function chooseTheme(chosen: Theme): void {
  show(chosen);
  try {
    if (chosen === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // It is shown all the same.
  }
}

function show(chosen: Theme): void {
  const shown = chosen === "system" ? (prefersDark.matches ? "dark" : "light") : chosen;
  root.dataset["chosenTheme"] = chosen;
  root.dataset["theme"] = shown;
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", BAR[shown]);
}

function stored(): Theme {
  try {
    const found = localStorage.getItem(STORAGE_KEY);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    return "system";
  }
}
