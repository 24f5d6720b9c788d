// The secrets of one open conversation. What reads, encrypts and fetches them is loaded once there are any.
import type { CoreConversation } from "../pkg/threadkeep.js";
import type { ConversationState } from "./events.js";
import { ask } from "./errors.js";
import { type LLM, type LLMOptions, coreLLM } from "./llm.js";
import type { Network } from "./network.js";
import type { ConversationSecrets, GivenSecrets, HeldSecret } from "./secrets/index.js";
import { part } from "./wasm.js";

/** @internal */
export class Secrets {
  /** The model's key as it is to be stored. */
  readonly keyToken: string | undefined;
  readonly #given: GivenSecrets | undefined;
  #core: CoreConversation | undefined;
  #opened: ConversationSecrets | undefined;
  /** Ends with the change that was asked for last: encryption takes its time, and the last word counts. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(given: GivenSecrets | undefined) {
    this.#given = given;
    this.keyToken = given?.keyToken;
  }

  /** Checks what the host gave. @throws ThreadkeepError `invalid_options` */
  static async read(secrets: unknown, cipher: unknown, llm: LLMOptions): Promise<Secrets> {
    const isGiven = secrets !== undefined || cipher !== undefined;
    return new Secrets(isGiven ? await (await load()).read(secrets ?? {}, cipher, llm) : undefined);
  }

  /** Takes what is stored and what was given; resolves to what the host should know. */
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

  /** Hands over another model, with its key as it is to be stored. */
  switchLLM(core: CoreConversation, llm: LLM, network: Network): Promise<void> {
    return this.#afterOthers(async () => {
      const keyToken = await this.#opened?.keyTokenOf(llm.options);
      await this.#hideKeys(llm.options);
      await ask(core, "switchLLM", coreLLM(llm, network, this.heard, keyToken));
      await this.#opened?.keepKeyOf(llm.options);
    });
  }

  /** A function gave this key: a server may say it again. */
  readonly heard = (apiKey: unknown): Promise<void> => this.#hideKeys({ apiKey: apiKey as string });

  async #hideKeys(llm: Partial<LLMOptions>): Promise<void> {
    if (!hasKey(llm)) return;
    const { keySpellings } = await part(import("./secrets/keys.js"));
    this.#core?.hide(keySpellings(llm));
  }

  #afterOthers(change: () => Promise<void>): Promise<void> {
    const changed = this.#changes.then(change);
    this.#changes = changed.catch(() => {});
    return changed;
  }

  /** For a tool that asks. */
  async value(name: string, signal: AbortSignal): Promise<string | null> {
    return (await this.#opened?.value(name, signal)) ?? null;
  }

  /** Masks what one call of a tool says of its progress. */
  progress(): (text: string) => string {
    let said = "";
    return (text) => {
      const { masked, tail } = this.#opened?.continued(said, text) ?? { masked: text, tail: "" };
      said = tail;
      return masked;
    };
  }
}

const load = () => part(import("./secrets/index.js"));

function hasKey({ apiKey, headers, fallbacks }: Partial<LLMOptions>): boolean {
  return typeof apiKey === "string" || headers !== undefined || fallbacks?.some((llm) => hasKey(llm.options)) === true;
}
