//! The decisions of a run: those of `decision.rs`, except for condensations that lead nowhere and that the SDK repeats at
//! every step.
//!
//! A condensation is followed by another step of the run, unless it was not enough and has made the view smaller: then
//! everything after the system prompt is summarized. If that is not enough either, the view cannot be sent.

use super::{
    decision::{Attempt, Decision, Reason, Requirement, Situation, reset, tokens},
    settings::Condenser,
};
use crate::event::Body;

impl Condenser {
    /// The decision of a run about this view. `before` is the number of tokens that the view had before the last
    /// condensation, if the run has made no other step since.
    pub fn decide_in_run(&self, situation: &Situation<'_>, before: Option<u64>) -> Decision {
        let Some(before) = before else { return self.useful(self.decide(situation), situation) };
        let mut members = self.members.iter().enumerate();
        let too_large = members.find(|(_, member)| member.reasons(situation).contains(&Reason::Tokens));
        // A request, or too many events, can wait until the model has answered.
        let Some((number, member)) = too_large else { return Decision::SendView };
        let after = tokens(situation, situation.view.since_condensation().start);
        if member.limit(situation).is_some_and(|limit| after <= limit) {
            // The condensation was enough, but not for the messages that have arrived since.
            return self.useful(self.decide(situation), situation);
        }
        if after >= before {
            return Decision::Impossible;
        }
        self.useful(reset(number, situation.view.events()), situation)
    }

    /// As [`Condenser::decide_after_failure`], for a run.
    pub fn decide_in_run_after_failure(&self, failed: &Attempt, situation: &Situation<'_>) -> Decision {
        self.useful(self.decide_after_failure(failed, situation), situation)
    }

    /// The decision, or another one if this condensation would not be enough, or would only summarize a summary. A request,
    /// which the user or the provider makes, is followed in any case.
    fn useful(&self, decision: Decision, situation: &Situation<'_>) -> Decision {
        let Decision::Summarize(attempt) = &decision else { return decision };
        let events = situation.view.events();
        let forgotten = events.get(attempt.forgotten.clone()).unwrap_or_default();
        let is_summary_alone = !situation.view.is_condensation_requested()
            && matches!(forgotten, [event] if matches!(event.body(), Body::Condensation(_)));
        let limit = self.members.get(attempt.member).and_then(|member| member.limit(situation));
        let removed = tokens(situation, attempt.forgotten.end)
            .saturating_sub(tokens(situation, attempt.forgotten.start));
        let remaining = tokens(situation, events.len()).saturating_sub(removed);
        let is_enough = limit.is_none_or(|limit| remaining <= limit);
        match (attempt.requirement, attempt.reset) {
            (Requirement::Soft, _) if is_summary_alone => self.decide_after_failure(attempt, situation),
            (Requirement::Hard, 0) if is_summary_alone || !is_enough => {
                self.useful(reset(attempt.member, events), situation)
            }
            (Requirement::Hard, 1..) if is_summary_alone => Decision::Impossible,
            _ => decision,
        }
    }
}
