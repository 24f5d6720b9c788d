// The settings that few models need: wire API, native tool calling, background answers, and prices.

import { el } from "../shell/dom.ts";
import { check, checkbox, field, help, options } from "./fields.ts";
import type { ModelSettings } from "./settings.ts";

type More = Omit<ModelSettings, "model" | "baseUrl">;

const API_NAMES = {
  auto: "Automatic, by the model's name",
  chat: "OpenAI Chat Completions",
  responses: "OpenAI Responses",
  anthropic: "Anthropic Messages",
} as const;

export function moreSettings() {
  const spoken = el("select", { id: "api-mode" }, ...options(API_NAMES));
  const callsTools = checkbox("native-tools");
  const background = checkbox("background");
  const inputPrice = priceField("input-price");
  const outputPrice = priceField("output-price");
  const apiMode = (): More["apiMode"] => spoken.value as More["apiMode"];
  /** Only OpenAI Responses has background answers; tool calls in text work over Chat Completions. */
  const hasBackground = (): boolean => ["auto", "responses"].includes(apiMode()) && callsTools.checked;

  const follow = (): void => void (background.disabled = !hasBackground());
  const fill = (model: More): void => {
    spoken.value = model.apiMode;
    callsTools.checked = model.nativeToolCalling;
    background.checked = model.background;
    inputPrice.value = priceText(model.inputPrice);
    outputPrice.value = priceText(model.outputPrice);
    follow();
  };
  const read = (): More => ({
    apiMode: apiMode(),
    nativeToolCalling: callsTools.checked,
    background: background.checked && hasBackground(),
    // An empty price is 0.
    inputPrice: inputPrice.valueAsNumber || 0,
    outputPrice: outputPrice.valueAsNumber || 0,
  });
  /** A short summary of the settings that differ from the defaults, shown while they are folded away. */
  const glance = (): string[] => {
    const { background, nativeToolCalling } = read();
    return [apiMode() !== "auto" && API_NAMES[apiMode()], !nativeToolCalling && "tools in text", background && "in the background"].filter(
      (part) => part !== false,
    );
  };

  const pricesHelp = help("prices-help", "Empty: as in public price lists, if the model is in them.");
  const elements = [
    field(
      "API of the server",
      spoken,
      help("api-mode-help", "Automatic is right for most servers. Choose another one if your server has the model only in that API."),
    ),
    el(
      "div",
      { class: "field", role: "group", "aria-labelledby": "prices", "aria-describedby": pricesHelp.id },
      el("span", { class: "label", id: "prices" }, "Dollars per million tokens"),
      el("div", { class: "pair" }, field("Read", inputPrice), field("Written", outputPrice)),
      pricesHelp,
    ),
    check(
      "The model calls tools by itself",
      callsTools,
      help("native-tools-help", "Clear this for a model that cannot: tools are then explained and called in plain text."),
    ),
    check(
      "Answer in the background",
      background,
      help(
        "background-help",
        "OpenAI Responses only. The provider generates and stores answers by itself, so that they survive a lost connection and a reload.",
      ),
    ),
  ];
  return { elements, fill, read, glance, follow };
}

const priceField = (id: string): HTMLInputElement => el("input", { id, type: "number", inputmode: "decimal", min: 0, step: "any" });

const priceText = (price: number): string => (price === 0 ? "" : String(price));
