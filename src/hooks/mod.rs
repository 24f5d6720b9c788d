//! Hooks: functions of the host that are called around tools, messages and sessions (`hooks/manager.py`,
//! `hooks/executor.py`).
//!
//! Does not know conversations. The failure of a hook denies the operation only before a tool is called.

mod input;

pub use input::HookInput;

use crate::event::{HookEventType, HookExecutionEvent};
use futures_util::future::LocalBoxFuture;

/// The host's hooks.
pub trait Hooks {
    /// Whether there is a hook for this occasion.
    fn has(&self, event_type: HookEventType) -> bool;

    /// Calls the hook for this occasion; `input` is the JSON of the SDK's `HookEvent`. An error is the message of a
    /// failure. Dropping the future stops waiting for the answer.
    fn ask(
        &self,
        event_type: HookEventType,
        input: String,
    ) -> LocalBoxFuture<'static, std::result::Result<HookDecision, String>>;
}

/// The decision of a hook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookDecision {
    /// Whether the hook denies the operation.
    pub denies: bool,
    /// The reason for the decision.
    pub reason: Option<String>,
    /// Text for the model. As in the SDK, it is used with a user's message and when the end of a run is denied.
    pub additional_context: Option<String>,
    /// The message of a failure, because of which nothing was decided.
    pub error: Option<String>,
    /// What the log stores of each hook of an occasion that has several, without their input; empty where there is one.
    pub executions: Vec<HookExecutionEvent>,
}

/// The result of calling a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookResult {
    /// The decision of the hook, or the one that follows from its failure.
    pub decision: HookDecision,
    /// The message of its failure.
    pub error: Option<String>,
}

impl HookResult {
    /// The result of this answer. A failure before a tool call denies the call.
    pub fn of(event_type: HookEventType, answer: std::result::Result<HookDecision, String>) -> Self {
        let mut decision =
            answer.unwrap_or_else(|error| HookDecision { error: Some(error), ..HookDecision::default() });
        let error = decision.error.take();
        if let Some(error) = error.as_ref().filter(|_| event_type == HookEventType::PreToolUse) {
            decision.denies = true;
            // Of several, the one that fails is the last that is asked.
            if let Some(last) = decision.executions.last_mut() {
                last.blocked = true;
            }
            decision.reason = Some(format!("The hook that guards this tool failed: {error}"));
        }
        Self { decision, error }
    }

    /// The reason for a denial; `None` if the operation is not denied.
    pub fn denial(&self) -> Option<String> {
        let decision = &self.decision;
        let reason = decision.reason.clone().filter(|reason| !reason.is_empty());
        decision.denies.then(|| reason.unwrap_or_else(|| "Blocked by hook".to_owned()))
    }

    /// The text for the model, if there is any.
    pub fn additional_context(&self) -> Option<&str> {
        self.decision.additional_context.as_deref().filter(|text| !text.is_empty())
    }

    /// The events that record the calls of hooks.
    pub fn executions(&self, input: &HookInput) -> Vec<HookExecutionEvent> {
        let own = [self.execution(input)];
        let several = &self.decision.executions;
        let executions = if several.is_empty() { own.as_slice() } else { several };
        executions.iter().map(|execution| recorded(execution, input)).collect()
    }

    /// The call of the host's function.
    fn execution(&self, input: &HookInput) -> HookExecutionEvent {
        HookExecutionEvent {
            hook_event_type: input.event_type,
            hook_command: format!("hooks.{}", input::option_name(input.event_type)),
            tool_name: None,
            success: self.error.is_none(),
            blocked: self.decision.denies,
            // The SDK writes -1 for a hook that could not be run.
            exit_code: if self.error.is_none() { 0 } else { -1 },
            stdout: String::new(),
            stderr: String::new(),
            reason: self.decision.reason.clone(),
            additional_context: self.decision.additional_context.clone(),
            error: self.error.clone(),
            action_id: None,
            message_id: None,
            hook_input: None,
        }
    }
}

/// The record of a call that had this input.
fn recorded(execution: &HookExecutionEvent, input: &HookInput) -> HookExecutionEvent {
    let cut = |text: &Option<String>| text.as_deref().map(input::cut);
    HookExecutionEvent {
        hook_event_type: input.event_type,
        hook_command: input::cut(&execution.hook_command),
        tool_name: input.tool_name.clone(),
        success: execution.success,
        blocked: execution.blocked,
        exit_code: execution.exit_code,
        stdout: input::cut(&execution.stdout),
        stderr: input::cut(&execution.stderr),
        reason: cut(&execution.reason),
        additional_context: cut(&execution.additional_context),
        error: cut(&execution.error),
        action_id: input.action_id.clone(),
        message_id: input.message_id.clone(),
        hook_input: input.record(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{Event, Head, Parent, Source},
        id::EventId,
        json::RawJson,
    };

    fn written(input: &HookInput, answer: std::result::Result<HookDecision, String>) -> String {
        let id: EventId = "0a0a0a0a-0000-4000-8000-000000000000".parse().unwrap();
        let head = Head { id, timestamp: "t".into(), source: Source::Hook, parent: Parent::Unset };
        let event =
            Event::new(head, HookResult::of(input.event_type, answer).executions(input).remove(0)).unwrap();
        event.json().to_string()
    }

    fn call() -> HookInput {
        HookInput {
            tool_name: Some("pay".into()),
            tool_input: RawJson::parse(r#"{"sum":1.50}"#),
            action_id: Some("a1".into()),
            ..HookInput::new(HookEventType::PreToolUse)
        }
    }

    #[test]
    fn a_hooks_execution_is_written_in_the_form_of_the_sdk() {
        let denied =
            HookDecision { denies: true, reason: Some("too much".into()), ..HookDecision::default() };
        assert_eq!(
            written(&call(), Ok(denied)),
            r#"{"id":"0a0a0a0a-0000-4000-8000-000000000000","timestamp":"t","source":"hook","hook_event_type":"PreToolUse","hook_command":"hooks.preToolUse","tool_name":"pay","success":true,"blocked":true,"exit_code":0,"stdout":"","stderr":"","reason":"too much","action_id":"a1","hook_input":{"tool_name":"pay","tool_input":{"sum":1.50}},"kind":"HookExecutionEvent"}"#
        );
        let text = written(&HookInput::new(HookEventType::SessionEnd), Err("boom".into()));
        assert!(text.contains(r#""success":false,"blocked":false,"exit_code":-1"#), "{text}");
        assert!(text.contains(r#""error":"boom""#) && !text.contains("hook_input"), "{text}");
    }

    #[test]
    fn a_failure_denies_only_tool_calls() {
        for event_type in [
            HookEventType::PreToolUse,
            HookEventType::PostToolUse,
            HookEventType::UserPromptSubmit,
            HookEventType::SessionStart,
            HookEventType::SessionEnd,
            HookEventType::Stop,
        ] {
            let result = HookResult::of(event_type, Err("boom".into()));
            assert_eq!(result.denial().is_some(), event_type == HookEventType::PreToolUse);
        }
    }

    #[test]
    fn a_denial_always_has_a_reason() {
        for reason in [None, Some(String::new())] {
            let decision = HookDecision { denies: true, reason, ..Default::default() };
            assert_eq!(HookResult { decision, error: None }.denial().as_deref(), Some("Blocked by hook"));
        }
        assert_eq!(HookResult::of(HookEventType::Stop, Ok(HookDecision::default())).denial(), None);
    }

    #[test]
    fn each_hook_of_an_occasion_has_an_event_of_its_own() {
        let one = |command: &str| {
            let own = HookResult::of(HookEventType::PreToolUse, Ok(HookDecision::default()));
            HookExecutionEvent {
                hook_command: command.into(),
                stdout: "x".repeat(50_001),
                ..own.execution(&call())
            }
        };
        let decision = HookDecision { executions: vec![one("a"), one("b")], ..HookDecision::default() };
        let events = HookResult::of(HookEventType::PreToolUse, Ok(decision)).executions(&call());
        let commands: Vec<&str> = events.iter().map(|event| event.hook_command.as_str()).collect();
        assert_eq!(commands, ["a", "b"]);
        assert!(events.iter().all(|event| event.action_id.as_deref() == Some("a1")
            && event.hook_input.is_some()
            && event.stdout.chars().count() == 50_000));
    }

    #[test]
    fn a_failure_among_several_denies_as_that_of_one() {
        let failed = HookDecision { error: Some("boom".into()), ..HookDecision::default() };
        let result = HookResult::of(HookEventType::PreToolUse, Ok(failed.clone()));
        assert_eq!(result.denial().as_deref(), Some("The hook that guards this tool failed: boom"));
        assert_eq!(HookResult::of(HookEventType::Stop, Ok(failed)).denial(), None);
    }

    #[test]
    fn a_long_reason_is_shortened_in_the_log() {
        let decision = HookDecision { reason: Some("é".repeat(50_001)), ..Default::default() };
        let execution = HookResult { decision, error: None }.executions(&call()).remove(0);
        let reason = execution.reason.unwrap();
        assert_eq!(reason.chars().count(), 50_000);
        assert!(reason.ends_with("é\n<TRUNCATED>"));
    }
}
