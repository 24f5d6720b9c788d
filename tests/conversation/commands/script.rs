//! The script of a random test: commands, answers of the model and of hooks, and outcomes of commits.

use super::{
    SECRET,
    aside::{Question, Rating},
    guards::Verdict,
    provider::Model,
};
use crate::scripted_store::Outcome;
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};
use threadkeep::{conversation::WaitingCalls, event::SecurityRisk, security::ConfirmationPolicy};

/// The script of a test.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub model: Model,
    pub steps: Vec<Step>,
    pub answers: Vec<Reply>,
    /// The answers of hooks; if empty, there are no hooks.
    pub verdicts: Vec<Verdict>,
    /// The ratings of the critic; if empty, there is no critic.
    pub ratings: Vec<Rating>,
    /// The outcomes of the first commits. All later ones succeed.
    pub outcomes: Vec<Outcome>,
    pub tool_concurrency_limit: usize,
    /// The settings of the agent's condenser.
    pub condenser: Option<&'static str>,
}

/// A condenser that removes events.
pub const FEW_EVENTS: &str = r#"{"max_size":10,"keep_first":2,"kind":"LLMSummarizingCondenser"}"#;

/// Condensers whose limits leave little room for messages, and one whose limit is below the instructions.
const FEW_TOKENS: &str = r#"{"max_tokens":1800,"keep_first":1,"kind":"LLMSummarizingCondenser"}"#;
const SOME_TOKENS: &str =
    r#"{"max_tokens":2200,"keep_first":2,"max_size":20,"kind":"LLMSummarizingCondenser"}"#;
pub const HOPELESS: &str = r#"{"max_tokens":100,"keep_first":2,"kind":"LLMSummarizingCondenser"}"#;

/// A command, and the number of polls after it. `usize::MAX` polls until no task can continue.
#[derive(Clone, Debug)]
pub struct Step {
    pub command: Command,
    pub polls: usize,
}

/// A command to the conversation or its environment.
#[derive(Clone, Debug)]
pub enum Command {
    Send(Option<WaitingCalls>),
    Run,
    /// Runs the pending calls whose places are set in this bit set.
    Approve(u8),
    /// Rejects all pending calls, or those of a bit set.
    Reject(Option<u8>),
    /// Edits the pending call at this place.
    Edit(usize),
    /// Navigates to the event at this place of the log, counted in a circle, or before the first event.
    Navigate(Option<u8>),
    Regenerate,
    /// Edits the message at this place of the log, counted in a circle; most events are none.
    EditMessage(u8),
    /// Forks the conversation, or the branch that ends at this place of the log, counted in a circle.
    Fork(Option<u8>),
    Condense,
    SetPolicy(ConfirmationPolicy),
    SetAllowedTools(&'static [&'static str]),
    Pause,
    Interrupt,
    SetTags,
    SwitchLlm(Model),
    /// Stores a secret with this value, or removes it.
    StoreSecret(Option<u8>),
    /// Calls a tool directly, with these arguments.
    ExecuteTool(&'static str, &'static str),
    AskAgent(Question),
    Close,
    /// The page dies and another one opens the conversation.
    Crash,
    /// Lets held answers, tools and hooks continue.
    Release,
    /// The provider deletes all background responses.
    ForgetResponses,
}

/// An answer of the model.
#[derive(Clone, Debug)]
pub enum Reply {
    Text,
    Empty,
    Calls(Vec<(&'static str, &'static str)>),
    Fails(u16, &'static str),
    /// Fails after the provider has begun to work on the answer.
    FailsLater(u16, &'static str),
    /// The connection is lost. A background response can be fetched again.
    Breaks,
    /// The answer after the end of the script.
    LastText,
}

impl Reply {
    /// A message of Chat Completions, or a status and an error. `place` makes the ids unique.
    pub fn message(&self, place: usize) -> Result<Value, (u16, Value)> {
        let text = |text: &str| json!({ "role": "assistant", "content": text });
        match self {
            Self::Text | Self::Breaks => Ok(text(&format!("Done: {SECRET}."))),
            Self::Empty => Ok(text("")),
            Self::LastText => Ok(text(LAST_TEXT)),
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

    /// Whether a fallback is asked after this failure.
    pub fn allows_fallback(&self) -> bool {
        matches!(self, Self::Fails(500, _) | Self::FailsLater(500, _) | Self::Breaks)
    }
}

/// The text of the last answer.
pub const LAST_TEXT: &str = "That was all.";

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
        3 => option::weighted(0.8, any::<u8>()).prop_map(Command::Navigate),
        1 => Just(Command::Regenerate),
        2 => any::<u8>().prop_map(Command::EditMessage),
        1 => option::of(any::<u8>()).prop_map(Command::Fork),
        2 => Just(Command::Condense),
        3 => policy().prop_map(Command::SetPolicy),
        1 => select(vec![&["safe"][..], &["once", "ask"], &[]]).prop_map(Command::SetAllowedTools),
        2 => Just(Command::Pause),
        2 => Just(Command::Interrupt),
        1 => Just(Command::SetTags),
        2 => model().prop_map(Command::SwitchLlm),
        1 => option::of(0..2_u8).prop_map(Command::StoreSecret),
        1 => call().prop_map(|(tool, arguments)| Command::ExecuteTool(tool, arguments)),
        2 => select(Question::ALL.to_vec()).prop_map(Command::AskAgent),
        1 => Just(Command::Close),
        3 => Just(Command::Crash),
        4 => Just(Command::Release),
        1 => Just(Command::ForgetResponses),
    ]
}

fn model() -> impl Strategy<Value = Model> {
    select(Model::ALL.to_vec())
}

fn step() -> impl Strategy<Value = Step> {
    let polls = prop_oneof![3 => 0..12_usize, 2 => Just(usize::MAX)];
    (command(), polls).prop_map(|(command, polls)| Step { command, polls })
}

/// A random script. Of ten commits, `failures` fail.
pub fn script(failures: u32) -> impl Strategy<Value = Script> {
    let late =
        (0..4_u8, 0..4_u8).prop_map(|(after, reported_after)| Outcome::Applied { after, reported_after });
    let outcome = prop_oneof![
        failures => Just(Outcome::Full),
        10 - failures => late,
    ];
    let all = vec![Verdict::Allow, Verdict::Deny, Verdict::Fail, Verdict::AllowLate, Verdict::DenyLate];
    let verdicts = prop_oneof![2 => Just(Vec::new()), 1 => vec(select(all), 1..12)];
    let ratings = prop_oneof![2 => Just(Vec::new()), 1 => vec(select(Rating::ALL.to_vec()), 1..12)];
    let played = (vec(step(), 1..20), vec(reply(), 0..10), verdicts, ratings, vec(outcome, 0..60));
    let condenser = prop_oneof![
        4 => Just(None),
        3 => Just(Some(FEW_EVENTS)),
        3 => Just(Some(FEW_TOKENS)),
        3 => Just(Some(SOME_TOKENS)),
        1 => Just(Some(HOPELESS)),
    ];
    (model(), played, 1..3_usize, condenser).prop_map(
        |(model, (steps, answers, verdicts, ratings, outcomes), tool_concurrency_limit, condenser)| Script {
            model,
            steps,
            answers,
            verdicts,
            ratings,
            outcomes,
            tool_concurrency_limit,
            condenser,
        },
    )
}
