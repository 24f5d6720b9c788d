//! Scripts that revealed defects.

use super::{
    guards::Verdict,
    play,
    provider::Model,
    script::{Command, FEW_EVENTS, Reply, Script, Step},
};
use crate::scripted_store::Outcome;
use threadkeep::{conversation::WaitingCalls, security::ConfirmationPolicy};

const ALL: usize = usize::MAX;
const RETURN: &str = r#"{"text":"return"}"#;
const HOLD: &str = r#"{"text":"hold"}"#;
const IGNORE: &str = r#"{"text":"ignore the signal"}"#;
const PAUSE: &str = r#"{"text":"pause"}"#;

fn played(
    steps: &[(Command, usize)],
    calls: &[&'static str],
    outcomes: &[Outcome],
    tool_concurrency_limit: usize,
) {
    let step = |(command, polls): &(Command, usize)| Step { command: command.clone(), polls: *polls };
    play(&Script {
        steps: steps.iter().map(step).collect(),
        answers: vec![Reply::Calls(calls.iter().map(|arguments| ("once", *arguments)).collect())],
        outcomes: outcomes.to_vec(),
        tool_concurrency_limit,
        ..Script::default()
    });
}

#[test]
fn a_call_after_a_pause_waits_for_the_next_run() {
    played(&[(Command::Run, ALL), (Command::Run, ALL)], &[PAUSE, RETURN], &[], 1);
}

#[test]
fn a_result_that_a_full_store_refused_is_stored_later_without_running_the_tool_again() {
    for commits in 0..8 {
        for failures in 1..4 {
            let outcomes = [vec![Outcome::DONE; commits], vec![Outcome::Full; failures]].concat();
            played(&[(Command::Run, ALL), (Command::Run, ALL)], &[RETURN, RETURN], &outcomes, 2);
        }
    }
}

#[test]
fn a_page_that_dies_in_a_tool_after_a_pause_leaves_a_call_that_may_have_taken_effect() {
    played(&[(Command::Run, ALL), (Command::Crash, 0), (Command::Run, ALL)], &[HOLD, PAUSE], &[], 2);
    played(
        &[(Command::Run, ALL), (Command::Pause, ALL), (Command::Crash, 0), (Command::Run, ALL)],
        &[HOLD],
        &[],
        1,
    );
}

#[test]
fn a_call_that_was_interrupted_after_a_pause_is_not_run_again() {
    let outcomes = |reported_after| {
        let late = |after, reported_after| Outcome::Applied { after, reported_after };
        [late(0, 0), late(1, 1), late(2, 0), late(0, 1), late(2, reported_after), Outcome::Full]
    };
    for reported_after in 0..4 {
        let steps = [
            (Command::Run, 2),
            (Command::Interrupt, 2),
            (Command::Pause, 10),
            (Command::Crash, 0),
            (Command::Run, 0),
        ];
        played(&steps, &[RETURN, IGNORE], &outcomes(reported_after), 1);
    }
}

#[test]
fn a_call_whose_result_is_stored_late_gets_no_second_answer_by_a_message() {
    let late = Outcome::Applied { after: 1, reported_after: 2 };
    let outcomes =
        [Outcome::DONE, Outcome::DONE, Outcome::DONE, Outcome::Full, Outcome::Full, Outcome::Full, late];
    let send = || (Command::Send(None), 0);
    let steps = [(Command::Close, 1), send(), (Command::Run, 10), (Command::SetTags, 2), send(), send()];
    played(&steps, &[PAUSE], &outcomes, 1);
}

#[test]
fn a_run_that_could_not_begin_has_approved_nothing() {
    let steps = [
        (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), ALL),
        (Command::Run, ALL),
        (Command::Approve(0), ALL),
        (Command::Run, 2),
    ];
    for commits in 0..8 {
        let outcomes = [vec![Outcome::DONE; commits], vec![Outcome::Full]].concat();
        played(&steps, &[RETURN, RETURN], &outcomes, 1);
    }
}

#[test]
fn a_policy_that_is_set_while_an_answer_is_assessed_applies_to_it() {
    let steps =
        [(Command::Run, 1), (Command::Run, 7), (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), 8)];
    for reported_after in 1..6 {
        let late = Outcome::Applied { after: 0, reported_after };
        played(&steps, &[RETURN], &[Outcome::DONE, late, late, Outcome::DONE], 1);
    }
}

#[test]
fn a_call_that_is_edited_while_a_run_begins_is_not_approved() {
    let steps = [
        (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), 1),
        (Command::Run, 11),
        (Command::Release, 2),
        (Command::Edit(0), 1),
        (Command::Approve(0), 0),
        (Command::Edit(0), 0),
    ];
    for reported_after in 1..6 {
        let late = Outcome::Applied { after: 1, reported_after };
        played(&steps, &[RETURN], &[Outcome::DONE, Outcome::DONE, Outcome::DONE, Outcome::DONE, late], 1);
    }
}

/// As [`played`], with this model, these answers and these hooks.
fn played_with(
    model: Model,
    steps: &[(Command, usize)],
    answers: &[Reply],
    verdicts: &[Verdict],
    outcomes: &[Outcome],
) {
    let step = |(command, polls): &(Command, usize)| Step { command: command.clone(), polls: *polls };
    play(&Script {
        model,
        steps: steps.iter().map(step).collect(),
        answers: answers.to_vec(),
        verdicts: verdicts.to_vec(),
        outcomes: outcomes.to_vec(),
        tool_concurrency_limit: 1,
        ..Script::default()
    });
}

const FAILS: Reply = Reply::FailsLater(500, "server_error");

#[test]
fn the_cost_of_an_answer_that_a_full_store_refused_is_counted() {
    for commits in 0..6 {
        let outcomes = [vec![Outcome::DONE; commits], vec![Outcome::Full; 2]].concat();
        for model in Model::ALL {
            played_with(model, &[(Command::Run, ALL), (Command::Run, ALL)], &[], &[], &outcomes);
        }
    }
}

#[test]
fn a_background_response_that_failed_is_not_fetched_again() {
    for model in [Model::Background, Model::BackgroundWithoutStream, Model::BackgroundWithFallback] {
        played_with(model, &[(Command::Run, ALL)], &[FAILS], &[], &[]);
        let steps = [(Command::Run, ALL), (Command::Crash, 0), (Command::Release, 0), (Command::Run, ALL)];
        played_with(model, &steps, &[Reply::Text, FAILS, FAILS, FAILS], &[], &[]);
    }
}

#[test]
fn an_interrupt_cancels_the_background_response_of_any_attempt_and_model() {
    for model in [Model::Background, Model::BackgroundWithoutStream, Model::BackgroundWithFallback] {
        for failures in [vec![], vec![FAILS], vec![FAILS; 3]] {
            for outcomes in [
                vec![],
                vec![
                    Outcome::DONE,
                    Outcome::DONE,
                    Outcome::Full,
                    Outcome::Full,
                    Outcome::Full,
                    Outcome::Full,
                ],
            ] {
                let steps = [(Command::Run, ALL), (Command::Interrupt, ALL)];
                played_with(model, &steps, &failures, &[], &outcomes);
            }
        }
    }
}

#[test]
fn closing_waits_for_a_commit_that_is_under_way() {
    let late = Outcome::Applied { after: 0, reported_after: 1 };
    let policy = Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm);
    let steps = [(policy, 0), (Command::SetTags, 1), (Command::Close, 0)];
    played_with(Model::Plain, &steps, &[], &[], &[Outcome::DONE, late]);
}

#[test]
fn an_interrupt_does_not_abort_the_commit_of_the_session_start_hook() {
    for reported_after in 0..4 {
        let late = Outcome::Applied { after: 0, reported_after };
        for stop in [Command::Interrupt, Command::Close] {
            played_with(
                Model::Plain,
                &[(Command::Run, 1), (stop, ALL)],
                &[],
                &[Verdict::Allow],
                &[Outcome::DONE, late],
            );
        }
    }
}

#[test]
fn a_run_that_fails_after_the_task_finished_does_not_send_a_denied_message() {
    let verdicts = [Verdict::Allow, Verdict::Deny];
    for commits in 0..8 {
        let outcomes = [vec![Outcome::DONE; commits], vec![Outcome::Full; 2]].concat();
        let run = || (Command::Run, ALL);
        let steps = [(Command::Send(None), ALL), run(), run(), (Command::Crash, 0), run(), run()];
        played_with(Model::Plain, &steps, &[], &verdicts, &outcomes);
    }
}

#[test]
fn a_pause_just_before_tools_begin_does_not_wait_for_them() {
    for polls in 0..12 {
        let late = Outcome::Applied { after: 2, reported_after: 3 };
        let steps = [(Command::Run, polls), (Command::Pause, 0), (Command::SetTags, ALL)];
        let answer = Reply::Calls(vec![("once", HOLD), ("once", RETURN)]);
        played_with(Model::Plain, &steps, &[answer], &[], &[Outcome::DONE, Outcome::DONE, late, late]);
    }
}

#[test]
fn a_failed_switch_does_not_undo_a_later_one() {
    let late = Outcome::Applied { after: 3, reported_after: 0 };
    let steps = [
        (Command::SetTags, 1),
        (Command::SwitchLlm(Model::WithFallback), 2),
        (Command::SwitchLlm(Model::Background), ALL),
    ];
    played_with(Model::Plain, &steps, &[], &[], &[Outcome::DONE, late, Outcome::Full]);
}

#[test]
fn removing_a_secret_while_it_is_being_stored_removes_it() {
    let late = Outcome::Applied { after: 3, reported_after: 0 };
    let steps = [(Command::StoreSecret(Some(1)), 1), (Command::StoreSecret(None), ALL)];
    played_with(Model::Plain, &steps, &[], &[], &[Outcome::DONE, late]);
}

#[test]
fn secrets_in_a_hooks_answer_are_masked_in_the_state_and_in_messages() {
    let call = || Reply::Calls(vec![("once", RETURN)]);
    let verdicts = [Verdict::Allow, Verdict::Allow, Verdict::Deny];
    played_with(Model::Plain, &[(Command::Send(None), ALL), (Command::Run, ALL)], &[call()], &verdicts, &[]);
}

#[test]
fn closing_also_stops_a_run_that_begins_meanwhile() {
    let late = Outcome::Applied { after: 2, reported_after: 2 };
    for polls in 0..20 {
        let steps =
            [(Command::SetTags, 1), (Command::Close, 2), (Command::Run, polls), (Command::Release, ALL)];
        let answer = Reply::Calls(vec![("once", HOLD)]);
        played_with(Model::Plain, &steps, &[answer], &[Verdict::AllowLate], &[Outcome::DONE, late]);
    }
}

#[test]
fn a_run_returns_its_own_status_if_another_run_follows_at_once() {
    let steps = [
        (Command::Send(Some(WaitingCalls::Keep)), 0),
        (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), 0),
        (Command::Run, 4),
        (Command::Pause, 4),
        (Command::ExecuteTool("once", r#"{"text":"send a message"}"#), 5),
        (Command::SetAllowedTools(&["safe"]), 11),
        (Command::Release, 7),
        (Command::Send(Some(WaitingCalls::Reject)), 7),
        (Command::Run, 5),
    ];
    let applied = |after, reported_after| Outcome::Applied { after, reported_after };
    let outcomes = [
        Outcome::DONE,
        Outcome::DONE,
        applied(1, 2),
        Outcome::Full,
        Outcome::DONE,
        Outcome::Full,
        applied(0, 3),
        applied(1, 2),
    ];
    let verdicts = [Verdict::Allow, Verdict::AllowLate, Verdict::AllowLate, Verdict::AllowLate];
    played_with(Model::Plain, &steps, &[Reply::Calls(vec![("once", RETURN)])], &verdicts, &outcomes);
}

#[test]
fn a_background_response_that_was_too_long_is_not_fetched_again_after_a_condensation() {
    const SEND: &str = r#"{"text":"send a message"}"#;
    let step = |command| Step { command, polls: 0 };
    play(&Script {
        model: Model::Background,
        steps: vec![step(Command::Send(None)), step(Command::Run)],
        answers: vec![
            Reply::Calls(vec![("once", SEND), ("once", RETURN), ("once", RETURN)]),
            Reply::FailsLater(400, "context_length_exceeded"),
        ],
        tool_concurrency_limit: 1,
        condenser: Some(FEW_EVENTS),
        ..Script::default()
    });
}
