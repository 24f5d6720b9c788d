// Converts a stored conversation to the formats of other programs.
import { requestBody, written as writtenHere } from "../../../pkg/threadkeep.js";
import type { JSONValue } from "../../events/types.js";
import { modelRow } from "../../llm/models.js";
import type { Store } from "../../store/store.js";
import type { Form } from "../types.js";

/** Formats that are a part of the request body of a wire API. */
const sentIn = {
  // The body has no list if there are no messages.
  responses: ({ instructions = null, input }: Body) => ({ instructions, input: input || [] }),
  anthropic: ({ system = [], messages }: Body) => ({ system, messages }),
};

type Body = { [field: string]: unknown };

/** The conversation `id` of `store` in this format, as a value. `llm` is the stored model, whose fields may all be missing. */
export async function written(store: Store, id: string, form: Form, llm: { [field: string]: JSONValue } = {}): Promise<unknown> {
  const { model = "", model_canonical_name: realName = model } = llm;
  if (form !== "responses" && form !== "anthropic") return JSON.parse(await writtenHere({ store, conversation: id, form }));
  const row = await modelRow(String(model), String(realName));
  return sentIn[form](JSON.parse(await requestBody({ store, conversation: id, api: form, llm: JSON.stringify(llm), row })));
}
