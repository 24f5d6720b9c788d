//! Converts a view's events to the messages of a request.
//!
//! [`events_to_messages`] gives exactly the SDK's messages (`event/base.py`, `LLMConvertibleEvent`). For some logs
//! providers refuse these: the SDK answers an invalid call before it has logged the rest of the response, which splits
//! the response in two; a call after `finish` is answered after the user's next message; and answers or results can be
//! empty. [`history_of`] repairs such histories and does not change others. The log itself is never changed.
//!
//! An answer that was cut off says so in its own message for the SDK, and has its images there. In a history, a message in
//! the user's place has both: a model would repeat the sentence, several providers refuse a history that ends with an answer,
//! and most refuse images in one.

use crate::{
    context::pairs::pairs,
    event::{ActionEvent, Body, Condensation, Event, split_before},
    json::Object,
    llm::message::{Content, Message, MessageToolCall, Role},
};
use std::collections::HashMap;

/// The answer to a call that has none in the log.
const NO_RESULT: &str = "No result of this call was recorded.";

/// How much is said of arguments that are no JSON, in bytes.
const LONGEST_NOTED: usize = 300;

/// The answer to a call whose result is empty.
const NO_OUTPUT: &str = "The call gave no output.";

/// The messages of these events. The actions of one response form one message, consecutive messages of the user are
/// joined, and a [`crate::event::Condensation`] represents its summary.
pub fn events_to_messages(events: &[Event]) -> Vec<Message> {
    numbered_in(events, Form::Sdk).into_iter().map(|numbered| numbered.message).collect()
}

/// The messages of these events in a form that every provider accepts. A summary says what it is: a model would take the
/// bare text for a message of the user, and do again what it tells of.
pub fn history_of(events: &[Event]) -> Vec<Message> {
    let mut numbered = numbered_in(events, Form::History);
    send_valid_arguments(&mut numbered);
    in_order(numbered)
}

/// Sends `{}` for arguments that are not a JSON object, as early versions of the SDK stored them: servers refuse every later request
/// because of them. The answer to such a call says what they began with.
fn send_valid_arguments(numbered: &mut [Numbered]) {
    let mut notes: Vec<(usize, String)> = Vec::new();
    for Numbered { message, calls, .. } in numbered.iter_mut() {
        for (call, number) in message.tool_calls.iter_mut().flatten().zip(calls) {
            if Object::parse(call.arguments.trim()).is_some() {
                continue;
            }
            let arguments = std::mem::replace(&mut call.arguments, "{}".to_owned());
            if !arguments.trim().is_empty() {
                let (start, _) = split_before(arguments.trim(), LONGEST_NOTED);
                notes
                    .push((*number, format!("[The arguments of this call were not a JSON object: {start}]")));
            }
        }
    }
    for Numbered { message, answers, .. } in numbered.iter_mut().filter(|_| !notes.is_empty()) {
        let note = notes.iter().find(|(number, _)| *answers == Some(*number));
        if let (Role::Tool, Some((_, note))) = (message.role, note) {
            message.content.push(Content::text(note.as_str()));
        }
    }
}

/// The form of messages that this library adds to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Sdk,
    History,
}

fn marked_summary(condensation: &Condensation) -> Message {
    let summary = condensation.summary.as_deref().unwrap_or_default();
    let text = include_str!("prompts/summary.md").trim_end().replacen("{summary}", summary, 1);
    Message::new(Role::User, vec![Content::text(text)])
}

/// A message, with the numbers of the calls that it makes and answers. Numbers are used because call ids may repeat.
struct Numbered {
    message: Message,
    calls: Vec<usize>,
    answers: Option<usize>,
}

/// Assigns numbers to calls that are identified by their ids only.
struct Numbers {
    known: HashMap<String, usize>,
    next: usize,
}

impl Numbers {
    fn from(next: usize) -> Self {
        Self { known: HashMap::new(), next }
    }

    fn number(&mut self, id: &str) -> usize {
        if let Some(known) = self.known.get(id) {
            return *known;
        }
        let number = self.next;
        self.next += 1;
        self.known.insert(id.to_owned(), number);
        number
    }

    fn numbered(&mut self, message: Message) -> Numbered {
        let mut calls = Vec::new();
        for call in calls_of(&message) {
            calls.push(self.number(&call.id));
        }
        let answers = message.tool_call_id.as_deref().map(|id| self.number(id));
        Numbered { message, calls, answers }
    }
}

fn numbered_in(events: &[Event], form: Form) -> Vec<Numbered> {
    let mut all: Vec<Numbered> = Vec::new();
    let mut others = Numbers::from(events.len());
    let mut open_response = None;
    for (event, call) in events.iter().zip(pairs(events)) {
        let body = event.body();
        if let (Body::ActionEvent(action), Some(last)) = (body, all.last_mut())
            && open_response == Some(action.llm_response_id.as_str())
        {
            add_call(&mut last.message, action);
            last.calls.extend(call);
            continue;
        }
        let mut mark = None;
        let message = match body {
            Body::Condensation(condensation) if form == Form::History => Some(marked_summary(condensation)),
            Body::Condensation(condensation) => Some(condensation.to_llm_message()),
            Body::MessageEvent(answer)
                if form == Form::History
                    && (answer.is_cut_off() || answer.llm_message.has_images_of_answer()) =>
            {
                let mut message = answer.shown_beginning();
                let mut beside = images_of(&mut message);
                beside.extend(answer.extended_content.iter().cloned());
                mark = Some(Message::new(Role::User, beside));
                Some(message)
            }
            _ => event.to_llm_message(),
        };
        let Some(message) = message else { continue };
        let mut numbered = others.numbered(message);
        open_response = None;
        if let Body::ActionEvent(action) = body {
            open_response = Some(action.llm_response_id.as_str());
            numbered.calls = call.into_iter().collect();
        } else {
            numbered.answers = call.or(numbered.answers);
        }
        match all.last_mut() {
            Some(last)
                if is_plain_user_message(&last.message) && is_plain_user_message(&numbered.message) =>
            {
                last.message.content.extend(numbered.message.content);
            }
            _ => all.push(numbered),
        }
        all.extend(mark.map(|mark| others.numbered(mark)));
    }
    all
}

/// Takes the images out of an answer, with a sentence that says what they are: no server takes an answer with images.
fn images_of(answer: &mut Message) -> Vec<Content> {
    let (images, texts): (Vec<Content>, Vec<Content>) =
        answer.content.drain(..).partition(|part| matches!(part, Content::Image { .. }));
    answer.content = texts;
    let note = Content::text(include_str!("prompts/answer_images.md").trim_ascii_end());
    let note = Some(note).filter(|_| !images.is_empty());
    note.into_iter().chain(images).collect()
}

/// Adds another call of the same response to its message. Usually only the first call of a response has a thought, but
/// those of other calls are included as well.
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

/// Repairs a history so that every provider accepts it: instructions come first, each call has exactly one answer,
/// directly after its message, no answer is without a call, and no message is empty. A valid history is not changed.
///
/// Identifies calls by their ids, while [`history_of`] identifies them by their events.
pub fn repair(messages: Vec<Message>) -> Vec<Message> {
    let mut numbers = Numbers::from(0);
    in_order(messages.into_iter().map(|message| numbers.numbered(message)).collect())
}

fn in_order(numbered: Vec<Numbered>) -> Vec<Message> {
    let numbered = instructions_first(numbered);
    // The place of the last answer to each call.
    let mut last_answers: Vec<usize> = Vec::new();
    for (place, numbered) in numbered.iter().enumerate() {
        if let (Role::Tool, Some(call)) = (numbered.message.role, numbered.answers) {
            last_answers.resize(last_answers.len().max(call + 1), 0);
            if let Some(last) = last_answers.get_mut(call) {
                *last = place;
            }
        }
    }
    let is_answered_behind = |call: usize, place: usize| last_answers.get(call) > Some(&place);
    let mut turns: Vec<Turn> = Vec::with_capacity(numbered.len());
    for (place, numbered) in numbered.into_iter().enumerate() {
        if numbered.message.role == Role::Tool {
            // An answer belongs to the latest turn in which its call is open. An answer without a call is omitted.
            let is_asked_for = |turn: &&mut Turn| numbered.answers.is_some_and(|call| turn.waits_for(call));
            if let Some(turn) = turns.iter_mut().rev().find(is_asked_for) {
                turn.answer(numbered);
            }
            continue;
        }
        let turn = Turn::of(numbered);
        match turns.last_mut() {
            Some(last) if last.is_continued_by(&turn, |call| is_answered_behind(call, place)) => {
                last.absorb(turn);
            }
            _ => turns.push(turn),
        }
    }
    let mut repaired = Vec::new();
    for turn in turns {
        turn.append_to(&mut repaired);
    }
    joined(repaired)
}

/// The messages of the user that follow each other as one: what was between them may have been empty, or no answer to any call.
fn joined(messages: Vec<Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match joined.last_mut() {
            Some(last) if is_plain_user_message(last) && is_plain_user_message(&message) => {
                last.content.extend(message.content);
            }
            _ => joined.push(message),
        }
    }
    joined
}

/// The messages that are not empty, with the instructions first.
fn instructions_first(all: Vec<Numbered>) -> Vec<Numbered> {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for numbered in all {
        if let Some(message) = without_empty_parts(numbered.message) {
            let list = if message.role == Role::System { &mut first } else { &mut others };
            list.push(Numbered { message, ..numbered });
        }
    }
    first.append(&mut others);
    first
}

/// The message without empty texts; `None` if nothing remains. An empty result gets a text instead. A message with calls
/// is not changed, as its empty texts are not sent anyway.
fn without_empty_parts(mut message: Message) -> Option<Message> {
    let has_calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    if message.role == Role::Assistant && has_calls {
        return Some(message);
    }
    message.content.retain(|part| part.as_text() != Some(""));
    if message.content.is_empty() && message.role == Role::Tool {
        message.content.push(Content::text(NO_OUTPUT));
    }
    has_content(&message).then_some(message)
}

/// Whether a message without calls says anything. An answer that only thinks does not, and other providers than its own would
/// get an empty message.
pub(super) fn has_content(message: &Message) -> bool {
    message.content.iter().any(|part| part.as_text() != Some(""))
}

/// The calls that a message makes.
fn calls_of(message: &Message) -> &[MessageToolCall] {
    let calls = if message.role == Role::Assistant { message.tool_calls.as_deref() } else { None };
    calls.unwrap_or_default()
}

/// A message and the answers to its calls.
struct Turn {
    message: Message,
    /// The answers, with the numbers of their calls.
    answers: Vec<(usize, Message)>,
    /// The numbers and ids of the calls without an answer.
    open: Vec<(usize, String)>,
}

impl Turn {
    fn of(numbered: Numbered) -> Self {
        let mut open = Vec::new();
        for (call, number) in calls_of(&numbered.message).iter().zip(numbered.calls) {
            open.push((number, call.id.clone()));
        }
        Self { message: numbered.message, answers: Vec::new(), open }
    }

    fn waits_for(&self, call: usize) -> bool {
        self.open.iter().any(|(open, _)| *open == call)
    }

    fn answer(&mut self, answer: Numbered) {
        if let Some(place) = self.open.iter().position(|(open, _)| Some(*open) == answer.answers) {
            let (call, id) = self.open.remove(place);
            let answer = Message { tool_call_id: Some(id), ..answer.message };
            // For two calls with the same id, only the order shows which answer belongs to which.
            let is_behind = |(other, message): &(usize, Message)| {
                *other > call && message.tool_call_id == answer.tool_call_id
            };
            let place = self.answers.iter().position(is_behind).unwrap_or(self.answers.len());
            self.answers.insert(place, (call, answer));
        }
    }

    /// Whether `next` contains further calls of the same response: it has no content of its own, and follows while a
    /// call of this turn has no answer but gets one later. Providers refuse two calls with the same id in one message.
    fn is_continued_by(&self, next: &Self, is_answered_later: impl Fn(usize) -> bool) -> bool {
        let has_only_calls = next.message.content.is_empty()
            && next.message.reasoning_content.is_none()
            && next.message.thinking_blocks.is_empty()
            && next.message.responses_reasoning_item.is_none();
        let has_id = |id: &str| self.open.iter().any(|(_, open)| open == id);
        let repeats_ids = next.open.iter().any(|(_, id)| has_id(id));
        has_only_calls
            && !repeats_ids
            && !next.open.is_empty()
            && self.open.iter().any(|(call, _)| is_answered_later(*call))
    }

    fn absorb(&mut self, next: Self) {
        self.message.tool_calls.get_or_insert_default().extend(next.message.tool_calls.unwrap_or_default());
        self.open.extend(next.open);
    }

    /// Appends the message and its answers, with an additional answer for each call without one.
    fn append_to(mut self, messages: &mut Vec<Message>) {
        for (call, id) in self.open {
            let mut answer = Message::new(Role::Tool, vec![Content::text(NO_RESULT)]);
            let calls = self.message.tool_calls.as_deref().unwrap_or_default();
            answer.name = calls.iter().find(|call| call.id == id).map(|call| call.name.clone());
            answer.tool_call_id = Some(id);
            self.answers.push((call, answer));
        }
        messages.push(self.message);
        messages.extend(self.answers.into_iter().map(|(_, answer)| answer));
    }
}
