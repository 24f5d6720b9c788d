//! Files at earlier events: random edits, moves of HEAD, copies, removals of versions, failures and new pages are compared
//! with a model that keeps all files of each event. Sub-agents change the files, too.

mod stored;

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, TestTool, World, amount, back_to_question, calls, say, seed, text},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashMap},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Attached, Conversation, ForkOptions, PruneLimits},
    error::ErrorCode,
    event::{Body, Event, Source},
    id::{ConversationId, EventId, StorePath},
    llm::message::Content,
    store::{MemoryStore, Store},
    tool::{FileChange, Replay, Tool, ToolOutput},
};

type Files = BTreeMap<String, Vec<u8>>;

const COPY: &str = "2f8fad5b-d9cb-469f-a165-70867728950e";

pub fn path(name: &str) -> StorePath {
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

/// The sub-agent's tool of the same name, which changes the files of the conversation above.
fn write_above() -> Rc<dyn Tool> {
    TestTool::shared("write", Replay::Safe, |call| async move {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        let (name, content) = change_of(arguments["text"].as_str().unwrap());
        let file = FileChange { is_owners: true, ..FileChange::new(path(&name), content) };
        Ok(ToolOutput { files: vec![file], ..ToolOutput::text("Written.") })
    })
}

/// The conversation above, and the changes of the last task that was begun.
#[derive(Clone, Default)]
struct Tasks {
    owner: Rc<RefCell<Option<Conversation>>>,
    begun: Rc<RefCell<Option<String>>>,
    count: Rc<Cell<u32>>,
}

/// A tool whose sub-agent makes the changes in its text, each with a call of its own.
fn task(store: &Rc<dyn Store>, tasks: &Tasks) -> Rc<dyn Tool> {
    let (store, tasks) = (store.clone(), tasks.clone());
    TestTool::shared("task", Replay::Safe, move |call| {
        let (store, tasks) = (store.clone(), tasks.clone());
        async move {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            let changes = arguments["text"].as_str().unwrap().to_owned();
            let mut answers = Vec::new();
            for change in changes.split(';') {
                answers.push(calls(&[("call", "write", &json!({ "text": change }).to_string())]));
            }
            tasks.begun.replace(Some(changes));
            tasks.count.set(tasks.count.get() + 1);
            let owner = tasks.owner.borrow().clone().unwrap();
            let mut world =
                World::new(store, vec![write_above()], answers.into_iter().chain([text("Done.")]));
            world.ancestors = vec![owner.id()];
            world.owner = Some(owner);
            let id = format!("3f8fad5b-d9cb-469f-a165-{:012}", tasks.count.get()).parse().unwrap();
            let child = world.open_other(id, Access::Writer).await.unwrap();
            say(&child, "Go.").await;
            child.run(CancelToken::default()).await.unwrap();
            child.close().await;
            Ok(ToolOutput::text("The sub-agent has written."))
        }
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
pub async fn live(store: &dyn Store, id: ConversationId) -> Files {
    let mut files = Files::new();
    for path in store.files(id, Some(&"workspace".parse().unwrap())).await.unwrap() {
        let content = store.read_file(id, &path).await.unwrap().unwrap();
        files.insert(path.as_str().strip_prefix("workspace/").unwrap().to_owned(), content);
    }
    files
}

/// The files at an event; `None` if they are not known.
pub async fn files_at(conversation: &Conversation, event: &EventId) -> Option<Files> {
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

    /// A call that changes a file, or whose sub-agent changes some.
    fn call(&mut self) -> (&'static str, String) {
        if self.below(3) > 0 {
            return ("write", self.change());
        }
        let changes: Vec<String> = (0..=self.below(3)).map(|_| self.change()).collect();
        ("task", changes.join(";"))
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
    /// The tools and arguments of calls.
    calls: HashMap<String, (String, String)>,
}

impl Model {
    /// Takes in new events: an observation comes with the change of its call, a message with the one that it names.
    /// `left`: the files that a page has left that died in a task, and the changes of that task.
    async fn take_in(&mut self, store: &dyn Store, head: Option<EventId>, left: Option<(Files, String)>) {
        for event in store.events(ID.parse().unwrap(), self.known..u64::MAX).await.unwrap() {
            self.known += 1;
            let json: Value = serde_json::from_str(&event.json).unwrap();
            // Answers to calls of a branch that is left are appended to that.
            let parent = json["parent_id"].as_str().and_then(|parent| parent.parse::<EventId>().ok());
            let mut files =
                parent.as_ref().and_then(|parent| self.at.get(parent)).unwrap_or(&self.files).clone();
            let call = json["action_id"].as_str().and_then(|action| self.calls.get(action));
            let call = call.filter(|_| json["kind"] == "ObservationEvent").cloned();
            if let (Some((tool, changes)), Some(parent)) = (&call, &parent)
                && tool == "task"
            {
                // The sub-agent has changed them while HEAD was at the event before its result.
                changes.split(';').for_each(|change| apply(&mut files, change_of(change)));
                self.at.insert(parent.clone(), files.clone());
                self.files = files.clone();
            }
            self.before.insert(event.id.clone(), files.clone());
            if json["kind"] == "ActionEvent" {
                let arguments = json["tool_call"]["arguments"].as_str().unwrap();
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                if let Some(text) = arguments["text"].as_str() {
                    let tool = json["tool_name"].as_str().unwrap().into();
                    self.calls.insert(json["id"].as_str().unwrap().into(), (tool, text.into()));
                }
            }
            if let Some((tool, text)) = call
                && tool == "write"
            {
                apply(&mut files, change_of(&text));
                self.files = files.clone();
            }
            if let Some(text) = json["extended_content"][0]["text"].as_str() {
                apply(&mut files, change_of(text));
                self.files = files.clone();
            }
            self.at.insert(event.id, files);
        }
        if let Some((left, changes)) = left {
            let mut files = self.files.clone();
            let mut states = vec![files.clone()];
            for change in changes.split(';') {
                apply(&mut files, change_of(change));
                states.push(files.clone());
            }
            assert!(states.contains(&left), "{left:?} is left of {changes} after {:?}", self.files);
            self.files = left;
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
    tasks: Tasks,
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
        let (store, tasks): (Rc<dyn Store>, Tasks) = (Rc::new(store), Tasks::default());
        let tools = vec![write(), task(&store, &tasks)];
        let world = World::new(store, tools, vec![]);
        let model = Model::default();
        Self { world, inner, death, model, pending: None, place: None, tasks, next_call: 0, seed }
    }

    async fn open(&self) -> Conversation {
        let conversation = self.world.open().await.unwrap();
        self.tasks.owner.replace(Some(conversation.clone()));
        conversation
    }

    /// Carries out one random command. Its page may die, and it may be refused.
    async fn act(&mut self, conversation: &Conversation, random: &mut Random) {
        let mut events: Vec<EventId> = self.model.at.keys().cloned().collect();
        events.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        let event = events.get(random.below(events.len())).cloned();
        self.pending = None;
        self.place = None;
        self.tasks.begun.take();
        let host = &self.world.host;
        host.passed.set(host.passed.get() + random.below(1000) as f64);
        match (random.below(12), event) {
            (0..=2, _) => {
                let content = vec![Content::text("Go on.")];
                conversation.send_with_files(content, attached(random), None, None).await.unwrap();
                for _ in 0..random.below(3) {
                    let mut batch = Vec::new();
                    for _ in 0..=random.below(2) {
                        self.next_call += 1;
                        let (tool, text) = random.call();
                        let arguments = json!({ "text": text }).to_string();
                        batch.push((format!("call_{}", self.next_call), tool, arguments));
                    }
                    let batch: Vec<(&str, &str, &str)> =
                        batch.iter().map(|(id, tool, arguments)| (&**id, *tool, &**arguments)).collect();
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
                    back_to_question(conversation).await.unwrap();
                    self.model.files = files;
                } else {
                    self.edit(conversation, &branch, message, attached(random)).await;
                }
                self.answer(conversation, "Again.").await;
            }
            (10, Some(from)) => self.check_copy(conversation, &from).await,
            (11, _) => {
                let by_bytes = PruneLimits { bytes: random.below(60) as u64, age: 1e15 };
                let by_age = PruneLimits { bytes: u64::MAX, age: random.below(8000) as f64 };
                let limits = if random.below(2) == 0 { by_bytes } else { by_age };
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
        let new = conversation.edit_with_files(message.id(), content, attached).await.unwrap();
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
        if let Some(head) = self.leaf().await {
            assert_eq!(
                files_at(conversation, &head).await.as_ref(),
                Some(&self.model.files),
                "HEAD, seed {seed}"
            );
        }
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
    let mut conversation = stage.open().await;
    for _ in 0..4 + random.below(14) {
        let dies = random.below(6) == 0;
        if dies {
            stage.death.set(Some((random.below(4), random.below(2) == 0)));
        }
        let mut left = None;
        let has_ended = stage.act(&conversation, &mut random).now_or_never().is_some();
        stage.death.set(None);
        if !has_ended {
            // A page that died has stored each commit completely or not at all; the next one reads them.
            stage.inner.delete(COPY.parse().unwrap()).await.unwrap();
            drop(conversation);
            stage.world.model.answers.borrow_mut().clear();
            let stored = live(&stage.inner, ID.parse().unwrap()).await;
            let leaf = stage.leaf().await;
            left = stage.tasks.begun.take().map(|changes| (stored.clone(), changes));
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
            conversation = stage.open().await;
        } else if random.below(8) == 0 {
            conversation.close().await;
            conversation = stage.open().await;
        }
        let head = stage.leaf().await;
        stage.model.take_in(&stage.inner, head, left).await;
        stage.check(&conversation).await;
    }
}

#[test]
fn the_files_at_each_event_are_those_of_then_after_random_edits_moves_copies_removals_and_deaths() {
    for seed in seed()..seed() + u64::from(amount(40, 400)) {
        block_on(sequence(seed));
    }
}
