//! The stored form of condensers: the `condenser` field of an agent.

use crate::json::{FromJson, RawJson, object};

/// `LLMSummarizingCondenser`: a model summarizes the events that are removed. Its defaults are the SDK's.
#[derive(Clone, Debug, PartialEq)]
pub struct LLMSummarizingCondenser {
    /// The model that writes summaries, as the SDK stores it.
    pub llm: RawJson,
    /// The number of events in the view above which events are removed.
    pub max_size: usize,
    /// The number of tokens above which events are removed, if the agent's model allows more.
    pub max_tokens: Option<u64>,
    /// The number of events at the start of the view that are never removed.
    pub keep_first: usize,
    /// The smallest part of the view that is worth a summary, between 0 and 1.
    pub minimum_progress: f64,
    /// The number of attempts at summarizing the complete view.
    pub hard_context_reset_max_retries: usize,
    /// The factor by which the longest texts of events are shortened after each of these attempts, between 0 and 1.
    pub hard_context_reset_context_scaling: f64,
    /// Whether the model is asked for a structured summary. The SDK ignores this field, and drops it when it writes.
    pub asks_for_fields: bool,
}

const SUMMARIZING: &str = "LLMSummarizingCondenser";
const PIPELINE: &str = "PipelineCondenser";
const NO_OP: &str = "NoOpCondenser";

impl LLMSummarizingCondenser {
    /// A condenser with the SDK's defaults.
    pub fn new(llm: RawJson) -> Self {
        Self {
            llm,
            max_size: 240,
            max_tokens: None,
            keep_first: 2,
            minimum_progress: 0.1,
            hard_context_reset_max_retries: 5,
            hard_context_reset_context_scaling: 0.8,
            asks_for_fields: false,
        }
    }

    /// `None` for settings with which the SDK would not open the conversation.
    fn read(json: &RawJson) -> Option<Self> {
        let default = Self::new(json.field("llm")?);
        let condenser = Self {
            max_size: field(json, "max_size", default.max_size)?,
            max_tokens: field(json, "max_tokens", default.max_tokens)?,
            keep_first: field(json, "keep_first", default.keep_first)?,
            minimum_progress: field(json, "minimum_progress", default.minimum_progress)?,
            hard_context_reset_max_retries: field(
                json,
                "hard_context_reset_max_retries",
                default.hard_context_reset_max_retries,
            )?,
            hard_context_reset_context_scaling: field(
                json,
                "hard_context_reset_context_scaling",
                default.hard_context_reset_context_scaling,
            )?,
            asks_for_fields: json.field::<String>("summary").is_some_and(|form| form == "fields"),
            llm: default.llm,
        };
        condenser.problem().is_none().then_some(condenser)
    }

    /// The reason why the SDK would refuse these settings, as the end of a sentence about them.
    pub fn problem(&self) -> Option<&'static str> {
        let is_fraction = |number: f64| number > 0.0 && number < 1.0;
        if self.events_to_keep().is_none_or(|count| count == 0) {
            Some("keep_first must be less than half of max_size minus 1, so that something can be removed")
        } else if !is_fraction(self.minimum_progress) {
            Some("minimum_progress must be between 0 and 1")
        } else if !is_fraction(self.hard_context_reset_context_scaling) {
            Some("hard_context_reset_context_scaling must be between 0 and 1")
        } else if self.hard_context_reset_max_retries == 0 {
            Some("hard_context_reset_max_retries must be at least 1")
        } else {
            None
        }
    }

    /// The number of events at the end of the view that stay when it has too many events.
    pub(super) fn events_to_keep(&self) -> Option<usize> {
        (self.max_size / 2).checked_sub(self.keep_first)?.checked_sub(1)
    }

    /// The stored form, as the SDK writes it.
    pub fn json(&self) -> RawJson {
        let settings = object! {
            "llm": self.llm,
            "max_size": self.max_size,
            "max_tokens"?: self.max_tokens,
            "keep_first": self.keep_first,
            "minimum_progress": self.minimum_progress,
            "hard_context_reset_max_retries": self.hard_context_reset_max_retries,
            "hard_context_reset_context_scaling": self.hard_context_reset_context_scaling,
            "kind": SUMMARIZING,
        };
        settings.into()
    }
}

/// A field's value, or the default if the field is missing; `None` for a value of another type.
fn field<T: FromJson>(json: &RawJson, name: &str, default: T) -> Option<T> {
    match json.field::<RawJson>(name) {
        Some(value) => value.read(),
        None => Some(default),
    }
}

/// The condenser of an agent: the summarizing condensers that are asked one after the other, until one of them makes a
/// decision. The SDK's `NoOpCondenser` is one without any, and a `PipelineCondenser` one with those of its members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condenser {
    /// These condensers.
    pub members: Vec<LLMSummarizingCondenser>,
}

impl Condenser {
    /// The condenser in the `condenser` field of an agent. A kind that is not known, or settings that the SDK refuses,
    /// condense nothing.
    pub fn read(json: &RawJson) -> Self {
        let mut members = Vec::new();
        add_members(json, &mut members);
        Self { members }
    }

    /// Whether `condense()` and a full context window lead to a condensation.
    pub fn handles_condensation_requests(&self) -> bool {
        !self.members.is_empty()
    }

    /// The stored form, as the SDK writes it.
    pub fn json(&self) -> RawJson {
        match self.members.as_slice() {
            [] => object! { "kind": NO_OP }.into(),
            [member] => member.json(),
            members => {
                let members: Vec<RawJson> = members.iter().map(LLMSummarizingCondenser::json).collect();
                object! { "condensers": members, "kind": PIPELINE }.into()
            }
        }
    }
}

fn add_members(json: &RawJson, members: &mut Vec<LLMSummarizingCondenser>) {
    match json.field::<String>("kind").as_deref() {
        Some(SUMMARIZING) => members.extend(LLMSummarizingCondenser::read(json)),
        Some(PIPELINE) => {
            for member in json.field::<Vec<RawJson>>("condensers").unwrap_or_default() {
                add_members(&member, members);
            }
        }
        _ => {}
    }
}
