/** @jsxImportSource preact */
// `<threadkeep-model>`: the settings of a model as a custom element.
import { render } from "preact";
import type { LLM } from "threadkeep";
import { Base, upgradeProperties } from "../chat/custom-element.js";
import { checked } from "../thread/given.js";
import type { ModelLabels } from "./labels.js";
import { type ModelProvider, modelProviders } from "./providers.js";
import { ModelStore } from "./store.js";
import { styleSheets } from "./styles/index.js";
import { ModelView } from "./view.js";

/** Properties that a page may have set before the element was defined. */
const PROPERTIES = ["store", "providers", "labels"] as const;

/**
 * The settings of a model: its provider, name and base URL, its key, and a test of the connection.
 *
 * `llm` is the model that was saved last, also on an earlier day; `null` before. Its key is in memory, or encrypted in the browser; before
 * a request that needs a locked one the user is asked to unlock it, also while the element is not shown.
 *
 * Events, none of which bubbles: `llm-change`, with `{ llm }` in `detail`, when there is a model, and when another one was saved, also in
 * another tab; `llm-save`, when the user has saved here.
 *
 * The attribute `other="off"` leaves out servers that are none of the providers.
 */
export class ThreadkeepModel extends Base {
  static readonly observedAttributes = ["other"];

  readonly #root = this.attachShadow({ mode: "open" });
  #store: ModelStore | null = null;
  #providers: readonly ModelProvider[] = modelProviders;
  #labels: Partial<ModelLabels> | undefined;
  #isScheduled = false;
  #unsubscribe: (() => void) | undefined;
  /** The model of the last event. */
  #told: LLM | null = null;
  /** Another one for each form. */
  #key = 0;

  /** The model that was saved last; `null` if there is none. */
  get llm(): LLM | null {
    return this.store.llm;
  }

  /** Where the model and the keys are. Default: `new ModelStore()`. */
  get store(): ModelStore {
    return (this.#store ??= new ModelStore());
  }
  set store(store: ModelStore) {
    checked("store must be a ModelStore", () => typeof store.save === "function" && typeof store.keys.request === "function");
    this.#store = store;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.reset();
  }

  /** The providers to choose from. Default: `modelProviders`. */
  get providers(): readonly ModelProvider[] {
    return this.#providers;
  }
  set providers(providers: readonly ModelProvider[]) {
    checked(
      "providers must be a list of { id, name, baseUrl }",
      () =>
        Array.isArray(providers) &&
        providers.every(({ id, name, baseUrl }) => [id, name, baseUrl].every((each) => typeof each === "string")),
    );
    this.#providers = providers;
    this.reset();
  }

  /** Texts in place of the English ones. */
  get labels(): Partial<ModelLabels> | undefined {
    return this.#labels;
  }
  set labels(labels: Partial<ModelLabels> | undefined) {
    this.#labels = labels;
    this.#schedule();
  }

  /** Shows what was saved last, in place of what was entered since. */
  reset(): void {
    this.#key++;
    this.#schedule();
  }

  connectedCallback(): void {
    upgradeProperties(this, PROPERTIES);
    this.#root.adoptedStyleSheets = styleSheets();
    this.#schedule();
  }

  disconnectedCallback(): void {
    // An element that is moved is in the document again at once.
    this.#schedule();
  }

  attributeChangedCallback(): void {
    this.#schedule();
  }

  /** Several properties that are set together are one change. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (!this.isConnected) {
        this.#unsubscribe?.();
        this.#unsubscribe = undefined;
        render(null, this.#root);
        return;
      }
      if (this.#unsubscribe === undefined) {
        this.#unsubscribe = this.store.subscribe(this.#tell);
        // The page adds its listeners first.
        setTimeout(this.#tell);
      }
      this.#render();
    });
  }

  readonly #tell = (): void => {
    const { llm } = this;
    if (!this.isConnected || llm === null || llm === this.#told) return;
    this.#told = llm;
    this.dispatchEvent(new CustomEvent("llm-change", { detail: { llm } }));
  };

  readonly #onSave = (): void => {
    this.dispatchEvent(new CustomEvent("llm-save"));
  };

  #render(): void {
    const view = (
      <ModelView
        key={this.#key}
        store={this.store}
        providers={this.#providers}
        hasOther={this.getAttribute("other") !== "off"}
        labels={this.#labels}
        onSave={this.#onSave}
      />
    );
    render(view, this.#root);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "threadkeep-model": ThreadkeepModel;
  }
}
