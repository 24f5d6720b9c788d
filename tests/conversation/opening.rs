//! Opening and closing: opening reads only the end of the log.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, World, say, text},
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    error::ErrorCode,
    llm::message::Content,
    store::{Commit, MemoryStore, Store as _},
};

#[test]
fn opening_a_long_conversation_reads_only_the_end_of_the_log() {
    let (inner, read) = (MemoryStore::new(), Rc::new(Cell::new(0)));
    let open = || {
        let store = ScriptedStore {
            inner: inner.another(),
            outcome: Box::new(|_| Outcome::DONE),
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

/// Without locks. The new log has the same length as the old one.
#[test]
fn a_handle_cannot_write_to_a_new_conversation_with_the_same_id() {
    block_on(async {
        let store = MemoryStore::new();
        let old = World::new(Rc::new(store.another()), Vec::new(), []).open().await.unwrap();
        say(&old, "Of the first.").await;
        let id = ID.parse().unwrap();
        let made = store.load(id).await.unwrap().unwrap();
        let events = store.events(id, 0..made.length).await.unwrap();
        store.delete(id).await.unwrap();
        let again = Commit {
            events: events.into_iter().map(|event| (event.id, event.json)).collect(),
            base_state: Some(made.base_state),
            ..Commit::new(0, made.created_at + 1.0)
        };
        store.commit(id, again).await.unwrap();
        let error = old.set_tags(&[("a".into(), "b".into())]).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockedElsewhere);
        let error = old.send_message(vec![Content::text("More.")], None).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockedElsewhere);
        let new = store.load(id).await.unwrap().unwrap();
        assert_eq!((new.length, new.updated_at), (made.length, made.created_at + 1.0));
    });
}

#[test]
fn a_deleted_conversation_is_reported_as_lost_to_an_idle_run_and_to_readers() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), Vec::new(), [text("Hello.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello?").await;
        conversation.run(Default::default()).await.unwrap();
        store.delete(ID.parse().unwrap()).await.unwrap();
        assert_eq!(conversation.run(Default::default()).await.unwrap_err().code(), ErrorCode::StoreLost);
        assert_eq!(conversation.events(0..1).await.unwrap_err().code(), ErrorCode::StoreLost);
    });
}

#[test]
fn closing_ends_a_verb_that_waits_for_code_of_the_host() {
    block_on(async {
        let conversation = World::new(Rc::new(MemoryStore::new()), Vec::new(), []).open().await.unwrap();
        let mut waits = Box::pin(conversation.until_closed::<()>(Box::pin(std::future::pending())));
        assert!(waits.as_mut().now_or_never().is_none());
        conversation.close().await;
        assert_eq!(waits.await.unwrap_err().code(), ErrorCode::InvalidState);
    });
}
