// A stored conversation in the forms that other programs read.
import { written as writtenHere } from "../../pkg/threadkeep_messages.js";
import { invalidOptions } from "../errors.js";
import type { JSONValue } from "../events.js";
import { modelRow } from "../models.js";
import type { Store } from "../store.js";
import { part } from "../wasm.js";

/** Forms that are what a wire API says of messages in the body of a request. */
const saidIn: { [api: string]: ((body: { [field: string]: unknown }) => object) | undefined } = {
  // Where there is nothing, the body has no list.
  responses: ({ instructions = null, input }) => ({ instructions, input: input || [] }),
  anthropic: ({ system = [], messages }) => ({ system, messages }),
};

/** The conversation `id` of `store` in this form, as a value. `llm` is the stored model, of which anything may be missing. */
export async function written(store: Store, id: string, form: string, llm: { [field: string]: JSONValue } = {}): Promise<unknown> {
  const { model = "", model_canonical_name: realName = model } = llm;
  const said = saidIn[form];
  if (said === undefined) return JSON.parse(await writtenHere(store, id, form));
  const [messages, row, { beginOf }] = await Promise.all([
    writtenHere(store, id, "message"), modelRow(String(model), String(realName)), part(import("../wire-apis.js")),
  ]);
  // Where the request would go means nothing here, and a model need not say.
  const settings = JSON.stringify({ base_url: "/", ...llm });
  const ask = (await beginOf(form))(`{"llm":${settings},"model_row":${row || "{}"},"messages":${messages},"tools":[],"is_streaming":false}`);
  const error = ask("error", "", "");
  if (error) throw invalidOptions(error);
  return said(JSON.parse(ask("body", "", "")));
}
