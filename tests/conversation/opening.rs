//! Opening and closing: opening reads only the end of the log.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, World, echo, say, text},
};
use futures_executor::block_on;
use futures_util::{FutureExt as _, future::LocalBoxFuture};
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    archive::portable,
    cancel::CancelToken,
    conversation::Conversation,
    error::ErrorCode,
    json::EditableObject,
    llm::message::Content,
    security::ConfirmationPolicy,
    store::{Commit, MemoryStore, Store as _},
    tool::FileChange,
};

#[test]
fn opening_a_long_conversation_reads_only_the_end_of_the_log() {
    let (inner, read) = (MemoryStore::new(), Rc::new(Cell::new(0)));
    let open = || {
        let store = ScriptedStore { events_read: read.clone(), ..ScriptedStore::over(inner.another()) };
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

#[test]
fn what_a_dead_import_has_left_is_no_conversation() {
    block_on(async {
        let store = MemoryStore::new();
        let id = ID.parse().unwrap();
        let path = "workspace/old.txt".parse().unwrap();
        let rest = Commit {
            events: vec![("aaaaaaaa".parse().unwrap(), "{}".into())],
            files: vec![(path, Some(b"old".to_vec()))],
            ..Commit::new(0, 1.0)
        };
        store.commit(id, rest).await.unwrap();
        let world = World::new(Rc::new(store.another()), Vec::new(), [text("Hello!")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hi").await;
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message"]);
        assert_eq!(store.files(id, None).await.unwrap(), []);
        conversation.run(CancelToken::default()).await.unwrap();
        conversation.close().await;
        assert_eq!(world.open().await.unwrap().length(), 3);
    });
}

#[test]
fn a_store_that_has_lost_events_ends_opening_with_an_error() {
    let (store, reads) = (MemoryStore::new(), Rc::new(Cell::new(0)));
    block_on(async {
        let conversation = World::new(Rc::new(store.another()), Vec::new(), []).open().await.unwrap();
        say(&conversation, "There").await;
        let unreadable = |number: u32| (format!("{number:08x}").parse().unwrap(), "{".into());
        let id = ID.parse().unwrap();
        let length = store.load(id).await.unwrap().unwrap().length;
        let events = (0..70).map(unreadable).collect();
        store.commit(id, Commit { events, ..Commit::new(length, 1.0) }).await.unwrap();
        for lost in [1, 7, 1000] {
            reads.set(0);
            let reading = {
                let reads = Rc::clone(&reads);
                move || {
                    reads.set(reads.get() + 1);
                    assert!(reads.get() < 100, "it reads for ever");
                }
            };
            let store =
                ScriptedStore { lost, reading: Box::new(reading), ..ScriptedStore::over(store.another()) };
            let opened = World::new(Rc::new(store), Vec::new(), []).open_stored().await;
            assert_eq!(opened.err().map(|error| error.code()), Some(ErrorCode::StoreLost), "{lost} lost");
        }
    });
}

/// A mirror, or an archive, of a conversation that came from elsewhere and was not opened here since.
#[test]
fn what_leaves_a_device_has_a_policy_as_strict_as_the_one_there() {
    let state = |policy: &str, before: &str| {
        format!(
            r#"{{"threadkeep_import":{{"new":true,{before}"calls":true,"settings":true,"secrets":true}},"id":"{ID}","confirmation_policy":{{"kind":"{policy}"}}}}"#
        )
    };
    let before = r#""before":{"confirmation_policy":{"kind":"AlwaysConfirm"}},"#;
    for (policy, before, expected) in [
        ("NeverConfirm", before, "AlwaysConfirm"),
        ("AlwaysConfirm", r#""before":{"confirmation_policy":{"kind":"NeverConfirm"}},"#, "AlwaysConfirm"),
        ("NeverConfirm", "", "NeverConfirm"),
        ("NeverConfirm", r#""before":{"confirmation_policy":{"kind":"OfALaterVersion"}},"#, "AlwaysConfirm"),
    ] {
        let exported = portable(&state(policy, before), ID.parse().unwrap());
        assert!(
            exported.contains(&format!(r#""confirmation_policy":{{"kind":"{expected}"}}"#)),
            "{exported}"
        );
        assert!(!exported.contains("threadkeep_import"), "{exported}");
    }
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

#[test]
fn a_conversation_that_is_opened_and_left_is_not_stored() {
    block_on(async {
        let store = MemoryStore::new();
        let mut world = World::new(Rc::new(store.another()), vec![echo()], []);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        world.context = Some(serde_json::json!({ "system_message_suffix": "Be kind." }));
        world.mcp_config = EditableObject::parse(r#"{"a":{"url":"https://mcp.example"}}"#).unwrap();
        let conversation = world.open().await.unwrap();
        let secrets = EditableObject::parse(r#"{"A":{"kind":"StaticSecret","value":null}}"#).unwrap();
        conversation.open_with_secrets(&secrets).await.unwrap();
        let prepared = conversation.state().json();
        for part in ["AlwaysConfirm", "Be kind.", "mcp.example", "StaticSecret"] {
            assert!(prepared.contains(part), "{part} is not in {prepared}");
        }
        assert!(!conversation.is_stored());
        assert!(conversation.events(0..10).await.unwrap().is_empty());
        assert!(conversation.warnings().is_empty());
        conversation.close().await;
        assert_eq!(store.list().await.unwrap(), []);
        assert_eq!(store.files(ID.parse().unwrap(), None).await.unwrap(), []);
    });
}

/// What opening has prepared is stored with it, in one commit.
#[test]
fn the_first_commit_stores_a_conversation_completely() {
    type Act = fn(&Conversation) -> LocalBoxFuture<'_, ()>;
    let acts: [Act; 4] = [
        |conversation| Box::pin(say(conversation, "Hello?")),
        |conversation| Box::pin(async { conversation.set_tags(&[("a".into(), "b".into())]).await.unwrap() }),
        |conversation| {
            let values = EditableObject::parse(r#"{"n":1}"#).unwrap();
            Box::pin(async move { conversation.set_agent_state(&values).await.unwrap() })
        },
        |conversation| {
            let files = vec![FileChange::new("workspace/a.txt".parse().unwrap(), Some(b"a".to_vec()))];
            Box::pin(async { conversation.write_files(files).await.unwrap() })
        },
    ];
    for act in acts {
        block_on(async {
            let (inner, commits) = (MemoryStore::new(), Rc::new(Cell::new(0)));
            let counted = commits.clone();
            let store = ScriptedStore {
                outcome: Box::new(move |_| {
                    counted.set(counted.get() + 1);
                    Outcome::DONE
                }),
                ..ScriptedStore::over(inner.another())
            };
            let mut world = World::new(Rc::new(store), Vec::new(), []);
            world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
            let conversation = world.open().await.unwrap();
            act(&conversation).await;
            assert_eq!(commits.get(), 1);
            let stored = inner.load(ID.parse().unwrap()).await.unwrap().unwrap();
            assert_eq!(stored.base_state, conversation.state().json());
            assert!(stored.base_state.contains("AlwaysConfirm"));
            // The next commit is one to the same conversation.
            say(&conversation, "And again.").await;
            conversation.close().await;
            let again = World::new(Rc::new(inner.another()), Vec::new(), []).open().await.unwrap();
            assert_eq!((again.length(), again.is_stored()), (conversation.length(), true));
        });
    }
}

#[test]
fn a_first_commit_that_fails_leaves_nothing_and_can_be_repeated() {
    block_on(async {
        let (inner, attempts) = (MemoryStore::new(), Rc::new(Cell::new(0)));
        let counted = attempts.clone();
        let store = ScriptedStore {
            outcome: Box::new(move |_| {
                counted.set(counted.get() + 1);
                if counted.get() == 1 { Outcome::Full } else { Outcome::DONE }
            }),
            ..ScriptedStore::over(inner.another())
        };
        let conversation = World::new(Rc::new(store), Vec::new(), []).open().await.unwrap();
        let error = conversation.send_message(vec![Content::text("Hello?")], None).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreQuota);
        assert!(!conversation.is_stored());
        assert_eq!(inner.list().await.unwrap(), []);
        say(&conversation, "Hello?").await;
        assert_eq!(inner.list().await.unwrap().len(), 1);
    });
}

/// Without locks, both handles may write; what one stores the other does not overwrite.
#[test]
fn of_two_handles_on_a_new_conversation_the_second_message_is_refused() {
    block_on(async {
        let store = MemoryStore::new();
        let open = || World::new(Rc::new(store.another()), Vec::new(), []);
        let (one, other) = (open().open().await.unwrap(), open().open().await.unwrap());
        say(&one, "Of the first.").await;
        let error = other.send_message(vec![Content::text("Of the second.")], None).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockedElsewhere);
        assert_eq!(
            other.set_tags(&[("a".into(), "b".into())]).await.unwrap_err().code(),
            ErrorCode::LockedElsewhere
        );
        say(&one, "More of the first.").await;
    });
}
