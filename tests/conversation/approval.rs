//! Tools whose calls wait under any policy, and the effect of a tool's hints on the risk.

use crate::support::{TestTool, World, calls, echo, say, text};
use futures_executor::block_on;
use futures_util::{
    FutureExt as _,
    future::{LocalBoxFuture, join},
};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::Conversation,
    event::SecurityRisk,
    format::base_state::ExecutionStatus,
    json::RawJson,
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    store::MemoryStore,
    tool::{Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput},
};

type Asked = fn(&str) -> LocalBoxFuture<'static, bool>;

/// A tool with these hints, and its own decision about approval.
struct Pay(ToolDefinition, Option<Asked>);

impl Tool for Pay {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn check(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn needs_approval(&self, arguments: &str) -> Option<LocalBoxFuture<'static, bool>> {
        self.1.map(|asked| asked(arguments))
    }

    fn call(&self, _: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(async { Ok(ToolOutput::text("paid")) })
    }
}

fn pay(annotations: ToolAnnotations, asked: Option<Asked>) -> Rc<dyn Tool> {
    let definition = ToolDefinition {
        name: "pay".into(),
        description: "Pays.".into(),
        parameters: r#"{"type":"object"}"#.into(),
        annotations,
        replay: Replay::Never,
        kind: ToolKind::Mcp,
    };
    Rc::new(Pay(definition, asked))
}

fn destructive() -> ToolAnnotations {
    ToolAnnotations { destructive_hint: Some(true), ..ToolAnnotations::default() }
}

fn open_world() -> ToolAnnotations {
    ToolAnnotations { open_world_hint: Some(true), ..ToolAnnotations::default() }
}

fn world(tool: Rc<dyn Tool>) -> World {
    let call = calls(&[("a", "pay", r#"{"sum":5}"#)]);
    World::new(Rc::new(MemoryStore::new()), vec![tool], [call, text("Done.")])
}

async fn run(conversation: &Conversation) -> ExecutionStatus {
    conversation.run(CancelToken::default()).await.unwrap().status
}

async fn status_after_call(world: &World) -> ExecutionStatus {
    let conversation = world.open().await.unwrap();
    say(&conversation, "Go").await;
    run(&conversation).await
}

/// Gives the same risk to every call.
struct FixedRisk(SecurityRisk);

impl SecurityAnalyzer for FixedRisk {
    fn security_risk(&self, _: &str) -> LocalBoxFuture<'static, Option<SecurityRisk>> {
        let risk = self.0;
        Box::pin(async move { Some(risk) })
    }
}

const ALWAYS: Asked = |_| Box::pin(async { true });
const NEVER: Asked = |_| Box::pin(async { false });
const LARGE: Asked = |arguments| {
    let is_large = arguments.contains("500");
    Box::pin(async move { is_large })
};

#[test]
fn calls_of_destructive_tools_wait_under_any_policy_unless_the_tool_decides_itself() {
    block_on(async {
        use ExecutionStatus::{Finished, WaitingForConfirmation};
        for (tool, expected) in [
            (pay(destructive(), None), WaitingForConfirmation),
            (pay(destructive(), Some(NEVER)), Finished),
            (pay(ToolAnnotations::default(), Some(ALWAYS)), WaitingForConfirmation),
            (pay(ToolAnnotations::default(), Some(LARGE)), Finished),
            (pay(ToolAnnotations::default(), None), Finished),
            (pay(open_world(), None), Finished),
        ] {
            assert_eq!(status_after_call(&world(tool)).await, expected);
        }
    });
}

#[test]
fn a_policy_applies_also_to_calls_that_their_tool_does_not_hold() {
    block_on(async {
        let mut world = world(pay(destructive(), Some(NEVER)));
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        assert_eq!(status_after_call(&world).await, ExecutionStatus::WaitingForConfirmation);
    });
}

#[test]
fn an_allowed_tool_waits_only_if_the_tool_itself_demands_approval() {
    block_on(async {
        for (tool, expected) in [
            (pay(destructive(), None), ExecutionStatus::Finished),
            (pay(destructive(), Some(ALWAYS)), ExecutionStatus::WaitingForConfirmation),
        ] {
            let world = world(tool);
            let conversation = world.open().await.unwrap();
            conversation.set_allowed_tools(&["pay".to_owned()]).await.unwrap();
            say(&conversation, "Go").await;
            assert_eq!(run(&conversation).await, expected);
        }
    });
}

#[test]
fn a_call_that_waits_because_of_its_tool_waits_across_a_reload_and_runs_once_approved() {
    block_on(async {
        let first = world(pay(destructive(), None));
        assert_eq!(status_after_call(&first).await, ExecutionStatus::WaitingForConfirmation);
        let mut next = World::new(first.store, first.tools, [text("Done.")]);
        next.host = first.host;
        let conversation = next.open().await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(conversation.pending_actions().await.unwrap().len(), 1);
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert!(next.kinds().await.contains(&"Observation".to_owned()));
    });
}

#[test]
fn a_tool_that_never_decides_about_approval_does_not_block_interrupt_or_close() {
    block_on(async {
        for closes in [false, true] {
            let silent: Asked = |_| Box::pin(std::future::pending());
            let world = world(pay(ToolAnnotations::default(), Some(silent)));
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go").await;
            let running = run(&conversation).shared();
            let stop = async {
                assert!(running.clone().now_or_never().is_none(), "it waits for the answer");
                match closes {
                    true => conversation.close().await,
                    false => conversation.interrupt().await.unwrap(),
                }
            };
            let (status, ()) = join(running.clone(), stop).await;
            assert_eq!(status, ExecutionStatus::Paused);
            assert!(!world.kinds().await.contains(&"Action".to_owned()), "nobody had decided about the call");
        }
    });
}

#[test]
fn calls_of_open_world_tools_have_at_least_medium_risk() {
    block_on(async {
        use ExecutionStatus::{Finished, WaitingForConfirmation};
        use SecurityRisk::{High, Low, Medium, Unknown};
        for (hints, risk, threshold, expected) in [
            (ToolAnnotations::default(), Low, Medium, Finished),
            (open_world(), Low, Medium, WaitingForConfirmation),
            (open_world(), Low, High, Finished),
            (open_world(), Unknown, Medium, WaitingForConfirmation),
            (ToolAnnotations::default(), Unknown, Medium, Finished),
            (open_world(), High, High, WaitingForConfirmation),
        ] {
            let mut world = world(pay(hints.clone(), None));
            world.confirmation_policy =
                Some(ConfirmationPolicy::ConfirmRisky { threshold, confirm_unknown: false });
            let patterns = RawJson::parse(r#"{"kind":"PatternSecurityAnalyzer"}"#).unwrap();
            world.stored_analyzer = Some(StoredAnalyzer::of(patterns));
            world.analyzer = Some(Rc::new(FixedRisk(risk)));
            let status = status_after_call(&world).await;
            assert_eq!(status, expected, "{hints:?} {risk:?} {threshold:?}");
        }
    });
}

#[test]
fn a_tool_can_be_allowed_only_where_one_of_its_calls_waits_for_its_own_sake() {
    block_on(async {
        let both = |risks: [&str; 3]| {
            let [a, b, c] = risks.map(|risk| format!(r#"{{"text":"x","security_risk":"{risk}"}}"#));
            calls(&[("a", "echo", &a), ("b", "other", &b), ("c", "other", &c)])
        };
        let mut world = World::new(
            Rc::new(MemoryStore::new()),
            vec![echo()],
            [both(["HIGH", "LOW", "LOW"]), both(["LOW", "HIGH", "LOW"])],
        );
        world.tools.push(TestTool::shared("other", Replay::Safe, |_| async { Ok(ToolOutput::text("ok")) }));
        world.confirmation_policy =
            Some(ConfirmationPolicy::ConfirmRisky { threshold: SecurityRisk::High, confirm_unknown: true });
        world.stored_analyzer =
            Some(StoredAnalyzer::of(RawJson::parse(r#"{"kind":"LLMSecurityAnalyzer"}"#).unwrap()));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation);
        let allowable = async || {
            let pending = conversation.pending_actions().await.unwrap();
            let count = pending.len();
            let found = conversation.allowable(pending.clone()).await;
            let place = |event| pending.iter().position(|other| other.id() == event);
            (count, found.iter().map(|event| place(event.id()).unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(allowable().await, (3, vec![0]));
        conversation.reject_pending_actions(None, None).await.unwrap();
        assert_eq!(run(&conversation).await, ExecutionStatus::WaitingForConfirmation);
        assert_eq!(allowable().await, (3, vec![1, 2]), "allowing the tool lets both of its calls run");
        // Everything that the user is asked about waits for its own sake.
        conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
        assert_eq!(allowable().await, (3, vec![0, 1, 2]));
    });
}
