//! Scripts that once broke something.

use super::{
    play,
    script::{Command, Reply, Script, Step},
};
use crate::fateful_store::Fate;
use threadkeep::security::ConfirmationPolicy;

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
