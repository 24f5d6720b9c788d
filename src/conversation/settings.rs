//! What of this page's settings the stored agent has, and the verbs that only change a setting.

use super::{
    Conversation,
    machine::{Plan, Transition},
};
use crate::{
    agent::Agent,
    error::{Error, ErrorCode, Result, shown},
    format::{
        agent_state::{API_KEY_SERVER, RESERVED, TOOL_CONCURRENCY_LIMIT},
        base_state::BaseState,
    },
    json::{EditableObject, FromJson as _, RawJson},
    llm::Llm,
    tool::ToolKind,
};
use std::rc::Rc;

impl Conversation {
    /// Changes a setting.
    pub(super) async fn change_settings(
        &self,
        plan: Plan,
        edit: &mut dyn FnMut(&mut BaseState),
    ) -> Result<()> {
        self.writable()?;
        let queue = self.0.log.queue().await;
        self.writable()?;
        let mut state = self.state().clone();
        Transition::ChangeSettings.apply(&mut state)?;
        edit(&mut state);
        self.commit(&queue, state, plan).await.map(drop)
    }

    /// Replaces the tags. Keys are lower-case letters and digits, values at most 256 characters: anything else
    /// would make `base_state.json` unreadable for the SDK.
    ///
    /// # Errors
    /// `invalid_options` naming the tag, `locked_elsewhere`, and those of the store.
    pub async fn set_tags(&self, tags: &[(String, String)]) -> Result<()> {
        self.writable()?;
        self.state().clone().set_tags(tags)?;
        let mut edit = |state: &mut BaseState| {
            // Checked above.
            let _ = state.set_tags(tags);
        };
        self.change_settings(Plan::default(), &mut edit).await
    }

    /// Sets these values of `agent_state`, where `null` removes one, and leaves the others alone.
    ///
    /// # Errors
    /// `invalid_options` for a name under which this library keeps something itself, `locked_elsewhere`, and those of
    /// the store.
    pub async fn set_agent_state(&self, values: &EditableObject) -> Result<()> {
        self.writable()?;
        if let Some((name, _)) = values.iter().find(|(name, _)| RESERVED.contains(name)) {
            let text = format!(
                "{} in agent_state is what threadkeep itself remembers; choose another name",
                shown(name)
            );
            return Err(Error::new(ErrorCode::InvalidOptions, text));
        }
        let mut edit = |state: &mut BaseState| {
            for (name, value) in values.iter() {
                let value = Some(value).filter(|value| *value != "null").and_then(RawJson::from_json);
                state.set_in_agent_state(name, value.as_ref());
            }
        };
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// The model that answers the next request.
    pub(super) fn llm(&self) -> Rc<Llm> {
        self.0.llm.borrow().clone()
    }

    /// Lets another model answer, from the next request on; an answer that is under way is still the old one's. The
    /// history stays: what of it only the old model can read is left out of requests. It is durable when this resolves.
    ///
    /// Other than in the SDK, a model whose usage id is known already is not replaced by the one that was first: what
    /// is given is what answers, and both are counted under that id.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once it is closed, and those of the store; then the old model stays.
    pub async fn switch_llm(&self, llm: Llm) -> Result<()> {
        self.writable()?;
        // Not before it is stored: another switch may be under way, and either may fail.
        let mut edit = |state: &mut BaseState| keep_model_settings(state, &self.0.agent, &llm);
        self.change_settings(Plan::default().strictly(), &mut edit).await?;
        self.0.llm.replace(Rc::new(llm));
        Ok(())
    }
}

/// The model that answers is this one; all else that the stored agent says stays as it is. An agent
/// that is another program has no model of its own to replace.
pub(super) fn keep_model_settings(state: &mut BaseState, agent: &Agent, llm: &Llm) {
    let kind = state.agent().and_then(|agent| agent.field::<String>("kind"));
    if kind.is_some_and(|kind| kind != "Agent") {
        return;
    }
    let options = &llm.options;
    let stored = state.agent_llm();
    if let Some(stored) = &stored {
        let server = options.server_left(stored.as_str());
        let is_replaced = options.stored_key.token.borrow().is_some();
        let is_known = state.in_agent_state::<RawJson>(API_KEY_SERVER).is_some();
        if is_replaced && is_known || server.is_some() && !is_known {
            state.set_in_agent_state(API_KEY_SERVER, server.map(|server| RawJson::of(&server)).as_ref());
        }
    }
    // The result is an object by construction.
    if let Some(llm) = RawJson::parse(&options.to_sdk_json(stored.as_ref().map(RawJson::as_str))) {
        state.set_agent_llm(&llm);
    }
    let has_own_tools = || agent.tools.iter().any(|tool| tool.definition().kind == ToolKind::Mcp);
    if options.native_tool_calling == Some(false) && has_own_tools() {
        keep_native_calls(state);
    }
}

/// The SDK writes calls as text for a model whose stored settings say so, and reads them in the history as if they were
/// made again. It refuses those that were made together, and those of tools that it does not have, which are all of the
/// host's: each of its answers would be refused for ever.
pub(super) fn keep_native_calls(state: &mut BaseState) {
    const FIELD: &str = "native_tool_calling";
    let stored = state.agent_llm().and_then(|llm| EditableObject::compact(llm.as_str()));
    if let Some(mut llm) = stored.filter(|llm| llm.read(FIELD) == Some(false)) {
        llm.set(FIELD, "true");
        state.set_agent_llm(&RawJson::of(&llm));
    }
}

/// Remembers for the page after one that dies what this run allows itself.
pub(super) fn keep_concurrency(state: &mut BaseState, agent: &Agent) {
    let limit = agent.tool_concurrency_limit as u64;
    state.set_in_agent_state(TOOL_CONCURRENCY_LIMIT, (limit > 1).then(|| RawJson::of(&limit)).as_ref());
}
