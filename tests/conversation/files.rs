//! Files of a conversation: they are stored together with the result of the call that changed them.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{Answer, TestTool, World, calls, say, text, yield_once},
};
use futures_executor::block_on;
use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    error::ErrorCode,
    id::StorePath,
    store::{Commit, MemoryStore, Store as _},
    tool::{FileChange, Replay, Tool, ToolOutput},
};

fn path(text: &str) -> StorePath {
    text.parse().unwrap()
}

/// A tool that stores its text as the file `workspace/<text>`. `under_way` holds the texts of calls that have begun and
/// not returned.
fn write(under_way: &Rc<RefCell<Vec<String>>>) -> Rc<dyn Tool> {
    let under_way = under_way.clone();
    TestTool::shared("write", Replay::Safe, move |call| {
        let under_way = under_way.clone();
        async move {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            let name = arguments["text"].as_str().unwrap().to_owned();
            under_way.borrow_mut().push(name.clone());
            assert_eq!(under_way.borrow().len(), 1, "two calls that change files run at the same time");
            yield_once().await;
            under_way.borrow_mut().pop();
            let files = vec![FileChange::new(path(&format!("workspace/{name}")), Some(name.into_bytes()))];
            Ok(ToolOutput { files, ..ToolOutput::text("Written.") })
        }
    })
}

fn script() -> Vec<Answer> {
    vec![
        calls(&[("a", "write", r#"{"text":"one"}"#), ("b", "write", r#"{"text":"two"}"#)]),
        text("Both are written."),
    ]
}

#[test]
fn files_are_in_the_commit_of_the_result_and_calls_that_change_them_run_one_after_the_other() {
    block_on(async {
        let commits = Rc::new(RefCell::new(Vec::new()));
        let seen = commits.clone();
        let store = ScriptedStore {
            applied: Box::new(move |commit: &Commit| {
                if let Some((path, Some(content))) =
                    commit.files.iter().find(|(path, _)| path.as_str().starts_with("workspace/"))
                {
                    let results = commit.events.iter().filter(|(_, json)| json.contains("Written.")).count();
                    seen.borrow_mut().push((path.to_string(), content.clone(), results));
                }
            }),
            ..ScriptedStore::over(MemoryStore::new())
        };
        let mut world = World::new(Rc::new(store), vec![write(&Rc::default())], script());
        world.tool_concurrency_limit = 4;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Write two files.").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let expected = ["one", "two"].map(|name| (format!("workspace/{name}"), name.as_bytes().to_vec(), 1));
        assert_eq!(*commits.borrow(), expected);
        assert_eq!(
            world.store.files(conversation.id(), Some(&path("workspace"))).await.unwrap(),
            [path("workspace/one"), path("workspace/two")]
        );
        assert_eq!(
            world.store.read_file(conversation.id(), &path("workspace/two")).await.unwrap().unwrap(),
            b"two"
        );
    });
}

#[test]
fn a_commit_that_fails_stores_neither_result_nor_file_and_the_next_one_stores_both() {
    block_on(async {
        let inner = MemoryStore::new();
        let fails = Rc::new(Cell::new(true));
        let failing = fails.clone();
        let store = ScriptedStore {
            outcome: Box::new(move |commit| {
                if !commit.files.is_empty() && failing.take() { Outcome::Full } else { Outcome::DONE }
            }),
            ..ScriptedStore::over(inner.another())
        };
        let world = World::new(Rc::new(store), vec![write(&Rc::default())], script());
        let conversation = world.open().await.unwrap();
        say(&conversation, "Write two files.").await;
        let error = conversation.run(CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreQuota);
        conversation.run(CancelToken::default()).await.unwrap();
        for name in ["one", "two"] {
            let file = inner.read_file(conversation.id(), &path(&format!("workspace/{name}"))).await.unwrap();
            assert_eq!(file.as_deref(), Some(name.as_bytes()));
        }
        let results = world.kinds().await.iter().filter(|kind| *kind == "Observation").count();
        assert_eq!(results, 2);
    });
}

#[test]
fn a_tool_that_the_host_calls_stores_its_files_too() {
    block_on(async {
        let world = World::new(Rc::new(MemoryStore::new()), vec![write(&Rc::default())], vec![]);
        let conversation = world.open().await.unwrap();
        conversation.execute_tool("write", r#"{"text":"three"}"#, "call_1".into()).await.unwrap();
        let file = path("workspace/three");
        assert_eq!(world.store.read_file(conversation.id(), &file).await.unwrap().unwrap(), b"three");
        conversation.write_files(vec![FileChange::new(file.clone(), None)]).await.unwrap();
        assert_eq!(world.store.read_file(conversation.id(), &file).await.unwrap(), None);
        let left = world.store.files(conversation.id(), None).await.unwrap();
        assert!(left.iter().all(|path| path.as_str().starts_with("file_versions/")), "{left:?}");
    });
}
