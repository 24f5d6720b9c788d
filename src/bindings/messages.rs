//! Conversations in the formats of other programs, in both directions.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::chunks::messages`]), loaded with the first call, does the
//! work.

use super::chunks::{self, Answer};
use crate::web::guard::promise;
use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** `claim` as for `importArchive`. */
export interface CoreInterchange { text: string; store: object; claim(id: string): Promise<boolean> }
export type CoreForm = "message" | "chat" | "session" | "trajectory" | "markdown" | "html";
/**
 * A stored conversation as JSON text, or in the last two forms as a text for people, in which `mask` hides secrets. `leaf` is the last
 * event of another branch than the active one, and `since` the first event.
 */
export interface CoreWriting {
  store: object; conversation: string; form: CoreForm; leaf?: string | undefined; since?: string | undefined; mask?(text: string): string;
}
/** The wire API, and as JSON the stored model and its row of the model data. */
export interface CoreRequest { store: object; conversation: string; api: "chat" | "responses" | "anthropic"; llm: string; row: string }
"#;

/// The functions of the chunk. Each has the argument of its export.
pub trait Messages {
    /// See [`import_interchange`].
    fn import(&self, options: JsValue) -> Answer;

    /// See [`written`].
    fn written(&self, options: JsValue) -> Answer;

    /// See [`messages_of_events`].
    fn messages_of_events(&self, events: JsValue) -> Answer;

    /// See [`response_of_events`].
    fn response_of_events(&self, events: JsValue) -> Answer;

    /// See [`request_body`].
    fn request_body(&self, options: JsValue) -> Answer;
}

/// Imports the JSON of another program as a new conversation.
#[wasm_bindgen(js_name = importInterchange, unchecked_return_type = "Promise<CoreImported>")]
pub fn import_interchange(
    #[wasm_bindgen(unchecked_param_type = "CoreInterchange")] options: JsValue,
) -> Promise {
    in_messages(options, |chunk, options| chunk.import(options))
}

/// A stored conversation in one of the formats.
#[wasm_bindgen(unchecked_return_type = "Promise<string>")]
pub fn written(#[wasm_bindgen(unchecked_param_type = "CoreWriting")] options: JsValue) -> Promise {
    in_messages(options, |chunk, options| chunk.written(options))
}

/// Takes the JSON texts of events. Resolves to the SDK's messages of them as JSON text.
#[wasm_bindgen(js_name = messagesOfEvents, unchecked_return_type = "Promise<string>")]
pub fn messages_of_events(#[wasm_bindgen(unchecked_param_type = "string[]")] events: JsValue) -> Promise {
    in_messages(events, |chunk, events| chunk.messages_of_events(events))
}

/// Takes the JSON texts of events. Resolves to the last response of the agent in them.
#[wasm_bindgen(js_name = responseOfEvents, unchecked_return_type = "Promise<string | null>")]
pub fn response_of_events(#[wasm_bindgen(unchecked_param_type = "string[]")] events: JsValue) -> Promise {
    in_messages(events, |chunk, events| chunk.response_of_events(events))
}

/// The body of the request that a wire API would send for a stored conversation, as JSON text.
#[wasm_bindgen(js_name = requestBody, unchecked_return_type = "Promise<string>")]
pub fn request_body(#[wasm_bindgen(unchecked_param_type = "CoreRequest")] options: JsValue) -> Promise {
    in_messages(options, |chunk, options| chunk.request_body(options))
}

/// A function pointer, so that the main file has this code once and not for each export.
fn in_messages(options: JsValue, act: fn(&dyn Messages, JsValue) -> Answer) -> Promise {
    promise(async move { act(&*chunks::messages().await?, options).await })
}
