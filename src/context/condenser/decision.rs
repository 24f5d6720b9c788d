//! When to condense, and what: the decisions of `LLMSummarizingCondenser`.

use super::settings::{Condenser, LLMSummarizingCondenser};
use crate::{
    context::view::{View, view_id},
    event::{Body, Condensation, Event},
};
use std::ops::Range;

/// The input of a decision, besides the settings.
pub struct Situation<'a> {
    /// The view that would be sent to the model.
    pub view: &'a View,
    /// The number of tokens of the view's first events, with the definitions of the tools as soon as there is an event.
    pub tokens_of_first: &'a dyn Fn(usize) -> u64,
    /// The number of tokens that the agent's model accepts, if it is known.
    pub max_input_tokens: Option<u64>,
    /// The length of the longest text that represents an event of the view in a request for a summary.
    pub longest_event_text: &'a dyn Fn() -> usize,
}

/// A reason to condense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A `CondensationRequest`.
    Request,
    /// Too many tokens.
    Tokens,
    /// Too many events.
    Events,
}

/// How urgent a condensation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The run can go on without it.
    Soft,
    /// The run cannot go on without it.
    Hard,
}

/// The result of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send the view as it is.
    SendView,
    /// Ask for a summary, and condense with it.
    Summarize(Attempt),
    /// The view cannot be sent, and cannot be condensed either.
    Impossible,
}

/// A summary that is to be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The index of the condenser in [`Condenser::members`] whose model is to be asked.
    pub member: usize,
    /// The places of the events that the summary replaces. Its start is the summary's offset.
    pub forgotten: Range<usize>,
    /// Whether the run can go on without this condensation.
    pub requirement: Requirement,
    /// The number of this attempt at a hard context reset, from 1; 0 for an ordinary condensation.
    pub reset: usize,
    /// The maximum length of the text of an event.
    pub max_event_text: Option<usize>,
}

impl Attempt {
    /// The event that puts this summary in the place of the forgotten events of `view`.
    pub fn condensation(&self, view: &View, summary: String, llm_response_id: String) -> Condensation {
        let forgotten = view.events().get(self.forgotten.clone()).unwrap_or_default();
        Condensation {
            forgotten_event_ids: forgotten.iter().map(|event| view_id(event).into_owned()).collect(),
            summary: Some(summary),
            summary_offset: u64::try_from(self.forgotten.start).ok(),
            llm_response_id,
        }
    }
}

impl Condenser {
    /// The decision about this view. Members that have nothing to do leave it to those after them.
    pub fn decide(&self, situation: &Situation<'_>) -> Decision {
        self.decide_from(0, situation)
    }

    /// The decision after the model could not write the summary of this attempt.
    pub fn decide_after_failure(&self, failed: &Attempt, situation: &Situation<'_>) -> Decision {
        let Some(member) = self.members.get(failed.member) else { return Decision::SendView };
        match failed.requirement {
            Requirement::Soft => self.decide_from(failed.member.saturating_add(1), situation),
            Requirement::Hard if failed.reset == 0 => reset(failed.member, situation.view.events()),
            Requirement::Hard if failed.reset >= member.hard_context_reset_max_retries => {
                Decision::Impossible
            }
            Requirement::Hard => {
                let length = failed.max_event_text.unwrap_or_else(|| (situation.longest_event_text)());
                Decision::Summarize(Attempt {
                    reset: failed.reset.saturating_add(1),
                    max_event_text: Some(scaled(length, member.hard_context_reset_context_scaling)),
                    ..failed.clone()
                })
            }
        }
    }

    /// The events that a condensation on request would replace: what a member would forget, or else everything after the
    /// system prompt. Empty if nothing condenses.
    pub fn forgotten_on_request(&self, situation: &Situation<'_>) -> Range<usize> {
        let events = situation.view.events();
        let Some(member) = self.members.first() else { return 0..0 };
        let forgotten = member.forgotten(&[Reason::Request], situation);
        forgotten.unwrap_or_else(|| after_system_prompt(events)..events.len())
    }

    fn decide_from(&self, first: usize, situation: &Situation<'_>) -> Decision {
        for (number, member) in self.members.iter().enumerate().skip(first) {
            let reasons = member.reasons(situation);
            let Some(requirement) = requirement(&reasons) else { continue };
            match (member.forgotten(&reasons, situation), requirement) {
                (Some(forgotten), _) => {
                    return Decision::Summarize(Attempt {
                        member: number,
                        forgotten,
                        requirement,
                        reset: 0,
                        max_event_text: None,
                    });
                }
                (None, Requirement::Soft) => {}
                (None, Requirement::Hard) => return reset(number, situation.view.events()),
            }
        }
        Decision::SendView
    }
}

fn requirement(reasons: &[Reason]) -> Option<Requirement> {
    match reasons {
        [] => None,
        [Reason::Events] => Some(Requirement::Soft),
        _ => Some(Requirement::Hard),
    }
}

/// A hard context reset: a summary of everything after the system prompt.
pub(super) fn reset(member: usize, events: &[Event]) -> Decision {
    let forgotten = after_system_prompt(events)..events.len();
    if forgotten.is_empty() {
        return Decision::Impossible;
    }
    Decision::Summarize(Attempt {
        member,
        forgotten,
        requirement: Requirement::Hard,
        reset: 1,
        max_event_text: None,
    })
}

/// The place after the system prompt; 0 if there is none.
fn after_system_prompt(events: &[Event]) -> usize {
    let place = events.iter().position(|event| matches!(event.body(), Body::SystemPromptEvent(_)));
    place.map_or(0, |place| place.saturating_add(1))
}

impl LLMSummarizingCondenser {
    /// The reasons why this view has to be condensed.
    pub fn reasons(&self, situation: &Situation<'_>) -> Vec<Reason> {
        let length = situation.view.events().len();
        let has_too_many_tokens =
            || self.limit(situation).is_some_and(|limit| tokens(situation, length) > limit);
        let mut reasons = Vec::new();
        if situation.view.is_condensation_requested() {
            reasons.push(Reason::Request);
        }
        if has_too_many_tokens() {
            reasons.push(Reason::Tokens);
        }
        if length > self.max_size {
            reasons.push(Reason::Events);
        }
        reasons
    }

    /// The number of tokens that a view may have.
    pub(super) fn limit(&self, situation: &Situation<'_>) -> Option<u64> {
        match (self.max_tokens, situation.max_input_tokens) {
            (Some(own), Some(model)) => Some(own.min(model)),
            (own, model) => own.or(model),
        }
    }

    /// The events to forget; `None` if they are too few to be worth a summary, or if the view cannot be cut.
    fn forgotten(&self, reasons: &[Reason], situation: &Situation<'_>) -> Option<Range<usize>> {
        let events = situation.view.events();
        // The strictest reason decides. `None` means that more would have to go than there is.
        let mut kept: Option<usize> = Some(events.len());
        for reason in reasons {
            let for_reason = match reason {
                Reason::Request => (events.len() / 2).checked_sub(self.keep_first.saturating_add(1)),
                Reason::Events => self.events_to_keep(),
                Reason::Tokens => Some(self.kept_by_tokens(situation)),
            };
            kept = kept.zip(for_reason).map(|(one, other)| one.min(other));
        }
        let boundaries = situation.view.boundaries();
        let next = |from: usize| {
            boundaries.iter().enumerate().skip(from).find(|(_, is_one)| **is_one).map(|(place, _)| place)
        };
        let start = next(self.keep_first.max(after_system_prompt(events)))?;
        let end = next(events.len().checked_sub(kept?)?)?;
        let forgotten = start..end;
        let is_progress = float(forgotten.len()) >= float(events.len()) * self.minimum_progress;
        (!forgotten.is_empty() && is_progress).then_some(forgotten)
    }

    /// The number of events at the end of the view that can stay, if the view is to have half the tokens that it may
    /// have.
    fn kept_by_tokens(&self, situation: &Situation<'_>) -> usize {
        let length = situation.view.events().len();
        let limit = self.limit(situation).unwrap_or(u64::MAX);
        let rest = length.saturating_sub(self.keep_first);
        let first = tokens(situation, self.keep_first.min(length));
        let total = tokens(situation, length);
        let too_many = total.saturating_sub(limit / 2);
        let of_prefix = |count: usize| {
            tokens(situation, self.keep_first.saturating_add(count).min(length)).saturating_sub(first)
        };
        if too_many == 0 {
            return rest;
        }
        if rest == 0 || of_prefix(rest) <= too_many {
            return 0;
        }
        // The shortest prefix with more tokens than that, found as the SDK finds it.
        let (mut low, mut high) = (1, rest);
        while low < high {
            let middle = low.midpoint(high);
            if of_prefix(middle) > too_many {
                high = middle;
            } else {
                low = middle.saturating_add(1);
            }
        }
        rest.saturating_sub(low)
    }
}

pub(super) fn tokens(situation: &Situation<'_>, events: usize) -> u64 {
    if events == 0 { 0 } else { (situation.tokens_of_first)(events) }
}

/// A length multiplied by a factor between 0 and 1, without its fraction.
fn scaled(length: usize, factor: f64) -> usize {
    (float(length) * factor) as usize
}

fn float(count: usize) -> f64 {
    count as f64
}
