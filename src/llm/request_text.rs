//! The text of messages that were sent before. A request says again all that the one before it said, so that is kept,
//! and only what is new is written.

use crate::llm::message::Message;
use std::{
    cell::{Ref, RefCell},
    fmt,
    rc::Rc,
};

/// The messages of the last request as text.
#[derive(Default)]
pub struct RequestText(RefCell<Cached>);

#[derive(Default)]
struct Cached {
    way: Option<Way>,
    messages: Vec<Rc<Message>>,
    /// Where the text can be cut off: behind so many messages, and so many bytes.
    cuts: Vec<(usize, usize)>,
    text: String,
}

/// What the text of a message depends on besides the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    /// Where what is known of the provider is kept.
    pub provider: usize,
    pub features: [bool; 7],
}

impl RequestText {
    /// The texts of these messages with commas between. `write` is asked for those that were not written before, and at
    /// the end once more for what is to stand behind all of them; it says whether what follows can be written without
    /// knowing more than the message before. Of messages beyond so many, the text is another one next time.
    pub(super) fn of(
        &self,
        way: Way,
        messages: &[Rc<Message>],
        so_many: usize,
        write: &mut dyn FnMut(usize, &mut Texts<'_>) -> bool,
    ) -> Ref<'_, str> {
        let mut kept = self.0.borrow_mut();
        if kept.way.replace(way) != Some(way) {
            kept.cuts.clear();
        }
        let same = kept.messages.iter().zip(messages).take_while(|(old, new)| Rc::ptr_eq(old, new)).count();
        let same = same.min(so_many);
        while kept.cuts.last().is_some_and(|(count, _)| *count > same) {
            kept.cuts.pop();
        }
        let (start, length) = kept.cuts.last().copied().unwrap_or_default();
        kept.messages.truncate(start);
        kept.text.truncate(length);
        for (at, message) in messages.iter().enumerate().skip(start) {
            let can_be_cut = write(at, &mut Texts(&mut kept.text));
            kept.messages.push(message.clone());
            if can_be_cut && at < so_many {
                let length = kept.text.len();
                kept.cuts.push((at + 1, length));
            }
        }
        write(messages.len(), &mut Texts(&mut kept.text));
        drop(kept);
        Ref::map(self.0.borrow(), |kept| kept.text.as_str())
    }
}

/// Takes texts of messages.
pub(super) struct Texts<'a>(&'a mut String);

impl Texts<'_> {
    pub(super) fn push(&mut self, json: &str) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(json);
    }
}

/// What was said is nobody's to read here.
impl fmt::Debug for RequestText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestText")
    }
}
