//! V0's names and fields for calls, results and tools.

use crate::{
    event::{Action, ActionEvent, Observation, SecurityRisk, ToolDefinition},
    json::{FromJson as _, ListWriter, Object, ObjectWriter, RawJson, object},
    llm::message::{Content, Message, Role},
};

/// The replacement for an image, which V0 cannot store.
const IMAGE: &str = "[An image, which this format cannot hold]";

/// The V0 action for a call, with its arguments.
pub fn arguments(body: &ActionEvent) -> (&'static str, ObjectWriter) {
    let json = body.action.as_ref().map_or("{}", |action| action.as_json().as_str());
    let fields = Object::parse(json);
    let get =
        |name: &str| fields.as_ref().and_then(|fields| fields.get(name)).filter(|value| *value != "null");
    let mut args = ObjectWriter::new();
    let copy = |args: &mut ObjectWriter, names: &[&str]| {
        for name in names {
            if let Some(value) = get(name) {
                args.raw(name, value);
            }
        }
    };
    let kind = body.action.as_ref().and_then(Action::kind).unwrap_or_default();
    match (kind.as_str(), get("command")) {
        ("FinishAction", _) => {
            args.raw("final_thought", get("message").unwrap_or("\"\""));
            ("finish", args)
        }
        ("ThinkAction", _) => {
            copy(&mut args, &["thought"]);
            ("think", args)
        }
        ("TerminalAction" | "ExecuteBashAction", Some(_)) => {
            copy(&mut args, &["command", "is_input"]);
            ("run", args)
        }
        ("FileEditorAction" | "StrReplaceEditorAction", Some("\"view\"")) => {
            copy(&mut args, &["path", "view_range"]);
            args.field("impl_source", "oh_aci");
            ("read", args)
        }
        ("FileEditorAction" | "StrReplaceEditorAction", Some(_)) => {
            copy(&mut args, &["path", "command", "file_text", "old_str", "new_str", "insert_line"]);
            args.field("impl_source", "oh_aci");
            ("edit", args)
        }
        ("TaskTrackerAction", Some(_)) => {
            copy(&mut args, &["command", "task_list"]);
            ("task_tracking", args)
        }
        _ => {
            args.field("name", &body.tool_name);
            args.raw("arguments", &mcp_arguments(body));
            ("call_tool_mcp", args)
        }
    }
}

/// The arguments of any call, as an object.
fn mcp_arguments(body: &ActionEvent) -> String {
    let validated = body.action.as_ref().and_then(Action::mcp_arguments);
    let arguments = validated.or_else(|| RawJson::from_json(&body.tool_call.arguments));
    let object = arguments.filter(|json| Object::parse(json.as_str()).is_some());
    object.map_or_else(|| "{}".to_owned(), |json| json.as_str().to_owned())
}

/// The content of a V0 observation, and the further fields of its class.
pub fn result(
    name: &str,
    action: &ActionEvent,
    observation: &Observation,
    message: &Message,
    extended: &[Content],
) -> (String, ObjectWriter) {
    let observed = Object::parse(observation.as_json().as_str());
    let get = |name: &str| observed.as_ref().and_then(|fields| fields.get(name));
    let mut extras = ObjectWriter::new();
    match name {
        "run" => {
            let command =
                action.action.as_ref().and_then(|action| action.as_json().field::<String>("command"));
            extras.field("command", command.as_deref().unwrap_or_default());
            extras.raw("metadata", get("metadata").filter(|json| json.starts_with('{')).unwrap_or("{}"));
            // V0 adds the metadata to the text for the model by itself.
            let mut content = observation.content();
            content.extend(extended.iter().cloned());
            return (text_of(&content), extras);
        }
        "read" | "edit" => {
            let path = action.action.as_ref().and_then(|action| action.as_json().field::<String>("path"));
            extras.field("path", path.as_deref().unwrap_or_default());
            extras.field("impl_source", "oh_aci");
            for field in ["prev_exist", "old_content", "new_content"] {
                if let (Some(value), "edit") = (get(field), name) {
                    extras.raw(field, value);
                }
            }
        }
        "task_tracking" => {
            for field in ["command", "task_list"] {
                if let Some(value) = get(field) {
                    extras.raw(field, value);
                }
            }
        }
        "call_tool_mcp" => {
            extras.field("name", &action.tool_name);
            extras.raw("arguments", &mcp_arguments(action));
        }
        _ => {}
    }
    (text_of(&message.content), extras)
}

/// The text of a content.
pub fn text_of(content: &[Content]) -> String {
    let mut texts = Vec::new();
    for part in content {
        texts.push(part.as_text().unwrap_or(IMAGE));
    }
    texts.join("\n")
}

/// The metadata about the answer of a call. V0 reads the answer from the action, and requires a result to have an empty one.
pub fn metadata(action: &ActionEvent, answer: &[&ActionEvent], with_answer: bool) -> String {
    let choice = answer.first().filter(|_| with_answer).map(|first| {
        let calls = answer.iter().enumerate().map(|(index, ActionEvent { tool_call: call, .. })| {
            object! {
                "index": index,
                "id": call.id,
                "type": "function",
                "function": object! { "name": call.name, "arguments": call.arguments },
            }
        });
        let message = object! {
            "role": "assistant",
            "content": Message::new(Role::Assistant, first.thought.clone()).text(),
            "tool_calls": calls.collect::<ListWriter>(),
            "reasoning_content"?: first.reasoning_content,
            "thinking_blocks"?: Some(&first.thinking_blocks).filter(|blocks| !blocks.is_empty()),
        };
        object! { "index": 0_u32, "finish_reason": "tool_calls", "message": message }
    });
    let choices: ListWriter = choice.into_iter().collect();
    object! {
        "function_name": action.tool_name,
        "tool_call_id": action.tool_call_id,
        "model_response": object! { "id": action.llm_response_id, "choices": choices },
        "total_calls_in_response": answer.len(),
    }
    .finish()
}

/// A recorded tool in OpenAI's form. The SDK records some tools without their parameters.
pub fn tool_json(tool: &ToolDefinition) -> ObjectWriter {
    let json = tool.clone().into_json();
    let recorded = json.field::<RawJson>("mcp_tool");
    let read = |name: &str| recorded.as_ref().and_then(|tool| tool.field::<String>(name));
    let schema = |tool: &RawJson| tool.field::<RawJson>("inputSchema").or_else(|| tool.field("input_schema"));
    let function = object! {
        "name": read("name").or_else(|| json.field("title")).unwrap_or_default(),
        "description": json.field::<String>("description").unwrap_or_default(),
        "parameters"?: recorded.as_ref().and_then(schema),
    };
    object! { "type": "function", "function": function }
}

pub fn risk(risk: SecurityRisk) -> &'static str {
    match risk {
        SecurityRisk::Unknown => "-1",
        SecurityRisk::Low => "0",
        SecurityRisk::Medium => "1",
        SecurityRisk::High => "2",
    }
}
