//! The type of an import's result in TypeScript, and the write lock that every import takes through JavaScript.

use crate::{archive::Claim, id::ConversationId};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface CoreImported { id: string; outcome: "created" | "continued" | "merged" | "up_to_date"; eventCount: number; warnings: string[] }
"#;

/// Takes the write lock of a conversation through the TypeScript side; `None` if it is taken.
pub(super) fn claimed(claim: &Function, id: ConversationId) -> LocalBoxFuture<'static, Option<Claim>> {
    let answer = claim.call1(&JsValue::UNDEFINED, &id.to_string().into());
    Box::pin(async move {
        let claimed = JsFuture::from(Promise::resolve(&answer.ok()?)).await.ok()?;
        claimed.is_truthy().then(|| Box::new(()) as Claim)
    })
}
