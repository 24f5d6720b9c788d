//! Hooks: the input on each occasion, and the effect of each decision.

use crate::support::{Answer, TestTool, World, calls, echo, say, text, yield_once};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::future::{LocalBoxFuture, join, pending, select};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::Conversation,
    error::ErrorCode,
    event::HookEventType,
    format::base_state::ExecutionStatus,
    hooks::{HookDecision, Hooks},
    llm::message::Content,
    security::ConfirmationPolicy,
    store::MemoryStore,
    tool::{Replay, Tool, ToolOutput},
};

type Answered = LocalBoxFuture<'static, std::result::Result<HookDecision, String>>;

/// A hook for one occasion, which records its inputs.
pub struct Hook {
    event_type: HookEventType,
    asked: RefCell<Vec<Value>>,
    answer: Box<dyn Fn(usize) -> Answered>,
}

impl Hook {
    fn new(event_type: HookEventType, answer: impl Fn(usize) -> Answered + 'static) -> Rc<Self> {
        Rc::new(Self { event_type, asked: RefCell::default(), answer: Box::new(answer) })
    }

    /// Gives this decision the first time, and allows from then on.
    pub fn once(event_type: HookEventType, decision: HookDecision) -> Rc<Self> {
        Self::new(event_type, move |times| {
            let decision = if times == 0 { decision.clone() } else { HookDecision::default() };
            Box::pin(async move { Ok(decision) })
        })
    }

    fn never(event_type: HookEventType) -> Rc<Self> {
        Self::new(event_type, |_| Box::pin(pending()))
    }

    fn throws(event_type: HookEventType) -> Rc<Self> {
        Self::new(event_type, |_| Box::pin(async { Err("boom".to_owned()) }))
    }
}

impl Hooks for Hook {
    fn has(&self, event_type: HookEventType) -> bool {
        event_type == self.event_type
    }

    fn ask(&self, event_type: HookEventType, input: String) -> Answered {
        assert_eq!(event_type, self.event_type);
        let times = self.asked.borrow().len();
        self.asked.borrow_mut().push(serde_json::from_str(&input).unwrap());
        (self.answer)(times)
    }
}

pub fn deny(reason: &str) -> HookDecision {
    HookDecision { denies: true, reason: Some(reason.into()), ..HookDecision::default() }
}

fn world(hook: &Rc<Hook>, tools: Vec<Rc<dyn Tool>>, answers: impl IntoIterator<Item = Answer>) -> World {
    World { hooks: Some(hook.clone()), ..World::new(Rc::new(MemoryStore::new()), tools, answers) }
}

async fn run(conversation: &Conversation) -> ExecutionStatus {
    conversation.run(CancelToken::default()).await.unwrap().status
}

fn state(conversation: &Conversation) -> Value {
    serde_json::from_str(&conversation.state().json()).unwrap()
}

/// Waits until the hook is called for the first time.
async fn until_asked(hook: &Hook) {
    while hook.asked.borrow().is_empty() {
        yield_once().await;
    }
}

#[test]
fn a_pause_while_the_hook_of_the_session_is_asked_stops_the_run() {
    for waits in [false, true] {
        block_on(async {
            let (go, wait) = oneshot::channel();
            let wait = RefCell::new(Some(wait));
            let hook = Hook::new(HookEventType::SessionStart, move |_| {
                let wait = wait.take();
                Box::pin(async move {
                    if let Some(wait) = wait {
                        wait.await.unwrap();
                    }
                    Ok(HookDecision::default())
                })
            });
            let answers = [calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("Done.")];
            let mut world = world(&hook, vec![echo()], answers);
            let hooks = world.hooks.take();
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go").await;
            let mut expected = 0;
            if waits {
                conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
                run(&conversation).await;
                expected = 1;
            }
            conversation.close().await;

            world.hooks = hooks;
            let conversation = world.open().await.unwrap();
            let pause = async {
                until_asked(&hook).await;
                conversation.pause().await.unwrap();
                go.send(()).unwrap();
            };
            let (status, ()) = join(run(&conversation), pause).await;
            assert_eq!((status, conversation.execution_status()), (ExecutionStatus::Paused, status));
            let kinds = world.kinds().await;
            assert_eq!(world.model.requests.borrow().len(), expected, "{kinds:?}");
            assert!(!world.kinds().await.contains(&"Observation".to_owned()));
        });
    }
}

#[test]
fn a_denied_call_does_not_run_and_the_model_reads_why() {
    block_on(async {
        let hook = Hook::once(HookEventType::PreToolUse, deny("not here"));
        let ran = Rc::new(Cell::new(0));
        let count = ran.clone();
        let tool = TestTool::shared("pay", Replay::Never, move |_| {
            count.set(count.get() + 1);
            async { Ok(ToolOutput::text("paid")) }
        });
        let both = calls(&[("a", "pay", r#"{"text":"x"}"#), ("b", "pay", r#"{"text":"y"}"#)]);
        let world = world(&hook, vec![tool], [both, text("Fine.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(ran.get(), 1);
        assert_eq!(
            world.kinds().await,
            [
                "SystemPrompt",
                "Message",
                "HookExecution",
                "HookExecution",
                "Action",
                "Action",
                "UserRejectObservation",
                "Observation",
                "Message"
            ]
        );
        let events = world.events().await;
        assert_eq!(hook.asked.borrow()[0]["tool_input"], json!({ "text": "x" }));
        assert_eq!(events[2]["action_id"], events[4]["id"]);
        assert_eq!(events[2]["blocked"], true);
        assert_eq!(events[6]["rejection_source"], "hook");
        assert_eq!(events[6]["rejection_reason"], "not here");
        assert_eq!(state(&conversation)["blocked_actions"], json!({}));
        let sent = world.model.last_messages();
        assert!(sent.iter().any(|message| message["content"].to_string().contains("not here")), "{sent:?}");
    });
}

#[test]
fn a_denied_finish_does_not_finish() {
    block_on(async {
        let hook = Hook::once(HookEventType::PreToolUse, deny("test first"));
        let finish = || calls(&[("a", "finish", r#"{"message":"Done."}"#)]);
        let world = world(&hook, vec![], [finish(), finish()]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        let kinds = world.kinds().await;
        assert_eq!(kinds[2..5], ["HookExecution", "Action", "UserRejectObservation"]);
        assert_eq!(kinds[5..], ["HookExecution", "Action", "Observation"]);
    });
}

#[test]
fn a_pre_tool_hook_that_throws_denies_the_call() {
    block_on(async {
        let hook = Hook::throws(HookEventType::PreToolUse);
        let world = world(&hook, vec![echo()], [calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("Fine.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        run(&conversation).await;
        let events = world.events().await;
        assert_eq!((&events[2]["success"], &events[2]["error"]), (&json!(false), &json!("boom")));
        assert_eq!(events[4]["kind"], "UserRejectObservation");
    });
}

#[test]
fn a_hooks_denial_holds_after_the_page_died_before_the_call_was_answered() {
    block_on(async {
        let hook = Hook::new(HookEventType::PreToolUse, |times| {
            let decision = if times == 1 { deny("not here") } else { HookDecision::default() };
            Box::pin(async move { Ok(decision) })
        });
        let is_alive = Rc::new(Cell::new(true));
        let alive = is_alive.clone();
        let slow = TestTool::shared("slow", Replay::Safe, move |_| {
            let alive = alive.clone();
            async move {
                if alive.get() {
                    pending::<()>().await;
                }
                Ok(ToolOutput::text("done"))
            }
        });
        let both = calls(&[("a", "slow", r#"{"text":"x"}"#), ("b", "echo", r#"{"text":"y"}"#)]);
        let mut world = world(&hook, vec![slow, echo()], [both, text("Fine.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let dies = async {
            while !world.kinds().await.iter().any(|kind| kind == "Action") {
                yield_once().await;
            }
        };
        // Dropping the run simulates the death of the page.
        drop(select(Box::pin(conversation.run(CancelToken::default())), Box::pin(dies)).await);
        let events = world.events().await;
        let action = events.iter().rfind(|event| event["kind"] == "ActionEvent").unwrap();
        assert_eq!(state(&conversation)["blocked_actions"][action["id"].as_str().unwrap()], "not here");
        drop(conversation);
        is_alive.set(false);
        world.hooks = None;
        let again = world.open().await.unwrap();
        assert_eq!(run(&again).await, ExecutionStatus::Finished);
        let answers = world.kinds().await.split_off(6);
        assert_eq!(answers, ["Observation", "UserRejectObservation", "Message"]);
        assert_eq!(state(&again)["blocked_actions"], json!({}));
    });
}

#[test]
fn a_hooks_denial_applies_to_an_approved_call_and_an_edited_call_is_asked_about_again() {
    block_on(async {
        let hook = Hook::new(HookEventType::PreToolUse, |times| {
            let decision = if times < 2 { deny("not here") } else { HookDecision::default() };
            Box::pin(async move { Ok(decision) })
        });
        let both = calls(&[("a", "echo", r#"{"text":"x"}"#), ("b", "echo", r#"{"text":"y"}"#)]);
        let mut world = world(&hook, vec![echo()], [both, text("Fine.")]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation);
        assert_eq!(state(&conversation)["blocked_actions"].as_object().unwrap().len(), 2);
        let pending = conversation.pending_actions().await.unwrap();
        let edited = conversation.edit_action(pending[1].id(), r#"{"text":"z"}"#).await.unwrap();
        assert_eq!(hook.asked.borrow()[2]["tool_input"], json!({ "text": "z" }));
        let pending = conversation.pending_actions().await.unwrap();
        assert_eq!(pending[1].id(), edited.id());
        assert_eq!(state(&conversation)["blocked_actions"], json!({ pending[0].id().as_str(): "not here" }));
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        let kinds = world.kinds().await;
        assert_eq!(kinds[kinds.len() - 3..], ["UserRejectObservation", "Observation", "Message"]);
        assert_eq!(state(&conversation)["blocked_actions"], json!({}));
    });
}

#[test]
fn a_post_tool_hook_gets_the_result_and_cannot_change_it() {
    block_on(async {
        let hook = Hook::once(HookEventType::PostToolUse, deny("too late"));
        let world = world(&hook, vec![echo()], [calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("Fine.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        run(&conversation).await;
        assert_eq!(
            world.kinds().await,
            ["SystemPrompt", "Message", "Action", "Observation", "HookExecution", "Message"]
        );
        let asked = hook.asked.borrow();
        assert_eq!(asked[0]["tool_name"], "echo");
        assert_eq!(asked[0]["tool_response"]["content"][0]["text"], "x");
        assert_eq!(asked[0]["session_id"], conversation.id().to_string());
    });
}

#[test]
fn a_result_is_stored_before_its_hook_runs_and_the_hook_does_not_block_an_interrupt() {
    block_on(async {
        let hook = Hook::never(HookEventType::PostToolUse);
        let world = world(&hook, vec![echo()], [calls(&[("a", "echo", r#"{"text":"x"}"#)])]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let stop = async {
            until_asked(&hook).await;
            assert!(world.kinds().await.contains(&"Observation".to_owned()));
            conversation.interrupt().await.unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), stop).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
    });
}

#[test]
fn a_hook_that_never_answers_does_not_block_an_interrupt() {
    for event_type in [HookEventType::PreToolUse, HookEventType::SessionStart] {
        block_on(async {
            let hook = Hook::never(event_type);
            let mut world =
                world(&hook, vec![echo()], [calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("Fine.")]);
            world.hooks = None;
            say(&world.open().await.unwrap(), "Go").await;
            world.hooks = Some(hook.clone());
            let conversation = world.open().await.unwrap();
            let stop = async {
                until_asked(&hook).await;
                conversation.interrupt().await.unwrap();
            };
            let (outcome, ()) = join(conversation.run(CancelToken::default()), stop).await;
            assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
            assert!(!world.kinds().await.contains(&"Action".to_owned()));
        });
    }
}

#[test]
fn an_interrupt_ends_a_message_whose_hook_never_answers_and_stores_nothing() {
    for event_type in [HookEventType::UserPromptSubmit, HookEventType::SessionStart] {
        block_on(async {
            let hook = Hook::never(event_type);
            let mut world = world(&hook, vec![], [text("Fine.")]);
            let conversation = world.open().await.unwrap();
            let stop = async {
                until_asked(&hook).await;
                conversation.interrupt().await.unwrap();
            };
            let send = conversation.send_message(vec![Content::text("Go")], None);
            let (refused, ()) = join(send, stop).await;
            assert_eq!(refused.unwrap_err().code(), ErrorCode::Aborted);
            assert!(!world.kinds().await.contains(&"Message".to_owned()));
            conversation.close().await;
            world.hooks = None;
            let again = world.open().await.unwrap();
            say(&again, "Go").await;
            assert_eq!(run(&again).await, ExecutionStatus::Finished);
        });
    }
}

#[test]
fn an_interrupt_ends_an_edit_whose_hook_never_answers() {
    block_on(async {
        let hook = Hook::new(HookEventType::PreToolUse, |times| match times {
            0 => Box::pin(async { Ok(HookDecision::default()) }),
            _ => Box::pin(pending()),
        });
        let mut world = world(&hook, vec![echo()], [calls(&[("a", "echo", r#"{"text":"x"}"#)])]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation);
        let before = world.events().await.len();
        let [action] = &conversation.pending_actions().await.unwrap()[..] else { panic!() };
        let stop = async {
            while hook.asked.borrow().len() < 2 {
                yield_once().await;
            }
            conversation.interrupt().await.unwrap();
        };
        let (refused, ()) = join(conversation.edit_action(action.id(), r#"{"text":"y"}"#), stop).await;
        assert_eq!(refused.unwrap_err().code(), ErrorCode::Aborted);
        assert_eq!(world.events().await.len(), before);
    });
}

#[test]
fn a_hook_may_send_a_message_itself() {
    for event_type in [HookEventType::PreToolUse, HookEventType::PostToolUse, HookEventType::Stop] {
        block_on(async {
            let own: Rc<RefCell<Option<Conversation>>> = Rc::default();
            let conversation = own.clone();
            let hook = Hook::new(event_type, move |times| {
                let conversation = conversation.borrow().clone();
                Box::pin(async move {
                    if let Some(conversation) = conversation.filter(|_| times == 0) {
                        say(&conversation, "From a hook").await;
                    }
                    Ok(HookDecision::default())
                })
            });
            let answers = [calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("One."), text("Two.")];
            let world = world(&hook, vec![echo()], answers);
            let conversation = world.open().await.unwrap();
            *own.borrow_mut() = Some(conversation.clone());
            say(&conversation, "Go").await;
            assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
            let messages = world.model.last_messages();
            assert!(
                messages.iter().any(|message| message.to_string().contains("From a hook")),
                "{event_type:?}"
            );
            *own.borrow_mut() = None;
        });
    }
}

#[test]
fn a_denied_message_is_stored_and_the_model_is_not_asked() {
    block_on(async {
        let hook = Hook::once(HookEventType::UserPromptSubmit, deny("no"));
        let world = world(&hook, vec![], [text("Hello.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Forbidden").await;
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        let events = world.events().await;
        assert_eq!(world.kinds().await, ["SystemPrompt", "HookExecution", "Message"]);
        assert_eq!(events[1]["message_id"], events[2]["id"]);
        assert_eq!(hook.asked.borrow()[0]["message"], "Forbidden");
        assert_eq!(state(&conversation)["blocked_messages"][events[2]["id"].as_str().unwrap()], "no");
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert!(world.model.requests.borrow().is_empty());
        assert_eq!(state(&conversation)["blocked_messages"], json!({}));
        say(&conversation, "Allowed").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(world.model.requests.borrow().len(), 1);
    });
}

#[test]
fn text_that_a_hook_adds_to_a_message_reaches_the_model_and_a_denial_still_applies() {
    block_on(async {
        let context = |denies| HookDecision {
            denies,
            additional_context: Some("It rains.".into()),
            ..HookDecision::default()
        };
        let hook = Hook::once(HookEventType::UserPromptSubmit, context(false));
        let world = world(&hook, vec![], [text("Hello.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hi").await;
        run(&conversation).await;
        assert_eq!(world.events().await[2]["extended_content"][0]["text"], "It rains.");
        assert!(world.model.last_messages()[1].to_string().contains("It rains."));

        let hook = Hook::once(HookEventType::UserPromptSubmit, context(true));
        let world = self::world(&hook, vec![], []);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hi").await;
        assert_eq!(world.events().await[2]["extended_content"][0]["text"], "It rains.");
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
    });
}

#[test]
fn the_hook_is_asked_about_a_message_that_arrives_while_tools_run() {
    block_on(async {
        let hook = Hook::new(HookEventType::UserPromptSubmit, |times| {
            let denies = times == 1;
            Box::pin(async move { Ok(HookDecision { denies, ..HookDecision::default() }) })
        });
        let is_running = Rc::new(Cell::new(false));
        let go = Rc::new(Cell::new(false));
        let (begun, gone) = (is_running.clone(), go.clone());
        let slow = TestTool::shared("slow", Replay::Never, move |_| {
            let (begun, gone) = (begun.clone(), gone.clone());
            async move {
                begun.set(true);
                while !gone.get() {
                    yield_once().await;
                }
                Ok(ToolOutput::text("done"))
            }
        });
        let world = world(&hook, vec![slow], [calls(&[("a", "slow", r#"{"text":"x"}"#)])]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let send = async {
            while !is_running.get() {
                yield_once().await;
            }
            say(&conversation, "Forbidden").await;
            go.set(true);
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), send).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Finished);
        assert_eq!(world.model.requests.borrow().len(), 1);
        assert_eq!(
            world.kinds().await[2..],
            ["Message", "Action", "HookExecution", "Observation", "Message"]
        );
    });
}

#[test]
fn a_denied_stop_is_sent_as_feedback_and_the_run_continues() {
    block_on(async {
        let denied = HookDecision { additional_context: Some("write a test".into()), ..deny("unfinished") };
        let hook = Hook::once(HookEventType::Stop, denied);
        let world = world(&hook, vec![], [text("Done."), text("Done, with a test.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
        assert_eq!(outcome.final_response.as_deref(), Some("Done, with a test."));
        assert_eq!(
            world.kinds().await[2..],
            ["Message", "HookExecution", "Message", "Message", "HookExecution"]
        );
        let feedback = &world.events().await[4];
        assert_eq!(feedback["source"], "environment");
        assert_eq!(feedback["llm_message"]["content"][0]["text"], "[Stop hook feedback] write a test");
        assert_eq!(hook.asked.borrow()[0]["metadata"]["reason"], "agent_finished");
    });
}

#[test]
fn a_run_whose_end_is_always_denied_ends_at_its_step_limit() {
    block_on(async {
        let hook = Hook::new(HookEventType::Stop, |_| Box::pin(async { Ok(deny("never")) }));
        let mut world = world(&hook, vec![], (0..4).map(|_| text("Done.")));
        world.max_iterations = 4;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(world.model.requests.borrow().len(), 4);
        assert_eq!(hook.asked.borrow().len(), 3);
    });
}

#[test]
fn interrupting_a_stop_hook_that_never_answers_ends_the_run_as_finished() {
    block_on(async {
        let hook = Hook::never(HookEventType::Stop);
        let world = world(&hook, vec![], [text("Done.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let stop = async {
            until_asked(&hook).await;
            conversation.interrupt().await.unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), stop).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Finished);
    });
}

#[test]
fn the_session_start_hook_runs_once_per_opening_and_its_event_follows_the_system_prompt() {
    block_on(async {
        let hook = Hook::throws(HookEventType::SessionStart);
        let world = world(&hook, vec![], [text("One."), text("Two.")]);
        let conversation = world.open().await.unwrap();
        assert!(hook.asked.borrow().is_empty());
        say(&conversation, "Go").await;
        run(&conversation).await;
        assert_eq!(world.kinds().await, ["SystemPrompt", "HookExecution", "Message", "Message"]);
        conversation.close().await;
        let again = world.open().await.unwrap();
        say(&again, "Go").await;
        run(&again).await;
        assert_eq!(hook.asked.borrow().len(), 2);
        assert_eq!(world.kinds().await[4..], ["HookExecution", "Message", "Message"]);
    });
}

#[test]
fn closing_ends_the_session_with_and_without_an_answer_of_the_hook() {
    block_on(async {
        for is_silent in [false, true] {
            let hook = match is_silent {
                true => Hook::never(HookEventType::SessionEnd),
                false => Hook::once(HookEventType::SessionEnd, deny("stay")),
            };
            let world = world(&hook, vec![], []);
            let conversation = world.open().await.unwrap();
            conversation.close().await;
            assert!(hook.asked.borrow().is_empty(), "a session that never began");
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go").await;
            conversation.close().await;
            conversation.close().await;
            assert_eq!(hook.asked.borrow().len(), 1);
            assert_eq!(world.kinds().await.len(), if is_silent { 2 } else { 3 });
            world.open().await.unwrap();
        }
    });
}
