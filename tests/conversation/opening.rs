//! What opening costs: the end of the log, however long the log is.

use crate::{
    fateful_store::{Fate, FatefulStore},
    support::{World, say},
};
use futures_executor::block_on;
use std::{cell::Cell, rc::Rc};
use threadkeep::store::MemoryStore;

#[test]
fn opening_a_long_conversation_reads_its_end_and_not_the_log() {
    let (inner, read) = (MemoryStore::new(), Rc::new(Cell::new(0)));
    let open = || {
        let store = FatefulStore {
            inner: inner.another(),
            fate: Box::new(|_| Fate::DONE),
            applied: Box::new(|_| {}),
            events_read: read.clone(),
        };
        World::new(Rc::new(store), Vec::new(), [])
    };
    block_on(async {
        let conversation = open().open().await.unwrap();
        for place in 0..300 {
            say(&conversation, &format!("Message {place}.")).await;
        }
        conversation.close().await;
        read.set(0);
        let conversation = open().open().await.unwrap();
        assert!(conversation.length() > 300);
        // One page of it.
        assert!(read.get() <= 64, "{} events were read", read.get());
    });
}
