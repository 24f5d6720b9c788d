//! One commit at a time per conversation, in the order they were asked for.
//!
//! Two appends under way at once would not do: if the first fails, the second must not have been kept.

use crate::id::ConversationId;
use futures_channel::oneshot;
use std::{cell::RefCell, collections::VecDeque, rc::Rc};

/// Who is at it, and who waits.
#[derive(Clone, Default)]
pub(super) struct Turns(Rc<RefCell<Vec<Queue>>>);

/// A conversation somebody is at, and who waits for it.
type Queue = (ConversationId, VecDeque<oneshot::Sender<Turn>>);

/// The right to write. Passes to the next when it is dropped.
pub(super) struct Turn {
    turns: Turns,
    conversation: ConversationId,
}

impl Turns {
    /// Resolves when all turns taken before are over.
    pub(super) async fn take(&self, conversation: ConversationId) -> Turn {
        let waiting = {
            let mut queues = self.0.borrow_mut();
            match queues.iter_mut().find(|(of, _)| *of == conversation) {
                Some((_, queue)) => {
                    let (sender, waiting) = oneshot::channel();
                    queue.push_back(sender);
                    Some(waiting)
                }
                None => {
                    queues.push((conversation, VecDeque::new()));
                    None
                }
            }
        };
        if let Some(waiting) = waiting
            && let Ok(turn) = waiting.await
        {
            return turn;
        }
        Turn { turns: self.clone(), conversation }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        loop {
            let next = {
                let mut queues = self.turns.0.borrow_mut();
                let queue = queues.iter_mut().find(|(of, _)| *of == self.conversation);
                let next = queue.and_then(|(_, queue)| queue.pop_front());
                if next.is_none() {
                    queues.retain(|(of, _)| *of != self.conversation);
                }
                next
            };
            let Some(next) = next else { return };
            if next.is_canceled() {
                continue;
            }
            // Not taken after all, it is dropped here and passes on.
            let _ = next.send(Self { turns: self.turns.clone(), conversation: self.conversation });
            return;
        }
    }
}
