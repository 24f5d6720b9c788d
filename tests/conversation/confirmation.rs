//! Calls that wait for the user, and the ways to decide about them.

use crate::support::{Answer, TestTool, World, calls, echo, say, text};
use futures_executor::block_on;
use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Conversation, WaitingCalls},
    error::ErrorCode,
    event::SecurityRisk,
    format::base_state::ExecutionStatus,
    id::EventId,
    json::{EditableObject, RawJson},
    llm::message::Content,
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    store::MemoryStore,
    tool::{Replay, Tool, ToolFailure, ToolOutput},
};

const RISKY: ConfirmationPolicy =
    ConfirmationPolicy::ConfirmRisky { threshold: SecurityRisk::High, confirm_unknown: true };

/// An analyzer that answers from a list, and throws after its end.
#[derive(Default)]
struct Scripted(RefCell<Vec<SecurityRisk>>, RefCell<Vec<Value>>);

impl SecurityAnalyzer for Scripted {
    fn security_risk(&self, action: &str) -> LocalBoxFuture<'static, Option<SecurityRisk>> {
        self.1.borrow_mut().push(serde_json::from_str(action).unwrap());
        let mut risks = self.0.borrow_mut();
        let risk = if risks.is_empty() { None } else { Some(risks.remove(0)) };
        Box::pin(async move { risk })
    }
}

fn analyzer_of_kind(kind: &str) -> Option<Option<StoredAnalyzer>> {
    Some(StoredAnalyzer::of(RawJson::parse(&json!({ "kind": kind }).to_string()).unwrap()))
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], answers);
    world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
    world
}

/// The next page on the same store, whose host gives no policy and no analyzer.
fn next_page(world: World, answers: impl IntoIterator<Item = Answer>) -> World {
    let mut next = World::new(world.store, world.tools, answers);
    next.host = world.host;
    next
}

fn two_calls() -> Answer {
    calls(&[("a", "echo", r#"{"text":"one"}"#), ("b", "echo", r#"{"text":"two"}"#)])
}

fn three_calls() -> Answer {
    calls(&[
        ("a", "echo", r#"{"text":"one"}"#),
        ("b", "echo", r#"{"text":"two"}"#),
        ("c", "echo", r#"{"text":"three"}"#),
    ])
}

async fn run(conversation: &Conversation) -> ExecutionStatus {
    conversation.run(CancelToken::default()).await.unwrap().status
}

async fn run_until_it_waits(world: &World) -> Conversation {
    let conversation = world.open().await.unwrap();
    say(&conversation, "Go").await;
    assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation);
    conversation
}

async fn pending(conversation: &Conversation) -> Vec<EventId> {
    conversation.pending_actions().await.unwrap().iter().map(|event| event.id().clone()).collect()
}

fn agent_state(conversation: &Conversation) -> Value {
    serde_json::from_str(conversation.state().agent_state().unwrap().as_str()).unwrap()
}

#[test]
fn a_batch_waits_and_running_it_is_the_approval() {
    block_on(async {
        let world = world([two_calls(), text("Done.")]);
        let conversation = run_until_it_waits(&world).await;
        assert_eq!(world.kinds().await[2..], ["Action", "Action"], "nothing has run");
        assert_eq!(pending(&conversation).await.len(), 2);
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(world.kinds().await[4..], ["Observation", "Observation", "Message"]);
        assert!(pending(&conversation).await.is_empty());
    });
}

#[test]
fn waiting_calls_and_the_policy_survive_a_reload() {
    block_on(async {
        let first = world([two_calls()]);
        run_until_it_waits(&first).await;
        let world = next_page(first, [calls(&[("c", "echo", r#"{"text":"three"}"#)]), text("Done.")]);
        let conversation = world.open().await.unwrap();
        assert!(conversation.warnings().is_empty(), "{:?}", conversation.warnings());
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(pending(&conversation).await.len(), 2);
        assert_eq!(
            run(&conversation).await,
            ExecutionStatus::WaitingForConfirmation,
            "the next call waits too"
        );
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
    });
}

#[test]
fn a_single_finish_or_think_never_waits() {
    block_on(async {
        let world = world([
            calls(&[("a", "think", r#"{"thought":"hm"}"#)]),
            calls(&[("b", "finish", r#"{"message":"Done."}"#)]),
            calls(&[("c", "think", r#"{"thought":"hm"}"#), ("d", "finish", r#"{"message":"Done."}"#)]),
        ]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        say(&conversation, "Again").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation, "together they do");
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
    });
}

#[test]
fn an_answer_with_only_invalid_calls_does_not_wait() {
    block_on(async {
        let world = world([calls(&[("a", "echo", r#"{"text":1}"#)]), text("Sorry.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
    });
}

#[test]
fn a_rejection_is_what_the_model_reads_next() {
    block_on(async {
        let world = world([two_calls(), text("Then not.")]);
        let conversation = run_until_it_waits(&world).await;
        conversation.reject_pending_actions(Some("Too loud".into()), None).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        conversation.reject_pending_actions(None, None).await.unwrap();
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(world.kinds().await[4..], ["UserRejectObservation", "UserRejectObservation", "Message"]);
        let sent = world.model.last_messages();
        assert_eq!(sent[3]["content"][0]["text"], "Action rejected: Too loud");
    });
}

#[test]
fn calls_are_approved_and_rejected_one_by_one_and_the_model_is_asked_after_the_last() {
    block_on(async {
        let world = world([three_calls(), text("Done.")]);
        let conversation = run_until_it_waits(&world).await;
        let ids = pending(&conversation).await;
        let approve = |ids: Vec<EventId>| {
            let conversation = conversation.clone();
            async move { conversation.run_approved(&ids, CancelToken::default()).await }
        };
        assert_eq!(
            approve(vec![ids[1].clone()]).await.unwrap().status,
            ExecutionStatus::WaitingForConfirmation
        );
        assert_eq!(pending(&conversation).await, [ids[0].clone(), ids[2].clone()]);
        let error = approve(vec![ids[1].clone()]).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound, "it has run");
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        let error = conversation
            .reject_pending_actions(None, Some(&[ids[0].clone(), ids[1].clone()]))
            .await
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert_eq!(pending(&conversation).await.len(), 2, "a mistake rejects nothing");
        conversation.reject_pending_actions(None, Some(&[ids[0].clone()])).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(approve(vec![ids[2].clone()]).await.unwrap().status, ExecutionStatus::Finished);
        assert_eq!(
            world.kinds().await[5..],
            ["Observation", "UserRejectObservation", "Observation", "Message"]
        );
        assert_eq!(agent_state(&conversation), json!({}), "nothing is remembered of what is decided");
    });
}

#[test]
fn finish_cannot_be_approved_without_the_calls_before_it() {
    block_on(async {
        let finish = ("b", "finish", r#"{"message":"Done."}"#);
        let world = world([calls(&[("a", "echo", r#"{"text":"one"}"#), finish])]);
        let conversation = run_until_it_waits(&world).await;
        let ids = pending(&conversation).await;
        let error = conversation.run_approved(&[ids[1].clone()], CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        conversation.reject_pending_actions(None, Some(&[ids[0].clone()])).await.unwrap();
        let outcome = conversation.run_approved(&[ids[1].clone()], CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
    });
}

/// A tool that never answers, and counts its calls.
fn endless(replay: Replay, began: Rc<Cell<u32>>) -> Rc<dyn Tool> {
    TestTool::shared("endless", replay, move |_| {
        began.set(began.get() + 1);
        std::future::pending()
    })
}

#[test]
fn a_page_that_dies_in_an_approved_call_leaves_the_others_waiting() {
    for (replay, answered) in [(Replay::Safe, 0), (Replay::Never, 1)] {
        block_on(async {
            let began = Rc::new(Cell::new(0));
            let mut first = world([calls(&[
                ("a", "echo", r#"{"text":"one"}"#),
                ("b", "endless", r#"{"text":"two"}"#),
                ("c", "echo", r#"{"text":"three"}"#),
            ])]);
            first.tools.push(endless(replay, began.clone()));
            let conversation = run_until_it_waits(&first).await;
            let ids = pending(&conversation).await;
            let approved = [ids[1].clone()];
            let running = conversation.run_approved(&approved, CancelToken::default()).now_or_never();
            assert!(running.is_none() && began.get() == 1);

            let world = next_page(first, []);
            let conversation = world.open().await.unwrap();
            assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
            assert_eq!(pending(&conversation).await.len(), 3 - answered);
            let error = conversation.send_message(vec![Content::text("Hm")], None).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidState, "two calls wait for the user");
            assert!(error.message().contains(ids[0].as_str()) && !error.message().contains(ids[1].as_str()));
        });
    }
}

#[test]
fn calls_that_were_left_out_are_not_approved_by_resuming_a_run() {
    block_on(async {
        let began = Rc::new(Cell::new(0));
        let mut world =
            world([calls(&[("a", "slow", r#"{"text":"one"}"#), ("b", "endless", r#"{"text":"two"}"#)])]);
        world.tools.push(endless(Replay::Never, began.clone()));
        let slot: Rc<RefCell<Option<Conversation>>> = Rc::default();
        let inner = slot.clone();
        world.tools.push(TestTool::shared("slow", Replay::Never, move |_| {
            let conversation = inner.borrow().clone();
            async move {
                conversation.unwrap().pause().await.unwrap();
                Ok(ToolOutput::text("slowly"))
            }
        }));
        let conversation = run_until_it_waits(&world).await;
        *slot.borrow_mut() = Some(conversation.clone());
        let ids = pending(&conversation).await;
        let outcome = conversation.run_approved(&[ids[0].clone()], CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::WaitingForConfirmation, "it has stopped, and waits");
        assert_eq!(began.get(), 0);
    });
}

#[test]
fn an_interrupt_answers_unapproved_calls_differently_from_stopped_ones() {
    block_on(async {
        let began = Rc::new(Cell::new(0));
        let mut world =
            world([calls(&[("a", "endless", r#"{"text":"one"}"#), ("b", "echo", r#"{"text":"two"}"#)])]);
        world.tools.push(endless(Replay::Never, began.clone()));
        let conversation = run_until_it_waits(&world).await;
        let approved = [pending(&conversation).await[0].clone()];
        let mut run = Box::pin(conversation.run_approved(&approved, CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        let (outcome, stopped) = futures_util::future::join(run, conversation.interrupt()).await;
        stopped.unwrap();
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        let events = world.events().await;
        assert!(events[4]["error"].as_str().unwrap().contains("stopped before it was done"));
        assert!(events[5]["rejection_reason"].as_str().unwrap().contains("before approving"));
        assert_eq!(events[6]["kind"], "InterruptEvent");
        assert_eq!(agent_state(&conversation), json!({}));
    });
}

#[test]
fn a_message_rejects_waiting_calls_only_on_request() {
    block_on(async {
        let world = world([two_calls(), text("All right.")]);
        let conversation = run_until_it_waits(&world).await;
        let error = conversation.send_message(vec![Content::text("Wait")], None).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        assert!(error.message().contains("echo"), "{error}");
        assert_eq!(conversation.length(), 4, "nothing is stored");
        let reject = Some(WaitingCalls::Reject);
        conversation.send_message_while_waiting(vec![Content::text("Wait")], None, reject).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(
            world.kinds().await[4..],
            ["UserRejectObservation", "UserRejectObservation", "Message", "Message"]
        );
    });
}

#[test]
fn a_message_in_the_inbox_survives_and_follows_the_results() {
    for approves in [true, false] {
        block_on(async {
            let first = world([two_calls()]);
            let conversation = run_until_it_waits(&first).await;
            let keep = Some(WaitingCalls::Keep);
            conversation.send_message_while_waiting(vec![Content::text("One")], None, keep).await.unwrap();
            conversation.send_message_while_waiting(vec![Content::text("Two")], None, keep).await.unwrap();
            assert_eq!(conversation.length(), 4);

            let world = next_page(first, [text("Read.")]);
            let conversation = world.open().await.unwrap();
            assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
            assert_eq!(pending(&conversation).await.len(), 2);
            if !approves {
                conversation.reject_pending_actions(None, None).await.unwrap();
            }
            assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
            let answer = if approves { "Observation" } else { "UserRejectObservation" };
            assert_eq!(world.kinds().await[4..], [answer, answer, "Message", "Message", "Message"]);
            let texts: Vec<Value> = world.events().await[6..8]
                .iter()
                .map(|event| event["llm_message"]["content"][0]["text"].clone())
                .collect();
            assert_eq!(texts, ["One", "Two"]);
        });
    }
}

#[test]
fn a_rejecting_message_follows_an_earlier_one_in_the_inbox() {
    block_on(async {
        let world = world([two_calls(), text("Read.")]);
        let conversation = run_until_it_waits(&world).await;
        for (text, choice) in [("One", WaitingCalls::Keep), ("Two", WaitingCalls::Reject)] {
            let content = vec![Content::text(text)];
            conversation.send_message_while_waiting(content, None, Some(choice)).await.unwrap();
        }
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        let events = world.events().await;
        assert_eq!(events[6]["llm_message"]["content"][0]["text"], "One");
        assert_eq!(events[7]["llm_message"]["content"][0]["text"], "Two");
        assert!(world.store.files(conversation.id(), None).await.unwrap().is_empty());
    });
}

#[test]
fn a_new_policy_applies_from_the_next_answer_on_and_approves_nothing() {
    block_on(async {
        let world = world([two_calls(), two_calls(), text("Done.")]);
        let conversation = run_until_it_waits(&world).await;
        conversation.set_confirmation_policy(ConfirmationPolicy::NeverConfirm).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(pending(&conversation).await.len(), 2);
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        let policy = conversation.state().confirmation_policy().unwrap();
        assert_eq!(policy.as_str(), r#"{"kind":"NeverConfirm"}"#);
    });
}

#[test]
fn without_an_analyzer_every_risk_is_unknown_and_the_models_rating_is_ignored() {
    block_on(async {
        let mut world =
            world([calls(&[("a", "echo", r#"{"text":"one","security_risk":"LOW"}"#)]), text("Done.")]);
        world.confirmation_policy = Some(RISKY);
        let conversation = run_until_it_waits(&world).await;
        let action = &world.events().await[2];
        assert_eq!(action["security_risk"], "UNKNOWN");
        assert!(action["tool_call"]["arguments"].as_str().unwrap().contains("security_risk"));
        let policy = conversation.state().confirmation_policy().unwrap();
        assert_eq!(policy.as_str(), r#"{"threshold":"HIGH","confirm_unknown":true,"kind":"ConfirmRisky"}"#);
    });
}

#[test]
fn the_models_own_rating_decides_if_the_model_is_the_analyzer() {
    block_on(async {
        let mut world = world([
            calls(&[("a", "echo", r#"{"text":"one","security_risk":"MEDIUM"}"#)]),
            calls(&[("b", "echo", r#"{"text":"two","security_risk":"very low"}"#)]),
            calls(&[
                ("c", "echo", r#"{"text":"three","security_risk":"LOW"}"#),
                ("d", "echo", r#"{"text":"four","security_risk":"HIGH"}"#),
            ]),
        ]);
        world.confirmation_policy = Some(RISKY);
        world.stored_analyzer = analyzer_of_kind("LLMSecurityAnalyzer");
        let conversation = run_until_it_waits(&world).await;
        let events = world.events().await;
        assert_eq!(
            world.kinds().await[2..],
            ["Action", "Observation", "Action", "AgentError", "Action", "Action"]
        );
        assert_eq!(events[2]["security_risk"], "MEDIUM");
        assert!(events[5]["error"].as_str().unwrap().contains("UNKNOWN, LOW, MEDIUM or HIGH"));
        assert_eq!(events[7]["security_risk"], "HIGH");
        assert_eq!(agent_state(&conversation), json!({}), "the risks are in the events");
        assert_eq!(
            conversation.state().field("security_analyzer").unwrap().as_str(),
            r#"{"kind":"LLMSecurityAnalyzer"}"#
        );
    });
}

#[test]
fn the_hosts_analyzer_sees_each_call_and_its_ratings_are_stored_while_they_wait() {
    block_on(async {
        let analyzer = Rc::new(Scripted::default());
        *analyzer.0.borrow_mut() = vec![SecurityRisk::Low, SecurityRisk::High];
        let mut world = world([two_calls(), text("Done.")]);
        world.confirmation_policy = Some(RISKY);
        world.stored_analyzer = analyzer_of_kind("PatternSecurityAnalyzer");
        world.analyzer = Some(analyzer.clone());
        let conversation = run_until_it_waits(&world).await;
        let ids = pending(&conversation).await;
        assert_eq!(analyzer.1.borrow()[1]["id"], ids[1].as_str());
        assert_eq!(analyzer.1.borrow()[1]["action"]["data"]["text"], "two");
        assert_eq!(
            agent_state(&conversation)["security_risks"],
            json!({ ids[0].as_str(): "LOW", ids[1].as_str(): "HIGH" })
        );
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(agent_state(&conversation).get("security_risks"), None);
    });
}

#[test]
fn the_risk_is_high_if_the_analyzer_throws_or_is_missing() {
    for (kind, is_here) in
        [("PatternSecurityAnalyzer", true), ("PatternSecurityAnalyzer", false), ("GraySwanAnalyzer", false)]
    {
        block_on(async {
            let mut first = world([calls(&[("a", "echo", r#"{"text":"one","security_risk":"LOW"}"#)])]);
            first.confirmation_policy = Some(ConfirmationPolicy::ConfirmRisky {
                threshold: SecurityRisk::High,
                confirm_unknown: false,
            });
            first.stored_analyzer = analyzer_of_kind(kind);
            first.analyzer = is_here.then(|| Rc::new(Scripted::default()) as Rc<dyn SecurityAnalyzer>);
            let conversation = run_until_it_waits(&first).await;
            let id = pending(&conversation).await[0].clone();
            assert_eq!(agent_state(&conversation)["security_risks"], json!({ id.as_str(): "HIGH" }));
            let conversation = next_page(first, []).open().await.unwrap();
            let warned = conversation.warnings().iter().any(|warning| warning.message.contains("HIGH"));
            assert_eq!(warned, kind == "GraySwanAnalyzer");
        });
    }
}

#[test]
fn an_analyzer_that_never_answers_does_not_block_an_interrupt() {
    struct Hanging;
    impl SecurityAnalyzer for Hanging {
        fn security_risk(&self, _: &str) -> LocalBoxFuture<'static, Option<SecurityRisk>> {
            Box::pin(std::future::pending())
        }
    }
    block_on(async {
        let mut world = world([two_calls()]);
        world.stored_analyzer = analyzer_of_kind("PatternSecurityAnalyzer");
        world.analyzer = Some(Rc::new(Hanging));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        say(&conversation, "A message is not held up either").await;
        let (outcome, stopped) = futures_util::future::join(run, conversation.interrupt()).await;
        stopped.unwrap();
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Message", "Interrupt", "Message"]);
    });
}

#[test]
fn an_unknown_policy_asks_about_every_call() {
    block_on(async {
        let mut first = world([text("Hello.")]);
        first.confirmation_policy = None;
        let conversation = first.open().await.unwrap();
        say(&conversation, "Hi").await;
        run(&conversation).await;
        let mut state = conversation.state().clone();
        state.set_confirmation_policy(&RawJson::parse(r#"{"kind":"ConfirmOnTuesdays"}"#).unwrap());
        let commit = threadkeep::store::Commit {
            expected_length: conversation.length(),
            created_at: None,
            writer: None,
            truncate_to: None,
            events: Vec::new(),
            base_state: Some(state.json()),
            files: Vec::new(),
            files_of: None,
            at: 0.0,
            durability: threadkeep::store::Durability::Strict,
        };
        first.store.commit(conversation.id(), commit).await.unwrap();
        let world = next_page(first, [two_calls()]);
        let conversation = run_until_it_waits(&world).await;
        assert!(conversation.warnings()[0].message.contains("policy"));
        let policy = conversation.state().confirmation_policy().unwrap();
        assert_eq!(policy.as_str(), r#"{"kind":"ConfirmOnTuesdays"}"#, "it is stored unchanged");
    });
}

#[test]
fn a_tool_that_the_user_always_allows_does_not_wait_but_its_batch_may() {
    block_on(async {
        let mut world = world([
            two_calls(),
            calls(&[("c", "echo", r#"{"text":"x"}"#), ("d", "other", r#"{"text":"y"}"#)]),
            text("Done."),
        ]);
        world.tools.push(TestTool::shared("other", Replay::Safe, |_| async { Ok(ToolOutput::text("ok")) }));
        let conversation = world.open().await.unwrap();
        conversation.set_allowed_tools(&["echo".into()]).await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation);
        assert_eq!(
            world.kinds().await[2..],
            ["Action", "Action", "Observation", "Observation", "Action", "Action"]
        );
        assert_eq!(conversation.allowed_tools(), ["echo"]);
        conversation.set_allowed_tools(&[]).await.unwrap();
        assert_eq!(agent_state(&conversation), json!({}));
    });
}

#[test]
fn execute_tool_needs_no_approval_and_stores_no_events() {
    block_on(async {
        let mut world = world([]);
        world
            .tools
            .push(TestTool::shared("broken", Replay::Never, |_| async { Err(ToolFailure("no".into())) }));
        let conversation = world.open().await.unwrap();
        let call = |name: &'static str, arguments: &'static str| {
            let conversation = conversation.clone();
            async move { conversation.execute_tool(name, arguments, "mine".into()).await }
        };
        let output = call("echo", r#"{"text":"one"}"#).await.unwrap();
        assert_eq!(output.content(), [Content::text("one")]);
        assert_eq!(output.kind().as_deref(), Some("MCPToolObservation"));
        assert_eq!(
            call("finish", r#"{"message":"x"}"#).await.unwrap().kind().as_deref(),
            Some("FinishObservation")
        );
        assert!(call("broken", r#"{"text":"one"}"#).await.unwrap().is_error());
        assert_eq!(call("echo", r#"{"text":1}"#).await.unwrap_err().code(), ErrorCode::InvalidOptions);
        assert_eq!(call("nothing", "{}").await.unwrap_err().code(), ErrorCode::NotFound);
        assert_eq!(conversation.length(), 0);
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        conversation.close().await;
        assert_eq!(call("echo", "{}").await.unwrap_err().code(), ErrorCode::InvalidState);
    });
}

#[test]
fn fields_of_the_host_in_agent_state_do_not_collide_with_those_of_the_library() {
    block_on(async {
        let world = world([]);
        let conversation = world.open().await.unwrap();
        let set = |json: &'static str| {
            let (conversation, values) = (conversation.clone(), EditableObject::compact(json).unwrap());
            async move { conversation.set_agent_state(&values).await }
        };
        conversation.set_allowed_tools(&["echo".into()]).await.unwrap();
        set(r#"{"seen":[1,2],"gone":true}"#).await.unwrap();
        set(r#"{"gone":null,"more":"x"}"#).await.unwrap();
        assert_eq!(
            agent_state(&conversation),
            json!({ "allowed_tools": ["echo"], "seen": [1, 2], "more": "x" })
        );
        let error = set(r#"{"allowed_tools":["rm"]}"#).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOptions);
    });
}
