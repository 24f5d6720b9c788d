// The functions of the core for plugins, which come with the first plugin.
import { type CorePlugins, plugins } from "../../../pkg/threadkeep.js";
import { settle } from "../../input/errors.js";
import { load } from "../../wasm/wasm.js";

let loading: Promise<CorePlugins> | undefined;

/** After a failed load, the next call tries again. */
function functions(): Promise<CorePlugins> {
  loading ??= load()
    .then(() => settle(plugins()))
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** The result of a function, as JSON. @throws ThreadkeepError that of the function */
export async function core<Name extends keyof CorePlugins>(name: Name, options: Parameters<CorePlugins[Name]>[0]): Promise<string> {
  const call = (await functions())[name] as (options: unknown) => Promise<string>;
  return settle(call(options));
}
