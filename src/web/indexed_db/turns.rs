//! One commit at a time per conversation, in the order they were asked for.
//!
//! Two appends under way at once would not do: if the first fails, the second must not have been kept.

use crate::id::ConversationId;
use crate::oneshot;
use std::{cell::RefCell, collections::VecDeque, rc::Rc};

/// Who is at it, and who waits. Few conversations are written to at a time.
#[derive(Clone, Default)]
pub(super) struct Turns(Rc<RefCell<Vec<Queue>>>);

/// Those who wait until somebody is done with a conversation.
struct Queue {
    conversation: ConversationId,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

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
            match queues.iter_mut().find(|queue| queue.conversation == conversation) {
                Some(queue) => {
                    let (sender, waiting) = oneshot::channel();
                    queue.waiting.push_back(sender);
                    Some(waiting)
                }
                None => {
                    queues.push(Queue { conversation, waiting: VecDeque::new() });
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
                let own = queues.iter().position(|queue| queue.conversation == self.conversation);
                let next = own.and_then(|own| queues.get_mut(own)?.waiting.pop_front());
                if let (Some(own), None) = (own, &next) {
                    queues.swap_remove(own);
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
