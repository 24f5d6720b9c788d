// The choice of the theme. It applies at once, because it is seen at once.

import { el } from "../shell/dom.ts";
import { chooseTheme, type Theme, theme } from "../shell/theme.ts";
import { field, options } from "./fields.ts";

export function themeField(): HTMLElement {
  const choice = el("select", { id: "theme" }, ...options({ system: "As the system is set", light: "Light", dark: "Dark" }));
  choice.value = theme();
  choice.addEventListener("change", () => chooseTheme(choice.value as Theme));
  return field("Theme", choice);
}
