//! What a random test does: what the user wants, what the model answers, and what becomes of commits.

use super::{SECRET, guards::Verdict, provider::Model};
use crate::fateful_store::Fate;
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};
use threadkeep::{conversation::WaitingCalls, event::SecurityRisk, security::ConfirmationPolicy};

/// All of a test.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub model: Model,
    pub steps: Vec<Step>,
    pub answers: Vec<Reply>,
    /// What hooks say; there are none where this is empty.
    pub verdicts: Vec<Verdict>,
    /// For one commit after the other; those beyond are simply done.
    pub fates: Vec<Fate>,
    pub tool_concurrency_limit: usize,
}

/// A command, and for how many polls it is given time. Many are enough for everything that can go on to do so.
#[derive(Clone, Debug)]
pub struct Step {
    pub command: Command,
    pub polls: usize,
}

/// What somebody wants of the conversation.
#[derive(Clone, Debug)]
pub enum Command {
    Send(Option<WaitingCalls>),
    Run,
    /// Runs some of the calls that wait: those whose place has a bit here.
    Approve(u8),
    /// Rejects all of them, or some.
    Reject(Option<u8>),
    /// Gives one other arguments.
    Edit(usize),
    SetPolicy(ConfirmationPolicy),
    SetAllowedTools(&'static [&'static str]),
    Pause,
    Interrupt,
    SetTags,
    SwitchLlm(Model),
    /// Stores a secret of this value, or takes it away.
    StoreSecret(Option<u8>),
    /// Without the model.
    ExecuteTool(&'static str, &'static str),
    Close,
    /// The page dies and another one opens the conversation.
    Crash,
    /// What is held goes on: answers of the model and tools.
    Release,
    /// Answers that were kept are there no longer.
    ProviderForgets,
}

/// An answer of the model.
#[derive(Clone, Debug)]
pub enum Reply {
    Text,
    Empty,
    Calls(Vec<(&'static str, &'static str)>),
    Fails(u16, &'static str),
    /// So does an answer that the provider had begun to work on.
    FailsLater(u16, &'static str),
    /// The connection is lost. What the provider keeps can be asked for again.
    Breaks,
    /// What answers when the script has no more to say.
    LastWord,
}

impl Reply {
    /// A message of Chat Completions, or a status and an error; `place` keeps its ids apart.
    pub fn message(&self, place: usize) -> Result<Value, (u16, Value)> {
        let says = |text: &str| json!({ "role": "assistant", "content": text });
        match self {
            Self::Text | Self::Breaks => Ok(says(&format!("Done: {SECRET}."))),
            Self::Empty => Ok(says("")),
            Self::LastWord => Ok(says(LAST_WORD)),
            Self::Calls(calls) => {
                let call = |(number, (tool, arguments)): (usize, &(&str, &str))| {
                    let id = format!("call-{place}-{number}");
                    json!({ "id": id, "type": "function", "function": { "name": tool, "arguments": arguments } })
                };
                let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
                Ok(json!({ "role": "assistant", "content": "Let me see.", "tool_calls": calls }))
            }
            Self::Fails(status, code) | Self::FailsLater(status, code) => {
                Err((*status, json!({ "error": { "message": "no", "code": code } })))
            }
        }
    }

    /// Whether it fails so that a fallback is asked.
    pub fn may_be_left_to_another(&self) -> bool {
        matches!(self, Self::Fails(500, _) | Self::FailsLater(500, _) | Self::Breaks)
    }
}

/// The last answer of all.
pub const LAST_WORD: &str = "That was all.";

fn call() -> impl Strategy<Value = (&'static str, &'static str)> {
    let tool = select(vec!["once", "once", "safe", "ask"]);
    let arguments = select(vec![
        r#"{"text":"return"}"#,
        r#"{"text":"return"}"#,
        r#"{"text":"throw"}"#,
        r#"{"text":"hold"}"#,
        r#"{"text":"ignore the signal"}"#,
        r#"{"text":"send a message"}"#,
        r#"{"text":"pause"}"#,
    ]);
    prop_oneof![
        8 => (tool, arguments),
        1 => Just(("finish", r#"{"message":"Finished."}"#)),
        1 => Just(("think", r#"{"thought":"Hm."}"#)),
        1 => Just(("once", r#"{"text":7}"#)),
        1 => Just(("nowhere", "{}")),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    let failures = select(vec![
        (401, "invalid_api_key"),
        (400, "context_length_exceeded"),
        (400, "content_filter"),
        (500, "server_error"),
        (500, "server_error"),
    ]);
    prop_oneof![
        6 => vec(call(), 1..4).prop_map(Reply::Calls),
        2 => Just(Reply::Text),
        1 => Just(Reply::Empty),
        1 => failures.clone().prop_map(|(status, code)| Reply::Fails(status, code)),
        1 => failures.prop_map(|(status, code)| Reply::FailsLater(status, code)),
        1 => Just(Reply::Breaks),
    ]
}

fn policy() -> impl Strategy<Value = ConfirmationPolicy> {
    let risky =
        |confirm_unknown| ConfirmationPolicy::ConfirmRisky { threshold: SecurityRisk::High, confirm_unknown };
    select(vec![
        ConfirmationPolicy::AlwaysConfirm,
        ConfirmationPolicy::AlwaysConfirm,
        ConfirmationPolicy::NeverConfirm,
        risky(true),
        risky(false),
    ])
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        4 => select(vec![None, Some(WaitingCalls::Reject), Some(WaitingCalls::Keep)]).prop_map(Command::Send),
        6 => Just(Command::Run),
        3 => (0..8_u8).prop_map(Command::Approve),
        2 => option::of(0..8_u8).prop_map(Command::Reject),
        2 => (0..3_usize).prop_map(Command::Edit),
        3 => policy().prop_map(Command::SetPolicy),
        1 => select(vec![&["safe"][..], &["once", "ask"], &[]]).prop_map(Command::SetAllowedTools),
        2 => Just(Command::Pause),
        2 => Just(Command::Interrupt),
        1 => Just(Command::SetTags),
        1 => model().prop_map(Command::SwitchLlm),
        1 => option::of(0..2_u8).prop_map(Command::StoreSecret),
        1 => call().prop_map(|(tool, arguments)| Command::ExecuteTool(tool, arguments)),
        1 => Just(Command::Close),
        3 => Just(Command::Crash),
        4 => Just(Command::Release),
        1 => Just(Command::ProviderForgets),
    ]
}

fn model() -> impl Strategy<Value = Model> {
    select(Model::ALL.to_vec())
}

fn step() -> impl Strategy<Value = Step> {
    let polls = prop_oneof![3 => 0..12_usize, 2 => Just(usize::MAX)];
    (command(), polls).prop_map(|(command, polls)| Step { command, polls })
}

/// Any script. `failures` in ten commits fail, while the script lasts.
pub fn script(failures: u32) -> impl Strategy<Value = Script> {
    let late = (0..4_u8, 0..4_u8).prop_map(|(after, told_after)| Fate::Applied { after, told_after });
    let fate = prop_oneof![
        failures => Just(Fate::Full),
        10 - failures => late,
    ];
    let says = vec![Verdict::Allow, Verdict::Deny, Verdict::Fail, Verdict::AllowLate, Verdict::DenyLate];
    let verdicts = prop_oneof![2 => Just(Vec::new()), 1 => vec(select(says), 1..12)];
    let played = (vec(step(), 1..20), vec(reply(), 0..10), verdicts, vec(fate, 0..60));
    (model(), played, 1..3_usize).prop_map(
        |(model, (steps, answers, verdicts, fates), tool_concurrency_limit)| Script {
            model,
            steps,
            answers,
            verdicts,
            fates,
            tool_concurrency_limit,
        },
    )
}
