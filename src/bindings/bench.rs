//! Operations that benchmarks time inside the wasm, where a conversation calls its store as well.

use super::store::CoreStore;
use crate::{
    id::ConversationId,
    store::{Commit, Durability},
    web::guard,
};
use js_sys::Promise;
use std::rc::Rc;
use uuid::Uuid;
use wasm_bindgen::prelude::*;

/// Appends `count` events of text `json` from index `from` on, one commit each, one after the other.
///
/// If `base_state` is not empty, each commit also stores it, with `LEAF` replaced by the id of the event.
#[wasm_bindgen(js_name = appendEvents)]
pub fn append_events(
    store: &CoreStore,
    conversation: String,
    from: f64,
    count: f64,
    json: String,
    base_state: String,
    strict: bool,
) -> Promise {
    let store = store.inner();
    guard::promise(async move {
        let id: ConversationId = conversation.parse()?;
        let json: Rc<str> = json.into();
        let from = from as u64;
        for index in from..from + count as u64 {
            let event = Uuid::new_v4();
            let base_state = (!base_state.is_empty()).then(|| {
                let leaf = event.hyphenated().to_string();
                Rc::from(base_state.replacen("LEAF", &leaf, 1))
            });
            let commit = Commit {
                events: vec![(event.into(), Rc::clone(&json))],
                base_state,
                durability: if strict { Durability::Strict } else { Durability::Relaxed },
                ..Commit::new(index, js_sys::Date::now())
            };
            store.commit(id, commit).await?;
        }
        Ok(JsValue::UNDEFINED)
    })
}
