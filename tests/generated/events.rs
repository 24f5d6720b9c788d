//! The kinds of events: the declarations in `src/event` as TypeScript interfaces.

use crate::place::{documentation, typescript_file};
use threadkeep::{
    event::{
        Body, Declaration, FailureAction, FailureKind, HookEventType, RejectionSource, SecurityRisk, Source,
    },
    format::base_state::ExecutionStatus,
    llm::message::Role,
};

/// Sent to listeners and never stored, so that it has none of the fields of a stored event.
const LIVE: &[&str] = &["StreamingDeltaEvent"];

/// The fields that only listeners here get.
const LIVE_FIELDS: &str = concat!(
    "  /**\n   * The id of the event that the pieces become: a `MessageEvent`, or the first `ActionEvent` of an answer with calls. It stays\n",
    "   * the same when the request is repeated (`WaitingEvent`); the next request has another one. If the answer is interrupted or\n",
    "   * breaks off, it is a `MessageEvent` with the text that has come; without any text there is never an event with this id.\n   */\n",
    "  message_id: string;\n",
    "  /**\n   * The next pieces of calls that the model is writing. An answer that comes in one piece has none, and incomplete calls are\n",
    "   * not stored. A piece without text, reasoning and calls says that the answer begins anew: what has come of it does not count.\n   */\n",
    "  tool_calls?: ToolCallDelta[];\n",
);

/// Types that `js/events/types.ts` declares.
const IMPORTED: &[&str] = &[
    "Action",
    "Content",
    "CriticResult",
    "ErrorClassification",
    "EventHead",
    "JSONValue",
    "LLMMessage",
    "MessageToolCall",
    "Observation",
    "ReasoningItem",
    "TextContent",
    "ThinkingBlock",
    "ToolCallDelta",
];

#[test]
fn typescript_has_every_kind_of_event() {
    let mut text = String::new();
    for kind in Body::DECLARATIONS {
        text += "\n";
        text += &interface(kind);
    }
    let import = |names: &[&str], file: &str| {
        let used: Vec<&str> = names.iter().copied().filter(|name| is_used(&text, name)).collect();
        format!("import type {{ {} }} from \"{file}\";\n", used.join(", "))
    };
    let names = enums().map(|(name, ..)| name);
    let imports = import(IMPORTED, "../types.js") + &import(&names, "./names.js");
    typescript_file("js/events/generated/events.ts", "src/event", &(imports + &text));
}

/// In a file of its own, because hosts do not get this name.
#[test]
fn typescript_has_the_union_of_stored_events() {
    let stored = Body::DECLARATIONS.iter().map(|kind| kind.name).filter(|name| !LIVE.contains(name));
    let names: Vec<&str> = stored.collect();
    let text = format!(
        "import type {{\n  {},\n}} from \"./events.js\";\n\n/** Every kind of event that is stored. */\nexport type KnownEvent =\n  | {};\n",
        names.join(",\n  "),
        names.join("\n  | ")
    );
    typescript_file("js/events/generated/known-event.ts", "src/event", &text);
}

/// In a file of their own, because `js/events/types.ts` uses them too.
#[test]
fn typescript_has_the_names_that_events_use() {
    let mut text = String::new();
    for (name, doc, values) in enums() {
        let union: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
        text += &format!("\n{}export type {name} = {};\n", documentation(doc, ""), union.join(" | "));
    }
    typescript_file("js/events/generated/names.ts", "src/event", &text);
}

fn is_used(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

/// The name, what it says, and the values.
fn enums() -> [(&'static str, &'static str, Vec<&'static str>); 8] {
    [
        (
            "ExecutionStatus",
            "The state of the work: `docs/errors.md` says what each method does in each. Stored with the event that caused it.\n",
            ExecutionStatus::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "EventSource",
            "Who caused an event; `\"environment\"` is the program around the user and the agent.\n",
            Source::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "SecurityRisk",
            "How dangerous a call is rated, by an analyzer or by the model. `\"UNKNOWN\"` is not rated, and not harmless.\n",
            SecurityRisk::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "RejectionSource",
            "Who has rejected a call.\n",
            RejectionSource::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "HookEventType",
            "The moments at which hooks are called, in the SDK's names.\n",
            HookEventType::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "FailureKind",
            "The part that has failed, in the SDK's classification.\n",
            FailureKind::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "FailureAction",
            "The remedy of a failure: nothing, try again, or change the settings.\n",
            FailureAction::ALL.iter().map(|value| value.as_str()).collect(),
        ),
        (
            "MessageRole",
            "Who speaks in a message; `\"tool\"` is the result of a call.\n",
            Role::ALL.iter().map(|value| value.as_str()).collect(),
        ),
    ]
}

fn interface(kind: &Declaration) -> String {
    let name = kind.name;
    let is_live = LIVE.contains(&name);
    let doc = documentation(kind.doc, "");
    if kind.fields.is_empty() {
        return format!("{doc}export type {name} = EventHead<\"{name}\">;\n");
    }
    let mut text = match is_live {
        true => format!("{doc}export interface {name} {{\n  kind: \"{name}\";\n{LIVE_FIELDS}"),
        false => format!("{doc}export interface {name} extends EventHead<\"{name}\"> {{\n"),
    };
    for field in kind.fields {
        let question_mark = if field.is_optional { "?" } else { "" };
        let doc = documentation(field.doc, "  ");
        text += &format!("{doc}  {}{question_mark}: {};\n", field.name, typescript_type(field.rust_type));
    }
    text + "}\n"
}

/// The TypeScript type for a Rust type as a declaration spells it. Types that are not listed have the same name on both
/// sides; the TypeScript compiler reports one that has not.
fn typescript_type(rust: &str) -> String {
    let rust = rust.replace(' ', "");
    if let Some(inner) = rust.strip_prefix("Vec<").and_then(|rest| rest.strip_suffix('>')) {
        return match typescript_type(inner) {
            inner if inner.contains(' ') => format!("Array<{inner}>"),
            inner => format!("{inner}[]"),
        };
    }
    let name = match rust.as_str() {
        "String" => "string",
        "bool" => "boolean",
        "i64" | "u64" => "number",
        "RawJson" => "JSONValue",
        "RawFields" => "{ [key: string]: JSONValue }",
        "RisksByAction" => "{ [actionId: string]: SecurityRisk }",
        "DetailsByAction" => "{ [actionId: string]: { [key: string]: JSONValue } }",
        "ToolDefinition" => "{ kind: string; [field: string]: JSONValue }",
        "Message" => "LLMMessage",
        other => other,
    };
    name.to_owned()
}
