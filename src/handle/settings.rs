//! The verbs that only change a setting.

use super::Conversation;
use crate::{
    error::{Error, ErrorCode, Result, shown},
    format::agent_state::{RESERVED, WAITING_FOR_NETWORK},
    json::{EditableObject, RawJson, quoted},
    llm::Llm,
    machine::{Command, Setting},
    tool::Tool,
};
use futures_util::future::LocalBoxFuture;
use std::{future::ready, rc::Rc};

/// A change that is being stored. Boxed, so that the wasm has its code once and not for each setting.
pub type Changing = LocalBoxFuture<'static, Result<()>>;

impl Conversation {
    /// Stores the new value of a setting.
    pub(crate) fn change(&self, setting: Setting) -> Changing {
        self.change_and_use(setting, Box::new(|_| {}))
    }

    /// Stores the new value of a setting, and then uses it. Several changes may be under way, and each may fail.
    pub(crate) fn change_and_use(&self, setting: Setting, used: Box<dyn FnOnce(&Self)>) -> Changing {
        let conversation = self.clone();
        Box::pin(async move {
            conversation.perform(Command::ChangeSetting(setting)).await?;
            used(&conversation);
            Ok(())
        })
    }

    /// Sets what the first commit of a new conversation stores.
    pub(crate) fn set_in_first_commit(&self, setting: &Setting) {
        self.0.log.amend(&mut |state| setting.apply(state, &self.0.agent));
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
        self.change(Setting::Tags { changes, replaces, now })
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
        self.change(Setting::AgentState(values.clone()))
    }

    /// Stores what the library itself learns beside the log, which no host may set: what the run waits for without a network,
    /// where `null` ends that; or, for a usage id, its metrics in place of those that it had: the costs of a sub-agent,
    /// which are counted in the sub-agent's own conversation.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub fn note(&self, name: &str, value: &RawJson) -> Changing {
        self.change(match name {
            WAITING_FOR_NETWORK => {
                Setting::WaitingForNetwork(Some(value).filter(|value| value.as_str() != "null").cloned())
            }
            usage_id => Setting::Usage { usage_id: usage_id.to_owned(), metrics: value.clone() },
        })
    }

    /// The model that answers the next request.
    pub(crate) fn llm(&self) -> Rc<Llm> {
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
        let used = llm.clone();
        self.change_and_use(
            Setting::Llm(llm),
            Box::new(|conversation| drop(conversation.0.llm.replace(used))),
        )
    }
}

/// A change that is not made.
pub(crate) fn refused(error: Error) -> Changing {
    Box::pin(ready(Err(error)))
}
