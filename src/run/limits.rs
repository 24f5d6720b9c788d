//! Limits of a run: the number of steps, and dollars as counted in the stored metrics (`_emit_run_limit_error` in
//! `conversation/impl/local_conversation.py`).

use crate::{
    agent::{NewEvent, is_answer_demand},
    error::Result,
    event::{Body, ConversationErrorEvent, Event, Source},
    handle::{
        Conversation, TotalUsage,
        settings::{Changing, refused},
    },
    machine::{
        RunLimits, Setting,
        stuck_detector::{StuckDetection, StuckDetectionThresholds, is_stuck_on_context_window},
    },
};

/// How many final answers of one run may be refused, if the agent has a schema for them.
const MAX_REFUSED_ANSWERS: usize = 3;

const MAX_BUDGET: &str = "MaxBudgetReached";
const MAX_ITERATIONS: &str = "MaxIterationsReached";
const NO_ANSWER: &str = "FinalAnswerInvalid";
/// The codes with which a run ends that has reached a limit.
pub(crate) const LIMITS: [&str; 3] = [MAX_BUDGET, MAX_ITERATIONS, NO_ANSWER];

/// The steps and costs of a run so far.
#[derive(Clone, Copy)]
pub(crate) struct RunUsage {
    steps: u32,
    /// Whether the model has answered and its calls have not run yet. They belong to the same step.
    has_answer: bool,
    /// The tokens of the view before the last condensation, if it is the last step.
    condensed_from: Option<u64>,
    /// The usage of the conversation before the run.
    before: TotalUsage,
    /// The refused final answers in the view before the run.
    refused_before: usize,
}

impl RunUsage {
    /// Counts an answer of the model, which begins a step.
    pub(crate) fn asked_model(&mut self) {
        self.steps += 1;
        self.has_answer = true;
        self.condensed_from = None;
    }

    /// Counts a condensation of a view with so many tokens, or a failed attempt at one, which is a step of its own.
    pub(crate) fn condensed(&mut self, from: Option<u64>) {
        self.steps += 1;
        self.condensed_from = from;
    }

    /// The tokens of the view before the last condensation, if the run has made no other step since.
    pub(crate) fn condensed_from(&self) -> Option<u64> {
        self.condensed_from
    }

    /// Counts calls that have run: those of the last answer belong to its step, calls that waited are one of their own.
    pub(crate) fn ran_calls(&mut self) {
        self.condensed_from = None;
        if !std::mem::take(&mut self.has_answer) {
            self.steps += 1;
        }
    }

    /// The steps so far.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// The usage since the run began, from that of the conversation by now.
    pub(crate) fn spent(&self, by_now: TotalUsage) -> TotalUsage {
        by_now.since(self.before)
    }

    /// Does not count the final answers that were refused before.
    pub(crate) fn begins_after(&mut self, refused: usize) {
        self.refused_before = refused;
    }

    /// Whether a step has been made.
    pub(crate) fn has_stepped(&self) -> bool {
        self.steps > 0
    }

    /// Whether the run may take another step.
    pub(crate) fn allows_more(&self, limits: &RunLimits) -> bool {
        self.steps < limits.max_iterations
    }
}

impl Conversation {
    /// The limits of each run.
    pub fn limits(&self) -> RunLimits {
        self.0.limits.get()
    }

    /// The limits of each run, also of the one under way: its next part is decided with them. The number of steps, and
    /// whether runs that are stuck stop, are durable when this returns.
    ///
    /// # Errors
    /// `invalid_options` naming the limit, `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of
    /// the store; the old limits stay then.
    pub fn set_limits(&self, limits: RunLimits) -> Changing {
        if let Err(error) = limits.check() {
            return refused(error);
        }
        let detects_stuck = limits.stuck_detection.map(|detection| detection != StuckDetection::Off);
        let setting = Setting::Limits { max_iterations: limits.max_iterations, detects_stuck };
        self.change_and_use(setting, Box::new(move |conversation| conversation.0.limits.set(limits)))
    }

    /// Whether a run that failed because its request did not fit into the context window is stuck.
    pub(crate) async fn is_stuck_after_context_window(&self) -> Result<bool> {
        let Some(thresholds) = self.stuck_thresholds() else { return Ok(false) };
        self.0.log.read(|branch| is_stuck_on_context_window(branch.window(), &thresholds)).await
    }

    /// The host's thresholds, or the default ones if the stored setting enables the detection; `None` disables it.
    pub fn stuck_thresholds(&self) -> Option<StuckDetectionThresholds> {
        match self.limits().stuck_detection {
            Some(StuckDetection::Off) => None,
            Some(StuckDetection::On(thresholds)) => Some(thresholds),
            None => self.state().stuck_detection().then(StuckDetectionThresholds::default),
        }
    }

    /// The usage of a run that begins now.
    pub(crate) fn begin_usage(&self) -> RunUsage {
        RunUsage {
            steps: 0,
            has_answer: false,
            condensed_from: None,
            before: self.total_usage(),
            refused_before: 0,
        }
    }

    /// The event that ends the run, if a limit is reached: the steps or the budget of the run, or the budget in the
    /// metrics of a model, which applies to all runs together.
    pub(crate) fn limit_reached(&self, used: &RunUsage) -> Option<NewEvent> {
        let limits = &self.limits();
        let costs = self.costs();
        let spent = costs.iter().map(|cost| cost.accumulated).sum::<f64>() - used.before.cost;
        let over_run =
            limits.max_budget_per_run.filter(|budget| spent >= *budget).map(|budget| (budget, spent));
        let over_task = costs
            .iter()
            .filter_map(|cost| Some((cost.max_budget_per_task?, cost.accumulated)))
            .find(|(budget, cost)| cost >= budget);
        if let Some((budget, cost)) = over_run.or(over_task) {
            let (budget, cost) = (dollars(budget), dollars(cost));
            let detail = format!("The budget of {budget} is used up: {cost} were spent.");
            return Some(error(MAX_BUDGET, detail));
        }
        if !used.allows_more(limits) {
            let detail = format!("The run has taken all {} steps that it may.", limits.max_iterations);
            return Some(error(MAX_ITERATIONS, detail));
        }
        if self.refused_answers() >= used.refused_before + MAX_REFUSED_ANSWERS {
            let detail = format!("{MAX_REFUSED_ANSWERS} final answers did not have the demanded form.");
            return Some(error(NO_ANSWER, detail));
        }
        None
    }

    /// How often the model was told since the last message of the user that its final answer is not valid. Zero without a
    /// schema.
    pub(crate) fn refused_answers(&self) -> usize {
        if !self.0.agent.tools.expects_answer() {
            return 0;
        }
        let is_refusal = |event: &&Event| match event.body() {
            Body::AgentErrorEvent(error) => error.tool_name == "finish",
            Body::MessageEvent(_) => is_answer_demand(event),
            _ => false,
        };
        self.0.log.with_branch(|branch| {
            let events = branch.view.events().iter().rev();
            events.take_while(|event| event.source() != Source::User).filter(is_refusal).count()
        })
    }
}

fn error(code: &str, detail: String) -> NewEvent {
    NewEvent::new(Source::Environment, ConversationErrorEvent::new(code, detail))
}

/// An amount with four decimal places, as in the SDK.
fn dollars(amount: f64) -> String {
    let parts = (amount * 10_000.0 + 0.5) as u64;
    format!("${}.{:04}", parts / 10_000, parts % 10_000)
}
