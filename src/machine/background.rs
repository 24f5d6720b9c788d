//! The background response of `agent_state`: which answer a later page can fetch from its provider.

use crate::{
    format::{agent_state::BACKGROUND_RESPONSE, base_state::BaseState},
    json::EditableObject,
};

/// The id of the stored background response.
pub fn background_response_in(state: &BaseState) -> Option<String> {
    state.in_agent_state::<EditableObject>(BACKGROUND_RESPONSE)?.read("id")
}

/// Removes the stored background response, because it has been fetched or is not wanted any more.
pub fn forget_response(state: &mut BaseState) {
    state.set_in_agent_state(BACKGROUND_RESPONSE, None);
}
