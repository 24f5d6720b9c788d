//! Calls of tools of the page that a server has only noted, and whose results never came: `js/conversation/server/client-tools.ts`
//! carries them out while the conversation is there. Where it comes home before, the log has a note in place of a result, so that
//! nothing waits, and nobody would ever carry them out.

use crate::{
    error::Result,
    event::{Body, Event, Head, MessageEvent, Parent, Source},
    format::layout::inbox_path,
    host::Host,
    id::StorePath,
    llm::message::{Content, Message, Role},
};

/// The reason that a server was told for a call which the page has taken over, as `client-tools.ts` has it.
pub(super) const TAKEN_OVER: &str =
    "The page carries this call out, and tells its result in a message of the user.";

/// What the first line of a result says behind the name of the tool, as `client-tools.ts` has it.
pub(super) const ANSWERS: [&str; 3] = ["has this result:", HAS_FAILED, "was rejected by the user:"];

const HAS_FAILED: &str = "has failed:";

/// The calls of a branch that a page was to carry out, and that have no result.
pub(super) fn unanswered(branch: &[Event]) -> Vec<&Event> {
    let mut noted: Vec<&str> = Vec::new();
    for event in branch {
        match event.body() {
            Body::ObservationEvent(note)
                if note.observation.kind().as_deref() == Some("ClientToolObservation") =>
            {
                noted.push(&note.action_id);
            }
            Body::UserRejectObservation(note) if note.rejection_reason == TAKEN_OVER => {
                noted.push(&note.action_id);
            }
            Body::MessageEvent(message) if event.source() == Source::User => {
                let answered = |id: &str| message.llm_message.content.iter().any(|part| answers(part, id));
                noted.retain(|id| !answered(id));
            }
            _ => {}
        }
    }
    let is_noted = |event: &&Event| noted.contains(&event.id().as_str());
    branch.iter().filter(|event| matches!(event.body(), Body::ActionEvent(_))).filter(is_noted).collect()
}

/// Whether this part of a message is the result of the call with this id.
fn answers(part: &Content, id: &str) -> bool {
    let rest = part.as_text().and_then(|text| text.strip_prefix("The call ")?.strip_prefix(id));
    let answer = rest.and_then(|rest| rest.strip_prefix(" of the tool ")?.split_once(' '));
    answer.is_some_and(|(_, answer)| ANSWERS.iter().any(|known| answer.starts_with(known)))
}

/// A message that waits to be appended, as one that is sent while calls are under way, and tells the model what became of these
/// calls; of `begun` a page may have carried them out. In the form of a result, so that nobody waits for another.
///
/// # Errors
/// `internal`.
pub(super) fn message_about(
    calls: &[&Event],
    begun: &[String],
    host: &dyn Host,
) -> Result<(StorePath, Vec<u8>)> {
    let told = |event: &&Event| {
        let Body::ActionEvent(action) = event.body() else { return None };
        let id = event.id().as_str();
        let why = match begun.iter().any(|call| call == id) {
            true => include_str!("prompts/interrupted.md"),
            false => include_str!("prompts/not_begun.md"),
        };
        let text = format!("The call {id} of the tool {} {HAS_FAILED}\n{}", action.tool_name, why.trim_end());
        Some(Content::text(text))
    };
    let message = MessageEvent::new(Message::new(Role::User, calls.iter().filter_map(told).collect()));
    let head = Head {
        id: host.random_uuid().into(),
        timestamp: host.local_time(),
        source: Source::User,
        parent: Parent::Unset,
    };
    let message = Event::new(head, message)?;
    Ok((inbox_path(message.timestamp(), message.id())?, message.json().as_bytes().to_vec()))
}
