//! The verbs that only change a setting.

use super::{
    Conversation,
    machine::{Plan, Transition, stored_agent::store_model_settings},
    stats::set_usage,
};
use crate::{
    error::{Error, ErrorCode, Result, shown},
    format::{
        agent_state::{RESERVED, WAITING_FOR_NETWORK},
        base_state::BaseState,
    },
    json::{EditableObject, FromJson as _, RawJson, quoted},
    llm::Llm,
    tool::Tool,
};
use futures_util::future::LocalBoxFuture;
use std::{future::ready, rc::Rc};

/// A change that is being stored. Boxed, so that the wasm has its code once and not for each setting.
pub type Changing = LocalBoxFuture<'static, Result<()>>;

/// A change of the state.
pub(super) type Edit = Box<dyn FnMut(&mut BaseState)>;

impl Conversation {
    /// Stores a change of settings durably.
    pub(super) fn change(&self, edit: impl FnMut(&mut BaseState) + 'static) -> Changing {
        self.changing(Plan::default().strictly(), Box::new(edit), Box::new(|_| {}))
    }

    /// Stores a change of settings, and then calls `stored`.
    pub(super) fn changing(&self, plan: Plan, mut edit: Edit, stored: Box<dyn FnOnce(&Self)>) -> Changing {
        let conversation = self.clone();
        Box::pin(async move {
            conversation.change_settings(plan, &mut *edit).await?;
            stored(&conversation);
            Ok(())
        })
    }

    /// Stores a change of settings.
    pub(super) async fn change_settings(
        &self,
        plan: Plan,
        edit: &mut dyn FnMut(&mut BaseState),
    ) -> Result<()> {
        self.ensure_writable()?;
        let queue = self.0.log.queue().await;
        self.ensure_writable()?;
        let mut state = self.state().clone();
        Transition::ChangeSettings.apply(&mut state)?;
        edit(&mut state);
        self.commit(&queue, state, plan).await.map(drop)
    }

    /// Replaces the tags. Keys consist of lower-case letters and digits, values have at most 256 characters: the SDK
    /// cannot read a `base_state.json` with other tags.
    ///
    /// # Errors
    /// `invalid_options` naming the tag, `locked_elsewhere`, and those of the store.
    pub fn set_tags(&self, tags: &[(String, String)]) -> Changing {
        let mut all = EditableObject::default();
        for (name, value) in tags {
            all.set(name, &quoted(value));
        }
        self.change_tags(&all, true)
    }

    /// Changes the tags that this object names, of which `null` removes one; if it `replaces` them, the others are removed as well.
    ///
    /// # Errors
    /// Those of [`Conversation::set_tags`].
    pub fn change_tags(&self, changes: &EditableObject, replaces: bool) -> Changing {
        let (changes, now) = (changes.clone(), self.0.log.host.now());
        let checked = self.state().clone().change_tags(&changes, replaces, now);
        if let Err(error) = self.ensure_writable().and(checked) {
            return refused(error);
        }
        // Whether these tags can be stored does not depend on the others, so this succeeds as well.
        let edit = move |state: &mut BaseState| drop(state.change_tags(&changes, replaces, now));
        self.changing(Plan::default(), Box::new(edit), Box::new(|_| {}))
    }

    /// Sets these fields of `agent_state`; `null` removes one. Others do not change.
    ///
    /// # Errors
    /// `invalid_options` for a field that this library uses itself, `locked_elsewhere`, and those of the store.
    pub fn set_agent_state(&self, values: &EditableObject) -> Changing {
        if let Some((name, _)) = values.iter().find(|(name, _)| RESERVED.contains(name)) {
            let text = format!(
                "the field {} of agent_state is used by threadkeep itself; choose another name",
                shown(name)
            );
            let error = Error::new(ErrorCode::InvalidOptions, text);
            return refused(self.ensure_writable().err().unwrap_or(error));
        }
        let values = values.clone();
        self.change(move |state| {
            for (name, value) in values.iter() {
                let value = Some(value).filter(|value| *value != "null").and_then(RawJson::from_json);
                state.set_in_agent_state(name, value.as_ref());
            }
        })
    }

    /// Stores what the library itself learns beside the log, which no host may set: what the run waits for without a network,
    /// where `null` ends that; or, for a usage id, its metrics in place of those that it had: the costs of a sub-agent,
    /// which are counted in the sub-agent's own conversation.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub fn note(&self, name: &str, value: &RawJson) -> Changing {
        if name != WAITING_FOR_NETWORK {
            let (name, value) = (name.to_owned(), value.clone());
            let edit = move |state: &mut BaseState| set_usage(state, &name, &value);
            return self.changing(Plan::default(), Box::new(edit), Box::new(|_| {}));
        }
        let waiting = Some(value).filter(|value| value.as_str() != "null").cloned();
        self.change(move |state| state.set_in_agent_state(WAITING_FOR_NETWORK, waiting.as_ref()))
    }

    /// The model that answers the next request.
    pub(super) fn llm(&self) -> Rc<Llm> {
        self.0.llm.borrow().clone()
    }

    /// Replaces the tools of MCP servers, from the next request on.
    pub fn set_remote_tools(&self, tools: Vec<Rc<dyn Tool>>) {
        self.0.agent.tools.set_remote(tools);
    }

    /// Switches to another model from the next request on; a request that is under way still uses the old one. Parts of
    /// the history that only the old model can read are left out of requests. The switch is durable when this returns.
    ///
    /// Other than in the SDK, a new model with the usage id of an earlier one is used as given, and both are counted
    /// under that id.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store; the old model stays
    /// then.
    pub fn switch_llm(&self, llm: Llm) -> Changing {
        let llm = Rc::new(llm);
        let (conversation, new) = (self.clone(), llm.clone());
        let edit = move |state: &mut BaseState| store_model_settings(state, &conversation.0.agent, &llm);
        // The model is replaced only after the commit: several switches may be under way, and each may fail.
        let stored = |conversation: &Self| drop(conversation.0.llm.replace(new));
        self.changing(Plan::default().strictly(), Box::new(edit), Box::new(stored))
    }
}

/// A change that is not made.
pub(super) fn refused(error: Error) -> Changing {
    Box::pin(ready(Err(error)))
}
