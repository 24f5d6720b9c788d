//! The answers that a server streams, as the live events that show them. The end of an answer is its event in the log.

use crate::json::object;

/// The answers that are under way.
#[derive(Default)]
pub(super) struct Answers {
    open: Vec<Open>,
    /// The number of answers without a name that have ended.
    ended: u64,
    /// The time at which the last stored answer was whole, by the server's clock; empty if no piece of it can come any more.
    last: String,
}

struct Open {
    item: String,
    attempt: u64,
    /// The number of the last piece; `None` before the first.
    last: Option<u64>,
    /// Whether a piece is missing. The rest is not shown, because it would read as if it followed.
    is_lossy: bool,
}

impl Answers {
    /// An answer begins, or begins anew.
    pub fn begin(&mut self, item: String, attempt: u64) {
        self.end(&item);
        self.open.push(Open { item, attempt, last: None, is_lossy: false });
    }

    /// The live event that shows this piece; none if one before it is missing.
    pub fn piece(
        &mut self,
        item: &str,
        attempt: u64,
        order: u64,
        is_reasoning: bool,
        text: &str,
    ) -> Option<String> {
        // One that began before the socket was open has lost its beginning.
        let open = self.open.iter_mut().find(|open| open.item == item && open.attempt == attempt)?;
        let follows = open.last.is_none_or(|last| last.saturating_add(1) == order);
        open.is_lossy |= !follows;
        open.last = Some(order);
        let (content, reasoning) = if is_reasoning { (None, Some(text)) } else { (Some(text), None) };
        (!open.is_lossy).then(|| shown(&named(item, attempt), content, reasoning))
    }

    /// The live event of a piece without a number; none if its answer is stored already. The time of the piece says so, because requests
    /// may tell of an answer before the socket does, and of one more than once.
    pub fn unnumbered(
        &self,
        time: Option<&str>,
        text: Option<&str>,
        reasoning: Option<&str>,
    ) -> Option<String> {
        let has_text = [text, reasoning].into_iter().flatten().any(|text| !text.is_empty());
        let is_late = time.is_some_and(|time| *time <= *self.last);
        (has_text && !is_late).then(|| shown(&format!("answer-{}", self.ended), text, reasoning))
    }

    /// An event of the agent from this time is stored, or about to be. Times of one server have the same form.
    pub fn stored(&mut self, time: &str) {
        if *time > *self.last {
            time.clone_into(&mut self.last);
        }
    }

    /// The socket has told of an event from this time: pieces behind it are those of another answer, also if the clock goes back.
    pub fn told(&mut self, time: &str) {
        self.ended += 1;
        if *time >= *self.last {
            self.last.clear();
        }
    }

    /// An answer has ended without an event.
    pub fn end(&mut self, item: &str) {
        self.open.retain(|open| open.item != item);
    }

    /// Nothing is known of what is under way: the socket is a new one.
    pub fn forget(&mut self) {
        self.open.clear();
        self.ended += 1;
    }
}

/// Another attempt is another answer for those who show it, as it is where the loop runs here.
fn named(item: &str, attempt: u64) -> String {
    match attempt {
        0 | 1 => item.to_owned(),
        more => format!("{item}-{more}"),
    }
}

fn shown(id: &str, content: Option<&str>, reasoning: Option<&str>) -> String {
    object! {
        "kind": "StreamingDeltaEvent",
        "message_id": id,
        "content"?: content,
        "reasoning_content"?: reasoning,
    }
    .finish()
}
