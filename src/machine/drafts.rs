//! Decides when the draft of an answer is not needed any more, and when it becomes an event. What drafts are:
//! `features/partial_answers/mod.rs`.

use super::Change;
use crate::{
    agent::{CutOff, NewEvent, partial_answer},
    event::{Body, Source},
    id::{EventId, StorePath},
    tool::FileChange,
};

/// The treatment of a draft that a page has left when it died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    /// It stays beside the log, to be shown, until the next run has asked the model again. If the user writes something
    /// else or leaves the branch, it becomes an event as with [`Self::Keep`].
    #[default]
    Again,
    /// It becomes an event of the log that says that it was cut off.
    Keep,
}

/// An answer of which a part is stored beside the log.
pub struct StoredDraft {
    /// The id under which it was shown.
    pub id: EventId,
    /// Its remains, once nothing more of it comes; `None` for the answer of a run that is under way.
    pub left: Option<Remains>,
    /// The files that hold it.
    pub paths: Vec<StorePath>,
}

/// The beginning of an answer whose end is not in the log.
pub struct Remains {
    /// The event that it follows, as a question.
    pub question: String,
    /// The text that was shown.
    pub text: String,
}

impl StoredDraft {
    /// The draft of an answer of which nothing is stored yet.
    pub fn of(id: EventId) -> Self {
        Self { id, left: None, paths: Vec::new() }
    }

    /// Whether the draft ends with this change, which then removes its files. If the change goes past the remains of an answer
    /// without answering the question again, it keeps them as an event first.
    pub fn ends_with(&self, change: &mut Change) -> bool {
        let is_over = match &self.left {
            Some(remains) => self.gives_way(remains, change),
            None => change.head_move.is_some() || change.events.iter().any(|event| is_end(&event.body)),
        };
        if is_over {
            change.files.extend(self.removal());
        }
        is_over
    }

    fn gives_way(&self, remains: &Remains, change: &mut Change) -> bool {
        let end = change.head_move.as_ref().map_or(change.events.len(), |head_move| head_move.after);
        let branch = change.events.get(..end).unwrap_or_default();
        if branch.iter().any(is_answer) {
            return true;
        }
        let place = match branch.iter().position(|event| matches!(event.body, Body::MessageEvent(_))) {
            // The hooks that were asked about a message belong to it.
            Some(message) => branch
                .iter()
                .take(message)
                .rposition(|event| !is_about_message(event))
                .map_or(0, |place| place + 1),
            None if remains.is_left_by(change) => end,
            None => return false,
        };
        if let Some(partial) = partial_answer(self.id.clone(), &remains.text, CutOff::BrokenOff) {
            change.events.insert(place, partial);
            change.head_move.iter_mut().for_each(|head_move| head_move.after += 1);
        }
        true
    }

    /// The changes that remove its files.
    pub fn removal(&self) -> impl Iterator<Item = FileChange> {
        self.paths.iter().map(|path| FileChange::new(path.clone(), None))
    }
}

impl Remains {
    /// Whether HEAD moves away from the question, or another branch begins at it.
    fn is_left_by(&self, change: &Change) -> bool {
        change.head_move.as_ref().is_some_and(|head_move| {
            let stays = head_move.to.as_ref().is_some_and(|to| to.as_str() == self.question);
            !stays || change.events.len() > head_move.after
        })
    }
}

/// Whether this is the end of an answer of the run, or of the run that it came in.
fn is_end(body: &Body) -> bool {
    matches!(
        body,
        Body::MessageEvent(_)
            | Body::ActionEvent(_)
            | Body::InterruptEvent(_)
            | Body::ConversationErrorEvent(_)
    )
}

fn is_answer(event: &NewEvent) -> bool {
    event.source == Source::Agent && matches!(event.body, Body::MessageEvent(_) | Body::ActionEvent(_))
}

fn is_about_message(event: &NewEvent) -> bool {
    matches!(&event.body, Body::HookExecutionEvent(hook) if hook.message_id.is_some())
}
