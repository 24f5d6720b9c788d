//! Events that answer calls which did not run, were stopped, or whose outcome is unknown.

use crate::{
    agent::{Call, NewEvent, error_event},
    event::{Body, Event, RejectionSource, Source, UserRejectObservation},
    id::EventId,
    tool::arguments_of_record,
};

/// Answer to a call of which it is unknown whether it took effect.
pub const INTERRUPTED: &str = include_str!("../agent/prompts/interrupted.md").trim_ascii_end();

/// Answer to a call that an interrupt stopped.
pub const STOPPED: &str = include_str!("../agent/prompts/stopped.md").trim_ascii_end();

/// Answer to a call that was not approved together with others, and whose run was then interrupted.
pub const NOT_APPROVED: &str = include_str!("../agent/prompts/not_approved.md").trim_ascii_end();

/// Answer to a call that had not run when the user sent another message.
pub const SUPERSEDED: &str = include_str!("../agent/prompts/superseded.md").trim_ascii_end();

/// Answer to a call that had not run when the user went to another branch.
pub const BRANCH_LEFT: &str = include_str!("../agent/prompts/branch_left.md").trim_ascii_end();

/// Answer to a call that was edited: it is stored on the branch that is abandoned.
pub const LEFT_BEHIND: &str = include_str!("../agent/prompts/left_behind.md").trim_ascii_end();

/// The call that an action event asks for; `None` for other events and for actions that cannot run.
pub fn call_of(event: &Event) -> Option<Call> {
    call_in(event.body(), event.id())
}

/// As [`call_of`], for a body that has no event yet.
pub fn call_in(body: &Body, id: &EventId) -> Option<Call> {
    let Body::ActionEvent(action) = body else { return None };
    Some(Call {
        action_id: id.clone(),
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        arguments: arguments_of_record(action.action.as_ref()?).into(),
    })
}

/// A rejection by the user.
pub fn rejection(event: &Event, reason: &str) -> Option<NewEvent> {
    let Body::ActionEvent(action) = event.body() else { return None };
    let rejection = UserRejectObservation {
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        rejection_reason: reason.to_owned(),
        rejection_source: RejectionSource::User,
        action_id: event.id().as_str().to_owned(),
    };
    Some(NewEvent::new(Source::Environment, rejection))
}

/// A rejection by a hook.
pub fn rejection_by_hook(call: &Call, reason: String) -> NewEvent {
    let rejection = UserRejectObservation {
        tool_name: call.tool_name.clone(),
        tool_call_id: call.tool_call_id.clone(),
        rejection_reason: reason,
        rejection_source: RejectionSource::Hook,
        action_id: call.action_id.as_str().to_owned(),
    };
    NewEvent::new(Source::Environment, rejection)
}

/// An error that answers an interrupted call with this text.
pub fn interruption(event: &Event, text: &str) -> Option<NewEvent> {
    let Body::ActionEvent(action) = event.body() else { return None };
    Some(error_event(&action.tool_name, &action.tool_call_id, text))
}
