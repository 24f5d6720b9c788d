//! The options of a model: the tables of `src/llm/options.rs` in TypeScript and in `docs/models.md`.

use crate::place::{documentation, markdown_region, typescript_file};
use threadkeep::llm::{
    ApiMode, LlmOptions, option_table::OptionDeclaration, options::OTHER_OPTIONS, wire_api::Api,
};

/// The options in the order of TypeScript and of the documentation: the model and its key first.
fn options() -> Vec<&'static OptionDeclaration> {
    let (first, last) = OTHER_OPTIONS.split_at(2);
    let table = LlmOptions::DECLARATIONS.iter().filter(|row| row.option.is_some());
    first.iter().chain(table).chain(last).collect()
}

fn name(row: &OptionDeclaration) -> &'static str {
    row.option.unwrap()
}

/// The names of the selected options, separated by spaces.
fn names(rows: &[&OptionDeclaration], is_one: impl Fn(&OptionDeclaration) -> bool) -> String {
    rows.iter().filter(|row| is_one(row)).map(|row| name(row)).collect::<Vec<_>>().join(" ")
}

fn doc(row: &OptionDeclaration) -> String {
    let mut text = row.doc.split_whitespace().collect::<Vec<_>>().join(" ");
    if row.sent_by == [Api::Responses] {
        text += " Responses API only.";
    }
    text
}

/// A number without a fraction is `300` in TypeScript, not Python's `300.0`.
fn default(row: &OptionDeclaration) -> String {
    let json = (row.default)();
    json.strip_suffix(".0").unwrap_or(&json).replace("\",\"", "\", \"")
}

/// TypeScript types, and the result of `typeof` for their values.
const PLAIN: &[(&str, &str)] =
    &[("string", "string"), ("number", "number"), ("boolean", "boolean"), ("typeof fetch", "function")];

#[test]
fn typescript_has_every_option_of_a_model() {
    let rows = options();
    let mut text = String::from(
        "import type { ErrorCode } from \"../../input/generated/error-codes.js\";\n\n\
         /** How to reach a model. Options that are not set have the SDK's defaults. `LLM` is the class of models. */\n\
         export interface DeclaredOptions<LLM> {\n",
    );
    for row in &rows {
        let default = match default(row) {
            default if default.is_empty() => default,
            default => format!(" Default `{default}`."),
        };
        text += &documentation(&format!("{}{default}", doc(row)), "  ");
        let words: Vec<String> = row.words.iter().map(|word| format!("\"{word}\"")).collect();
        let values = if words.is_empty() { row.typescript.to_owned() } else { words.join(" | ") };
        match name(row) {
            "model" => text += &format!("  model: {values};\n"),
            name => text += &format!("  {name}?: {values} | undefined;\n"),
        }
    }
    text += "}\n\n/** The names of the options that have one plain type. @internal */\nexport const plainOptions = {\n";
    for (typescript, kind) in PLAIN {
        let names = names(&rows, |row| row.typescript == *typescript && row.words.is_empty());
        text += &format!("  {kind}: \"{names}\",\n");
    }
    text += "} as const;\n\n/** The options that take one of some texts. @internal */\nexport const optionTexts = {\n";
    for row in rows.iter().filter(|row| !row.words.is_empty()) {
        let words: Vec<String> = row.words.iter().map(|word| format!("\"{word}\"")).collect();
        text += &format!("  {}: [{}],\n", name(row), words.join(", "));
    }
    text += "} as const;\n\n/** The names of the options that are not stored. @internal */\n";
    let unstored = names(&rows, |row| !row.is_stored);
    text += &format!("export const unstoredOptions = \"{unstored}\";\n");
    text += &format!("export type UnstoredOption = \"{}\";\n", unstored.replace(' ', "\" | \""));
    let is_plain =
        |row: &OptionDeclaration| PLAIN.iter().any(|(typescript, _)| row.typescript == *typescript);
    text += "\n/** The names of all options. @internal */\nexport const optionNames =\n";
    text += &format!(
        "  `${{plainOptions.string}} ${{plainOptions.number}} ${{plainOptions.boolean}} ${{unstoredOptions}} {}` as const;\n",
        names(&rows, |row| row.is_stored && !(is_plain(row) && row.words.is_empty()))
    );
    typescript_file("js/llm/generated/llm-options.ts", "src/llm/options.rs", &text);
}

#[test]
fn the_documentation_has_every_option_of_a_model() {
    let mut lines = vec![
        "| option | default | stored | sent over | meaning |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    for row in options() {
        let default = match default(row) {
            default if default.is_empty() => "–".to_owned(),
            default => format!("`{default}`"),
        };
        let stored = if row.is_stored { "yes" } else { "no" };
        let sent = match row.sent_by {
            [] => "–".to_owned(),
            [Api::Chat, Api::Responses, Api::Anthropic] => "all".to_owned(),
            apis => apis.iter().map(|api| wire_api(*api)).collect::<Vec<_>>().join(", "),
        };
        let words = match row.words {
            [] => String::new(),
            words => format!(
                " One of {}.",
                words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
            ),
        };
        let doc = row.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.push(format!("| `{}` | {default} | {stored} | {sent} | {doc}{words} |", name(row)));
    }
    markdown_region("docs/models.md", "src/llm/options.rs", &lines);
}

fn wire_api(api: Api) -> &'static str {
    match api {
        Api::Chat => "Chat Completions",
        Api::Responses => "Responses",
        Api::Anthropic => "Anthropic Messages",
        Api::TextTools => "tools in text",
    }
}

#[test]
fn the_name_of_an_option_is_that_of_its_field_in_camel_case() {
    for row in LlmOptions::DECLARATIONS.iter().filter(|row| row.option.is_some()) {
        let mut words = row.field.split('_');
        let mut camel = words.next().unwrap().to_owned();
        for word in words {
            camel += &word[..1].to_uppercase();
            camel += &word[1..];
        }
        // Profiles rely on this rule.
        assert_eq!(name(row), camel);
        if row.field == "api_mode" {
            assert_eq!(row.words, ApiMode::ALL.iter().map(|mode| mode.as_str()).collect::<Vec<_>>());
        }
    }
}
