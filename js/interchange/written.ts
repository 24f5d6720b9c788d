// A stored conversation in the forms that other programs read.
import { requestBody, written as writtenHere } from "../../pkg/threadkeep.js";
import type { JSONValue } from "../events.js";
import { modelRow } from "../models.js";
import type { Store } from "../store.js";

/** Forms that are what a wire API sends of messages in the body of a request. */
const sentIn: { [api: string]: ((body: { [field: string]: unknown }) => object) | undefined } = {
  // Where there is nothing, the body has no list.
  responses: ({ instructions = null, input }) => ({ instructions, input: input || [] }),
  anthropic: ({ system = [], messages }) => ({ system, messages }),
};

/** The conversation `id` of `store` in this form, as a value. `llm` is the stored model, of which anything may be missing. */
export async function written(store: Store, id: string, form: string, llm: { [field: string]: JSONValue } = {}): Promise<unknown> {
  const { model = "", model_canonical_name: realName = model } = llm;
  const sent = sentIn[form];
  if (sent === undefined) return JSON.parse(await writtenHere(store, id, form));
  const row = await modelRow(String(model), String(realName));
  return sent(JSON.parse(await requestBody(store, id, form, JSON.stringify(llm), row)));
}
