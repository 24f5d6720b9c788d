//! What was shown of an answer stays as a draft if the page dies.

use crate::{
    partial::{GO_ON, Server, chat, said, world},
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, World, say},
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use proptest::prelude::*;
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::Resume,
    llm::ApiMode,
    store::{Commit, Durability, MemoryStore, Store},
};

/// The files of drafts in the store.
pub fn draft_files(store: &dyn Store) -> Vec<String> {
    let files = block_on(store.files(ID.parse().unwrap(), Some(&"drafts".parse().unwrap()))).unwrap();
    files.iter().map(|path| path.as_str().to_owned()).collect()
}

/// A page that streams these texts, each after so many milliseconds, and then dies. Returns what was shown, and what
/// was shown a second before the death.
pub fn die_streaming(store: &MemoryStore, texts: &[(String, u32)]) -> (String, String) {
    die_streaming_over(Rc::new(store.another()), texts)
}

fn die_streaming_over(store: Rc<dyn Store>, texts: &[(String, u32)]) -> (String, String) {
    let (world, server) = world(store.clone(), ApiMode::Chat);
    let conversation = block_on(world.open()).unwrap();
    block_on(say(&conversation, "Go"));
    world.host.clock.0.set(Some(0.0));
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    assert!(run.as_mut().now_or_never().is_none());
    let (mut now, mut shown) = (0.0, Vec::new());
    for (text, wait) in texts {
        // Timers fire when they are due, and not with the next piece.
        for _ in 0..*wait {
            now += 1.0;
            world.host.clock.0.set(Some(now));
            if now % 50.0 == 0.0 {
                assert!(run.as_mut().now_or_never().is_none());
            }
        }
        server.sent.borrow_mut().extend(chat(&[text], false));
        assert!(run.as_mut().now_or_never().is_none());
        shown.push((now, world.shown.borrow().clone()));
        let files = draft_files(&*store).len() as f64;
        assert!(files <= now / 1000.0, "{files} files after {now} ms");
    }
    let before = shown.iter().rev().find(|(at, _)| *at + 1050.0 <= now);
    let before = before.map(|(_, text)| text.clone()).unwrap_or_default();
    (world.shown.borrow().clone(), before)
}

/// The other ids, after those of the page that died.
pub fn later_world(store: &MemoryStore) -> (World, Server) {
    let (world, server) = world(Rc::new(store.another()), ApiMode::Chat);
    for _ in 0..1000 {
        threadkeep::host::Host::random_uuid(&*world.host);
    }
    (world, server)
}

fn streamed_texts() -> impl Strategy<Value = Vec<(String, u32)>> {
    prop::collection::vec(("[a-z\u{e9}\u{1f600} \"\n]{1,9}", 0_u32..900), 1..14)
}

proptest! {
    #[test]
    fn the_death_of_a_page_loses_at_most_the_last_second_of_an_answer(
        texts in streamed_texts(),
        again in streamed_texts(),
        keeps in any::<bool>(),
    ) {
        let store = MemoryStore::new();
        let (shown, before) = die_streaming(&store, &texts);
        let (mut world, server) = later_world(&store);
        world.resume = if keeps { Resume::Keep } else { Resume::Again };
        let conversation = block_on(world.open()).unwrap();
        let events = block_on(world.events());
        let warnings = conversation.warnings();
        prop_assert_eq!(warnings.len(), 1);
        if keeps {
            let kept: Vec<(String, bool)> =
                events.iter().filter(|event| event["source"] == "agent").skip(1).map(said).collect();
            prop_assert!(kept.len() <= 1);
            let text = kept.first().map(|(text, _)| text.clone()).unwrap_or_default();
            prop_assert!(shown.starts_with(&text), "{text:?} {shown:?}");
            prop_assert!(text.len() >= before.len() || before.trim().is_empty(), "{text:?} {before:?}");
            prop_assert!(kept.iter().all(|(_, is_cut_off)| *is_cut_off));
            prop_assert_eq!(warnings[0].message.contains("is kept"), !kept.is_empty());
            prop_assert_eq!(draft_files(&store), Vec::<String>::new());
            prop_assert_eq!(conversation.draft(), None);
            return Ok(());
        }
        prop_assert_eq!(events.len(), 2);
        let text = conversation.draft().map(|(_, text)| text).unwrap_or_default();
        prop_assert!(shown.starts_with(&text), "{text:?} {shown:?}");
        prop_assert!(text.len() >= before.len() || before.trim().is_empty(), "{text:?} {before:?}");
        prop_assert_eq!(warnings[0].message.contains("is a draft"), !text.is_empty());
        drop(conversation);
        // Another page dies while the model answers again: there is one draft all the same.
        let (shown_again, _) = die_streaming_again(&store, &again);
        let (world, _) = later_world(&store);
        let conversation = block_on(world.open()).unwrap();
        let left = conversation.draft().map(|(_, text)| text).unwrap_or_default();
        prop_assert!(left == text || shown_again.starts_with(&left), "{left:?} {text:?} {shown_again:?}");
        // The model never sees it, and its answer removes it.
        let (world, answering) = later_world(&store);
        drop(conversation);
        let conversation = block_on(world.open()).unwrap();
        answering.sent.borrow_mut().extend(chat(&["Done."], true));
        block_on(conversation.run(CancelToken::default())).unwrap();
        let request = answering.requests.borrow().last().unwrap().clone();
        prop_assert_eq!(request["messages"].as_array().unwrap().len(), 2);
        prop_assert_eq!(conversation.draft(), None);
        prop_assert_eq!(draft_files(&store), Vec::<String>::new());
        let events = block_on(world.events());
        prop_assert_eq!(said(events.last().unwrap()), ("Done.".to_owned(), false));
        prop_assert!(server.requests.borrow().is_empty());
    }
}

/// As [`die_streaming`], for a conversation that has a message already.
fn die_streaming_again(store: &MemoryStore, texts: &[(String, u32)]) -> (String, String) {
    let (world, server) = later_world(store);
    let conversation = block_on(world.open()).unwrap();
    world.host.clock.0.set(Some(0.0));
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    assert!(run.as_mut().now_or_never().is_none());
    let mut now = 0.0;
    for (text, wait) in texts {
        now += f64::from(*wait);
        world.host.clock.0.set(Some(now));
        server.sent.borrow_mut().extend(chat(&[text], false));
        assert!(run.as_mut().now_or_never().is_none());
    }
    (world.shown.borrow().clone(), String::new())
}

pub fn long_stream() -> Vec<(String, u32)> {
    (0..5).map(|number| (format!("word {number} "), 700)).collect()
}

fn is_of_a_draft(commit: &Commit) -> bool {
    commit.files.iter().any(|(path, content)| path.as_str().starts_with("drafts/") && content.is_some())
}

#[test]
fn a_piece_of_a_draft_is_stored_alone() {
    let seen = Rc::new(Cell::new(0));
    let count = seen.clone();
    let mut store = ScriptedStore::over(MemoryStore::new());
    store.applied = Box::new(move |commit| {
        if is_of_a_draft(commit) {
            assert!(commit.events.is_empty() && commit.base_state.is_none() && commit.files.len() == 1);
            assert_eq!((commit.at, commit.durability), (0.0, Durability::Relaxed));
            count.set(count.get() + 1);
        }
    });
    die_streaming_over(Rc::new(store), &long_stream());
    assert_eq!(seen.get(), 2);
}

/// A store of which that commit of a draft has another outcome.
fn failing_at(inner: &MemoryStore, place: usize, outcome: Outcome) -> Rc<ScriptedStore> {
    let count = Cell::new(0);
    let mut store = ScriptedStore::over(inner.another());
    store.outcome = Box::new(move |commit| match is_of_a_draft(commit) {
        true if count.replace(count.get() + 1) == place => outcome,
        _ => Outcome::DONE,
    });
    Rc::new(store)
}

#[test]
fn a_page_that_dies_at_any_commit_of_a_draft_leaves_the_pieces_before_it() {
    for place in 0..2 {
        for is_applied in [false, true] {
            let store = MemoryStore::new();
            let dying = failing_at(&store, place, Outcome::Dead { is_applied });
            let (shown, _) = die_streaming_over(dying, &long_stream());
            assert_eq!(draft_files(&store).len(), place + usize::from(is_applied));
            let (world, server) = later_world(&store);
            let conversation = block_on(world.open()).unwrap();
            let left = conversation.draft().map(|(_, text)| text).unwrap_or_default();
            assert!(shown.starts_with(&left), "{left:?} {shown:?}");
            assert_eq!(left.is_empty(), draft_files(&store).is_empty());
            server.sent.borrow_mut().extend(chat(&["Done."], true));
            block_on(conversation.run(CancelToken::default())).unwrap();
            assert_eq!(draft_files(&store), Vec::<String>::new());
        }
    }
}

#[test]
fn a_store_that_is_full_at_any_commit_of_a_draft_does_not_disturb_the_answer() {
    for place in 0..3 {
        let store = MemoryStore::new();
        let (world, server) = world(failing_at(&store, place, Outcome::Full), ApiMode::Chat);
        let conversation = block_on(world.open()).unwrap();
        block_on(say(&conversation, "Go"));
        world.host.clock.0.set(Some(0.0));
        let mut run = Box::pin(conversation.run(CancelToken::default()));
        for second in 0..5 {
            server.sent.borrow_mut().extend(chat(&["word "], false));
            assert!(run.as_mut().now_or_never().is_none());
            world.host.clock.0.set(Some(f64::from(second) * 1000.0));
            assert!(run.as_mut().now_or_never().is_none());
        }
        assert!(draft_files(&store).len() == place, "no piece follows one that is missing");
        server.sent.borrow_mut().extend(chat(&["end"], true));
        assert_eq!(block_on(run).unwrap().final_response.as_deref(), Some("word word word word word end"));
        assert_eq!(draft_files(&store), Vec::<String>::new());
        drop(conversation);
        let (world, _) = later_world(&store);
        let conversation = block_on(world.open()).unwrap();
        assert_eq!((conversation.draft(), conversation.warnings().len()), (None, 0));
    }
}

#[test]
fn a_draft_stays_while_nothing_takes_its_place() {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let (world, _) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    let draft = conversation.draft();
    let cancel = CancelToken::default();
    let mut run = Box::pin(conversation.run(cancel.clone()));
    assert!(run.as_mut().now_or_never().is_none());
    cancel.cancel();
    block_on(run).unwrap();
    assert_eq!(conversation.draft(), draft, "nothing of the other answer has come");
    drop(conversation);
    let (world, _) = later_world(&store);
    assert_eq!(block_on(world.open()).unwrap().draft(), draft);
}

#[test]
fn a_draft_of_a_question_that_another_program_has_answered_is_removed() {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let drafts: Vec<_> = draft_files(&store)
        .into_iter()
        .map(|path| {
            let path: threadkeep::id::StorePath = path.parse().unwrap();
            let content = block_on(store.read_file(ID.parse().unwrap(), &path)).unwrap();
            (path, content)
        })
        .collect();
    let (world, server) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    server.sent.borrow_mut().extend(chat(&["Answered."], true));
    block_on(conversation.run(CancelToken::default())).unwrap();
    // As if that program did not know drafts.
    let length = conversation.length();
    let commit = threadkeep::store::Commit { files: drafts, ..threadkeep::store::Commit::new(length, 0.0) };
    block_on(store.commit(ID.parse().unwrap(), commit)).unwrap();
    drop(conversation);
    let (mut world, _) = later_world(&store);
    world.resume = Resume::Keep;
    let conversation = block_on(world.open()).unwrap();
    assert_eq!(conversation.draft(), None);
    assert_eq!(draft_files(&store), Vec::<String>::new());
    assert_eq!(block_on(world.events()).len() as u64, length);
}

#[test]
fn a_run_that_ends_leaves_no_draft_of_its_answer() {
    for is_stopped in [true, false] {
        let store = MemoryStore::new();
        let (world, server) = world(Rc::new(store.another()), ApiMode::Chat);
        let conversation = block_on(world.open()).unwrap();
        block_on(say(&conversation, "Go"));
        world.host.clock.0.set(Some(0.0));
        let cancel = CancelToken::default();
        let mut run = Box::pin(conversation.run(cancel.clone()));
        server.sent.borrow_mut().extend(chat(&["A long "], false));
        assert!(run.as_mut().now_or_never().is_none());
        assert_eq!(draft_files(&store), Vec::<String>::new(), "not before the first second");
        world.host.clock.0.set(Some(1500.0));
        assert!(run.as_mut().now_or_never().is_none());
        assert_eq!(draft_files(&store).len(), 1);
        if is_stopped {
            cancel.cancel();
        } else {
            server.sent.borrow_mut().extend(chat(&["story."], true));
        }
        block_on(run).unwrap();
        assert_eq!(draft_files(&store), Vec::<String>::new());
        assert_eq!(said(&block_on(world.events())[2]).1, is_stopped);
    }
}

#[test]
fn a_fork_does_not_copy_a_draft() {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let (world, _) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    let id: threadkeep::id::ConversationId = "1f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
    let options =
        threadkeep::conversation::ForkOptions { id, from: None, tags: Vec::new(), resets_stats: true };
    block_on(conversation.fork(options)).unwrap();
    assert!(block_on(store.files(id, None)).unwrap().is_empty());
    assert!(conversation.draft().is_some());
}

#[test]
fn a_model_is_asked_to_go_on_from_a_kept_draft_only_where_nothing_follows_it() {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let (mut world, server) = later_world(&store);
    world.resume = Resume::Keep;
    let conversation = block_on(world.open()).unwrap();
    server.sent.borrow_mut().extend(chat(&["and on."], true));
    block_on(conversation.run(CancelToken::default())).unwrap();
    block_on(say(&conversation, "More"));
    *server.sent.borrow_mut() = chat(&["No."], true).into();
    block_on(conversation.run(CancelToken::default())).unwrap();
    let requests = server.requests.borrow();
    let [first, second] = [0, 1].map(|at| requests[at]["messages"].to_string());
    assert!(first.contains("[This answer broke off here.]") && first.contains(GO_ON), "{first}");
    assert!(second.contains("[This answer broke off here.]") && !second.contains(GO_ON), "{second}");
}
