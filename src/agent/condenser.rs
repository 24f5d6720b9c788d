//! The condenser that the host has given to an agent, and its stored form. When and how it condenses is decided in
//! `context/condenser`, which a page loads later.

use crate::{
    json::{EditableObject, RawJson, object},
    llm::Llm,
};
use std::rc::Rc;

/// The usage id of the model that writes summaries, unless the host gives that model another one.
const USAGE_ID: &str = "condenser";

/// The condenser of an agent. A pipeline is the list of its members; without members it is the SDK's `NoOpCondenser`.
#[derive(Clone)]
pub struct AgentCondenser {
    /// The summarizing condensers, which are asked one after the other.
    pub members: Vec<CondenserMember>,
}

/// One `LLMSummarizingCondenser`.
#[derive(Clone)]
pub struct CondenserMember {
    /// Its fields as the SDK stores them, but without the model.
    pub settings: EditableObject,
    /// The model that writes summaries; `None` is the agent's model.
    pub llm: Option<Rc<Llm>>,
}

impl CondenserMember {
    /// The model that writes summaries, if the agent's model is `agents`.
    fn llm(&self, agents: &Llm) -> Rc<Llm> {
        match &self.llm {
            Some(llm) => summary_llm(llm, llm.options.usage_id.as_deref()),
            None => summary_llm(agents, None),
        }
    }
}

/// The same model, counted under this usage id or else under that of condensers.
pub fn summary_llm(llm: &Llm, usage_id: Option<&str>) -> Rc<Llm> {
    let mut llm = llm.clone();
    // The text of the agent's requests stays cached, and a background response could not be found again.
    llm.options.request_text = Rc::default();
    llm.options.background = None;
    llm.options.usage_id = Some(usage_id.unwrap_or(USAGE_ID).to_owned());
    Rc::new(llm)
}

impl AgentCondenser {
    /// Whether it condenses anything.
    pub fn condenses(&self) -> bool {
        !self.members.is_empty()
    }

    /// The model that writes the summaries of the member at this place, if the agent's model is `agents`.
    pub fn llm(&self, member: usize, agents: &Llm) -> Option<Rc<Llm>> {
        self.members.get(member).map(|member| member.llm(agents))
    }

    /// The stored form, as the SDK writes it.
    pub fn to_sdk_json(&self, agents: &Llm) -> RawJson {
        let members = self.members.iter().map(|member| {
            let mut settings = member.settings.clone();
            settings.set_first("llm", &member.llm(agents).options.to_sdk_json(None));
            settings
        });
        let members: Vec<EditableObject> = members.collect();
        match members.as_slice() {
            [] => object! { "kind": "NoOpCondenser" }.into(),
            [member] => RawJson::of(member),
            _ => object! { "condensers": members, "kind": "PipelineCondenser" }.into(),
        }
    }
}

/// The kinds of condensers that condense.
const SUMMARIZING: [&str; 2] = ["LLMSummarizingCondenser", "PipelineCondenser"];

/// Whether a stored condenser is of a kind that condenses here.
pub fn is_summarizing(stored: &RawJson) -> bool {
    has_kind(stored, &SUMMARIZING)
}

/// Whether a stored condenser is of a kind that is known here.
pub fn is_known(stored: &RawJson) -> bool {
    has_kind(stored, &SUMMARIZING) || has_kind(stored, &["NoOpCondenser"])
}

fn has_kind(stored: &RawJson, kinds: &[&str]) -> bool {
    stored.field::<String>("kind").is_some_and(|kind| kinds.contains(&&*kind))
}
