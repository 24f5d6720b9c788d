//! Files at earlier events: random edits, moves of HEAD, copies, removals of versions, failures and new pages are compared
//! with a model that keeps all files of each event.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, TestTool, World, calls, say, text},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Attached, ChangeKind, Conversation, ForkOptions, PruneLimits},
    error::ErrorCode,
    event::{Body, Event, Source},
    id::{ConversationId, EventId, StorePath},
    llm::message::Content,
    store::{Commit, MemoryStore, Store},
    tool::{FileChange, Replay, Tool, ToolOutput},
};

type Files = BTreeMap<String, Vec<u8>>;

const COPY: &str = "2f8fad5b-d9cb-469f-a165-70867728950e";

fn path(name: &str) -> StorePath {
    format!("workspace/{name}").parse().unwrap()
}

/// A tool that takes `name=content`, or `name` to remove the file.
fn write() -> Rc<dyn Tool> {
    TestTool::shared("write", Replay::Safe, |call| async move {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        let (name, content) = change_of(arguments["text"].as_str().unwrap());
        let files = vec![FileChange::new(path(&name), content)];
        Ok(ToolOutput { files, ..ToolOutput::text("Written.") })
    })
}

fn change_of(text: &str) -> (String, Option<Vec<u8>>) {
    match text.split_once('=') {
        Some((name, content)) => (name.to_owned(), Some(content.into())),
        None => (text.to_owned(), None),
    }
}

fn apply(files: &mut Files, (name, content): (String, Option<Vec<u8>>)) {
    match content {
        Some(content) => drop(files.insert(name, content)),
        None => drop(files.remove(&name)),
    }
}

/// The files that a conversation has in the store.
async fn live(store: &dyn Store, id: ConversationId) -> Files {
    let mut files = Files::new();
    for path in store.files(id, Some(&"workspace".parse().unwrap())).await.unwrap() {
        let content = store.read_file(id, &path).await.unwrap().unwrap();
        files.insert(path.as_str().strip_prefix("workspace/").unwrap().to_owned(), content);
    }
    files
}

/// The files at an event; `None` if they are not known.
async fn files_at(conversation: &Conversation, event: &EventId) -> Option<Files> {
    let at = match conversation.files_at(event).await {
        Ok(at) => at,
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::NotFound, "{error}");
            return None;
        }
    };
    let mut files = Files::new();
    for path in at.paths {
        let content = conversation.read_file_at(&at.version, &path).await.unwrap().unwrap();
        files.insert(path.as_str().strip_prefix("workspace/").unwrap().to_owned(), content);
    }
    Some(files)
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }

    fn change(&mut self) -> String {
        let name = ["a", "b", "c", "d/e"][self.below(4)];
        match self.below(5) {
            0 => name.to_owned(),
            // Few contents, so that the same one occurs again.
            _ => format!("{name}={}", "xyz".repeat(self.below(6))),
        }
    }
}

/// A file of a message, which names its change, or none.
fn attached(random: &mut Random) -> Attached {
    if random.below(2) == 0 {
        return Attached::default();
    }
    let change = random.change();
    let (name, content) = change_of(&change);
    Attached { texts: vec![Content::text(change)], files: vec![FileChange::new(path(&name), content)] }
}

/// The state that the conversation should have.
#[derive(Default)]
struct Model {
    files: Files,
    /// The files when HEAD was last at an event.
    at: HashMap<EventId, Files>,
    /// The files before an event.
    before: HashMap<EventId, Files>,
    /// The number of events.
    known: u64,
    /// Whether versions have been removed.
    is_pruned: bool,
    calls: HashMap<String, String>,
}

impl Model {
    /// Takes in new events: an observation comes with the change of its call, a message with the one that it names.
    async fn take_in(&mut self, store: &dyn Store, head: Option<EventId>) {
        for event in store.events(ID.parse().unwrap(), self.known..u64::MAX).await.unwrap() {
            self.known += 1;
            let json: Value = serde_json::from_str(&event.json).unwrap();
            // Answers to calls of a branch that is left are appended to that.
            let parent = json["parent_id"].as_str().and_then(|parent| parent.parse::<EventId>().ok());
            let mut files = parent.and_then(|parent| self.at.get(&parent)).unwrap_or(&self.files).clone();
            self.before.insert(event.id.clone(), files.clone());
            if json["kind"] == "ActionEvent" {
                let arguments = json["tool_call"]["arguments"].as_str().unwrap();
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                if let Some(text) = arguments["text"].as_str() {
                    self.calls.insert(json["id"].as_str().unwrap().into(), text.into());
                }
            }
            if json["kind"] == "ObservationEvent"
                && let Some(text) = self.calls.get(json["action_id"].as_str().unwrap())
            {
                apply(&mut files, change_of(text));
                self.files = files.clone();
            }
            if let Some(text) = json["extended_content"][0]["text"].as_str() {
                apply(&mut files, change_of(text));
                self.files = files.clone();
            }
            self.at.insert(event.id, files);
        }
        if let Some(head) = head {
            self.at.insert(head, self.files.clone());
        }
    }
}

struct Stage {
    world: World,
    inner: MemoryStore,
    /// The number of commits until the page dies, and whether the last one is applied.
    death: Rc<Cell<Option<(usize, bool)>>>,
    model: Model,
    /// The files after a command under way, and the event that it moves HEAD to.
    pending: Option<(Files, Option<EventId>)>,
    /// The event that an edit under way goes to, and the files there.
    place: Option<(EventId, Files)>,
    next_call: u32,
    seed: u64,
}

impl Stage {
    fn new(seed: u64) -> Self {
        let inner = MemoryStore::new();
        let death: Rc<Cell<Option<(usize, bool)>>> = Rc::default();
        let dying = death.clone();
        let store = ScriptedStore {
            outcome: Box::new(move |_| match dying.get() {
                Some((0, is_applied)) => Outcome::Dead { is_applied },
                Some((commits, is_applied)) => {
                    dying.set(Some((commits - 1, is_applied)));
                    Outcome::DONE
                }
                None => Outcome::DONE,
            }),
            ..ScriptedStore::over(inner.another())
        };
        let world = World::new(Rc::new(store), vec![write()], vec![]);
        Self { world, inner, death, model: Model::default(), pending: None, place: None, next_call: 0, seed }
    }

    /// Carries out one random command. Its page may die, and it may be refused.
    async fn act(&mut self, conversation: &Conversation, random: &mut Random) {
        let mut events: Vec<EventId> = self.model.at.keys().cloned().collect();
        events.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        let event = events.get(random.below(events.len())).cloned();
        self.pending = None;
        self.place = None;
        match (random.below(12), event) {
            (0..=2, _) => {
                let content = vec![Content::text("Go on.")];
                conversation.send(content, attached(random), None, None, None).await.unwrap();
                for _ in 0..random.below(3) {
                    let mut batch = Vec::new();
                    for _ in 0..=random.below(2) {
                        self.next_call += 1;
                        let arguments = json!({ "text": random.change() }).to_string();
                        batch.push((format!("call_{}", self.next_call), arguments));
                    }
                    let batch: Vec<(&str, &str, &str)> =
                        batch.iter().map(|(id, arguments)| (&**id, "write", &**arguments)).collect();
                    self.world.model.answers.borrow_mut().push_back(calls(&batch));
                }
                self.answer(conversation, "Done.").await;
            }
            (3..=5, _) => {
                let mut files = self.model.files.clone();
                let mut changes = Vec::new();
                for _ in 0..=random.below(3) {
                    let (name, content) = change_of(&random.change());
                    changes.push(FileChange::new(path(&name), content.clone()));
                    apply(&mut files, (name, content));
                }
                self.pending = Some((files.clone(), None));
                conversation.write_files(changes).await.unwrap();
                self.model.files = files;
            }
            (6..=8, Some(event)) => {
                let files = files_at(conversation, &event).await.unwrap_or_else(|| self.model.files.clone());
                self.pending = Some((files.clone(), Some(event.clone())));
                if conversation.navigate_to(Some(event)).await.is_ok() {
                    self.model.files = files;
                }
            }
            (9, Some(_)) => {
                let branch = conversation.active_branch(usize::MAX).await.unwrap();
                let is_message = |event: &&Event| {
                    event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_))
                };
                let Some(message) = branch.iter().rfind(is_message) else { return };
                let files =
                    files_at(conversation, message.id()).await.unwrap_or_else(|| self.model.files.clone());
                self.pending = Some((files.clone(), Some(message.id().clone())));
                if random.below(2) == 0 {
                    conversation.regenerate().await.unwrap();
                    self.model.files = files;
                } else {
                    self.edit(conversation, &branch, message, attached(random)).await;
                }
                self.answer(conversation, "Again.").await;
            }
            (10, Some(from)) => self.check_copy(conversation, &from).await,
            (11, _) => {
                let limits = PruneLimits { bytes: random.below(60) as u64, age: 1e15 };
                self.model.is_pruned = true;
                conversation.prune_file_versions(limits).await.unwrap();
            }
            _ => {}
        }
    }

    /// Writes a message once more. The files are those of the event before it.
    async fn edit(
        &mut self,
        conversation: &Conversation,
        branch: &[Event],
        message: &Event,
        attached: Attached,
    ) {
        let place = branch.iter().position(|event| event.id() == message.id()).unwrap();
        let Some(before) = place.checked_sub(1).and_then(|place| branch.get(place)) else { return };
        let files = files_at(conversation, before.id()).await.unwrap_or_else(|| self.model.files.clone());
        let mut after = files.clone();
        for text in &attached.texts {
            apply(&mut after, change_of(text.as_text().unwrap()));
        }
        self.pending = Some((after.clone(), None));
        self.place = Some((before.id().clone(), files.clone()));
        let content = vec![Content::text("Instead.")];
        let new = conversation.send(content, attached, None, None, Some(message.id())).await.unwrap();
        assert_eq!(
            live(&self.inner, conversation.id()).await,
            after,
            "the edit of {new:?}, seed {}",
            self.seed
        );
        self.model.at.insert(before.id().clone(), files);
        self.model.files = after;
    }

    /// Runs the agent, which says this in the end.
    async fn answer(&mut self, conversation: &Conversation, last: &str) {
        self.world.model.answers.borrow_mut().push_back(text(last));
        conversation.run(CancelToken::default()).await.unwrap();
        self.world.model.answers.borrow_mut().clear();
    }

    async fn leaf(&self) -> Option<EventId> {
        let listing = self.inner.load(ID.parse().unwrap()).await.unwrap()?;
        let state: Value = serde_json::from_str(&listing.base_state).unwrap();
        state["leaf_event_id"].as_str().and_then(|id| id.parse().ok())
    }

    /// The copy of a branch has the files of its events.
    async fn check_copy(&self, conversation: &Conversation, from: &EventId) {
        let id: ConversationId = COPY.parse().unwrap();
        let known = files_at(conversation, from).await;
        let options = ForkOptions { id, from: Some(from.clone()), tags: Vec::new(), resets_stats: true };
        if conversation.fork(options).await.is_ok() {
            let expected = known.as_ref().unwrap_or(&self.model.files);
            assert_eq!(live(&self.inner, id).await, *expected, "the copy at {from}, seed {}", self.seed);
            let copy = self.world.open_other(id, Access::Writer).await.unwrap();
            let branch = copy.active_branch(usize::MAX).await.unwrap();
            for (place, event) in branch.iter().enumerate() {
                let Some(next) = branch.get(place + 1) else { break };
                // Later changes at an event are not those of this branch.
                match files_at(&copy, event.id()).await {
                    Some(files) => {
                        let expected = &self.model.before[next.id()];
                        // HEAD may have gone to an event whose files were not known any more, and then they stayed.
                        let of_original = match self.model.is_pruned {
                            true => files_at(conversation, event.id()).await,
                            false => None,
                        };
                        let is_known = files == *expected || of_original == Some(files);
                        assert!(is_known, "{} in the copy, seed {}", event.id(), self.seed);
                    }
                    None => {
                        assert!(self.model.is_pruned, "the copy lacks {}, seed {}", event.id(), self.seed)
                    }
                }
            }
            copy.close().await;
            self.inner.delete(id).await.unwrap();
        }
    }

    async fn check(&self, conversation: &Conversation) {
        let seed = self.seed;
        assert_eq!(live(&self.inner, conversation.id()).await, self.model.files, "seed {seed}");
        for (event, expected) in &self.model.at {
            match files_at(conversation, event).await {
                Some(files) => assert_eq!(files, *expected, "at {event}, seed {seed}"),
                None => assert!(self.model.is_pruned, "{event} is not known, seed {seed}"),
            }
        }
    }
}

async fn sequence(seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut stage = Stage::new(seed);
    let mut conversation = stage.world.open().await.unwrap();
    for _ in 0..4 + random.below(14) {
        let dies = random.below(6) == 0;
        if dies {
            stage.death.set(Some((random.below(4), random.below(2) == 0)));
        }
        let has_ended = stage.act(&conversation, &mut random).now_or_never().is_some();
        stage.death.set(None);
        if !has_ended {
            // A page that died has stored each commit completely or not at all; the next one reads them.
            stage.inner.delete(COPY.parse().unwrap()).await.unwrap();
            drop(conversation);
            stage.world.model.answers.borrow_mut().clear();
            let stored = live(&stage.inner, ID.parse().unwrap()).await;
            let leaf = stage.leaf().await;
            match stage.pending.take() {
                Some((files, Some(event))) if leaf.as_ref() == Some(&event) => {
                    stage.model.files = files;
                }
                Some((files, None)) if stored == files => {
                    stage.model.files = files;
                    stage.model.at.extend(stage.place.take());
                }
                _ => {}
            }
            // The next page appends behind this.
            if let Some(leaf) = leaf.filter(|leaf| stage.model.at.contains_key(leaf)) {
                let files = stage.model.files.clone();
                stage.model.at.insert(leaf, files);
            }
            conversation = stage.world.open().await.unwrap();
        } else if random.below(8) == 0 {
            conversation.close().await;
            conversation = stage.world.open().await.unwrap();
        }
        let head = stage.leaf().await;
        stage.model.take_in(&stage.inner, head).await;
        stage.check(&conversation).await;
    }
}

#[test]
fn the_files_at_each_event_are_those_of_then_after_random_edits_moves_copies_removals_and_deaths() {
    let count = std::env::var("THREADKEEP_SCRIPTS").map_or(400, |count| count.parse().unwrap());
    let start = match std::env::var("CI") {
        Ok(_) => 1,
        Err(_) => u64::from(std::process::id()) << 20,
    };
    for seed in start..start + count {
        block_on(sequence(seed));
    }
}

/// The answers of a model that writes `a` twice.
fn two_answers() -> Vec<crate::support::Answer> {
    vec![
        calls(&[("call_1", "write", r#"{"text":"a=one"}"#)]),
        text("One."),
        calls(&[("call_2", "write", r#"{"text":"a=two"}"#), ("call_3", "write", r#"{"text":"b=new"}"#)]),
        text("Two."),
    ]
}

async fn with_two_answers(world: &World) -> Conversation {
    let conversation = world.open().await.unwrap();
    for message in ["First.", "Second."] {
        say(&conversation, message).await;
        conversation.run(CancelToken::default()).await.unwrap();
    }
    conversation
}

#[test]
fn each_result_names_the_version_of_its_own_change() {
    block_on(async {
        let world = World::new(Rc::new(MemoryStore::new()), vec![write()], two_answers());
        let conversation = with_two_answers(&world).await;
        let mut seen = Vec::new();
        for event in conversation.active_branch(usize::MAX).await.unwrap() {
            let files = files_at(&conversation, event.id()).await.unwrap();
            let texts: Vec<String> = files
                .iter()
                .map(|(name, content)| format!("{name}={}", String::from_utf8_lossy(content)))
                .collect();
            seen.push(format!("{} {}", event.kind().trim_end_matches("Event"), texts.join(" ")));
        }
        assert_eq!(
            seen,
            [
                "SystemPrompt ",
                "Message ",
                "Action ",
                "Observation a=one",
                "Message a=one",
                "Message a=one",
                "Action a=one",
                "Action a=one",
                "Observation a=two",
                "Observation a=two b=new",
                "Message a=two b=new",
            ]
        );
        let branch = conversation.active_branch(usize::MAX).await.unwrap();
        let changes = conversation.file_changes_between(branch[5].id(), branch[10].id()).await.unwrap();
        let kinds: Vec<(&str, ChangeKind)> =
            changes.iter().map(|change| (change.path.as_str(), change.kind)).collect();
        assert_eq!(kinds, [("workspace/a", ChangeKind::Changed), ("workspace/b", ChangeKind::Added)]);
        let history = conversation.file_history().await.unwrap();
        assert_eq!((history.versions, history.bytes, history.is_complete), (3, 3, true));
    });
}

#[test]
fn a_content_is_stored_once_and_files_that_are_written_often_at_one_event_have_one_version() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], []);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello.").await;
        let content = vec![7_u8; 1000];
        for name in ["a", "b", "c"] {
            conversation.write_files(vec![FileChange::new(path(name), Some(content.clone()))]).await.unwrap();
        }
        for number in 0..50_u8 {
            let changed = FileChange::new(path("a"), Some(vec![number; 10]));
            conversation.write_files(vec![changed]).await.unwrap();
        }
        let count = async |folder: &str| {
            store.files(conversation.id(), Some(&folder.parse().unwrap())).await.unwrap().len()
        };
        assert_eq!(count("file_versions/contents").await, 0);
        assert_eq!(count("file_versions/versions").await, 2);
        say(&conversation, "Remove them.").await;
        let removed = ["a", "b", "c"].map(|name| FileChange::new(path(name), None));
        conversation.write_files(removed.into()).await.unwrap();
        // `b` and `c` have the same.
        assert_eq!(count("file_versions/contents").await, 2);
    });
}

#[test]
fn a_conversation_that_had_files_before_keeps_them_where_they_are_not_known() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], two_answers());
        let conversation = with_two_answers(&world).await;
        // As an earlier version of the library has stored it.
        let versions = store.files(conversation.id(), Some(&"file_versions".parse().unwrap())).await.unwrap();
        let files = versions.into_iter().map(|path| (path, None)).collect();
        let commit = Commit { files, ..Commit::new(conversation.length(), 1.0) };
        store.commit(conversation.id(), commit).await.unwrap();
        let branch = conversation.active_branch(usize::MAX).await.unwrap();
        assert_eq!(files_at(&conversation, branch[4].id()).await, None);
        let now = live(&store, conversation.id()).await;
        assert_eq!(files_at(&conversation, branch[10].id()).await, Some(now.clone()));
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"mine".into()))]).await.unwrap();
        let changed = live(&store, conversation.id()).await;
        conversation.navigate_to(Some(branch[4].id().clone())).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await, changed);
        assert!(!conversation.file_history().await.unwrap().is_complete);
        conversation.navigate_to(Some(branch[10].id().clone())).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await, changed);
    });
}

#[test]
fn two_contents_with_the_same_hash_are_kept_apart() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], []);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello.").await;
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"right".into()))]).await.unwrap();
        let hello = conversation.active_branch(1).await.unwrap().remove(0);
        // The content of another file that happens to have the hash of "right".
        let key = threadkeep::format::file_versions::key_of(b"right");
        let taken = format!("file_versions/contents/{key}").parse().unwrap();
        let commit =
            Commit { files: vec![(taken, Some(b"wrong".into()))], ..Commit::new(conversation.length(), 1.0) };
        store.commit(conversation.id(), commit).await.unwrap();
        say(&conversation, "Go on.").await;
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"later".into()))]).await.unwrap();
        assert_eq!(files_at(&conversation, hello.id()).await.unwrap()["a"], b"right");
        conversation.navigate_to(Some(hello.id().clone())).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await["a"], b"right");
    });
}

#[test]
fn rows_that_cannot_be_read_leave_the_files_as_they_are() {
    block_on(async {
        for (row, text) in [
            ("current", "nonsense"),
            ("current", "9 00000008-1-root"),
            ("versions/00000002-10-10000000-0000-4000-8000-00000000000b", "1\t00000009-1-root\n"),
            ("versions/00000001-0-zzz", "1\t\n-\t../../x\n"),
        ] {
            let store = MemoryStore::new();
            let world = World::new(Rc::new(store.another()), vec![write()], two_answers());
            let conversation = with_two_answers(&world).await;
            let place = format!("file_versions/{row}").parse().unwrap();
            let files = vec![(place, Some(text.into()))];
            let commit = Commit { files, ..Commit::new(conversation.length(), 1.0) };
            store.commit(conversation.id(), commit).await.unwrap();
            let branch = conversation.active_branch(usize::MAX).await.unwrap();
            for event in [&branch[1], &branch[5], &branch[10]] {
                conversation.navigate_to(Some(event.id().clone())).await.unwrap();
                let files = live(&store, conversation.id()).await;
                assert!(files.len() <= 2, "{row}: {files:?}");
                let _ = files_at(&conversation, event.id()).await;
            }
            conversation.write_files(vec![FileChange::new(path("c"), Some(b"on".into()))]).await.unwrap();
            assert_eq!(live(&store, conversation.id()).await["c"], b"on");
        }
    });
}
