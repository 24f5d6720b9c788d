//! Random commands to a conversation, with random answers of its model and a store that is slow or full. Invariants are
//! checked at every commit and at the end (`ledger.rs`). The page can die at any time; then the next one continues.
//!
//! A failing script is printed in its shortest form.

mod aside;
mod claude;
mod drafts;
mod found;
mod guards;
mod ledger;
mod provider;
mod script;
mod settings;
mod tasks;

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{TestTool, World, amount, say, yield_once},
};
use aside::{Question, Rating, scripted_critic};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::future::{Either, select};
use guards::{Guards, Verdict};
use ledger::Ledger;
use proptest::prelude::*;
use provider::Provider;
use script::{Command, HOPELESS, LAST_TEXT, Script, script};
use serde_json::json;
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    pin::pin,
    rc::Rc,
};
use tasks::{Begun, Tasks};
use threadkeep::{
    cancel::CancelToken,
    context::branch::{active_branch, unmatched_actions},
    conversation::{Conversation, ForkOptions, WaitingCalls},
    error::{Error, ErrorCode},
    event::{Body, Event},
    format::base_state::{BaseState, ExecutionStatus},
    host::Host as _,
    id::{ConversationId, EventId},
    json::EditableObject,
    llm::message::Content,
    store::{MemoryStore, Store},
    tool::{Replay, Tool, ToolCall, ToolFailure, ToolOutput},
};

/// A secret, which must not be stored or sent to the model.
const SECRET: &str = "s3cr3t";

/// The environment in which a script is executed.
struct Stage {
    ledger: Rc<Ledger>,
    world: World,
    provider: Rc<Provider>,
    held: Rc<Held>,
    /// The page's conversation.
    conversation: Rc<RefCell<Option<Conversation>>>,
    has_closed: Rc<Cell<bool>>,
    outcomes: Rc<RefCell<Vec<Outcome>>>,
    verdicts: Rc<RefCell<VecDeque<Verdict>>>,
    ratings: Rc<RefCell<VecDeque<Rating>>>,
    tasks: Tasks,
    begun: Begun,
    /// Whether nothing can be condensed enough.
    is_hopeless: bool,
}

/// Answers and tools that wait to be released.
#[derive(Default)]
struct Held(RefCell<Vec<oneshot::Sender<()>>>);

impl Held {
    fn hold(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.0.borrow_mut().push(sender);
        receiver
    }

    /// Returns whether anything was held.
    fn release(&self) -> bool {
        let held = self.0.take();
        let is_any = !held.is_empty();
        for sender in held {
            // An error means that the receiver was dropped.
            let _ = sender.send(());
        }
        is_any
    }
}

impl Stage {
    fn new(script: &Script) -> Self {
        let ledger = Rc::new(Ledger::default());
        let tasks = Tasks::default();
        let begun = tasks.begun();
        let held = Rc::new(Held::default());
        let conversation = Rc::new(RefCell::new(None));
        let outcomes: Rc<RefCell<Vec<Outcome>>> =
            Rc::new(RefCell::new(script.outcomes.iter().rev().copied().collect()));
        let (next, notes) = (outcomes.clone(), ledger.clone());
        let store = ScriptedStore {
            outcome: Box::new(move |_| next.borrow_mut().pop().unwrap_or(Outcome::DONE)),
            applied: Box::new(move |commit| notes.applied(commit)),
            ..ScriptedStore::over(MemoryStore::new())
        };
        let kinds = [("once", Replay::Never), ("safe", Replay::Safe), ("ask", Replay::Ask)];
        let tools = kinds.map(|(name, replay)| tool(name, replay, &ledger, &held, &conversation, &begun));
        let mut world = World::new(Rc::new(store), tools.into(), []);
        world.tool_concurrency_limit = script.tool_concurrency_limit;
        let provider = Provider::new(&script.answers, &ledger, &held);
        world.llm = Some(Rc::new(script.model.llm(&provider, &world.host)));
        if let Some(settings) = script.condenser {
            world.condenser = Some(Some(Rc::new(provider.condenser(settings, &world.host))));
        }
        let verdicts = Rc::new(RefCell::new(script.verdicts.iter().copied().collect()));
        if !script.verdicts.is_empty() {
            world.hooks = Some(Rc::new(Guards { verdicts: verdicts.clone(), held: held.clone() }));
            ledger.has_hooks.set(true);
        }
        let ratings = Rc::new(RefCell::new(script.ratings.iter().copied().collect()));
        if !script.ratings.is_empty() {
            world.critic = Some(scripted_critic(&ratings, &held));
        }
        let has_closed = Rc::default();
        Self {
            ledger,
            world,
            provider,
            held,
            conversation,
            has_closed,
            outcomes,
            verdicts,
            ratings,
            tasks,
            begun,
            is_hopeless: script.condenser == Some(HOPELESS),
        }
    }

    /// Opens the conversation in a new page. That can fail if the store is full.
    fn open(&mut self) {
        self.tasks.die();
        self.ledger.page_died();
        self.has_closed.set(false);
        *self.conversation.borrow_mut() = None;
        let opened = block_on(self.world.open());
        match opened {
            Ok(conversation) => {
                conversation.hide(vec![SECRET.into()]);
                *self.conversation.borrow_mut() = Some(conversation);
            }
            Err(error) => check(&error),
        }
    }

    fn execute(&mut self, command: &Command) {
        if matches!(command, Command::Crash) || self.has_closed.get() || self.conversation.borrow().is_none()
        {
            return self.open();
        }
        let Some(conversation) = self.conversation.borrow().clone() else { return };
        let ledger = self.ledger.clone();
        match command {
            Command::Send(waiting) => {
                let waiting = *waiting;
                self.begun.spawn("sendMessage", async move { send(&conversation, &ledger, waiting).await });
            }
            Command::Run => self.begun.spawn("run", async move {
                let run = ledger.run_begins(None);
                let result = conversation.run(CancelToken::default()).await;
                ledger.run_ended(run);
                checked(result.map(|outcome| assert_ne!(outcome.status, ExecutionStatus::Running)));
            }),
            Command::Approve(places) => {
                let places = *places;
                self.begun.spawn("run some", async move {
                    let actions = chosen(&conversation, places).await;
                    let run = ledger.run_begins(Some(&actions));
                    let result = conversation.run_approved(&actions, CancelToken::default()).await;
                    ledger.run_ended(run);
                    checked(result.map(drop));
                });
            }
            Command::Reject(places) => {
                let places = *places;
                self.begun.spawn("rejectPendingActions", async move {
                    let actions = match places {
                        Some(places) => Some(chosen(&conversation, places).await),
                        None => None,
                    };
                    checked(conversation.reject_pending_actions(None, actions.as_deref()).await);
                });
            }
            Command::Edit(place) => {
                let place = *place;
                self.begun.spawn("editAction", async move {
                    let pending = conversation.pending_actions().await.unwrap();
                    if let Some(action) = pending.get(place) {
                        checked(
                            conversation.edit_action(action.id(), r#"{"text":"edited"}"#).await.map(drop),
                        );
                    }
                });
            }
            Command::Navigate(place) => {
                let place = *place;
                self.begun.spawn("navigateTo", async move {
                    ledger.move_begins();
                    checked(navigate(&conversation, place).await);
                    ledger.move_ended();
                });
            }
            Command::Regenerate => self.begun.spawn("regenerate", async move {
                ledger.move_begins();
                let run = ledger.run_begins(None);
                let result = conversation.regenerate(CancelToken::default()).await;
                ledger.run_ended(run);
                checked(result.map(drop));
                ledger.move_ended();
            }),
            Command::EditMessage(place) => {
                let place = *place;
                self.begun.spawn("editMessage", async move {
                    ledger.move_begins();
                    edit_message(&conversation, &ledger, place).await;
                    ledger.move_ended();
                });
            }
            Command::Fork(place) => {
                let (place, store) = (*place, self.world.store.clone());
                let id = self.world.host.random_uuid().into();
                self.begun.spawn("fork", async move { fork(&conversation, &*store, id, place).await });
            }
            Command::Condense => self.begun.spawn("condense", async move {
                checked(conversation.condense().await);
            }),
            Command::SetPolicy(policy) => {
                let policy = *policy;
                self.begun.spawn("setConfirmationPolicy", async move {
                    checked(conversation.set_confirmation_policy(policy).await);
                });
            }
            Command::SetAllowedTools(names) => {
                let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
                self.begun.spawn("setAllowedTools", async move {
                    checked(conversation.set_allowed_tools(&names).await);
                });
            }
            Command::Pause => {
                self.begun.spawn("pause", async move { checked(conversation.pause().await) });
            }
            Command::Interrupt => {
                let provider = self.provider.clone();
                self.begun.spawn("interrupt", async move {
                    let working = provider.working();
                    checked(conversation.interrupt().await);
                    provider.check_stopped(&working);
                });
            }
            Command::SetTags => self.begun.spawn("setTags", async move {
                checked(conversation.set_tags(&[("title".into(), "x".into())]).await);
            }),
            Command::SwitchLlm(model) => {
                let model = *model;
                let llm = model.llm(&self.provider, &self.world.host);
                self.begun.spawn("switchLLM", async move {
                    let change = ledger.settings.begins("the model");
                    let result = conversation.switch_llm(llm).await;
                    // A switch to the same model changes nothing, and so does not store a new conversation.
                    let is_stored = result.is_ok() && conversation.is_stored();
                    let value = is_stored.then(|| json!(model.full_name(model.name())));
                    ledger.settings.ended("the model", change, value, &ledger.stored("/agent/llm/model"));
                    checked(result);
                });
            }
            Command::StoreSecret(value) => {
                let value = value.map(|value| json!(value));
                self.begun.spawn("updateSecrets", async move {
                    let source =
                        value.as_ref().map(|value| json!({ "kind": "StaticSecret", "value": value }));
                    let sources = EditableObject::compact(&json!({ "TOKEN": source }).to_string()).unwrap();
                    let change = ledger.settings.begins("the secret");
                    let result = conversation.store_secrets(&sources).await;
                    let is_stored = result.is_ok() && conversation.is_stored();
                    let set = is_stored.then(|| json!(value));
                    let stored = ledger.stored("/secret_registry/secret_sources/TOKEN/value");
                    ledger.settings.ended("the secret", change, set, &stored);
                    checked(result);
                });
            }
            Command::ExecuteTool(tool, arguments) => {
                let (tool, arguments) = (*tool, *arguments);
                self.begun.spawn("executeTool", async move {
                    let result = conversation.execute_tool(tool, arguments, DIRECT.into()).await;
                    checked(result.map(|output| assert!(!format!("{output:?}").contains(SECRET))));
                });
            }
            Command::AskAgent(question) => {
                let (question, cancel) = (*question, CancelToken::default());
                let token = cancel.clone();
                self.begun.spawn("askAgent", async move { question.ask(&conversation, token).await });
                if question == Question::Stopped {
                    self.begun.spawn("the end of a question", async move {
                        for _ in 0..5 {
                            yield_once().await;
                        }
                        cancel.cancel();
                    });
                }
            }
            Command::Close => {
                let (has_closed, provider) = (self.has_closed.clone(), self.provider.clone());
                self.begun.spawn("close", async move {
                    let working = provider.working();
                    conversation.close().await;
                    provider.check_stopped(&working);
                    ledger.was_closed();
                    has_closed.set(true);
                });
            }
            Command::Release => {
                self.held.release();
            }
            Command::ForgetResponses => self.provider.forget_responses(),
            Command::Crash => {}
        }
    }

    /// Polls until no task can continue. Only the tasks listed here may wait for a model, a tool or a hook.
    fn settle(&mut self) {
        self.tasks.settle();
        for name in self.tasks.names() {
            let may_wait = [
                "run",
                "run some",
                "regenerate",
                "condense",
                "sendMessage",
                "sendMessage of a tool",
                "editAction",
                "editMessage",
                "executeTool",
                "askAgent",
            ];
            assert!(may_wait.contains(&name), "{name} waits");
        }
    }

    /// Ends all tasks and checks that the conversation still works.
    fn end(&mut self) {
        loop {
            self.settle();
            if self.tasks.names().is_empty() {
                break;
            }
            assert!(self.held.release(), "these never end: {:?}", self.tasks.names());
        }
        self.outcomes.borrow_mut().clear();
        self.verdicts.borrow_mut().clear();
        self.ratings.borrow_mut().clear();
        self.provider.finish();
        if !self.has_closed.get() {
            self.check_continues();
        }
        self.open();
        self.check_continues();
        self.ledger.check_end();
    }

    /// Checks that the conversation can continue and that all costs are counted.
    fn check_continues(&self) {
        let Some(conversation) = self.conversation.borrow().clone() else { return };
        block_on(async {
            conversation.reject_pending_actions(None, None).await.unwrap();
            say(&conversation, &self.ledger.new_text()).await;
            let outcome = conversation.run(CancelToken::default()).await;
            if self.is_hopeless {
                assert_eq!(outcome.unwrap_err().code(), ErrorCode::LlmContextWindow);
                return;
            }
            let outcome = outcome.unwrap();
            assert_eq!(outcome.status, ExecutionStatus::Finished);
            assert_eq!(outcome.final_response.as_deref(), Some(LAST_TEXT));
        });
        self.ledger.check_all_is_counted();
    }
}

/// Navigates to the event at this place of the log, counted in a circle, or before the first event.
async fn navigate(conversation: &Conversation, place: Option<u8>) -> Result<(), Error> {
    let event = match (place, conversation.length()) {
        (None, _) | (_, 0) => None,
        (Some(place), length) => Some(conversation.id_of(u64::from(place) % length).await?),
    };
    conversation.navigate_to(event).await
}

/// Edits the message at this place of the log, counted in a circle.
async fn edit_message(conversation: &Conversation, ledger: &Ledger, place: u8) {
    if conversation.length() == 0 {
        return;
    }
    let message = conversation.id_of(u64::from(place) % conversation.length()).await.unwrap();
    match conversation.edit_message(&message, vec![Content::text(ledger.new_text())]).await {
        Ok(event) => ledger.was_sent(event.id().as_str()),
        Err(error) => check(&error),
    }
}

/// Forks the conversation, or the branch that ends at this place of the log, counted in a circle. A copy has a complete
/// branch without open calls; after a failure nothing of it is left.
async fn fork(conversation: &Conversation, store: &dyn Store, id: ConversationId, place: Option<u8>) {
    let from = match (place, conversation.length()) {
        (None, _) | (_, 0) => None,
        (Some(place), length) => Some(conversation.id_of(u64::from(place) % length).await.unwrap()),
    };
    let options = ForkOptions { id, from: from.clone(), tags: Vec::new(), resets_stats: true };
    let result = conversation.fork(options).await;
    let events = store.events(id, 0..u64::from(u32::MAX)).await.unwrap();
    let events: Vec<Event> = events.into_iter().map(|event| Event::decode(event.id, event.json)).collect();
    let listing = store.load(id).await.unwrap();
    if let Err(error) = result {
        check(&error);
        assert!(listing.is_none() && events.is_empty(), "a part of a copy is left");
        return;
    }
    let leaf = BaseState::parse(&listing.unwrap().base_state).unwrap().leaf();
    let branch = active_branch(&events, &leaf);
    assert_eq!((branch.breaks.len(), unmatched_actions(&branch.events).len()), (0, 0), "{leaf:?}");
    if from.is_some() {
        let is_prompt = |event: &Event| matches!(event.body(), Body::SystemPromptEvent(_));
        // The SDK opens no log without a system prompt, so a branch that has none is copied with that of the log.
        let has_prompt = branch.events.first().is_some_and(is_prompt);
        let copied = match &events[..] {
            [prompt, others @ ..] if !has_prompt && is_prompt(prompt) => others,
            all => all,
        };
        assert_eq!(branch.events, copied, "only the branch is copied");
    }
}

/// The pending calls whose places are set in this bit set.
async fn chosen(conversation: &Conversation, places: u8) -> Vec<EventId> {
    let pending = conversation.pending_actions().await.unwrap();
    let chosen = pending.iter().enumerate().filter(|(place, _)| places >> place & 1 == 1);
    chosen.map(|(_, event)| event.id().clone()).collect()
}

async fn send(conversation: &Conversation, ledger: &Ledger, waiting: Option<WaitingCalls>) {
    let text = ledger.new_text();
    match conversation.send_message_while_waiting(vec![Content::text(text)], None, waiting).await {
        Ok(event) => ledger.was_sent(event.id().as_str()),
        Err(error) => check(&error),
    }
}

/// The id of a call by `execute_tool`, not by the model.
const DIRECT: &str = "direct";

fn tool(
    name: &str,
    replay: Replay,
    ledger: &Rc<Ledger>,
    held: &Rc<Held>,
    conversation: &Rc<RefCell<Option<Conversation>>>,
    begun: &Begun,
) -> Rc<dyn Tool> {
    let (ledger, held, conversation, begun) =
        (ledger.clone(), held.clone(), conversation.clone(), begun.clone());
    TestTool::shared(name, replay, move |call: ToolCall| {
        match call.tool_call_id.as_str() {
            DIRECT => assert!(!ledger.is_event(call.idempotency_key.as_str()), "it is no event's call"),
            _ => ledger.runs(call.idempotency_key.as_str(), replay),
        }
        let (ledger, held, begun) = (ledger.clone(), held.clone(), begun.clone());
        let conversation = conversation.borrow().clone();
        async move {
            let conversation = conversation.expect("a tool runs in a conversation");
            match &*call.arguments {
                r#"{"text":"throw"}"# => return Err(ToolFailure(format!("it broke: {SECRET}"))),
                r#"{"text":"hold"}"# => {
                    let stopped = pin!(call.cancel.cancelled());
                    if let Either::Right(_) = select(pin!(held.hold()), stopped).await {
                        return Err(ToolFailure("stopped".into()));
                    }
                }
                r#"{"text":"ignore the signal"}"# => {
                    let _ = held.hold().await;
                }
                r#"{"text":"send a message"}"# => {
                    let (ends, ended) = oneshot::channel();
                    begun.spawn("sendMessage of a tool", async move {
                        send(&conversation, &ledger, None).await;
                        let _ = ends.send(());
                    });
                    let _ = ended.await;
                }
                r#"{"text":"pause"}"# => {
                    let (ends, ended) = oneshot::channel();
                    begun.spawn("pause of a tool", async move {
                        checked(conversation.pause().await);
                        let _ = ends.send(());
                    });
                    let _ = ended.await;
                }
                _ => {}
            }
            Ok(ToolOutput::text(format!("done: {SECRET}")))
        }
    })
}

fn checked(result: Result<(), Error>) {
    if let Err(error) = result {
        check(&error);
    }
}

/// Checks that an error is one that a user can do something about.
fn check(error: &Error) {
    use ErrorCode::{Internal, LockedElsewhere, StoreCorrupt};
    let is_ours = matches!(error.code(), Internal | LockedElsewhere | StoreCorrupt);
    assert!(!is_ours, "{}: {}", error.code().as_str(), error.message());
}

fn play(script: &Script) {
    let mut stage = Stage::new(script);
    stage.open();
    for step in &script.steps {
        stage.execute(&step.command);
        match step.polls {
            usize::MAX => stage.settle(),
            polls => (0..polls).for_each(|poll| {
                stage.tasks.poll_one(poll * 7 + polls);
            }),
        }
    }
    stage.end();
}

/// The number of scripts for each property.
pub fn scripts() -> u32 {
    amount(100, 1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: scripts(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold_for_random_commands_and_answers(script in script(0)) {
        play(&script);
    }

    #[test]
    fn invariants_hold_with_a_store_that_fails_at_random(script in script(3)) {
        play(&script);
    }
}
