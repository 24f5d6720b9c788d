// A stored conversation in the forms that other programs read.
import { written as writtenHere } from "../../pkg/threadkeep_archive.js";
import type { Store } from "../store.js";

/** Forms that another part makes of the SDK's messages: `llm` is the stored model. */
const madeElsewhere: { [form: string]: ((messages: string, llm: object) => Promise<unknown>) | undefined } = {};

/** The conversation `id` of `store` in this form, as a value. */
export async function written(store: Store, id: string, form: string, llm: object = {}): Promise<unknown> {
  const made = madeElsewhere[form];
  return made ? made(await writtenHere(store, id, "message"), llm) : JSON.parse(await writtenHere(store, id, form));
}
