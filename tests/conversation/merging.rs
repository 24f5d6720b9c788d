//! Conversations that have gone on on several devices: each imports the archives of the others, and all get one tree.

use crate::support::{Answer, ID, TestHost, World, amount, back_to_question, echo, say, seed};
use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    future::ready,
    rc::Rc,
};
use threadkeep::{
    archive::{Archive, Claim, EntryHeader, ImportOptions, Imported, Outcome, Unreadable, import, portable},
    cancel::CancelToken,
    conversation::Conversation,
    error::Result,
    event::{Body, Source},
    format::base_state::ExecutionStatus,
    id::{ConversationId, EventId},
    llm::message::Content,
    security::ConfirmationPolicy,
    store::MemoryStore,
};

fn id() -> ConversationId {
    ID.parse().unwrap()
}

/// The files of an export, without a container.
struct Files {
    files: Vec<(String, Vec<u8>)>,
    is_listed: Cell<bool>,
}

impl Archive for Files {
    fn size(&self) -> u64 {
        self.files.iter().map(|(_, content)| content.len() as u64).sum()
    }

    fn next_entries(&self) -> LocalBoxFuture<'_, std::result::Result<Vec<EntryHeader>, String>> {
        let header = |(name, content): &(String, Vec<u8>)| EntryHeader {
            name: name.clone(),
            compressed_size: content.len() as u64,
            size: content.len() as u64,
            is_symlink: false,
            is_encrypted: false,
            method: 8,
        };
        let headers = match self.is_listed.replace(true) {
            true => Vec::new(),
            false => self.files.iter().map(header).collect(),
        };
        Box::pin(ready(Ok(headers)))
    }

    fn read<'a>(
        &'a self,
        positions: &'a [usize],
    ) -> LocalBoxFuture<'a, std::result::Result<Vec<u8>, Unreadable>> {
        Box::pin(ready(Ok(positions.iter().flat_map(|place| self.files[*place].1.clone()).collect())))
    }

    fn check<'a>(
        &'a self,
        positions: &'a [usize],
    ) -> LocalBoxFuture<'a, std::result::Result<(), Unreadable>> {
        Box::pin(async move { self.read(positions).await.map(drop) })
    }
}

/// A browser with its own store, ids and clock.
struct Device {
    world: World,
    number: usize,
    answers: Cell<u32>,
}

impl Device {
    fn new(number: usize) -> Self {
        let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], []);
        world.host = TestHost::numbered(number as u128 + 1);
        world.host.passed.set(number as f64 + 1.0);
        Self { world, number, answers: Cell::new(0) }
    }

    /// Lets the time pass, so that no two devices do something in the same millisecond.
    fn wait(&self, seconds: u32) {
        let passed = &self.world.host.passed;
        passed.set(passed.get() + f64::from(seconds) * 1000.0);
    }

    fn answer(&self, mut message: Value) {
        let count = self.answers.get() + 1;
        self.answers.set(count);
        message["role"] = "assistant".into();
        message["name"] = format!("{}-{count}", self.number).into();
        self.world.model.answers.borrow_mut().push_back(Answer::Message(message));
    }

    fn answer_text(&self) {
        self.answer(json!({ "content": format!("Answer {} of {}.", self.answers.get(), self.number) }));
    }

    fn answer_call(&self) {
        let call = format!("call-{}-{}", self.number, self.answers.get());
        self.answer(json!({ "content": "Let me see.", "tool_calls": [{
            "id": call, "type": "function", "function": { "name": "echo", "arguments": r#"{"text":"x"}"# },
        }] }));
    }

    async fn open(&self) -> Conversation {
        self.world.open().await.unwrap()
    }

    async fn run(&self, conversation: &Conversation) {
        conversation.run(CancelToken::default()).await.unwrap();
    }

    async fn say(&self, text: &str) {
        let conversation = self.open().await;
        say(&conversation, text).await;
        self.answer_text();
        self.run(&conversation).await;
    }

    async fn archive(&self) -> Files {
        let store = &self.world.store;
        let Some(listing) = store.load(id()).await.unwrap() else {
            return Files { files: Vec::new(), is_listed: Cell::default() };
        };
        let name = |path: &str| format!("{}/{path}", id().hex());
        let mut files = vec![(name("base_state.json"), portable(&listing.base_state, id()).into_bytes())];
        for event in store.events(id(), 0..u64::MAX).await.unwrap() {
            let path = format!("events/event-{:05}-{}.json", event.index, event.id);
            files.push((name(&path), event.json.as_bytes().to_vec()));
        }
        for path in store.files(id(), None).await.unwrap() {
            files.push((name(path.as_str()), store.read_file(id(), &path).await.unwrap().unwrap()));
        }
        Files { files, is_listed: Cell::default() }
    }

    async fn import(&self, archive: &Files) -> Result<Imported> {
        archive.is_listed.set(false);
        let options = ImportOptions {
            host: &TestHost::default(),
            now: 0.0,
            on_progress: &|_| (),
            claim: &|_| Box::pin(ready(Some(Box::new(()) as Claim))),
        };
        Ok(import(archive, &*self.world.store, &options).await?.remove(0))
    }

    /// Takes in what the other one has. The branch of this device is untouched, or goes on.
    async fn take(&self, other: &Device) -> Outcome {
        let archive = other.archive().await;
        if archive.files.is_empty() {
            return Outcome::UpToDate;
        }
        let is_new = self.world.store.load(id()).await.unwrap().is_none();
        let before =
            if is_new { (Vec::new(), Vec::new()) } else { (self.branch().await, self.texts().await) };
        let imported = self.import(&archive).await.unwrap();
        assert_eq!(imported.warnings, Vec::<String>::new());
        let after = (self.branch().await, self.texts().await);
        assert_eq!(after.1[..before.1.len()], before.1, "stored events have changed");
        assert_eq!(imported.length as usize, after.1.len());
        match imported.outcome {
            Outcome::Created | Outcome::Continued { .. } => {
                assert!(after.0.len() > before.0.len() || is_new);
                assert_eq!(after.0[..before.0.len()], before.0);
            }
            Outcome::Merged { .. } => assert_eq!(after.0, before.0),
            Outcome::UpToDate => assert_eq!(after, before),
        }
        // The same again changes nothing.
        let state = self.state().await;
        assert_eq!(self.import(&archive).await.unwrap().outcome, Outcome::UpToDate);
        assert_eq!((self.state().await, self.texts().await), (state, after.1));
        imported.outcome
    }

    async fn texts(&self) -> Vec<(EventId, String)> {
        let events = self.world.store.events(id(), 0..u64::MAX).await.unwrap();
        events.into_iter().map(|event| (event.id, event.json.to_string())).collect()
    }

    async fn state(&self) -> Value {
        serde_json::from_str(&self.world.store.load(id()).await.unwrap().unwrap().base_state).unwrap()
    }

    async fn branch(&self) -> Vec<String> {
        let conversation = self.open().await;
        assert_eq!(conversation.warnings(), []);
        let branch = conversation.active_branch(usize::MAX).await.unwrap();
        branch.iter().map(|event| event.id().to_string()).collect()
    }

    /// All events with what they follow.
    async fn tree(&self) -> BTreeMap<String, Value> {
        let mut tree = BTreeMap::new();
        let mut previous = String::from("__root__");
        for (event, json) in self.texts().await {
            let mut value: Value = serde_json::from_str(&json).unwrap();
            let parent = value["parent_id"].as_str().map_or(previous, str::to_owned);
            value["parent_id"] = parent.into();
            previous = event.to_string();
            tree.insert(previous.clone(), value);
        }
        tree
    }

    /// The costs of all answers, and their sum, in tenths of a cent.
    async fn costs(&self) -> (BTreeSet<String>, u64) {
        let state = self.state().await;
        let Some(metrics) =
            state["stats"]["usage_to_metrics"].as_object().and_then(|all| all.values().next())
        else {
            return (BTreeSet::new(), 0);
        };
        let of = |entry: &Value| entry["response_id"].as_str().unwrap().to_owned();
        let ids = metrics["token_usages"].as_array().unwrap().iter().map(of);
        (ids.collect(), (metrics["accumulated_cost"].as_f64().unwrap() * 1000.0).round() as u64)
    }
}

/// Numbers that depend on a seed only (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Something that a user does on a device.
async fn act(device: &Device, random: &mut Random, said: &mut Vec<String>) {
    device.wait(1 + random.below(5) as u32);
    let conversation = device.open().await;
    let waits = conversation.execution_status() == ExecutionStatus::WaitingForConfirmation;
    let events = device.texts_if_any().await;
    match random.below(12) {
        _ if waits => match random.below(3) {
            0 => {
                device.answer_text();
                device.run(&conversation).await;
            }
            1 => {
                conversation.reject_pending_actions(None, None).await.unwrap();
            }
            _ => {}
        },
        0..=4 => {
            let text = format!("Message {} of {}", said.len(), device.number);
            say(&conversation, &text).await;
            said.push(text);
            let with_call = random.below(3) == 0;
            let policy = match random.below(2) {
                0 => ConfirmationPolicy::AlwaysConfirm,
                _ => ConfirmationPolicy::NeverConfirm,
            };
            conversation.set_confirmation_policy(policy).await.unwrap();
            if with_call {
                device.answer_call();
            }
            if !with_call || policy == ConfirmationPolicy::NeverConfirm {
                device.answer_text();
            }
            device.run(&conversation).await;
        }
        5 if !events.is_empty() && back_to_question(&conversation).await.is_ok() => {
            device.answer_text();
            device.run(&conversation).await;
        }
        6 | 7 if !events.is_empty() => {
            // Some events separate calls from their results.
            let _ = conversation.navigate_to(Some(events[random.below(events.len())].clone())).await;
        }
        8 if !events.is_empty() => {
            let branch = conversation.active_branch(usize::MAX).await.unwrap();
            let is_message = |event: &&threadkeep::event::Event| {
                matches!(event.body(), Body::MessageEvent(_)) && event.source() == Source::User
            };
            if let Some(message) = branch.iter().rfind(is_message) {
                let text = format!("Message {} of {}", said.len(), device.number);
                if conversation.edit_message(message.id(), vec![Content::text(&text)]).await.is_ok() {
                    said.push(text);
                    device.answer_text();
                    device.run(&conversation).await;
                }
            }
        }
        9 | 10 if !events.is_empty() => {
            let title = format!("Title {}", random.below(1000));
            let mut tags = vec![("title".to_owned(), title)];
            if random.below(2) == 0 {
                tags.push((["a", "b"][random.below(2)].to_owned(), device.number.to_string()));
            }
            conversation.set_tags(&tags).await.unwrap();
        }
        _ => {}
    }
    device.world.model.answers.borrow_mut().clear();
}

impl Device {
    async fn texts_if_any(&self) -> Vec<EventId> {
        self.texts().await.into_iter().map(|(event, _)| event).collect()
    }
}

#[test]
fn devices_that_exchange_random_histories_get_the_same_tree() {
    let mut outcomes: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in seed()..seed() + u64::from(amount(40, 500)) {
        block_on(async {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let devices: Vec<Device> = (0..2 + random.below(2)).map(Device::new).collect();
            let mut said = Vec::new();
            for _ in 0..6 + random.below(14) {
                let place = random.below(devices.len());
                if random.below(4) > 0 {
                    // The clocks of the devices are about the same.
                    let latest =
                        devices.iter().map(|device| device.world.host.passed.get()).fold(0.0, f64::max);
                    let passed = &devices[place].world.host.passed;
                    passed.set(passed.get().max((latest / 1000.0).floor() * 1000.0 + place as f64));
                    act(&devices[place], &mut random, &mut said).await;
                } else {
                    let other = random.below(devices.len());
                    if other != place {
                        let outcome = devices[place].take(&devices[other]).await;
                        *outcomes.entry(name(outcome)).or_default() += 1;
                    }
                }
            }
            // In the end everything has gone everywhere.
            for _ in 1..devices.len() {
                for one in &devices {
                    for other in &devices {
                        if one.number != other.number {
                            let outcome = one.take(other).await;
                            *outcomes.entry(name(outcome)).or_default() += 1;
                        }
                    }
                }
            }
            if devices[0].world.store.load(id()).await.unwrap().is_none() {
                return;
            }
            let tree = devices[0].tree().await;
            let told = serde_json::to_string(&tree).unwrap();
            for text in &said {
                assert!(told.contains(&format!("\"{text}\"")), "seed {seed}: {text} is lost");
            }
            let (answers, cost) = devices[0].costs().await;
            assert_eq!(cost, 20 * answers.len() as u64, "seed {seed}");
            for device in &devices {
                assert_eq!(device.tree().await, tree, "seed {seed}");
                assert_eq!(device.costs().await, (answers.clone(), cost), "seed {seed}");
                assert_eq!(device.state().await["tags"], devices[0].state().await["tags"], "seed {seed}");
                // The conversation goes on; the model checks what it is asked.
                let conversation = device.open().await;
                if conversation.execution_status() == ExecutionStatus::WaitingForConfirmation {
                    conversation.reject_pending_actions(None, None).await.unwrap();
                }
                drop(conversation);
                device.say("And now?").await;
            }
        });
    }
    // Every case has occurred.
    assert_eq!(
        outcomes.keys().copied().collect::<Vec<_>>(),
        ["continued", "created", "merged", "up to date"]
    );
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Continued { .. } => "continued",
        Outcome::Merged { .. } => "merged",
        Outcome::UpToDate => "up to date",
    }
}

/// The other device waits for an approval, or has died in a call.
#[test]
fn calls_of_another_device_can_be_decided_here() {
    block_on(async {
        let (one, other) = (Device::new(0), Device::new(1));
        one.say("Hello").await;
        assert_eq!(other.take(&one).await, Outcome::Created);
        let conversation = one.open().await;
        conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
        say(&conversation, "Look").await;
        one.answer_call();
        one.run(&conversation).await;
        drop(conversation);
        other.say("Something else").await;
        assert!(matches!(other.take(&one).await, Outcome::Merged { .. }));

        let conversation = other.open().await;
        let branches = conversation.branches().await.unwrap();
        let [branch] = &branches[..] else { panic!("one branch beside the active one") };
        let back = conversation.active_branch(1).await.unwrap().pop().unwrap().id().clone();
        conversation.navigate_to(Some(branch.leaf.clone())).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(conversation.pending_actions().await.unwrap().len(), 1);
        // As everywhere, a branch is not left while calls wait.
        assert!(conversation.navigate_to(Some(back)).await.is_err());
        other.answer_text();
        other.run(&conversation).await;
        drop(conversation);
        // Both run it: two results, each on its own branch.
        let conversation = one.open().await;
        one.answer_text();
        one.run(&conversation).await;
        drop(conversation);
        assert!(matches!(one.take(&other).await, Outcome::Merged { .. }));
        let results = one.tree().await.into_values().filter(|event| event["kind"] == "ObservationEvent");
        let calls: Vec<Value> = results.map(|result| result["action_id"].clone()).collect();
        assert_eq!(calls, [calls[0].clone(), calls[0].clone()]);
        assert_eq!(one.open().await.branches().await.unwrap().len(), 2);
    });
}
