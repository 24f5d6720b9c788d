//! The end of a run that a page has asked a server for.

use crate::format::base_state::ExecutionStatus::{self, Finished, Idle, Paused, Running};

/// So many milliseconds after it was asked a server has begun a run.
const BEGINS_WITHIN: f64 = 10_000.0;

/// So many milliseconds after an event of its log a server may still describe the status from before.
const SETTLES_WITHIN: f64 = 3_000.0;

/// Waits for the end of a run: looks at each whole state that the server sends, and at the statuses that its log has told behind the
/// page's own message, or behind the last results of its tools. Times are in milliseconds.
#[derive(Debug)]
pub struct RunEnd {
    begun_at: f64,
    may_be_over: bool,
    contradicted_at: Option<f64>,
    pauses: u32,
}

impl RunEnd {
    /// With `may_be_over`, the run need not begin any more: the server does not run what has finished.
    pub fn new(may_be_over: bool, now: f64) -> Self {
        Self { begun_at: now, may_be_over, contradicted_at: None, pauses: 0 }
    }

    /// The status at the end, if this is it. The server describes the status `described`, and its log has `told` these.
    pub fn look(
        &mut self,
        described: ExecutionStatus,
        told: &[ExecutionStatus],
        now: f64,
    ) -> Option<ExecutionStatus> {
        if described == Running {
            return None;
        }
        // A description may be older than the log. A server that has died does not log that its run has ended.
        self.contradicted_at = (told.last() == Some(&Running)).then(|| self.contradicted_at.unwrap_or(now));
        if self.contradicted_at.is_some_and(|since| now - since < SETTLES_WITHIN) {
            return None;
        }
        // A server that has died may have forgotten the run. A message makes what had finished idle, before a run begins as well.
        let has_begun = self.may_be_over
            || told.iter().any(|status| *status != Idle)
            || now - self.begun_at > BEGINS_WITHIN;
        if !has_begun {
            return None;
        }
        // A message that came right behind the end makes it idle.
        if described == Idle && told.contains(&Finished) {
            return Some(Finished);
        }
        // Pausing sends the whole state as well, while the last answer or call still goes on.
        if described == Paused {
            self.pauses += 1;
            return (self.pauses > 1).then_some(Paused);
        }
        Some(described)
    }
}

#[cfg(test)]
mod tests {
    use super::{BEGINS_WITHIN, RunEnd, SETTLES_WITHIN};
    use crate::format::base_state::ExecutionStatus::{Error, Finished, Idle, Paused, Running};

    #[test]
    fn a_message_that_makes_it_idle_is_neither_a_beginning_nor_an_end() {
        let mut run = RunEnd::new(false, 0.0);
        assert_eq!(run.look(Idle, &[], 10.0), None, "the state from before");
        assert_eq!(run.look(Idle, &[Idle], 20.0), None, "the message has arrived");
        assert_eq!(run.look(Running, &[Idle, Running], 30.0), None);
        assert_eq!(run.look(Finished, &[Idle, Running, Finished], 40.0), Some(Finished));
    }

    #[test]
    fn a_run_that_has_finished_is_finished_whoever_wrote_right_behind_it() {
        let mut run = RunEnd::new(false, 0.0);
        assert_eq!(run.look(Idle, &[Idle, Running, Finished, Idle], 10.0), Some(Finished));
    }

    #[test]
    fn a_state_from_before_the_last_event_is_not_the_end_until_the_server_had_time_to_correct_it() {
        let mut run = RunEnd::new(false, 0.0);
        let told = [Running];
        assert_eq!(run.look(Error, &told, 100.0), None);
        assert_eq!(run.look(Error, &told, 99.0 + SETTLES_WITHIN), None);
        assert_eq!(run.look(Error, &told, 100.0 + SETTLES_WITHIN), Some(Error), "it has died in between");

        let mut run = RunEnd::new(false, 0.0);
        assert_eq!(run.look(Paused, &[Running], 100.0), None);
        assert_eq!(run.look(Paused, &[Running, Paused], 200.0), None, "now it agrees, for the first time");
        assert_eq!(
            run.look(Idle, &[Running, Paused, Running], 200.0 + SETTLES_WITHIN),
            None,
            "and not any more"
        );
    }

    #[test]
    fn a_pause_is_over_with_the_second_state() {
        let mut run = RunEnd::new(false, 0.0);
        assert_eq!(run.look(Paused, &[Running, Paused], 10.0), None, "a call still goes on");
        assert_eq!(run.look(Paused, &[Running, Paused], 20.0), Some(Paused));
    }

    #[test]
    fn a_run_that_never_begins_ends_with_what_the_server_says() {
        let mut run = RunEnd::new(false, 1_000.0);
        assert_eq!(run.look(Idle, &[], 1_000.0 + BEGINS_WITHIN), None);
        assert_eq!(run.look(Idle, &[], 1_001.0 + BEGINS_WITHIN), Some(Idle), "it has forgotten the run");
        assert_eq!(RunEnd::new(true, 0.0).look(Finished, &[], 10.0), Some(Finished));
    }
}
