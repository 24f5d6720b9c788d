// Uses of the types of `threadkeep/model` and of its parts that TypeScript must accept or refuse. Compiled, never run.
import { type LLM, modelNames } from "threadkeep";
import {
  defaultModelLabels,
  type KeyStore,
  type ModelLabels,
  type ModelProvider,
  modelProviders,
  ModelStore,
  type ThreadkeepModel,
} from "threadkeep/model";

const settings: ThreadkeepModel = document.createElement("threadkeep-model");
const llm: LLM | null = settings.llm;
// @ts-expect-error a model is saved in the store
settings.llm = llm;
settings.providers = modelProviders.filter(({ takesKey }) => takesKey);
settings.providers = [{ id: "ours", name: "Our server", baseUrl: "/v1" }] satisfies ModelProvider[];
// @ts-expect-error a provider has an address
settings.providers = [{ id: "ours", name: "Our server" }];
settings.labels = { save: "Speichern", works: (model, time) => `${model}: ${time.toFixed(1)} s` } satisfies Partial<ModelLabels>;
// @ts-expect-error there is no such text
settings.labels = { safe: "Speichern" };
const text: string = defaultModelLabels.saved;

const store = new ModelStore("work", { initial: { provider: "ours", model: "openai/m", baseUrl: "/v1" } });
settings.store = store;
// @ts-expect-error its address is needed
new ModelStore("work", { initial: { provider: "ours", model: "openai/m" } });
const end: () => void = store.subscribe(() => {});
const keys: KeyStore = store.keys;
const key: Promise<string> = keys.request("https://api.example.com");
void keys.protect("passphrase", "a long one");
// @ts-expect-error no key is stored in plain text
void keys.protect("plain");
const names: Promise<string[]> = modelNames("openai");
void [text, end, key, names];
