//! A cache of a view's messages, so that a request does not build those of earlier requests again.

use crate::{
    context::{
        messages::{has_content, history_of},
        pairs::{answered_action, call_of, pairs},
    },
    event::{Body, Event},
    id::EventId,
    llm::message::{Message, Role},
};
use std::{collections::HashMap, rc::Rc};

/// The messages that no further event can change.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    messages: Vec<Rc<Message>>,
    /// The number of events in these messages.
    events: usize,
    /// The places of the actions among these events, by id.
    actions: HashMap<EventId, usize>,
}

impl History {
    /// The messages of these events, which must begin with the events of the last call.
    pub fn messages(&mut self, events: &[Event]) -> Vec<Rc<Message>> {
        let rest = events.get(self.events..).unwrap_or_default();
        let is_first = |place: usize| self.events == 0 && place == 0;
        let concerns_all = |(place, event): (usize, &Event)| {
            // Such an event changes earlier messages: instructions move to the front, and of several answers to a call
            // the order matters.
            is_instruction(event) && !is_first(place) || self.is_answered_by(events, event)
        };
        if rest.iter().enumerate().any(concerns_all) {
            return shared(history_of(events));
        }
        let (complete, rest) = rest.split_at_checked(complete_length(rest)).unwrap_or_default();
        self.messages.append(&mut shared(history_of(complete)));
        for event in complete {
            if call_of(event).is_some() {
                self.actions.entry(event.id().clone()).or_insert(self.events);
            }
            self.events += 1;
        }
        let mut messages = self.messages.clone();
        messages.append(&mut shared(history_of(rest)));
        messages
    }

    /// Whether this event is an answer to a call whose messages are cached.
    fn is_answered_by(&self, events: &[Event], answer: &Event) -> bool {
        let named = answered_action(answer).and_then(|id| events.get(*self.actions.get(id)?));
        named.and_then(call_of).is_some_and(|call| answer.answered_call() == Some(call))
    }
}

fn shared(messages: Vec<Message>) -> Vec<Rc<Message>> {
    messages.into_iter().map(Rc::new).collect()
}

fn is_instruction(event: &Event) -> bool {
    match event.body() {
        Body::SystemPromptEvent(_) => true,
        Body::MessageEvent(body) => body.llm_message.role == Role::System,
        _ => false,
    }
}

/// The length of the longest prefix whose messages no further event can change: all its calls are answered, and the
/// next event begins another message.
fn complete_length(events: &[Event]) -> usize {
    let mut complete = 0;
    let mut open = 0_usize;
    let mut is_answered = vec![false; events.len()];
    let mut is_after_action = false;
    for (place, (event, pair)) in events.iter().zip(pairs(events)).enumerate() {
        let is_action = matches!(event.body(), Body::ActionEvent(_));
        let begins_message = match event.body() {
            Body::ActionEvent(_) => !is_after_action,
            Body::MessageEvent(body) => {
                let message = &body.llm_message;
                if message.tool_calls.is_some() || message.tool_call_id.is_some() {
                    // Calls without action events: it is unknown when they are answered.
                    return complete;
                }
                // An empty one is left out, and what is before and after it may become one message.
                message.role == Role::Assistant && has_content(message)
            }
            _ => false,
        };
        if begins_message && open == 0 {
            complete = place;
        }
        if is_action {
            open += 1;
        } else if let Some(is_answered) = pair.and_then(|pair| is_answered.get_mut(pair))
            && !std::mem::replace(is_answered, true)
        {
            open = open.saturating_sub(1);
        }
        is_after_action = is_action;
    }
    complete
}
