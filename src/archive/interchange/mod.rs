//! Conversations in the formats of other programs: lists of chat messages, sessions, and OpenHands V0 trajectories.
//!
//! A file becomes a new conversation of typed events ([`timeline`], [`log`]), packed as an archive ([`folder`]) and
//! then imported like any other: checked completely, and stored completely or not at all. Files are not trusted. Content
//! that is not imported is reported in a warning, and settings and keys are never imported.

mod branches;
mod chat;
mod date;
mod entry;
mod events;
mod folder;
mod lines;
mod log;
mod readable;
mod session;
mod timeline;
mod trajectory;
mod turns;

use super::{
    ImportOptions, Imported,
    history::{self, Part},
    import, invalid,
    limits::{MAX_ENTRIES, MAX_ENTRY_BYTES},
};
use crate::{
    context::final_response::final_response,
    error::{Error, ErrorCode, Result, shown},
    event::Event,
    format::base_state::BaseState,
    host::Host,
    id::ConversationId,
    json::{Object, ToJson as _, elements, members, string_enum, well_formed},
    llm::{
        LlmOptions,
        chat_completions::chat_messages,
        endpoint::Endpoint,
        model_data::ModelRow,
        model_features::ModelFeatures,
        wire_api::{LlmRequest, WireApi},
    },
    store::Store,
};
use events::Events;
use folder::Folder;
use std::{borrow::Cow, rc::Rc};
use timeline::Timeline;

/// Imports a file of another program as a new conversation.
pub async fn import_interchange(
    text: &str,
    store: &dyn Store,
    host: &dyn Host,
    options: &ImportOptions<'_>,
) -> Result<Imported> {
    let mut timeline = Timeline::new(host);
    let id = ConversationId::from(host.random_uuid());
    let folder = match read(&mut timeline, text)? {
        Some(events) => events.folder(id),
        None => Folder::new(id, &log::log(&mut timeline)?, &timeline),
    };
    let imported = import(&folder, store, options).await?;
    let Some(mut imported) = imported.into_iter().next() else {
        return Err(Error::new(ErrorCode::Internal, "the import of one conversation returned none"));
    };
    imported.warnings.extend(timeline.into_warnings());
    Ok(imported)
}

/// Reads a file into a timeline. Of one with events of the SDK, returns these instead: they are stored as they are.
fn read(timeline: &mut Timeline<'_>, text: &str) -> Result<Option<Events>> {
    if text.len() as u64 > MAX_ENTRY_BYTES {
        return Err(invalid(format!("it has {} bytes, more than the {MAX_ENTRY_BYTES} allowed", text.len())));
    }
    let repaired = well_formed(text);
    if matches!(repaired, Cow::Owned(_)) {
        timeline.warnings.push("halves of characters (lone surrogates) were replaced".to_owned());
    }
    let text = repaired.trim_start_matches('\u{feff}').trim();
    if let Some(list) = elements(text) {
        return read_list(timeline, &list);
    }
    let Some(object) = Object::parse(text) else {
        return match lines::lines(timeline, text) {
            Some(list) => read_list(timeline, &list),
            None => Err(not_json(text)),
        };
    };
    // A page of an agent server's events, and what some programs put around a list of them.
    let wrapped = ["items", "events"].iter().find_map(|name| elements(object.get(name)?));
    if object.get("messages").is_some() {
        session::read(timeline, text)?;
    } else if let Some(list) = wrapped.filter(|list| events::are_events(list)) {
        return read_list(timeline, &list);
    } else if events::are_events(&[text]) {
        return read_list(timeline, &[text]);
    } else if let Some(list) = ["trajectory", "history"].iter().find_map(|name| elements(object.get(name)?)) {
        // The form of OpenHands' server, and that of its evaluations.
        check_count(&list)?;
        trajectory::read(timeline, &list)?;
    } else {
        return Err(invalid(format!("{}; {READABLE}", found(&object))));
    }
    Ok(None)
}

/// What can be read, for files that cannot.
const READABLE: &str = "a list of messages or events, an object with messages or a trajectory, and exports of ChatGPT, Claude, \
                        Open WebUI, LibreChat, Chatbox and llama.cpp can be read";

/// The highest number of fields that are named of a file that cannot be read.
const MAX_FIELDS: usize = 8;

/// What a file has that is none of these.
fn found(object: &Object<'_>) -> String {
    let names: Vec<String> = object.iter().take(MAX_FIELDS).map(|(name, _)| shown(name)).collect();
    match (names.len(), object.iter().count()) {
        (0, _) => "it is an empty object".to_owned(),
        (named, all) if named < all => {
            format!("it is an object with the fields {} and {} more", names.join(", "), all - named)
        }
        _ => format!("it is an object with the fields {}", names.join(", ")),
    }
}

/// As [`read`], for the elements of a list.
fn read_list(timeline: &mut Timeline<'_>, list: &[&str]) -> Result<Option<Events>> {
    check_count(list)?;
    if events::are_events(list) {
        return Ok(Some(Events::read(timeline, list)));
    }
    let is_event = |text: &&str| {
        Object::parse(text)
            .is_some_and(|object| object.get("role").is_none() && object.get("source").is_some())
    };
    if list.first().is_some_and(is_event) {
        trajectory::read(timeline, list)?;
    } else {
        let first = list.first().and_then(|first| Object::parse(first));
        if let Some(object) = first.filter(|object| object.get("role").is_none()) {
            return Err(invalid(format!(
                "it is a list, of which the first element is none that is known: {}; {READABLE}",
                found(&object)
            )));
        }
        chat::read(timeline, "messages", list, None)?;
    }
    Ok(None)
}

fn check_count(list: &[&str]) -> Result<()> {
    // A call and a result can become two events each.
    if list.len() > MAX_ENTRIES / 4 {
        return Err(invalid(format!(
            "it has {} entries, more than the {} allowed",
            list.len(),
            MAX_ENTRIES / 4
        )));
    }
    Ok(())
}

fn not_json(text: &str) -> Error {
    match members(text) {
        Err(broken) if text.starts_with('{') => invalid(format!("it is not JSON: {broken}")),
        _ => invalid("it is not JSON, or neither a list nor an object"),
    }
}

/// A part of a stored conversation in another format. `mask` hides secrets in the texts of those for people.
pub async fn written(
    store: &dyn Store,
    conversation: ConversationId,
    form: Form,
    part: &Part,
    mask: &dyn Fn(&str) -> String,
) -> Result<String> {
    let (listing, branch) = history::read(store, conversation, part).await?;
    Ok(match form {
        Form::Message => history::messages(&branch).to_json_text(),
        Form::Chat => chat_messages(&history::messages(&branch))?,
        Form::Session => {
            let state = BaseState::of(conversation, &listing.base_state);
            let title = state.and_then(|state| state.title());
            session::write(conversation, &branch, title.as_deref(), listing.created_at)
        }
        Form::Trajectory => trajectory::write(&branch),
        Form::Markdown | Form::Html => {
            let state = BaseState::of(conversation, &listing.base_state);
            let title = state.as_ref().and_then(BaseState::shown_title);
            let model = state.as_ref().and_then(|state| state.agent_llm()?.field("model"));
            let readable = readable::readable(title, model, &branch, mask);
            if form == Form::Html { readable::html(&readable) } else { readable::markdown(&readable) }
        }
    })
}

/// The SDK's messages of these events, as JSON (`LLMConvertibleEvent.events_to_messages`). Events without a message are
/// skipped.
///
/// # Errors
/// `invalid_options` naming a text that is not an event.
pub fn messages_of_events(texts: &[String]) -> Result<String> {
    Ok(history::messages(&events_of(texts)?).to_json_text())
}

/// The last response of the agent in these events (`get_agent_final_response`).
///
/// # Errors
/// As for [`messages_of_events`].
pub fn final_response_of_events(texts: &[String]) -> Result<Option<String>> {
    Ok(final_response(&events_of(texts)?))
}

fn events_of(texts: &[String]) -> Result<Vec<Event>> {
    let mut events = Vec::with_capacity(texts.len());
    for (place, text) in texts.iter().enumerate() {
        let Some(id) = Event::id_in(text) else {
            let text = format!("events[{place}] is not an event: an object with an id and a kind");
            return Err(Error::new(ErrorCode::InvalidOptions, text));
        };
        events.push(Event::decode(id, text.as_str().into()));
    }
    Ok(events)
}

/// The body of the request, as JSON, that a wire API would send for a stored conversation. `llm` is the stored model, whose
/// fields may be missing, and `row` its row of the model data.
pub async fn request_body(
    api: &dyn WireApi,
    store: &dyn Store,
    conversation: ConversationId,
    llm: &str,
    row: &str,
) -> Result<String> {
    let (_, branch) = history::read(store, conversation, &Part::default()).await?;
    let messages: Vec<_> = history::messages(&branch).into_iter().map(Rc::new).collect();
    // The stored model has a default effort if none was set.
    let options = LlmOptions { reasoning_effort: None, ..LlmOptions::from_sdk_json(llm) };
    // The URL is not used here, so the model's name need not determine a server.
    let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())
        .or_else(|_| Endpoint::resolve(&options.model, Some("/")))?;
    let row = ModelRow::parse(&options.model, row)?;
    let (request, _) = api.begin(&LlmRequest {
        options: &options,
        endpoint: &endpoint,
        features: &ModelFeatures::of(&options, &endpoint, &row),
        messages: &messages,
        tools: &[],
        conversation_id: None,
        is_streaming: false,
    })?;
    Ok(request.body)
}

/// The formats that [`written`] can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The SDK's messages.
    Message,
    /// Messages of Chat Completions, as the SDK makes them.
    Chat,
    /// `{id, created_at, messages}`.
    Session,
    /// A list of OpenHands V0 events.
    Trajectory,
    /// A text for people.
    Markdown,
    /// A page for people.
    Html,
}

string_enum!(Form {
    Message = "message",
    Chat = "chat",
    Session = "session",
    Trajectory = "trajectory",
    Markdown = "markdown",
    Html = "html",
});
