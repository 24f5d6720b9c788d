//! An answer that has ended early: the text that was shown of it, as an event that says that it was cut off.
//!
//! The mark is the event's `extended_content`, so that Python reads and sends it too. No other message of an agent has
//! one, so that nobody who reads events has to know the sentences; they only say why, and TypeScript's table of them is
//! generated from here.

use super::NewEvent;
use crate::{
    event::{LONGEST_CUT_OFF, MessageEvent, Source, beginning_of, split_before},
    id::EventId,
    llm::message::{Content, Message, Role},
};
use std::cell::{Cell, RefCell};

/// The reason why an answer has ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOff {
    /// The user has stopped it.
    Stopped,
    /// The server, the network or the page has failed.
    BrokenOff,
    /// It has reached the limit of its length, or the end of the context.
    TooLong,
    /// It has reached such a limit with thoughts alone, before any text.
    OnlyThoughts,
    /// The provider's content filter has ended it.
    Filtered,
    /// The provider says only that it is not complete.
    Incomplete,
}

impl CutOff {
    /// All reasons.
    pub const ALL: &[Self] = &[
        Self::Stopped,
        Self::BrokenOff,
        Self::TooLong,
        Self::OnlyThoughts,
        Self::Filtered,
        Self::Incomplete,
    ];

    /// Why an answer that has ended for this reason is not whole, in the words of all wire APIs; `None` if it is.
    pub(super) fn of(finish_reason: &str, has_text: bool) -> Option<Self> {
        // Gemini writes the reason in capitals, and may add a colon and what its filter has found.
        let reason = finish_reason.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match reason.as_str() {
            "length"
            | "max_tokens"
            | "max_output_tokens"
            | "model_length"
            | "model_context_window_exceeded" => {
                Some(if has_text { Self::TooLong } else { Self::OnlyThoughts })
            }
            "content_filter" | "refusal" | "safety" | "recitation" | "prohibited_content" | "sensitive"
                if has_text =>
            {
                Some(Self::Filtered)
            }
            "incomplete" | "insufficient_system_resource" if has_text => Some(Self::Incomplete),
            // A pause that did not end although the answer was asked for again and again.
            "pause_turn" => Some(Self::Incomplete),
            _ => None,
        }
    }

    /// Why the answer in this event of an agent is not whole; `None` if it is. Of a sentence that nobody here has written, it is
    /// known only that it is a mark.
    pub fn of_event(answer: &MessageEvent) -> Option<Self> {
        if !answer.is_cut_off() {
            return None;
        }
        let mark = answer.extended_content.first().and_then(Content::as_text);
        let known = Self::ALL.iter().find(|why| mark == Some(why.sentence()));
        Some(known.copied().unwrap_or(Self::Incomplete))
    }

    /// Whether the same model can say more when it is asked to go on.
    pub fn can_go_on(self) -> bool {
        self != Self::Filtered
    }

    /// The name of the reason for programs.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::BrokenOff => "broken_off",
            Self::TooLong | Self::OnlyThoughts => "length",
            Self::Filtered => "content_filter",
            Self::Incomplete => "incomplete",
        }
    }

    /// The sentence that the event and the model get.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Stopped => include_str!("prompts/answer_stopped.md").trim_ascii_end(),
            Self::BrokenOff => include_str!("prompts/answer_broken_off.md").trim_ascii_end(),
            Self::TooLong => include_str!("prompts/answer_too_long.md").trim_ascii_end(),
            Self::OnlyThoughts => include_str!("prompts/answer_only_thoughts.md").trim_ascii_end(),
            Self::Filtered => include_str!("prompts/answer_filtered.md").trim_ascii_end(),
            Self::Incomplete => include_str!("prompts/answer_incomplete.md").trim_ascii_end(),
        }
    }
}

/// The text of an answer as it was shown so far, with secrets masked.
pub struct ShownAnswer {
    /// The id of the answer's first event, under which its pieces were shown.
    pub id: EventId,
    /// The last event that the model sees, which identifies the question; empty if there is none.
    pub question: String,
    /// The beginning that is kept.
    text: RefCell<String>,
    /// The number of characters behind the beginning that is kept.
    left_out: Cell<usize>,
    /// The number of bytes that are stored beside the log.
    stored: Cell<usize>,
    /// The number of attempts at the answer before this one.
    attempt: Cell<usize>,
    /// The number of pieces that were made of all attempts.
    pieces: Cell<usize>,
}

/// The part of an answer that is not stored beside the log.
pub struct Piece {
    /// Its number. Those of an attempt that was given up are not used again.
    pub number: usize,
    /// Whether nothing of this attempt is stored yet.
    pub is_first: bool,
    /// The text.
    pub text: String,
    attempt: usize,
}

impl ShownAnswer {
    /// An answer of which nothing was shown.
    pub fn new(id: EventId, question: String) -> Self {
        Self {
            id,
            question,
            text: RefCell::default(),
            left_out: Cell::default(),
            stored: Cell::default(),
            attempt: Cell::default(),
            pieces: Cell::default(),
        }
    }

    /// Adds text that is shown.
    pub fn push(&self, text: &str) {
        let mut kept = self.text.borrow_mut();
        let room = if self.left_out.get() == 0 { LONGEST_CUT_OFF.saturating_sub(kept.len()) } else { 0 };
        let (text, rest) = split_before(text, room);
        kept.push_str(text);
        self.left_out.set(self.left_out.get().saturating_add(rest.chars().count()));
    }

    /// Forgets the text, because the answer begins anew.
    pub fn restart(&self) {
        self.text.borrow_mut().clear();
        self.left_out.set(0);
        self.stored.set(0);
        self.attempt.set(self.attempt.get() + 1);
    }

    /// Whether there is text that is not stored beside the log.
    pub fn has_unstored(&self) -> bool {
        self.text.borrow().len() > self.stored.get()
    }

    /// The text that is not stored beside the log; `None` if there is none.
    pub fn next_piece(&self) -> Option<Piece> {
        let stored = self.stored.get();
        let text = self.text.borrow().get(stored..).filter(|text| !text.is_empty())?.to_owned();
        let number = self.pieces.replace(self.pieces.get() + 1);
        Some(Piece { number, is_first: stored == 0, text, attempt: self.attempt.get() })
    }

    /// Counts a piece as stored, unless the answer has begun anew since.
    pub fn note_stored(&self, piece: &Piece) {
        if piece.attempt == self.attempt.get() {
            self.stored.set(self.stored.get() + piece.text.len());
        }
    }

    /// The text that was shown, as much as is kept of it.
    pub fn text(&self) -> String {
        self.text.borrow().clone()
    }

    /// Whether there is text to see.
    pub fn is_visible(&self) -> bool {
        is_visible(&self.text.borrow())
    }

    /// The event that keeps the text; `None` if there is none to see.
    pub fn cut_off(&self, why: CutOff) -> Option<NewEvent> {
        partial_answer(self.id.clone(), &beginning_of(&self.text.borrow(), self.left_out.get()), why)
    }
}

/// The event that keeps this text of an answer; `None` if there is nothing to see.
pub fn partial_answer(id: EventId, text: &str, why: CutOff) -> Option<NewEvent> {
    if !is_visible(text) {
        return None;
    }
    let message = Message::new(Role::Assistant, vec![Content::text(text)]);
    let event =
        MessageEvent { extended_content: vec![Content::text(why.sentence())], ..MessageEvent::new(message) };
    Some(NewEvent { id: Some(id), ..NewEvent::new(Source::Agent, event) })
}

fn is_visible(text: &str) -> bool {
    !text.trim().is_empty()
}
