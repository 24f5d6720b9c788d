//! The result of an import for JavaScript, and the write lock that every import takes through JavaScript.

use super::error::set;
use crate::{
    archive::{Claim, Imported, Outcome},
    id::ConversationId,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Object, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface CoreImported { id: string; outcome: "created" | "continued" | "up_to_date"; eventCount: number; warnings: string[] }
"#;

/// Takes the write lock of a conversation through the TypeScript side; `None` if it is taken.
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
    let warnings: Array = imported.warnings.iter().map(|warning| JsValue::from_str(warning)).collect();
    object(&[
        ("id", imported.conversation.to_string().into()),
        ("outcome", outcome.into()),
        ("eventCount", (imported.length as f64).into()),
        ("warnings", warnings.into()),
    ])
}

/// A JavaScript object with these properties.
pub(super) fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        set(&object, name, value);
    }
    object.into()
}
