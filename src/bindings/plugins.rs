//! Plugins: what JavaScript has fetched is read, merged and looked up.
//!
//! The functions are properties of one object, so that the main file, which every page downloads, has one export for all of them.

use super::{
    error::{invalid, message_of, set},
    given,
    options::{Options, function, property},
};
use crate::{
    error::Result,
    json::{ListWriter, ObjectWriter, RawJson},
    llm::option_table::OptionSource as _,
    plugins::{
        Directory, FrontMatter, Given, Output, Plugin, Question, Resolved, Source, chosen, entries, expanded,
        matchers, merge, names, shown, verdict, without_credentials,
    },
    web::guard::promise,
};
use js_sys::{Array, Function, Object, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_file::wasm_file;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** `stored` is a list of the SDK's `ResolvedPluginSource` as JSON, among which the commit of this source is looked up. */
export interface CorePluginSource { source: string; ref?: string | undefined; repoPath?: string | undefined; stored?: string | undefined; resolvedRef?: string | undefined }
/** `entries` is a list of `{ path, size, is_link }` as JSON. */
export interface CorePluginFiles { entries: string; folder?: string | undefined }
/** `place` stands in front of paths in what is stored. `frontMatter` returns `{ fields, content }` as JSON, or throws a sentence. */
export interface CorePluginDirectory {
  name: string; place: string; files: Array<{ path: string; bytes: Uint8Array }>; frontMatter(path: string, text: string): string;
}
/** `given` is `{ skills, servers, agents }` as JSON: the names of what the host gives. */
export interface CorePluginMerge { given: string; plugins: string[] }
/** Without `values`, the names of the variables are the result. */
export interface CoreVariables { json: string; values?: Record<string, string> | undefined }
/** The end of a line of shell. */
export interface CoreHookOutput { exitCode: number; stdout: string; stderr: string; callsMissing: boolean }
/** `fullMatch` returns whether a whole text matches a pattern of Python; `undefined` if it is no pattern. */
export interface CorePluginHooks { config: string; eventType: string; tool?: string | undefined; fullMatch(pattern: string, text: string): boolean | undefined }
/** A hook of the type `prompt`, and the event that it is about, both as JSON. */
export interface CorePrompt { hook: string; event: string }
/** What JSON each text is, the functions in Rust say. */
export interface CorePlugins {
  source(options: CorePluginSource): Promise<string>;
  files(options: CorePluginFiles): Promise<string>;
  read(options: CorePluginDirectory): Promise<string>;
  merge(options: CorePluginMerge): Promise<string>;
  variables(options: CoreVariables): Promise<string>;
  hooks(options: CorePluginHooks): Promise<string>;
  output(options: CoreHookOutput): Promise<string>;
  question(options: CorePrompt): Promise<string>;
  verdict(options: { answer: string }): Promise<string>;
}
"#;

/// The functions for plugins. Call it once: they are never freed.
#[wasm_file(plugins)]
#[wasm_bindgen(unchecked_return_type = "Promise<CorePlugins>")]
pub async fn plugins() -> Result<JsValue> {
    let functions = Object::new();
    let add = |name: &str, function: fn(&JsValue) -> Result<String>| {
        let call = move |options: JsValue| promise(async move { Ok(function(&options)?.into()) }).into();
        set(&functions, name, &Closure::<dyn FnMut(JsValue) -> JsValue>::new(call).into_js_value());
    };
    add("source", source);
    add("files", files);
    add("read", read);
    add("merge", merged);
    add("variables", variables);
    add("hooks", hooks);
    add("output", output);
    add("question", question);
    add("verdict", verdict_of);
    Ok(functions.into())
}

/// The name of the options in messages of errors.
const PLUGIN: &str = "a plugin";

/// A checked source: its folder, its name, its repository of GitHub, what is stored of it, and its stored commit.
fn source(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let source = Source {
        source: plain.required_text("source")?,
        reference: plain.text("ref")?,
        repo_path: plain.text("repoPath")?,
    };
    let source = source.checked()?;
    let mut out = ObjectWriter::new();
    out.field("folder", &source.folder());
    out.field("name", &source.directory_name());
    out.field("shown", &without_credentials(&source.source));
    if let Some(repository) = source.repository() {
        out.field("owner", &repository.owner);
        out.field("repository", &repository.name);
    }
    let stored = plain.text("stored")?.map(|stored| given::text(&stored)).unwrap_or_default();
    let mut known = Resolved::list(&stored).into_iter().filter(|known| known.is_of(&source));
    out.optional("pinned", &known.find_map(|known| known.resolved_ref));
    out.raw("resolved", &Resolved::of(&source, plain.text("resolvedRef")?).to_json());
    Ok(out.finish())
}

/// The files of a plugin in a list of entries: for each its place in the list, and its path.
fn files(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let given = given::text(&plain.required_text("entries")?);
    let entries = entries(&given).ok_or_else(|| invalid("the list of a plugin's files is not one"))?;
    let folder = plain.text("folder")?;
    let mut out = ListWriter::new();
    for file in chosen(&entries, folder.as_deref())? {
        let mut entry = ObjectWriter::new();
        entry.field("place", &file.place);
        entry.field("path", &file.path);
        out.item(&entry.finish());
    }
    Ok(out.finish())
}

/// A plugin.
fn read(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let front_matter = function(options, "frontMatter")?;
    let files =
        property(options, "files").dyn_into::<Array>().map_err(|_| invalid("files must be a list"))?;
    let file = |file: JsValue| {
        let bytes: Uint8Array = property(&file, "bytes").dyn_into().ok()?;
        Some((property(&file, "path").as_string()?, bytes.to_vec()))
    };
    let files: Option<Vec<_>> = files.iter().map(file).collect();
    let files = files.ok_or_else(|| invalid("files must be a list of paths with bytes"))?;
    let directory = Directory::new(&plain.required_text("name")?, &plain.required_text("place")?, files)?;
    let reader = |path: &str, text: &str| read_front_matter(&front_matter, path, text);
    Ok(Plugin::read(&directory, &reader)?.to_json())
}

fn read_front_matter(reader: &Function, path: &str, text: &str) -> std::result::Result<FrontMatter, String> {
    let read = reader.call2(&JsValue::UNDEFINED, &path.into(), &text.into());
    let read = read.map_err(|thrown| message_of(&thrown))?;
    let read: Option<RawJson> = read.as_string().and_then(|read| given::value(&read));
    read.as_ref().and_then(FrontMatter::read).ok_or_else(|| "its front matter cannot be read".to_owned())
}

/// The parts that an agent has with its plugins.
fn merged(options: &JsValue) -> Result<String> {
    let given = given::text(&Options::new(options, PLUGIN).required_text("given")?);
    let plugins = Array::from(&property(options, "plugins"));
    let plugins: Vec<String> = plugins.iter().filter_map(|text| text.as_string()).collect();
    Ok(merge(&Given::read(&given), &plugins)?.to_json())
}

/// JSON with the values of its variables, or their names.
fn variables(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let json = plain.required_text("json")?;
    if property(options, "values").is_undefined() {
        return Ok(RawJson::of(names(&json).as_slice()).as_str().to_owned());
    }
    let values = plain.texts("values")?;
    let value = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    Ok(expanded(&json, true, &value))
}

/// The hooks for an occasion: for each its definition, and the words by which logs name it.
fn hooks(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let config: Option<RawJson> = given::value(&plain.required_text("config")?);
    let config = config.ok_or_else(|| invalid("config must be JSON"))?;
    let full_match = function(options, "fullMatch")?;
    let full_match = |pattern: &str, text: &str| {
        full_match.call2(&JsValue::UNDEFINED, &pattern.into(), &text.into()).ok()?.as_bool()
    };
    let tool = plain.text("tool")?;
    let mut out = ListWriter::new();
    for matcher in matchers(&config, &plain.required_text("eventType")?) {
        if matcher.matches(tool.as_deref(), &full_match) {
            for hook in &matcher.hooks {
                let mut item = ObjectWriter::new();
                item.field("hook", hook);
                item.field("shown", &shown(hook));
                out.item(&item.finish());
            }
        }
    }
    Ok(out.finish())
}

/// The meaning of a hook's output: `{ denies, isMissing, reason, denial, additionalContext }`.
fn output(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let output = Output {
        exit_code: plain.number("exitCode")?.unwrap_or_default() as i64,
        stdout: plain.required_text("stdout")?,
        stderr: plain.required_text("stderr")?,
        calls_missing: plain.flag("callsMissing")?.unwrap_or_default(),
    };
    Ok(output.meaning().to_json())
}

/// The question of a hook for a model: `{ usageId, system, message }`.
fn question(options: &JsValue) -> Result<String> {
    let plain = Options::new(options, PLUGIN);
    let hook: Option<RawJson> = given::value(&plain.required_text("hook")?);
    let hook = hook.ok_or_else(|| invalid("hook must be JSON"))?;
    Ok(Question::of(&hook, &plain.required_text("event")?).to_json())
}

/// The meaning of a model's answer: `{ denies, reason, denial, undecided }`.
fn verdict_of(options: &JsValue) -> Result<String> {
    Ok(verdict(&Options::new(options, PLUGIN).required_text("answer")?).to_json())
}
