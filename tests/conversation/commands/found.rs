//! Scripts that once broke something.

use super::{
    guards::Verdict,
    play,
    provider::Model,
    script::{Command, Reply, Script, Step},
};
use crate::fateful_store::Fate;
use threadkeep::{conversation::WaitingCalls, security::ConfirmationPolicy};

const ALL: usize = usize::MAX;
const RETURN: &str = r#"{"text":"return"}"#;
const HOLD: &str = r#"{"text":"hold"}"#;
const IGNORE: &str = r#"{"text":"ignore the signal"}"#;
const PAUSE: &str = r#"{"text":"pause"}"#;

fn played(steps: &[(Command, usize)], calls: &[&'static str], fates: &[Fate], tool_concurrency_limit: usize) {
    let step = |(command, polls): &(Command, usize)| Step { command: command.clone(), polls: *polls };
    play(&Script {
        steps: steps.iter().map(step).collect(),
        answers: vec![Reply::Calls(calls.iter().map(|arguments| ("once", *arguments)).collect())],
        fates: fates.to_vec(),
        tool_concurrency_limit,
        ..Script::default()
    });
}

#[test]
fn a_call_behind_a_pause_waits_for_the_next_run() {
    played(&[(Command::Run, ALL), (Command::Run, ALL)], &[PAUSE, RETURN], &[], 1);
}

#[test]
fn a_result_that_the_full_store_did_not_take_is_not_fetched_again() {
    for commits in 0..8 {
        for failures in 1..4 {
            let fates = [vec![Fate::DONE; commits], vec![Fate::Full; failures]].concat();
            played(&[(Command::Run, ALL), (Command::Run, ALL)], &[RETURN, RETURN], &fates, 2);
        }
    }
}

#[test]
fn a_page_that_dies_in_a_tool_behind_a_pause_leaves_a_call_that_may_have_taken_effect() {
    played(&[(Command::Run, ALL), (Command::Crash, 0), (Command::Run, ALL)], &[HOLD, PAUSE], &[], 2);
    played(
        &[(Command::Run, ALL), (Command::Pause, ALL), (Command::Crash, 0), (Command::Run, ALL)],
        &[HOLD],
        &[],
        1,
    );
}

#[test]
fn a_call_that_an_interrupt_breaks_off_is_not_made_again_because_a_pause_was_stored_first() {
    let fates = |told_after| {
        let late = |after, told_after| Fate::Applied { after, told_after };
        [late(0, 0), late(1, 1), late(2, 0), late(0, 1), late(2, told_after), Fate::Full]
    };
    for told_after in 0..4 {
        let steps = [
            (Command::Run, 2),
            (Command::Interrupt, 2),
            (Command::Pause, 10),
            (Command::Crash, 0),
            (Command::Run, 0),
        ];
        played(&steps, &[RETURN, IGNORE], &fates(told_after), 1);
    }
}

#[test]
fn a_result_that_is_stored_late_is_not_answered_by_the_next_message_as_well() {
    let late = Fate::Applied { after: 1, told_after: 2 };
    let fates = [Fate::DONE, Fate::DONE, Fate::DONE, Fate::Full, Fate::Full, Fate::Full, late];
    let send = || (Command::Send(None), 0);
    let steps = [(Command::Close, 1), send(), (Command::Run, 10), (Command::SetTags, 2), send(), send()];
    played(&steps, &[PAUSE], &fates, 1);
}

#[test]
fn a_run_that_could_not_begin_has_allowed_nothing() {
    let steps = [
        (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), ALL),
        (Command::Run, ALL),
        (Command::Approve(0), ALL),
        (Command::Run, 2),
    ];
    for commits in 0..8 {
        let fates = [vec![Fate::DONE; commits], vec![Fate::Full]].concat();
        played(&steps, &[RETURN, RETURN], &fates, 1);
    }
}

#[test]
fn a_policy_that_is_set_while_an_answer_is_judged_holds_for_it() {
    let steps =
        [(Command::Run, 1), (Command::Run, 7), (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), 8)];
    for told_after in 1..6 {
        let late = Fate::Applied { after: 0, told_after };
        played(&steps, &[RETURN], &[Fate::DONE, late, late, Fate::DONE], 1);
    }
}

#[test]
fn a_call_that_is_edited_while_a_run_begins_is_not_among_those_that_were_allowed() {
    let steps = [
        (Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm), 1),
        (Command::Run, 11),
        (Command::Release, 2),
        (Command::Edit(0), 1),
        (Command::Approve(0), 0),
        (Command::Edit(0), 0),
    ];
    for told_after in 1..6 {
        let late = Fate::Applied { after: 1, told_after };
        played(&steps, &[RETURN], &[Fate::DONE, Fate::DONE, Fate::DONE, Fate::DONE, late], 1);
    }
}

/// As [`played`], with this model, these answers and these hooks.
fn played_with(
    model: Model,
    steps: &[(Command, usize)],
    answers: &[Reply],
    verdicts: &[Verdict],
    fates: &[Fate],
) {
    let step = |(command, polls): &(Command, usize)| Step { command: command.clone(), polls: *polls };
    play(&Script {
        model,
        steps: steps.iter().map(step).collect(),
        answers: answers.to_vec(),
        verdicts: verdicts.to_vec(),
        fates: fates.to_vec(),
        tool_concurrency_limit: 1,
    });
}

const FAILS: Reply = Reply::FailsLater(500, "server_error");

#[test]
fn an_answer_that_the_full_store_did_not_take_has_cost_what_it_has_cost() {
    for commits in 0..6 {
        let fates = [vec![Fate::DONE; commits], vec![Fate::Full; 2]].concat();
        for model in Model::ALL {
            played_with(model, &[(Command::Run, ALL), (Command::Run, ALL)], &[], &[], &fates);
        }
    }
}

#[test]
fn a_kept_answer_that_has_failed_is_given_up() {
    for model in [Model::Background, Model::BackgroundWithoutStream, Model::BackgroundWithFallback] {
        played_with(model, &[(Command::Run, ALL)], &[FAILS], &[], &[]);
        let steps = [(Command::Run, ALL), (Command::Crash, 0), (Command::Release, 0), (Command::Run, ALL)];
        played_with(model, &steps, &[Reply::Text, FAILS, FAILS, FAILS], &[], &[]);
    }
}

#[test]
fn an_interrupt_stops_the_answer_that_is_worked_on_whichever_attempt_or_model_it_is() {
    for model in [Model::Background, Model::BackgroundWithoutStream, Model::BackgroundWithFallback] {
        for failures in [vec![], vec![FAILS], vec![FAILS; 3]] {
            for fates in
                [vec![], vec![Fate::DONE, Fate::DONE, Fate::Full, Fate::Full, Fate::Full, Fate::Full]]
            {
                let steps = [(Command::Run, ALL), (Command::Interrupt, ALL)];
                played_with(model, &steps, &failures, &[], &fates);
            }
        }
    }
}

#[test]
fn what_is_still_being_stored_when_a_conversation_is_closed_is_waited_for() {
    let late = Fate::Applied { after: 0, told_after: 1 };
    let policy = Command::SetPolicy(ConfirmationPolicy::AlwaysConfirm);
    let steps = [(policy, 0), (Command::SetTags, 1), (Command::Close, 0)];
    played_with(Model::Plain, &steps, &[], &[], &[Fate::DONE, late]);
}

#[test]
fn an_interrupt_does_not_tear_off_what_is_stored_of_the_hook_for_the_beginning() {
    for told_after in 0..4 {
        let late = Fate::Applied { after: 0, told_after };
        for stop in [Command::Interrupt, Command::Close] {
            played_with(
                Model::Plain,
                &[(Command::Run, 1), (stop, ALL)],
                &[],
                &[Verdict::Allow],
                &[Fate::DONE, late],
            );
        }
    }
}

#[test]
fn a_run_that_fails_when_all_is_finished_does_not_make_the_next_one_ask_about_what_was_denied() {
    let verdicts = [Verdict::Allow, Verdict::Deny];
    for commits in 0..8 {
        let fates = [vec![Fate::DONE; commits], vec![Fate::Full; 2]].concat();
        let run = || (Command::Run, ALL);
        let steps = [(Command::Send(None), ALL), run(), run(), (Command::Crash, 0), run(), run()];
        played_with(Model::Plain, &steps, &[], &verdicts, &fates);
    }
}

#[test]
fn a_pause_does_not_wait_for_tools_because_it_came_just_before_them() {
    for polls in 0..12 {
        let late = Fate::Applied { after: 2, told_after: 3 };
        let steps = [(Command::Run, polls), (Command::Pause, 0), (Command::SetTags, ALL)];
        let answer = Reply::Calls(vec![("once", HOLD), ("once", RETURN)]);
        played_with(Model::Plain, &steps, &[answer], &[], &[Fate::DONE, Fate::DONE, late, late]);
    }
}

#[test]
fn a_switch_that_fails_takes_nothing_back_from_the_one_behind_it() {
    let late = Fate::Applied { after: 3, told_after: 0 };
    let steps = [
        (Command::SetTags, 1),
        (Command::SwitchLlm(Model::WithFallback), 2),
        (Command::SwitchLlm(Model::Background), ALL),
    ];
    played_with(Model::Plain, &steps, &[], &[], &[Fate::DONE, late, Fate::Full]);
}

#[test]
fn a_secret_that_is_taken_away_while_it_is_stored_is_taken_away() {
    let late = Fate::Applied { after: 3, told_after: 0 };
    let steps = [(Command::StoreSecret(Some(1)), 1), (Command::StoreSecret(None), ALL)];
    played_with(Model::Plain, &steps, &[], &[], &[Fate::DONE, late]);
}

#[test]
fn what_a_hook_says_of_a_secret_is_hidden_in_the_state_and_in_messages() {
    let call = || Reply::Calls(vec![("once", RETURN)]);
    let verdicts = [Verdict::Allow, Verdict::Allow, Verdict::Deny];
    played_with(Model::Plain, &[(Command::Send(None), ALL), (Command::Run, ALL)], &[call()], &verdicts, &[]);
}

#[test]
fn a_run_that_begins_while_the_conversation_is_closed_is_stopped_as_well() {
    let late = Fate::Applied { after: 2, told_after: 2 };
    for polls in 0..20 {
        let steps =
            [(Command::SetTags, 1), (Command::Close, 2), (Command::Run, polls), (Command::Release, ALL)];
        let answer = Reply::Calls(vec![("once", HOLD)]);
        played_with(Model::Plain, &steps, &[answer], &[Verdict::AllowLate], &[Fate::DONE, late]);
    }
}

#[test]
fn a_run_that_another_one_follows_at_once_says_how_it_ended_itself() {
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
    let applied = |after, told_after| Fate::Applied { after, told_after };
    let fates = [
        Fate::DONE,
        Fate::DONE,
        applied(1, 2),
        Fate::Full,
        Fate::DONE,
        Fate::Full,
        applied(0, 3),
        applied(1, 2),
    ];
    let verdicts = [Verdict::Allow, Verdict::AllowLate, Verdict::AllowLate, Verdict::AllowLate];
    played_with(Model::Plain, &steps, &[Reply::Calls(vec![("once", RETURN)])], &verdicts, &fates);
}
