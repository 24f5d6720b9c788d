//! The places at which a view may be cut, so that its properties still hold.
//!
//! The SDK's manipulation indices (`manipulation_indices` of `context/view/properties/`).

use crate::{
    context::pairs::pairs,
    event::{Body, Event},
};

/// One value for each place, from before the first event to after the last: whether the view may be cut there. No cut
/// separates two calls of one response, a call from its answer, or the parts of a loop that begins with signed
/// reasoning. A loop may be separated from the loop that follows it.
pub(super) fn boundaries(view: &[Event]) -> Vec<bool> {
    let mut open_calls = 0_usize;
    let mut is_open = vec![false; view.len()];
    let mut is_in_loop = false;
    let mut before: Option<&Body> = None;
    let mut boundaries = Vec::with_capacity(view.len().saturating_add(1));
    for (place, (event, pair)) in view.iter().zip(pairs(view)).enumerate() {
        let body = event.body();
        let starts_loop = matches!(body, Body::ActionEvent(action) if !action.thinking_blocks.is_empty());
        let is_call = matches!(body, Body::ActionEvent(_));
        let continues_loop = (is_call || event.answered_call().is_some()) && !starts_loop;
        is_in_loop = starts_loop || is_in_loop && continues_loop;
        let continues_response = matches!(
            (before, body),
            (Some(Body::ActionEvent(left)), Body::ActionEvent(right)) if left.llm_response_id == right.llm_response_id
        );
        boundaries.push(open_calls == 0 && !continues_response && !(is_in_loop && continues_loop));
        if is_call && let Some(is_open) = is_open.get_mut(place) {
            *is_open = true;
            open_calls = open_calls.saturating_add(1);
        } else if let Some(is_open) = pair.and_then(|call| is_open.get_mut(call))
            && std::mem::take(is_open)
        {
            open_calls = open_calls.saturating_sub(1);
        }
        before = Some(body);
    }
    boundaries.push(open_calls == 0);
    boundaries
}
