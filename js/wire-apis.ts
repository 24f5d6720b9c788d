// The wire APIs that have a wasm of their own. A page loads this with the first model that needs one of them, and of
// them only that one.
import { invalidOptions } from "./errors.js";
import { type Wasm, loader, part } from "./wasm.js";

/** Answers one question about a request and the answer to it: see `src/llm/elsewhere.rs`. */
type Ask = (question: string, event: string, data: string) => string;

/** Prepares a request from what is asked of the model, in JSON. */
export type Begin = (asked: string) => Ask;

interface Glue {
  Exchange: new (asked: string) => { answer: Ask };
  instantiate(module: WebAssembly.Module): Promise<unknown>;
}

const wireApis: Record<string, () => Promise<Begin>> = {
  responses: wireApi({
    name: "responses",
    file: () => new URL("./threadkeep_responses_bg.wasm", import.meta.url),
    copy: () => import("./wasm-responses-inline.js"),
    glue: () => import("../pkg/threadkeep_responses.js"),
  }),
  anthropic: wireApi({
    name: "anthropic",
    file: () => new URL("./threadkeep_anthropic_bg.wasm", import.meta.url),
    copy: () => import("./wasm-anthropic-inline.js"),
    glue: () => import("../pkg/threadkeep_anthropic.js"),
  }),
  text_tools: wireApi({
    name: "text_tools",
    file: () => new URL("./threadkeep_text_tools_bg.wasm", import.meta.url),
    copy: () => import("./wasm-text-tools-inline.js"),
    glue: () => import("../pkg/threadkeep_text_tools.js"),
  }),
};

/** Brings up the wire API of this name. A failed load is forgotten, so that the next request tries again. */
export async function beginOf(name: string): Promise<Begin> {
  const load = wireApis[name];
  if (load === undefined) throw invalidOptions(`there is no wire API ${name}`);
  return load();
}

function wireApi({ name, file, copy, glue }: { name: string; glue(): Promise<Glue> } & Pick<Wasm, "file" | "copy">): () => Promise<Begin> {
  const load = loader({
    advice: `serve threadkeep_${name}_bg.wasm beside the module`,
    file,
    copy,
    instantiate: async (module) => (await part(glue())).instantiate(module),
  });
  return async () => {
    const [{ Exchange }] = await Promise.all([part(glue()), load()]);
    return (asked) => {
      const exchange = new Exchange(asked);
      return (question, event, data) => exchange.answer(question, event, data);
    };
  };
}
