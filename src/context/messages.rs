//! A view's events as the messages that a model is sent.
//!
//! [`events_to_messages`] gives exactly the SDK's messages (`event/base.py`, `LLMConvertibleEvent`). For some logs
//! those are not a history that a provider accepts: the SDK answers an invalid call before it has logged the rest of
//! its response, which splits the response in two, a call left over by `finish` is answered after the user's next
//! message, and an answer or a result can be empty. [`repair`] puts such histories in order and leaves every other one
//! alone. The log itself is never changed.

use crate::{
    event::{ActionEvent, Body, Event},
    llm::message::{Content, Message, Role},
    names::Names,
};

/// What a call is answered with if the log has no answer.
const NO_RESULT: &str = "No result of this call was recorded.";

/// What a call is answered with if its result is empty.
const NO_OUTPUT: &str = "The call gave no output.";

/// The messages of these events. The actions of one response make one message, neighbouring messages of the user
/// are one, and a [`crate::event::Condensation`] stands for its summary.
pub fn events_to_messages(events: &[Event]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut open_response = None;
    for event in events {
        let body = event.body();
        if let (Body::ActionEvent(action), Some(last)) = (body, messages.last_mut())
            && open_response == Some(action.llm_response_id.as_str())
        {
            add_call(last, action);
            continue;
        }
        let message = match body {
            Body::Condensation(condensation) => Some(condensation.to_llm_message()),
            _ => event.to_llm_message(),
        };
        let Some(message) = message else { continue };
        open_response = match body {
            Body::ActionEvent(action) => Some(&action.llm_response_id),
            _ => None,
        };
        match messages.last_mut() {
            Some(last) if is_plain_user_message(last) && is_plain_user_message(&message) => {
                last.content.extend(message.content);
            }
            _ => messages.push(message),
        }
    }
    messages
}

/// Adds a further call of the same response. Only the first has something beside its call; what a foreign log has
/// on a later one is kept.
fn add_call(message: &mut Message, action: &ActionEvent) {
    message.content.extend(action.thought.iter().cloned());
    message.tool_calls.get_or_insert_default().push(action.tool_call.clone());
}

fn is_plain_user_message(message: &Message) -> bool {
    message.role == Role::User
        && message.tool_calls.is_none()
        && message.tool_call_id.is_none()
        && message.name.is_none()
}

/// The same history in a form that every provider accepts: instructions come first, each call is answered exactly once,
/// directly behind its message, nothing is answered that was not called, and nothing is empty. A history that is like
/// this already is not changed.
pub fn repair(messages: Vec<Message>) -> Vec<Message> {
    let messages = instructions_first(messages);
    let mut last_answers = Names::default();
    for (index, message) in messages.iter().enumerate() {
        if let Some(id) = answered_call(message) {
            last_answers.set(id, index);
        }
    }
    let mut turns: Vec<Turn> = Vec::with_capacity(messages.len());
    for (index, message) in messages.into_iter().enumerate() {
        if message.role == Role::Tool {
            // An answer belongs to the latest call of its id that is still open; one without a call is left out.
            let is_asked_for =
                |turn: &&mut Turn| message.tool_call_id.as_ref().is_some_and(|id| turn.open.contains(id));
            if let Some(turn) = turns.iter_mut().rev().find(is_asked_for) {
                turn.answer(message);
            }
            continue;
        }
        let turn = Turn::of(message);
        match turns.last_mut() {
            Some(last) if last.is_continued_by(&turn, |id| last_answers.get(id) > Some(index)) => {
                last.absorb(turn);
            }
            _ => turns.push(turn),
        }
    }
    let mut repaired = Vec::new();
    for turn in turns {
        turn.give(&mut repaired);
    }
    repaired
}

/// What is not empty, the instructions before everything else.
fn instructions_first(messages: Vec<Message>) -> Vec<Message> {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for message in messages {
        if let Some(message) = without_emptiness(message) {
            let list = if message.role == Role::System { &mut first } else { &mut others };
            list.push(message);
        }
    }
    first.append(&mut others);
    first
}

/// The message without empty texts, or nothing if it says nothing then. A result has to be there all the same, and a
/// message with calls is sent without its empty texts as it is.
fn without_emptiness(mut message: Message) -> Option<Message> {
    let has_calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    if message.role == Role::Assistant && has_calls {
        return Some(message);
    }
    message.content.retain(|part| part.as_text() != Some(""));
    if message.content.is_empty() && message.role == Role::Tool {
        message.content.push(Content::text(NO_OUTPUT));
    }
    (!message.content.is_empty() || !message.thinking_blocks.is_empty()).then_some(message)
}

fn answered_call(message: &Message) -> Option<&str> {
    if message.role == Role::Tool { message.tool_call_id.as_deref() } else { None }
}

/// A message and the answers to its calls.
struct Turn {
    message: Message,
    answers: Vec<Message>,
    /// Ids of the calls that have no answer yet.
    open: Vec<String>,
}

impl Turn {
    fn of(message: Message) -> Self {
        let calls = if message.role == Role::Assistant { message.tool_calls.as_deref() } else { None };
        let mut open = Vec::new();
        for call in calls.unwrap_or_default() {
            open.push(call.id.clone());
        }
        Self { message, answers: Vec::new(), open }
    }

    fn answer(&mut self, answer: Message) {
        if let Some(place) = self.open.iter().position(|open| Some(open) == answer.tool_call_id.as_ref()) {
            self.open.remove(place);
            self.answers.push(answer);
        }
    }

    /// Whether `next` holds further calls of the same response: it says nothing of its own, and comes while a call
    /// of this one waits for an answer that is yet to come.
    fn is_continued_by(&self, next: &Self, is_answered_later: impl Fn(&str) -> bool) -> bool {
        let says_nothing = next.message.content.is_empty()
            && next.message.reasoning_content.is_none()
            && next.message.thinking_blocks.is_empty()
            && next.message.responses_reasoning_item.is_none();
        says_nothing && !next.open.is_empty() && self.open.iter().any(|id| is_answered_later(id))
    }

    fn absorb(&mut self, next: Self) {
        self.message.tool_calls.get_or_insert_default().extend(next.message.tool_calls.unwrap_or_default());
        self.open.extend(next.open);
    }

    /// The message, its answers, and one for each call that has none.
    fn give(mut self, messages: &mut Vec<Message>) {
        for id in self.open {
            let mut answer = Message::new(Role::Tool, vec![Content::text(NO_RESULT)]);
            let calls = self.message.tool_calls.as_deref().unwrap_or_default();
            answer.name = calls.iter().find(|call| call.id == id).map(|call| call.name.clone());
            answer.tool_call_id = Some(id);
            self.answers.push(answer);
        }
        messages.push(self.message);
        messages.append(&mut self.answers);
    }
}
