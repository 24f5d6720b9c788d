//! The context of an agent: skills, and texts that are added to the system prompt and to messages. Mirrors
//! `context/agent_context.py` and `skills/`.
//!
//! A skill is text and nothing else: its front matter allows no tool, starts no server and runs no command. In a page
//! this module is in the agent's file of the wasm, so the conversation knows it only by the trait in this file.

mod context;
mod invoke;
mod prompt;
mod skill;
mod trigger;

use context::StoredContext;

use crate::{
    error::Result,
    event::{Event, MessageEvent, ObservationEvent},
    format::base_state::BaseState,
    json::RawJson,
    tool::Tool,
};
use std::rc::Rc;
use wasm_file::wasm_file;

/// The context of a conversation, in the form of the SDK's `AgentContext`. Skills that need files are not used.
///
/// # Errors
/// If a page cannot load the code.
#[wasm_file(agent)]
pub async fn stored_context<'a>(json: &'a str) -> Result<Rc<dyn AgentContext>> {
    Ok(Rc::new(StoredContext::stored(json)))
}

/// The context that the host gives.
///
/// # Errors
/// If a page cannot load the code.
#[wasm_file(agent)]
pub async fn given_context<'a>(given: &'a GivenContext) -> Result<Rc<dyn AgentContext>> {
    Ok(Rc::new(StoredContext::given(given)))
}

/// A context that the host gives.
#[derive(Clone)]
pub struct GivenContext {
    /// The form in which it is stored, which is that of the SDK's `AgentContext`.
    pub stored: RawJson,
    /// The memory of the agent. As in the SDK, it is not stored with the context.
    pub memory: Option<Rc<str>>,
}

/// The context of an agent.
pub trait AgentContext {
    /// A sentence about parts of the context that have no effect here.
    fn complaint(&self) -> Option<&str>;

    /// The tool that opens skills, if there is one that the model may open.
    fn tool(&self) -> Option<Rc<dyn Tool>>;

    /// The part of the system prompt that belongs to the conversation. `local_time` is that of an event.
    fn dynamic_context(&self, model: &str, state: &BaseState, local_time: &str) -> Option<String>;

    /// Adds skills that a message of the user activates, and the suffix, and stores which skills are active.
    fn extend_message(&self, message: &mut MessageEvent, state: &mut BaseState);

    /// Adds rules for the path of the call that this result answers. Stores which rules are active, and which skill was
    /// opened.
    fn extend_observation(
        &self,
        observation: &mut ObservationEvent,
        action: Option<&Event>,
        state: &mut BaseState,
    );
}
