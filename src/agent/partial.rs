//! An answer that has ended early: the text that was shown of it, as an event that says that it was cut off.
//!
//! The mark is the event's `extended_content`, so that Python reads and sends it too. No other message of an agent has
//! one, so that nobody who reads events has to know the sentences.

use super::Draft;
use crate::{
    event::{MessageEvent, Source},
    id::EventId,
    llm::message::{Content, Message, Role},
};
use std::cell::RefCell;

/// The reason why an answer has ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOff {
    /// The user has stopped it.
    Stopped,
    /// The server, the network or the page has failed.
    BrokenOff,
}

impl CutOff {
    /// The sentence that the event and the model get.
    fn sentence(self) -> &'static str {
        match self {
            Self::Stopped => include_str!("prompts/answer_stopped.md").trim_ascii_end(),
            Self::BrokenOff => include_str!("prompts/answer_broken_off.md").trim_ascii_end(),
        }
    }
}

/// The text of an answer as it was shown so far, with secrets masked.
pub struct ShownAnswer {
    /// The id of the answer's first event, under which its pieces were shown.
    pub id: EventId,
    text: RefCell<String>,
}

impl ShownAnswer {
    /// An answer of which nothing was shown.
    pub fn new(id: EventId) -> Self {
        Self { id, text: RefCell::default() }
    }

    /// Adds text that is shown.
    pub fn push(&self, text: &str) {
        self.text.borrow_mut().push_str(text);
    }

    /// Forgets the text, because the answer begins anew.
    pub fn restart(&self) {
        self.text.borrow_mut().clear();
    }

    /// The event that keeps the text; `None` if there is none to see.
    pub fn cut_off(&self, why: CutOff) -> Option<Draft> {
        let text = self.text.borrow();
        if text.trim().is_empty() {
            return None;
        }
        let message = Message::new(Role::Assistant, vec![Content::text(text.as_str())]);
        let mark = Content::text(why.sentence());
        let event = MessageEvent { extended_content: vec![mark], ..MessageEvent::new(message) };
        Some(Draft { id: Some(self.id.clone()), ..Draft::new(Source::Agent, event) })
    }
}
