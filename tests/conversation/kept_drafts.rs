//! A draft that a dead page has left becomes an event before the conversation goes past it.

use crate::{
    drafts::{die_streaming, draft_files, later_world, long_stream},
    file_versions::{files_at, live, path},
    hooks::{Hook, deny},
    partial::{Server, chat, said, world},
    scripted_store::{Outcome, ScriptedStore},
    support::{Answer, World, back_to_question, calls, echo, say},
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation},
    error::{ErrorCode, Result},
    event::HookEventType,
    id::EventId,
    llm::{ApiMode, message::Content},
    store::{Commit, MemoryStore},
    tool::FileChange,
};

/// What the user does instead of asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Send,
    Edit,
    Navigate,
    NavigateBeforeAll,
}

const VERBS: [Verb; 4] = [Verb::Send, Verb::Edit, Verb::Navigate, Verb::NavigateBeforeAll];

impl Verb {
    async fn perform(self, conversation: &Conversation) -> Result<()> {
        let content = || vec![Content::text("Something else")];
        let id = async |place| conversation.id_of(place).await.unwrap();
        match self {
            Self::Send => conversation.send_message(content(), None).await.map(drop),
            Self::Edit => conversation.edit_message(&id(1).await, content()).await.map(drop),
            Self::Navigate => conversation.navigate_to(Some(id(0).await)).await,
            Self::NavigateBeforeAll => conversation.navigate_to(None).await,
        }
    }

    /// The kinds of events that follow the question.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Send | Self::Edit => &["Message", "Message"],
            Self::Navigate | Self::NavigateBeforeAll => &["Message"],
        }
    }
}

/// The id of an event.
pub fn id_of(event: &Value) -> &str {
    event["id"].as_str().unwrap()
}

/// Checks that the log has the draft once, as an event that follows the question.
fn check_kept(events: &[Value], (id, text): &(EventId, String)) {
    let kept: Vec<&Value> = events.iter().filter(|event| id_of(event) == id.as_str()).collect();
    assert_eq!(kept.len(), 1, "{events:#?}");
    assert_eq!(said(kept[0]), (text.clone(), true));
    assert_eq!(kept[0]["extended_content"][0]["text"], "[This answer broke off here.]");
    assert_eq!((&kept[0]["source"], &kept[0]["parent_id"]), (&"agent".into(), &events[1]["id"]));
}

/// A store that a page with a draft has left, a page that has opened it, and the draft.
fn with_draft() -> (MemoryStore, World, Server, Conversation, (EventId, String)) {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let (world, server) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    let draft = conversation.draft().unwrap();
    (store, world, server, conversation, draft)
}

#[test]
fn a_draft_becomes_an_event_before_the_user_goes_past_it() {
    for verb in VERBS {
        let (store, world, server, conversation, draft) = with_draft();
        block_on(verb.perform(&conversation)).unwrap();
        let events = block_on(world.events());
        assert_eq!(block_on(world.kinds())[2..], *verb.kinds(), "{verb:?}");
        check_kept(&events, &draft);
        assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
        match verb {
            Verb::Send => assert_eq!(events[3]["parent_id"], draft.0.as_str()),
            Verb::Edit => assert_eq!(events[3]["parent_id"], events[0]["id"]),
            _ => {}
        }
        if verb == Verb::Send {
            server.sent.borrow_mut().extend(chat(&["Done."], true));
            block_on(conversation.run(CancelToken::default())).unwrap();
            let request = server.requests.borrow().last().unwrap()["messages"].to_string();
            assert_eq!(request.matches(draft.1.trim()).count(), 1, "{request}");
            assert!(request.contains("[This answer broke off here.]"), "{request}");
        }
        let length = conversation.length();
        drop(conversation);
        let (world, _) = later_world(&store);
        let conversation = block_on(world.open()).unwrap();
        assert_eq!((conversation.draft(), conversation.length()), (None, length));
    }
}

#[test]
fn going_back_to_a_kept_draft_lets_the_agent_go_on_from_it() {
    let (_, _, server, conversation, draft) = with_draft();
    block_on(Verb::Edit.perform(&conversation)).unwrap();
    block_on(conversation.navigate_to(Some(draft.0.clone()))).unwrap();
    server.sent.borrow_mut().extend(chat(&["and on."], true));
    block_on(conversation.run(CancelToken::default())).unwrap();
    let request = server.requests.borrow().last().unwrap()["messages"].to_string();
    assert_eq!(request.matches(draft.1.trim()).count(), 1, "{request}");
    assert!(!request.contains("Something else"), "{request}");
}

#[test]
fn a_draft_stays_where_head_moves_to_its_own_question() {
    for regenerates in [true, false] {
        let (_, world, server, conversation, draft) = with_draft();
        if regenerates {
            server.sent.borrow_mut().extend(chat(&["Done."], true));
            block_on(conversation.regenerate(CancelToken::default())).unwrap();
        } else {
            let question = block_on(conversation.id_of(1)).unwrap();
            block_on(conversation.navigate_to(Some(question))).unwrap();
            assert_eq!(conversation.draft(), Some(draft.clone()));
            assert_eq!(conversation.length(), 2);
            server.sent.borrow_mut().extend(chat(&["Done."], true));
            block_on(conversation.run(CancelToken::default())).unwrap();
        }
        assert_eq!(conversation.draft(), None);
        let request = server.requests.borrow().last().unwrap()["messages"].to_string();
        assert!(!request.contains(draft.1.trim()), "{request}");
        assert!(!block_on(world.events()).iter().any(|event| id_of(event) == draft.0.as_str()));
    }
}

#[test]
fn going_back_to_before_the_calls_of_an_answer_keeps_its_draft_behind_them() {
    let store = MemoryStore::new();
    let script = [calls(&[("c", "echo", r#"{"text":"a"}"#)]), Answer::Never];
    let calling = World::new(Rc::new(store.another()), vec![echo()], script);
    let conversation = block_on(calling.open()).unwrap();
    block_on(say(&conversation, "Go"));
    assert!(conversation.run(CancelToken::default()).now_or_never().is_none());
    drop(conversation);
    let (mut streaming, server) = later_world(&store);
    streaming.tools = vec![echo()];
    let conversation = block_on(streaming.open()).unwrap();
    streaming.host.clock.0.set(Some(0.0));
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    server.sent.borrow_mut().extend(chat(&["A long story"], false));
    assert!(run.as_mut().now_or_never().is_none());
    streaming.host.clock.0.set(Some(1500.0));
    assert!(run.as_mut().now_or_never().is_none());
    drop(run);
    drop(conversation);
    let (mut world, _) = later_world(&store);
    world.tools = vec![echo()];
    let conversation = block_on(world.open()).unwrap();
    assert!(conversation.draft().is_some());
    block_on(back_to_question(&conversation)).unwrap();
    let events = block_on(world.events());
    assert_eq!(block_on(world.kinds())[1..], ["Message", "Action", "Observation", "Message"]);
    assert_eq!(said(&events[4]), ("A long story".into(), true));
    assert_eq!(events[4]["parent_id"], events[3]["id"]);
    assert_eq!(block_on(conversation.active_branch(usize::MAX)).unwrap().len(), 2);
    assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
}

#[test]
fn a_message_that_waited_when_the_page_died_follows_the_draft() {
    let store = MemoryStore::new();
    let (world, server) = world(Rc::new(store.another()), ApiMode::Chat);
    let conversation = block_on(world.open()).unwrap();
    block_on(say(&conversation, "Go"));
    world.host.clock.0.set(Some(0.0));
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    server.sent.borrow_mut().extend(chat(&["A long story"], false));
    assert!(run.as_mut().now_or_never().is_none());
    world.host.clock.0.set(Some(1500.0));
    assert!(run.as_mut().now_or_never().is_none());
    block_on(say(&conversation, "And a short one"));
    assert_eq!(draft_files(&store).len(), 1);
    drop(run);
    drop(conversation);
    let (world, _) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    let events = block_on(world.events());
    assert_eq!(block_on(world.kinds()), ["SystemPrompt", "Message", "Message", "Message"]);
    assert_eq!(said(&events[2]), ("A long story".into(), true));
    assert_eq!(events[3]["parent_id"], events[2]["id"]);
    assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
    assert!(conversation.warnings()[0].message.contains("is kept"), "{:?}", conversation.warnings());
}

#[test]
fn a_draft_comes_before_the_hooks_that_were_asked_about_the_message() {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let (mut world, _) = later_world(&store);
    world.hooks = Some(Hook::once(HookEventType::UserPromptSubmit, deny("no")));
    let conversation = block_on(world.open()).unwrap();
    let draft = conversation.draft().unwrap();
    block_on(say(&conversation, "Something else"));
    assert_eq!(block_on(world.kinds())[2..], ["Message", "HookExecution", "Message"]);
    check_kept(&block_on(world.events()), &draft);
    // So it stays above the message when that is edited.
    let message = block_on(conversation.id_of(4)).unwrap();
    block_on(conversation.edit_message(&message, vec![Content::text("Another one")])).unwrap();
    let branch = block_on(conversation.active_branch(usize::MAX)).unwrap();
    assert_eq!(*branch[2].id(), draft.0);
    assert!(branch.iter().all(|event| *event.id() != message));
}

#[test]
fn listeners_see_the_event_or_the_draft_and_never_both() {
    for verb in VERBS {
        let store = MemoryStore::new();
        die_streaming(&store, &long_stream());
        let (world, _) = later_world(&store);
        let opened: Rc<RefCell<Option<Conversation>>> = Rc::default();
        let seen: Rc<RefCell<Vec<(usize, bool)>>> = Rc::default();
        let (handle, notes, kinds) = (opened.clone(), seen.clone(), world.received.clone());
        world.heard.replace(Some(Rc::new(move || {
            if let Some(conversation) = &*handle.borrow() {
                notes.borrow_mut().push((kinds.borrow().len(), conversation.draft().is_some()));
            }
        })));
        let conversation = block_on(world.open()).unwrap();
        opened.replace(Some(conversation.clone()));
        block_on(verb.perform(&conversation)).unwrap();
        let expected: Vec<(usize, bool)> = (1..=verb.kinds().len()).map(|count| (count, false)).collect();
        assert_eq!(*seen.borrow(), expected, "{verb:?}");
        opened.replace(None);
    }
}

#[test]
fn a_follower_sees_a_draft_once_it_is_an_event() {
    let (store, _, _, writer, draft) = with_draft();
    let (following, _) = world(Rc::new(store.another()), ApiMode::Chat);
    let follower = block_on(following.open_as(Access::Follower)).unwrap();
    assert_eq!((follower.draft(), follower.length()), (None, 2));
    block_on(say(&writer, "Something else"));
    block_on(follower.catch_up()).unwrap();
    assert_eq!(*following.received.borrow(), ["MessageEvent", "MessageEvent"]);
    let branch = block_on(follower.active_branch(usize::MAX)).unwrap();
    assert_eq!(*branch[2].id(), draft.0);
}

/// The commits that a store has seen.
type Seen = Rc<RefCell<Vec<Commit>>>;

/// A store of which the first commit that `is_armed` has this outcome.
fn armed(inner: &MemoryStore, outcome: Outcome) -> (Rc<ScriptedStore>, Rc<Cell<bool>>, Seen) {
    let (is_armed, seen): (Rc<Cell<bool>>, Seen) = Default::default();
    let (arm, notes) = (is_armed.clone(), seen.clone());
    let mut store = ScriptedStore::over(inner.another());
    store.outcome = Box::new(move |_| if arm.replace(false) { outcome } else { Outcome::DONE });
    store.applied = Box::new(move |commit| notes.borrow_mut().push(commit.clone()));
    (Rc::new(store), is_armed, seen)
}

#[test]
fn a_store_that_is_full_or_dies_has_the_draft_or_its_event() {
    let outcomes = [Outcome::Full, Outcome::Dead { is_applied: false }, Outcome::Dead { is_applied: true }];
    for verb in VERBS {
        for outcome in outcomes {
            let store = MemoryStore::new();
            die_streaming(&store, &long_stream());
            let (mut page, _) = later_world(&store);
            let (failing, is_armed, commits) = armed(&store, outcome);
            page.store = failing;
            let conversation = block_on(page.open()).unwrap();
            let draft = conversation.draft().unwrap();
            is_armed.set(true);
            commits.borrow_mut().clear();
            let done = verb.perform(&conversation).now_or_never();
            let context = format!("{verb:?} {outcome:?}");
            if outcome == Outcome::Full {
                assert_eq!(done.unwrap().unwrap_err().code(), ErrorCode::StoreQuota, "{context}");
                assert_eq!(
                    (conversation.draft(), conversation.length()),
                    (Some(draft.clone()), 2),
                    "{context}"
                );
                block_on(verb.perform(&conversation)).unwrap();
                check_kept(&block_on(page.events()), &draft);
                assert_eq!(commits.borrow().len(), 1, "{context}: one transaction");
                continue;
            }
            assert!(done.is_none(), "{context}");
            drop(conversation);
            let (world, _) = later_world(&store);
            let conversation = block_on(world.open()).unwrap();
            if (outcome == Outcome::Dead { is_applied: true }) {
                assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0), "{context}");
                check_kept(&block_on(world.events()), &draft);
            } else {
                assert_eq!((conversation.draft(), conversation.length()), (Some(draft), 2), "{context}");
            }
        }
    }
}

#[test]
fn an_answer_whose_end_cannot_be_stored_is_left_as_a_draft_of_the_page() {
    for has_pieces in [true, false] {
        let store = MemoryStore::new();
        let (is_full, full) = (Rc::new(Cell::new(false)), Outcome::Full);
        let fails = is_full.clone();
        let mut scripted = ScriptedStore::over(store.another());
        scripted.outcome = Box::new(move |_| if fails.get() { full } else { Outcome::DONE });
        let (world, server) = world(Rc::new(scripted), ApiMode::Chat);
        let conversation = block_on(world.open()).unwrap();
        block_on(say(&conversation, "Go"));
        world.host.clock.0.set(Some(0.0));
        let cancel = CancelToken::default();
        let mut run = Box::pin(conversation.run(cancel.clone()));
        server.sent.borrow_mut().extend(chat(&["A long story"], false));
        assert!(run.as_mut().now_or_never().is_none());
        if has_pieces {
            world.host.clock.0.set(Some(1500.0));
            assert!(run.as_mut().now_or_never().is_none());
        }
        assert_eq!(draft_files(&store).len(), usize::from(has_pieces));
        is_full.set(true);
        cancel.cancel();
        assert_eq!(block_on(run).unwrap_err().code(), ErrorCode::StoreQuota);
        let draft = conversation.draft().unwrap();
        assert_eq!(draft.1, "A long story");
        is_full.set(false);
        block_on(say(&conversation, "Shorter"));
        check_kept(&block_on(world.events()), &draft);
        assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
    }
}

#[test]
fn files_follow_head_away_from_a_draft_and_back_to_its_event() {
    let (store, _, _, conversation, (draft, _)) = with_draft();
    block_on(async {
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"one".into()))]).await.unwrap();
        let first = conversation.id_of(0).await.unwrap();
        for _ in 0..2 {
            conversation.navigate_to(Some(first.clone())).await.unwrap();
            assert!(live(&store, conversation.id()).await.is_empty());
            assert_eq!(files_at(&conversation, &draft).await.unwrap()["a"], b"one");
            conversation.navigate_to(Some(draft.clone())).await.unwrap();
            assert_eq!(live(&store, conversation.id()).await["a"], b"one");
        }
    });
}
