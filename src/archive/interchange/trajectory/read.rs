//! Reads V0 events.

use super::{
    super::{
        check_count,
        entry::Entry,
        timeline::{ItemKind, Timeline, call, image},
    },
    observations::{Calls, observation},
};
use crate::{
    archive::invalid,
    error::{Result, shown},
    event::{
        Action, ActionEvent, Body, Condensation, CondensationRequest, McpTool, PauseEvent, SecurityRisk,
        Source, ToolDefinition,
    },
    json::{FromJson as _, ObjectWriter, RawJson, members},
    llm::message::{Content, Message, Role, ThinkingBlock},
};
use std::collections::HashSet;

/// The tools of actions that do not name theirs.
const TOOLS: &[(&str, &str)] = &[
    ("run", "execute_bash"),
    ("run_ipython", "execute_ipython_cell"),
    ("read", "str_replace_editor"),
    ("write", "str_replace_editor"),
    ("edit", "str_replace_editor"),
    ("browse", "browser"),
    ("browse_interactive", "browser"),
    ("task_tracking", "task_tracker"),
    ("delegate", "delegate_to_browsing_agent"),
];

/// Fields of an action's arguments that do not come from the model.
const NO_ARGUMENTS: &[&str] = &[
    "thought",
    "confirmation_state",
    "is_confirmed",
    "security_risk",
    "hidden",
    "blocking",
    "is_static",
    "keep_prompt",
    "translated_ipython_code",
    "impl_source",
    "outputs",
    "task_completed",
    "browsergym_send_msg_to_user",
    "return_axtree",
    "include_extra",
    "kernel_init_code",
];

/// Reads a trajectory.
pub fn read(timeline: &mut Timeline<'_>, list: &[&str]) -> Result<()> {
    check_count(list)?;
    let mut calls = Calls::default();
    let mut ids = HashSet::new();
    let mut events = Vec::new();
    for (index, text) in list.iter().enumerate() {
        let entry = Entry::read(format!("event {index}"), text)?;
        let id = match entry.get("id") {
            Some(id) if u64::from_json(id).is_none() => return Err(entry.refused("id", "is not a number")),
            id => id,
        };
        if let Some(id) = id
            && !ids.insert(id.trim())
        {
            return Err(invalid(format!("event {index}: another event has the id {id} as well")));
        }
        // The item of this event is needed for condensations, which name forgotten events.
        let before = timeline.items.len();
        let is_action =
            entry.name_in("action")?.map(|name| action(timeline, &mut calls, &events, &entry, &name));
        match (is_action, entry.name_in("observation")?) {
            (Some(done), _) => done?,
            (None, Some(name)) => observation(timeline, &mut calls, &entry, &name)?,
            (None, None) => {
                return Err(invalid(format!("event {index} is neither an action nor an observation")));
            }
        }
        if let (Some(id), Some(item)) = (id, timeline.items.get(before)) {
            events.push((id.trim().to_owned(), item.stamp.id.clone()));
        }
    }
    Ok(())
}

/// V0's numbers of the events so far, with their new ids.
type Events = Vec<(String, crate::id::EventId)>;

fn action(
    timeline: &mut Timeline<'_>,
    calls: &mut Calls,
    events: &Events,
    entry: &Entry<'_>,
    name: &str,
) -> Result<()> {
    let args = match entry.object("args")? {
        Some(args) => args,
        None => Entry::read(format!("{}.args", entry.name), "{}")?,
    };
    let is_by_user = entry.text("source")?.as_deref() == Some("user");
    let timestamp = entry.text("timestamp")?;
    let kind = match name {
        "system" => {
            let content = args.text("content")?.map(Content::text);
            ItemKind::Instructions(content.into_iter().collect(), tools(&args)?)
        }
        "message" => message(timeline, entry, &args)?,
        "condensation" => ItemKind::Other(Source::Environment, condensation(timeline, events, &args)?),
        "condensation_request" if entry.get("tool_call_metadata").is_none() => {
            ItemKind::Other(Source::Environment, CondensationRequest {}.into())
        }
        "change_agent_state" if args.text("agent_state")?.as_deref() == Some("paused") => {
            ItemKind::Other(Source::User, PauseEvent {}.into())
        }
        "change_agent_state" | "null" | "start" | "stop" | "pause" | "resume" | "recall"
        | "loop_recovery" => {
            timeline.leave_out(name);
            return Ok(());
        }
        "finish" if is_by_user => {
            timeline.leave_out("finish by the user");
            return Ok(());
        }
        _ if entry.get("tool_call_metadata").is_none() && args.get("hidden") == Some("true") => {
            calls.add_hidden(entry);
            timeline.leave_out("a command that V0 ran for itself");
            return Ok(());
        }
        _ if entry.get("tool_call_metadata").is_none() && is_by_user => {
            calls.add_user_action(entry);
            let text = match args.text("command")? {
                Some(command) if name == "run" => format!("User executed the command:\n{command}"),
                _ => format!("User requested {name}: {}", arguments(name, &args)?),
            };
            ItemKind::Message(Source::User, Message::new(Role::User, vec![Content::text(text)]))
        }
        _ => {
            let action = tool_call(timeline, calls, entry, &args, name)?;
            calls.add(entry, &action);
            ItemKind::Call(action)
        }
    };
    timeline.add(&entry.name, timestamp, kind);
    Ok(())
}

fn message(timeline: &mut Timeline<'_>, entry: &Entry<'_>, args: &Entry<'_>) -> Result<ItemKind> {
    let mut content: Vec<Content> = args.name_in("content")?.map(Content::text).into_iter().collect();
    let mut urls = args.texts("image_urls")?;
    urls.extend(args.texts("images_urls")?);
    for url in urls {
        content.extend(image(timeline, vec![url]));
    }
    for file in args.texts("file_urls")? {
        timeline.leave_out(&format!("the file {}", shown(&file)));
    }
    Ok(match entry.text("source")?.as_deref() {
        Some("agent") => ItemKind::Message(Source::Agent, Message::new(Role::Assistant, content)),
        Some("environment") => ItemKind::Message(Source::Environment, Message::new(Role::User, content)),
        _ => ItemKind::Message(Source::User, Message::new(Role::User, content)),
    })
}

/// The call of an action: the model's own call if the file has it, or else one made from the action.
fn tool_call(
    timeline: &mut Timeline<'_>,
    calls: &Calls,
    entry: &Entry<'_>,
    args: &Entry<'_>,
    name: &str,
) -> Result<ActionEvent> {
    let metadata = entry.object("tool_call_metadata")?;
    let answer =
        metadata.as_ref().map(|metadata| Answer::read(timeline, metadata)).transpose()?.unwrap_or_default();
    let (recorded_name, recorded_id) = match &metadata {
        Some(metadata) => (metadata.name_in("function_name")?, metadata.name_in("tool_call_id")?),
        None => (None, None),
    };
    let id = recorded_id.unwrap_or_else(|| timeline.new_id().to_string());
    let default_name = || -> Result<String> {
        Ok(match name {
            "call_tool_mcp" => args.text("name")?.unwrap_or_default(),
            _ => TOOLS.iter().find(|(action, _)| *action == name).map_or(name, |(_, tool)| tool).to_owned(),
        })
    };
    let tool_name = recorded_name.map_or_else(default_name, Ok)?;
    let recorded =
        answer.calls.iter().find(|(known, _)| *known == id).map(|(_, arguments)| arguments.clone());
    let arguments = recorded.map_or_else(|| arguments(name, args), Ok)?;
    let response = answer.id.unwrap_or_else(|| timeline.new_id().to_string());
    let is_first = !calls.has_response(&response);
    let mut action = call(&entry.name, id, tool_name, arguments, response)?;
    if name == "finish" && action.action.as_ref().and_then(Action::kind).as_deref() != Some("FinishAction") {
        // Early versions had no argument for the final message.
        let message = args.name_in("final_thought")?.or(args.name_in("thought")?).or(entry.text("message")?);
        action.action = Some(Action::finish(&message.unwrap_or_default()));
    }
    if is_first {
        // The thought of `think` is its argument.
        let thought = if name == "think" { None } else { args.name_in("thought")? };
        action.thought = answer.content.or(thought).map(Content::text).into_iter().collect();
        action.reasoning_content = answer.reasoning_content;
        action.thinking_blocks = answer.thinking_blocks;
    }
    action.security_risk = risk(args.get("security_risk"));
    Ok(action)
}

/// The model's answer, as far as V0 stores it.
#[derive(Default)]
struct Answer {
    id: Option<String>,
    content: Option<String>,
    reasoning_content: Option<String>,
    thinking_blocks: Vec<ThinkingBlock>,
    /// Ids and arguments.
    calls: Vec<(String, String)>,
}

impl Answer {
    fn read(timeline: &mut Timeline<'_>, metadata: &Entry<'_>) -> Result<Self> {
        let Some(response) = metadata.object("model_response")? else { return Ok(Self::default()) };
        let mut answer = Self { id: response.name_in("id")?, ..Self::default() };
        if let Some(model) = response.name_in("model")? {
            timeline.model = Some(model);
        }
        let choices = response.objects("choices")?;
        let Some(choice) = choices.first() else { return Ok(answer) };
        let Some(message) = choice.object("message")? else { return Ok(answer) };
        // A content may be a list of parts, of which V0 itself uses the texts only.
        answer.content = match message.get("content") {
            Some(parts) if parts.starts_with('[') => {
                let mut text = String::new();
                for part in message.objects("content")? {
                    text.push_str(&part.text("text")?.unwrap_or_default());
                }
                Some(text).filter(|text| !text.trim().is_empty())
            }
            _ => message.name_in("content")?,
        };
        answer.reasoning_content = message.name_in("reasoning_content")?;
        answer.thinking_blocks = message.get("thinking_blocks").and_then(Vec::from_json).unwrap_or_default();
        for call in message.objects("tool_calls")? {
            let (Some(id), Some(function)) = (call.text("id")?, call.object("function")?) else { continue };
            answer.calls.push((id, function.text("arguments")?.unwrap_or_default()));
        }
        Ok(answer)
    }
}

/// The arguments of an action as those of a call.
fn arguments(name: &str, args: &Entry<'_>) -> Result<String> {
    if name == "call_tool_mcp" {
        return Ok(args.get("arguments").unwrap_or("{}").to_owned());
    }
    let mut out = ObjectWriter::new();
    match name {
        "finish" => {
            let message = args.name_in("final_thought")?.or(args.text("thought")?);
            out.field("message", message.as_deref().unwrap_or_default());
            return Ok(out.finish());
        }
        "think" => {
            out.field("thought", args.text("thought")?.as_deref().unwrap_or_default());
            return Ok(out.finish());
        }
        "read" => out.field("command", "view"),
        "write" => out.field("command", "create"),
        _ => {}
    }
    for other in args.others(NO_ARGUMENTS) {
        if let (Some(value), false) = (args.get(&other), other == "command" && name == "read") {
            out.raw(&other, value);
        }
    }
    Ok(out.finish())
}

/// A risk, which is a number or, in some versions, a name.
fn risk(value: Option<&str>) -> SecurityRisk {
    match value {
        Some("0") => SecurityRisk::Low,
        Some("1") => SecurityRisk::Medium,
        Some("2") => SecurityRisk::High,
        Some(name) => SecurityRisk::from_json(name).unwrap_or_default(),
        None => SecurityRisk::Unknown,
    }
}

/// The tools that the model was offered, in OpenAI's form.
fn tools(args: &Entry<'_>) -> Result<Vec<ToolDefinition>> {
    let mut tools = Vec::new();
    for tool in args.objects("tools")? {
        let Some(function) = tool.object("function")? else { continue };
        let Some(name) = function.name_in("name")? else { continue };
        let description = function.text("description")?.unwrap_or_default();
        let schema = function.get("parameters").filter(|schema| members(schema).is_ok());
        let input_schema = schema.and_then(RawJson::from_json);
        tools.push(match (name.as_str(), input_schema) {
            ("finish", _) => ToolDefinition::finish(&description),
            ("think", _) => ToolDefinition::think(&description),
            (name, Some(input_schema)) => ToolDefinition::mcp_tool(McpTool {
                name,
                description: &description,
                input_schema: &input_schema,
                annotations: None,
            }),
            (_, None) => continue,
        });
    }
    Ok(tools)
}

fn condensation(timeline: &Timeline<'_>, events: &Events, args: &Entry<'_>) -> Result<Body> {
    let number = |field: &str| -> Result<Option<u64>> {
        let Some(value) = args.get(field) else { return Ok(None) };
        u64::from_json(value).map(Some).ok_or_else(|| args.refused(field, "is not a number"))
    };
    let mut ids = Vec::new();
    for id in args.list("forgotten_event_ids")? {
        ids.push(
            u64::from_json(id)
                .ok_or_else(|| args.refused("forgotten_event_ids", "must contain only numbers"))?,
        );
    }
    let range = number("forgotten_events_start_id")?.zip(number("forgotten_events_end_id")?);
    let is_forgotten =
        |id: u64| ids.contains(&id) || range.is_some_and(|(start, end)| (start..=end).contains(&id));
    let mut forgotten_event_ids = Vec::new();
    for (id, event) in events {
        if id.parse().is_ok_and(is_forgotten) {
            forgotten_event_ids.push(event.to_string());
        }
    }
    Ok(Condensation {
        forgotten_event_ids,
        summary: args.text("summary")?,
        summary_offset: number("summary_offset")?,
        llm_response_id: timeline.new_id().to_string(),
    }
    .into())
}
