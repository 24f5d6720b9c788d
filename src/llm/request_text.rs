//! A cache for the JSON of messages. A request repeats the messages of the one before it, so their text is cached, and only
//! that of new messages is written.

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
    form: Option<Form>,
    messages: Vec<Rc<Message>>,
    /// The points at which the text can be truncated: number of messages and length of the text.
    cuts: Vec<(usize, usize)>,
    text: String,
}

/// The properties of a request on which the text of a message depends.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// The address of the provider's row.
    pub provider: usize,
    pub features: [bool; 9],
    /// The field in which reasoning goes back.
    pub reasoning: Option<&'static str>,
    /// The tools that are renamed.
    pub names: Vec<(String, String)>,
}

impl RequestText {
    /// The texts of these messages, separated by commas. `write` is called for each message that is not cached, and once
    /// more at the end for text after all of them; it returns whether the text of the following messages depends only on
    /// the message before them. The text of messages from index `unchanging` on is not cached, because it changes.
    pub(super) fn of(
        &self,
        form: Form,
        messages: &[Rc<Message>],
        unchanging: usize,
        write: &mut dyn FnMut(usize, &mut Texts<'_>) -> bool,
    ) -> Ref<'_, str> {
        let mut cached = self.0.borrow_mut();
        if cached.form.as_ref() != Some(&form) {
            cached.cuts.clear();
            cached.form = Some(form);
        }
        let same = cached.messages.iter().zip(messages).take_while(|(old, new)| Rc::ptr_eq(old, new)).count();
        let same = same.min(unchanging);
        while cached.cuts.last().is_some_and(|(count, _)| *count > same) {
            cached.cuts.pop();
        }
        let (start, length) = cached.cuts.last().copied().unwrap_or_default();
        cached.messages.truncate(start);
        cached.text.truncate(length);
        for (at, message) in messages.iter().enumerate().skip(start) {
            let can_be_cut = write(at, &mut Texts(&mut cached.text));
            cached.messages.push(message.clone());
            if can_be_cut && at < unchanging {
                let length = cached.text.len();
                cached.cuts.push((at + 1, length));
            }
        }
        write(messages.len(), &mut Texts(&mut cached.text));
        drop(cached);
        Ref::map(self.0.borrow(), |cached| cached.text.as_str())
    }
}

/// The output for the texts of messages.
pub(super) struct Texts<'a>(&'a mut String);

impl Texts<'_> {
    pub(super) fn push(&mut self, json: &str) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(json);
    }
}

/// Does not show the messages.
impl fmt::Debug for RequestText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestText")
    }
}
