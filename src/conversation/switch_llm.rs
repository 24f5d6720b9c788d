//! Another model in mid-conversation: the SDK's `switch_llm`.

use super::{Conversation, log::Change};
use crate::{error::Result, llm::Llm};
use std::rc::Rc;

impl Conversation {
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
        self.append(Change::edit(|state| self.keep_model_settings(state, &llm)).strictly()).await?;
        self.0.llm.replace(Rc::new(llm));
        Ok(())
    }
}
