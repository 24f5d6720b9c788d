//! What every import gives JavaScript and asks of it.

use super::error::set;
use crate::{
    archive::{Claim, Imported, Outcome},
    id::ConversationId,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use serde::Serialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface CoreImported { id: string; outcome: "created" | "continued" | "up_to_date"; eventCount: number; warnings: string[] }
"#;

/// The right to write a conversation, if the TypeScript side gives it.
pub(super) fn claimed(claim: &Function, id: ConversationId) -> LocalBoxFuture<'static, Option<Claim>> {
    let answer = claim.call1(&JsValue::UNDEFINED, &id.to_string().into());
    Box::pin(async move {
        let claimed = JsFuture::from(Promise::resolve(&answer.ok()?)).await.ok()?;
        claimed.is_truthy().then(|| Box::new(()) as Claim)
    })
}

/// A `CoreImported`.
pub(super) fn imported_to_js(imported: &Imported) -> JsValue {
    let outcome = match imported.outcome {
        Outcome::Created => "created",
        Outcome::Continued { .. } => "continued",
        Outcome::UpToDate => "up_to_date",
    };
    // Texts in a list: nothing in it can fail.
    let warnings = serde_wasm_bindgen::to_value(&Warnings(&imported.warnings)).unwrap_or_default();
    object(&[
        ("id", imported.conversation.to_string().into()),
        ("outcome", outcome.into()),
        ("eventCount", (imported.length as f64).into()),
        ("warnings", warnings),
    ])
}

/// A list of texts. Where a struct would become an object, serde's names for its fields cost more than setting them.
#[derive(Serialize)]
struct Warnings<'a>(&'a [String]);

/// An object of these fields.
pub(super) fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        set(&object, name, value);
    }
    object.into()
}
