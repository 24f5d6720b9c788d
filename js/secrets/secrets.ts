// The secrets of one open conversation. The code that encrypts and fetches them is loaded only if there are any.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { ConversationState } from "../events/events.js";
import { ask } from "../input/errors.js";
import { type LLM, type LLMOptions, coreLLM } from "../llm/llm.js";
import type { Network } from "../llm/network.js";
import type { ConversationSecrets } from "./index.js";
import type { SecretValue } from "./source.js";
import { part } from "../wasm/wasm.js";
import type { GivenSecrets, HeldSecret } from "./types.js";

/** @internal */
export class Secrets {
  /** The model's key as it is stored: encrypted. */
  readonly keyToken: string | undefined;
  readonly #given: GivenSecrets | undefined;
  #core: CoreConversation | undefined;
  #opened: ConversationSecrets | undefined;
  /** The last change in the queue. Changes run one after the other, because encryption is asynchronous. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(given: GivenSecrets | undefined) {
    this.#given = given;
    this.keyToken = given?.keyToken;
  }

  /** Checks the options of the host. @throws ThreadkeepError `invalid_options` */
  static async read(secrets: unknown, cipher: unknown, llm: LLMOptions): Promise<Secrets> {
    const isGiven = secrets !== undefined || cipher !== undefined;
    // A conversation is open once its keys are hidden. The code for that comes beside the wasm.
    if (hasKey(llm)) keys().catch(() => {});
    return new Secrets(isGiven ? await (await load()).read(secrets ?? {}, cipher, llm) : undefined);
  }

  /** Reads the stored secrets and sets the given ones; resolves to a warning for the host, if there is one. */
  async open(core: CoreConversation, llm: LLMOptions): Promise<string | undefined> {
    this.#core = core;
    await this.#hideKeys(llm);
    const { secret_registry, agent }: ConversationState = JSON.parse(core.state());
    const hasStored = Object.keys(secret_registry?.secret_sources ?? {}).length > 0 || String(agent?.llm?.["api_key"]).startsWith("gAAAAA");
    if (!this.#given && !hasStored) return undefined;
    const { ConversationSecrets } = await load();
    this.#opened = await ConversationSecrets.open(core, llm, this.#given);
    return this.#opened.missing();
  }

  update(core: CoreConversation, secrets: unknown): Promise<void> {
    return this.#afterOthers(async () => {
      const { ConversationSecrets, read } = await load();
      const given = await read(secrets);
      this.#opened ??= await ConversationSecrets.open(core, undefined, undefined);
      await this.#opened.update(given.secrets);
    });
  }

  get held(): HeldSecret[] {
    return this.#opened?.held ?? [];
  }

  allow(core: CoreConversation): Promise<void> {
    return this.#afterOthers(async () => {
      await ask(core, "allowSecrets");
      this.#opened?.allow();
    });
  }

  /** A model in the form that the wasm takes, for one request. */
  async coreLLM(llm: LLM, network: Network): Promise<object> {
    await this.#hideKeys(llm.options);
    return coreLLM(llm, network, this.onKey);
  }

  /** Switches to another model in the wasm, with its encrypted key. */
  switchLLM(core: CoreConversation, llm: LLM, network: Network): Promise<void> {
    return this.#afterOthers(async () => {
      const keyToken = await this.#opened?.keyTokenOf(llm.options);
      await this.#hideKeys(llm.options);
      await ask(core, "switchLLM", coreLLM(llm, network, this.onKey, keyToken));
      await this.#opened?.keepKeyOf(llm.options);
    });
  }

  /** Called with a key that came from a function of the host: it is hidden, because servers repeat keys in errors. */
  readonly onKey = (apiKey: unknown): Promise<void> => this.#hideKeys({ apiKey: apiKey as string });

  async #hideKeys(llm: Partial<LLMOptions>): Promise<void> {
    if (!hasKey(llm)) return;
    const { keySpellings } = await keys();
    this.#core?.hide(keySpellings(llm));
  }

  #afterOthers(change: () => Promise<void>): Promise<void> {
    const changed = this.#changes.then(change);
    this.#changes = changed.catch(() => {});
    return changed;
  }

  /** The value of a secret, for a tool. */
  async value(name: string, signal: AbortSignal): Promise<string | null> {
    return (await this.#opened?.value(name, signal)) ?? null;
  }

  /** The secrets for the conversation of a sub-agent, which asks this one for values, and texts to hide there. */
  inherited(): { secrets: Record<string, SecretValue> | undefined; hidden: string[] } {
    return this.#opened?.inherited() ?? { secrets: undefined, hidden: [] };
  }

  /** The names of the secrets. */
  get names(): string[] {
    return Object.keys(this.inherited().secrets ?? {});
  }

  /** A function that masks the progress texts of one tool call. */
  progress(): (text: string) => string {
    let previous = "";
    return (text) => {
      const { masked, tail } = this.#opened?.continued(previous, text) ?? { masked: text, tail: "" };
      previous = tail;
      return masked;
    };
  }
}

const load = () => part(import("./index.js"));
const keys = () => part(import("./keys.js"));

function hasKey({ apiKey, headers, fallbacks }: Partial<LLMOptions>): boolean {
  return typeof apiKey === "string" || headers !== undefined || fallbacks?.some((llm) => hasKey(llm.options)) === true;
}
