// The page of ui/model: <threadkeep-model> beside the chat that it drives. The query may have `german`, and `providers`, a list of ids.
import { Agent } from "/threadkeep/index.js";
import "/threadkeep/chat.js";
import { modelProviders } from "/threadkeep/model.js";

const query = new URLSearchParams(location.search);
const settings = document.querySelector("threadkeep-model");
const chat = document.querySelector("threadkeep-chat");
window.llms = [];
window.saves = 0;
settings.addEventListener("llm-change", ({ detail }) => (chat.options = { agent: new Agent({ llm: detail.llm }) }));
settings.addEventListener("llm-change", ({ detail }) => window.llms.push(detail.llm.options.model));
settings.addEventListener("llm-save", () => window.saves++);
if (query.has("german")) settings.labels = { save: "Speichern", provider: "Anbieter", works: (model) => `${model} antwortet.` };
if (query.has("providers")) {
  const ids = query.get("providers").split(",");
  const page = { id: "page", name: "This page", baseUrl: "/v1", model: "openai/scripted", takesKey: false, about: "It needs no key." };
  settings.providers = [page, ...modelProviders.filter(({ id }) => ids.includes(id))];
}

/** What is in the settings, or in the question for the passphrase while it is open. */
const root = () => [...document.querySelectorAll("body > div")].find(({ shadowRoot }) => shadowRoot)?.shadowRoot ?? settings.shadowRoot;
window.one = (selector) => root().querySelector(selector);
window.all = (selector) => [...root().querySelectorAll(selector)];
window.field = (name) => one(`[name="${name}"]`);
window.focused = () => root().activeElement;
window.button = (name) => all("button").find((each) => each.checkVisibility() && each.textContent === name);
window.settings = settings;
window.chat = chat;
