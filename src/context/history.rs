//! The messages of a view that grows, most of which were made before.

use crate::{
    context::{
        messages::history_of,
        pairs::{action_named_by, call_of, pairs},
    },
    event::{Body, Event},
    llm::message::{Message, Role},
    names::Names,
};
use std::rc::Rc;

/// Messages that nothing can change any more that may follow.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    messages: Vec<Rc<Message>>,
    /// Of so many events.
    events: usize,
    /// Where the actions among them are.
    actions: Names,
}

impl History {
    /// The messages of these events, which begin with those of the last time.
    pub fn messages(&mut self, events: &[Event]) -> Vec<Rc<Message>> {
        let rest = events.get(self.events..).unwrap_or_default();
        let is_first = |place: usize| self.events == 0 && place == 0;
        let concerns_all = |(place, event): (usize, &Event)| {
            // Instructions go to the front; a second answer is one to no other call.
            gives_instructions(event) && !is_first(place) || self.is_answered_by(events, event)
        };
        if rest.iter().enumerate().any(concerns_all) {
            return shared(history_of(events));
        }
        let (settled, rest) = rest.split_at_checked(settled(rest)).unwrap_or_default();
        self.messages.append(&mut shared(history_of(settled)));
        for event in settled {
            if call_of(event).is_some() {
                self.actions.add(event.id().as_str(), self.events);
            }
            self.events += 1;
        }
        let mut messages = self.messages.clone();
        messages.append(&mut shared(history_of(rest)));
        messages
    }

    fn is_answered_by(&self, events: &[Event], answer: &Event) -> bool {
        let named = action_named_by(answer).and_then(|id| events.get(self.actions.get(id)?));
        named.and_then(call_of).is_some_and(|call| answer.answered_call() == Some(call))
    }
}

fn shared(messages: Vec<Message>) -> Vec<Rc<Message>> {
    messages.into_iter().map(Rc::new).collect()
}

fn gives_instructions(event: &Event) -> bool {
    match event.body() {
        Body::SystemPromptEvent(_) => true,
        Body::MessageEvent(body) => body.llm_message.role == Role::System,
        _ => false,
    }
}

/// How many events make messages that stay: all their calls are answered, and what is next begins another message.
fn settled(events: &[Event]) -> usize {
    let mut settled = 0;
    let mut open = 0_usize;
    let mut is_answered = vec![false; events.len()];
    let mut is_after_action = false;
    for (place, (event, pair)) in events.iter().zip(pairs(events)).enumerate() {
        let is_action = matches!(event.body(), Body::ActionEvent(_));
        let begins_anew = match event.body() {
            Body::ActionEvent(_) => !is_after_action,
            Body::MessageEvent(body) => {
                let message = &body.llm_message;
                if message.tool_calls.is_some() || message.tool_call_id.is_some() {
                    // Calls that are no events: nobody here knows when they are answered.
                    return settled;
                }
                message.role == Role::Assistant
            }
            _ => false,
        };
        if begins_anew && open == 0 {
            settled = place;
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
    settled
}
