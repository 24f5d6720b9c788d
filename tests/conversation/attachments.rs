//! Files of messages: they are stored in the transaction of their message, wherever that is stored.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{Answer, TestTool, World, calls, echo, say, text},
};
use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use serde_json::json;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Attached, Conversation, WaitingCalls},
    error::{ErrorCode, Result},
    event::{Event, HookEventType},
    hooks::{HookDecision, Hooks},
    id::StorePath,
    llm::{
        attachment::{Attachment, attachment_texts},
        message::Content,
    },
    store::{Commit, MemoryStore, Store as _},
    tool::{FileChange, Replay, ToolOutput},
};

fn path(name: &str) -> StorePath {
    format!("workspace/attachments/{name}").parse().unwrap()
}

fn attached(name: &str) -> Attached {
    let attachment = Attachment {
        path: format!("attachments/{name}"),
        name: name.into(),
        media_type: "text/plain".into(),
        size: 5,
        sha256: None,
        pages: None,
        text: Some("Hello".into()),
        problem: None,
    };
    Attached {
        texts: attachment_texts(&[attachment], None),
        files: vec![FileChange::new(path(name), Some(b"Hello".to_vec()))],
    }
}

async fn send(
    conversation: &Conversation,
    words: &[&str],
    name: &str,
    waiting_calls: Option<WaitingCalls>,
) -> Result<Event> {
    let content = words.iter().map(|words| Content::text(*words)).collect();
    conversation.send_with_files(content, attached(name), None, waiting_calls).await
}

fn line(name: &str) -> String {
    format!(
        r#"Attached file: {{"path":"attachments/{name}","name":"{name}","media_type":"text/plain","size":5}}"#
    )
}

/// Notes each commit that stores a file below `attachments`: its name, and whether the commit has a message that names it.
fn noting(commits: &Rc<RefCell<Vec<(String, bool)>>>) -> ScriptedStore {
    let seen = commits.clone();
    ScriptedStore {
        applied: Box::new(move |commit: &Commit| {
            for (path, content) in &commit.files {
                let Some(name) = path.as_str().strip_prefix("workspace/attachments/") else { continue };
                // An edited message takes the files to where they were.
                let Some(content) = content else { continue };
                assert_eq!(content, b"Hello");
                let inbox = commit.files.iter().filter(|(path, _)| path.as_str().starts_with("inbox/"));
                let inbox = inbox.filter_map(|(_, content)| std::str::from_utf8(content.as_ref()?).ok());
                let mut texts = commit.events.iter().map(|(_, json)| &**json).chain(inbox);
                let named = texts.any(|json| json.contains(&format!("attachments/{name}")));
                seen.borrow_mut().push((name.to_owned(), named));
            }
        }),
        ..ScriptedStore::over(MemoryStore::new())
    }
}

#[test]
fn a_file_is_stored_in_the_transaction_of_its_message_and_named_in_the_request() {
    block_on(async {
        let commits = Rc::default();
        let world = World::new(Rc::new(noting(&commits)), vec![echo()], [text("I see."), text("Again.")]);
        let conversation = world.open().await.unwrap();
        let sent = send(&conversation, &["Look:"], "a.txt", None).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        let user = &world.model.last_messages()[1];
        assert_eq!(user["content"][0]["text"], "Look:");
        assert_eq!(user["content"][1]["text"], format!("{}\nIts text:\nHello", line("a.txt")));
        assert_eq!(world.events().await[1]["llm_message"]["content"].as_array().unwrap().len(), 1);
        // In place of it, a message of nothing but a file.
        let edited = attached("b.txt");
        conversation.edit_with_files(sent.id(), vec![], edited).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        let user = &world.model.last_messages()[1];
        assert!(user.to_string().contains("b.txt") && !user.to_string().contains("a.txt"), "{user}");
        assert_eq!(*commits.borrow(), ["a.txt", "b.txt"].map(|name| (name.to_owned(), true)));
    });
}

/// The names of the files below `attachments`.
async fn names(store: &MemoryStore, conversation: &Conversation) -> Vec<String> {
    let folder = "workspace/attachments".parse().unwrap();
    let paths = store.files(conversation.id(), Some(&folder)).await.unwrap();
    paths.iter().map(|path| path.as_str().rsplit('/').next().unwrap().to_owned()).collect()
}

#[test]
fn an_edited_message_brings_its_files_to_where_it_goes_and_each_version_keeps_its_own() {
    block_on(async {
        let store = MemoryStore::new();
        let answers = [text("One."), text("Two."), text("Three.")];
        let world = World::new(Rc::new(store.another()), vec![echo()], answers);
        let conversation = world.open().await.unwrap();
        let first = send(&conversation, &["One"], "a.txt", None).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        let second = send(&conversation, &["Two"], "b.txt", None).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        // The second one again, with its file and another one.
        let Attached { mut texts, mut files } = attached("b.txt");
        texts.extend(attached("c.txt").texts);
        files.extend(attached("c.txt").files);
        let edited = Attached { texts, files };
        let third = conversation.edit_with_files(second.id(), vec![], edited).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(names(&store, &conversation).await, ["a.txt", "b.txt", "c.txt"]);
        // The first one without any.
        let fourth = conversation.edit_message(first.id(), vec![Content::text("Nothing.")]).await.unwrap();
        assert!(names(&store, &conversation).await.is_empty());
        let last = attached("a.txt");
        conversation.edit_with_files(fourth.id(), vec![], last).await.unwrap();
        assert_eq!(names(&store, &conversation).await, ["a.txt"]);
        for (event, expected) in [
            (first.id(), &["a.txt"][..]),
            (second.id(), &["a.txt", "b.txt"]),
            (third.id(), &["a.txt", "b.txt", "c.txt"]),
            (fourth.id(), &[]),
        ] {
            let at = conversation.files_at(event).await.unwrap().paths;
            let found: Vec<&str> = at.iter().map(|path| path.as_str().rsplit('/').next().unwrap()).collect();
            assert_eq!(found, expected);
            conversation.navigate_to(Some(event.clone())).await.unwrap();
            assert_eq!(names(&store, &conversation).await, expected);
            for name in expected {
                let content = store.read_file(conversation.id(), &path(name)).await.unwrap();
                assert_eq!(content.as_deref(), Some(&b"Hello"[..]));
            }
        }
    });
}

#[test]
fn a_message_in_the_inbox_takes_its_files_along() {
    block_on(async {
        let commits = Rc::default();
        let conversation_of_tool: Rc<RefCell<Option<Conversation>>> = Rc::default();
        let held = conversation_of_tool.clone();
        let attach = TestTool::shared("attach", Replay::Safe, move |_| {
            let conversation = held.borrow().clone().unwrap();
            async move {
                let event = send(&conversation, &["Meanwhile"], "late.txt", None).await.unwrap();
                assert!(!event.json().contains("parent_id"), "{}", event.json());
                let content = vec![Content::text("Meanwhile, in other words")];
                conversation.edit_queued_message(event.id(), content).await.unwrap();
                Ok(ToolOutput::text("Sent."))
            }
        });
        let answers: [Answer; 2] = [calls(&[("a", "attach", r#"{"text":"x"}"#)]), text("I have read both.")];
        let world = World::new(Rc::new(noting(&commits)), vec![attach], answers);
        let conversation = world.open().await.unwrap();
        conversation_of_tool.replace(Some(conversation.clone()));
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(*commits.borrow(), [("late.txt".to_owned(), true)]);
        let user = world.model.last_messages().pop().unwrap();
        assert_eq!(user["content"][0]["text"], "Meanwhile, in other words");
        assert!(user["content"][1]["text"].as_str().unwrap().starts_with(&line("late.txt")), "{user}");
        conversation_of_tool.take();
    });
}

#[test]
fn a_commit_that_fails_stores_neither_message_nor_file() {
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
        let world = World::new(Rc::new(store), vec![echo()], []);
        let conversation = world.open().await.unwrap();
        let error = send(&conversation, &["Look:"], "a.txt", None).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreQuota);
        assert_eq!(inner.read_file(conversation.id(), &path("a.txt")).await.unwrap(), None);
        send(&conversation, &["Look:"], "a.txt", None).await.unwrap();
        assert_eq!(inner.read_file(conversation.id(), &path("a.txt")).await.unwrap().unwrap(), b"Hello");
    });
}

/// A hook that adds this text to each message.
struct Adding(&'static str);

impl Hooks for Adding {
    fn has(&self, event_type: HookEventType) -> bool {
        event_type == HookEventType::UserPromptSubmit
    }

    fn ask(
        &self,
        _: HookEventType,
        _: String,
    ) -> LocalBoxFuture<'static, std::result::Result<HookDecision, String>> {
        let additional_context = Some(self.0.to_owned());
        Box::pin(async { Ok(HookDecision { additional_context, ..HookDecision::default() }) })
    }
}

#[test]
fn texts_of_skills_come_before_the_files_and_those_of_hooks_behind_them() {
    block_on(async {
        let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], [text("I see.")]);
        world.context = Some(json!({
            "skills": [{ "name": "weather", "content": "It rains.", "trigger": { "type": "keyword", "keywords": ["weather"] } }],
        }));
        world.hooks = Some(Rc::new(Adding("It is late.")));
        let conversation = world.open().await.unwrap();
        send(&conversation, &["The weather?"], "a.txt", None).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let message = events.iter().find(|event| event["kind"] == "MessageEvent").unwrap();
        let texts = message["extended_content"].as_array().unwrap();
        assert_eq!(texts.len(), 3);
        assert!(texts[0]["text"].as_str().unwrap().contains("It rains."));
        assert!(texts[1]["text"].as_str().unwrap().starts_with(&line("a.txt")));
        assert_eq!(texts[2]["text"], "It is late.");
    });
}
