//! Random commands to a conversation, random answers of its model, and a store that is slow or full, against what must
//! hold at every commit and at the end (`ledger.rs`). Any page may die at any time; the next one goes on.
//!
//! What fails is printed in its shortest form.

mod found;
mod ledger;
mod script;
mod tasks;

use crate::{
    fateful_store::{Fate, FatefulStore},
    support::{TestTool, World, say},
};
use futures_executor::block_on;
use futures_util::future::{Either, select};
use ledger::Ledger;
use proptest::prelude::*;
use script::{Command, Script, last_word, script};
use std::{
    cell::{Cell, RefCell},
    pin::pin,
    rc::Rc,
};
use tasks::{Begun, Tasks};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Conversation, WaitingCalls, base_state::ExecutionStatus},
    error::{Error, ErrorCode},
    id::EventId,
    llm::message::Content,
    oneshot,
    store::MemoryStore,
    tool::{Replay, Tool, ToolCall, ToolFailure, ToolOutput},
};

/// Where a script is played.
struct Stage {
    ledger: Rc<Ledger>,
    world: World,
    held: Rc<Held>,
    /// The page's conversation.
    conversation: Rc<RefCell<Option<Conversation>>>,
    has_closed: Rc<Cell<bool>>,
    fates: Rc<RefCell<Vec<Fate>>>,
    tasks: Tasks,
    begun: Begun,
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
            // Who held it may be gone.
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
        let fates: Rc<RefCell<Vec<Fate>>> =
            Rc::new(RefCell::new(script.fates.iter().rev().copied().collect()));
        let (next, notes) = (fates.clone(), ledger.clone());
        let store = FatefulStore {
            inner: MemoryStore::new(),
            fate: Box::new(move |_| next.borrow_mut().pop().unwrap_or(Fate::DONE)),
            applied: Box::new(move |commit| notes.applied(commit)),
            events_read: Rc::default(),
        };
        let kinds = [("once", Replay::Never), ("safe", Replay::Safe), ("ask", Replay::Ask)];
        let tools = kinds.map(|(name, replay)| tool(name, replay, &ledger, &held, &conversation, &begun));
        let mut world = World::new(Rc::new(store), tools.into(), []);
        world.tool_concurrency_limit = script.tool_concurrency_limit;
        let (answers, gates) = (script.answers.clone(), held.clone());
        let place = Cell::new(0);
        let asked = ledger.clone();
        *world.model.next.borrow_mut() = Some(Box::new(move || {
            asked.model_is_asked();
            let answer = answers.get(place.get());
            place.set(place.get() + 1);
            // Every other answer takes its time.
            let gate = place.get().is_multiple_of(2).then(|| gates.hold());
            answer.map_or_else(last_word, |reply| reply.answer(place.get(), gate))
        }));
        Self { ledger, world, held, conversation, has_closed: Rc::default(), fates, tasks, begun }
    }

    /// Opens the conversation in a page of its own. A full store may stand in the way.
    fn open(&mut self) {
        self.tasks.die();
        self.ledger.page_died();
        self.has_closed.set(false);
        *self.conversation.borrow_mut() = None;
        let opened = block_on(self.world.open());
        match opened {
            Ok(conversation) => *self.conversation.borrow_mut() = Some(conversation),
            Err(error) => check(&error),
        }
    }

    fn obey(&mut self, command: &Command) {
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
                self.begun.spawn("interrupt", async move { checked(conversation.interrupt().await) });
            }
            Command::SetTags => self.begun.spawn("setTags", async move {
                checked(conversation.set_tags(&[("title".into(), "x".into())]).await);
            }),
            Command::Close => {
                let has_closed = self.has_closed.clone();
                self.begun.spawn("close", async move {
                    conversation.close().await;
                    has_closed.set(true);
                });
            }
            Command::Release => {
                self.held.release();
            }
            Command::Crash => {}
        }
    }

    /// Everything comes to its end, and the conversation still works.
    fn end(&mut self) {
        loop {
            self.tasks.settle();
            if self.tasks.names().is_empty() {
                break;
            }
            assert!(self.held.release(), "these never end: {:?}", self.tasks.names());
        }
        self.fates.borrow_mut().clear();
        *self.world.model.next.borrow_mut() = Some(Box::new(last_word));
        self.open();
        let conversation = self.conversation.borrow().clone().expect("it opens");
        block_on(async {
            conversation.reject_pending_actions(None, None).await.unwrap();
            say(&conversation, "Is all well?").await;
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!(outcome.status, ExecutionStatus::Finished);
            assert_eq!(outcome.final_response.as_deref(), Some("That was all."));
        });
        self.ledger.check_end();
    }
}

/// The calls that wait whose place has a bit here.
async fn chosen(conversation: &Conversation, places: u8) -> Vec<EventId> {
    let pending = conversation.pending_actions().await.unwrap();
    let chosen = pending.iter().enumerate().filter(|(place, _)| places >> place & 1 == 1);
    chosen.map(|(_, event)| event.id().clone()).collect()
}

async fn send(conversation: &Conversation, ledger: &Ledger, waiting: Option<WaitingCalls>) {
    match conversation.send_message_while_waiting(vec![Content::text("Go on.")], None, waiting).await {
        Ok(event) => ledger.was_sent(event.id().as_str()),
        Err(error) => check(&error),
    }
}

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
        ledger.runs(call.idempotency_key.as_str(), replay);
        let (ledger, held, begun) = (ledger.clone(), held.clone(), begun.clone());
        let conversation = conversation.borrow().clone();
        async move {
            let conversation = conversation.expect("a tool runs in a conversation");
            match &*call.arguments {
                r#"{"text":"throw"}"# => return Err(ToolFailure("it broke".into())),
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
            Ok(ToolOutput::text("done"))
        }
    })
}

fn checked(result: Result<(), Error>) {
    if let Err(error) = result {
        check(&error);
    }
}

/// Errors that a user can do something about.
fn check(error: &Error) {
    use ErrorCode::{Internal, LockedElsewhere, StoreCorrupt};
    let is_ours = matches!(error.code(), Internal | LockedElsewhere | StoreCorrupt);
    assert!(!is_ours, "{}: {}", error.code().as_str(), error.message());
}

fn play(script: &Script) {
    let mut stage = Stage::new(script);
    stage.open();
    for step in &script.steps {
        stage.obey(&step.command);
        match step.polls {
            usize::MAX => stage.tasks.settle(),
            polls => (0..polls).for_each(|poll| {
                stage.tasks.poll_one(poll * 7 + polls);
            }),
        }
    }
    stage.end();
}

/// How many scripts each property is tried with; `npm test` says six thousand.
fn scripts() -> u32 {
    std::env::var("THREADKEEP_SCRIPTS").map_or(500, |count| count.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: scripts(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_wanted_and_answered_every_invariant_holds(script in script(0)) {
        play(&script);
    }

    #[test]
    fn it_holds_with_a_store_that_fails_at_random(script in script(3)) {
        play(&script);
    }
}
