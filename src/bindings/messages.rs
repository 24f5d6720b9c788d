//! Conversations in the formats of other programs, in both directions.

use super::{
    archive::store_of,
    conversation::text_or_null,
    error::invalid,
    given,
    imported::claimed,
    options::{Options, function, property},
    values::ImportedObject,
};
use crate::{
    archive::{
        Claim, ImportOptions,
        history::Part,
        interchange::{self, Form, final_response_of_events},
    },
    error::Result,
    host::Host as _,
    json::{FromJson as _, quoted},
    llm::{
        option_table::OptionSource as _,
        wire_api::{self, Api},
    },
    web::{host::WebHost, store_values::to_js},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function};
use wasm_bindgen::{JsCast as _, JsValue, prelude::wasm_bindgen};
use wasm_file::wasm_file;

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

/// Imports the JSON of another program as a new conversation.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = importInterchange, unchecked_return_type = "Promise<CoreImported>")]
pub async fn import_interchange(
    #[wasm_bindgen(unchecked_param_type = "CoreInterchange")] options: JsValue,
) -> Result<JsValue> {
    let text = Options::new(&options, INTERCHANGE).required_text("text")?;
    let claim = function(&options, "claim")?;
    let claim = |id| -> LocalBoxFuture<'_, Option<Claim>> { claimed(&claim, id) };
    let import = ImportOptions { host: &WebHost, now: WebHost.now(), on_progress: &|_| {}, claim: &claim };
    let imported = interchange::import_interchange(&text, &store_of(&options), &WebHost, &import).await?;
    Ok(to_js(&ImportedObject::from(&imported))?)
}

/// A stored conversation in one of the formats.
#[wasm_file(formats)]
#[wasm_bindgen(unchecked_return_type = "Promise<string>")]
pub async fn written(
    #[wasm_bindgen(unchecked_param_type = "CoreWriting")] options: JsValue,
) -> Result<JsValue> {
    let plain = Options::new(&options, INTERCHANGE);
    let form = plain.required_text("form")?;
    let form = Form::from_json(&quoted(&form))
        .ok_or_else(|| invalid(format!("there is no format of messages {form}")))?;
    let event = |id: Option<String>| id.map(|id| id.parse()).transpose();
    let part = Part { leaf: event(plain.text("leaf")?)?, since: event(plain.text("since")?)? };
    let mask = property(&options, "mask").dyn_into::<Function>().ok();
    let masked = |text: &str| {
        let masked = mask.as_ref().map(|mask| mask.call1(&JsValue::UNDEFINED, &text.into()));
        // A text that could not be searched is not shown.
        masked.map_or_else(
            || text.to_owned(),
            |text| text.ok().and_then(|text| text.as_string()).unwrap_or_default(),
        )
    };
    let conversation = plain.required_text("conversation")?.parse()?;
    Ok(interchange::written(&store_of(&options), conversation, form, &part, &masked).await?.into())
}

/// Takes the JSON texts of events. Resolves to the SDK's messages of them as JSON text.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = messagesOfEvents, unchecked_return_type = "Promise<string>")]
pub async fn messages_of_events(
    #[wasm_bindgen(unchecked_param_type = "string[]")] events: JsValue,
) -> Result<JsValue> {
    Ok(interchange::messages_of_events(&texts(&events))?.into())
}

/// Takes the JSON texts of events. Resolves to the last response of the agent in them.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = responseOfEvents, unchecked_return_type = "Promise<string | null>")]
pub async fn response_of_events(
    #[wasm_bindgen(unchecked_param_type = "string[]")] events: JsValue,
) -> Result<JsValue> {
    Ok(text_or_null(final_response_of_events(&texts(&events))?))
}

/// The body of the request that a wire API would send for a stored conversation, as JSON text.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = requestBody, unchecked_return_type = "Promise<string>")]
pub async fn request_body(
    #[wasm_bindgen(unchecked_param_type = "CoreRequest")] options: JsValue,
) -> Result<JsValue> {
    let plain = Options::new(&options, INTERCHANGE);
    let api = plain.required_text("api")?;
    let api = Api::from_json(&quoted(&api)).ok_or_else(|| invalid(format!("there is no wire API {api}")))?;
    let api = wire_api::load(api).await?;
    let conversation = plain.required_text("conversation")?.parse()?;
    let (llm, row) = (given::text(&plain.required_text("llm")?), plain.required_text("row")?);
    Ok(interchange::request_body(&*api, &store_of(&options), conversation, &llm, &row).await?.into())
}

/// The texts of an array.
fn texts(array: &JsValue) -> Vec<String> {
    Array::from(array).iter().filter_map(|text| text.as_string()).collect()
}

/// The name of the options in messages of errors.
const INTERCHANGE: &str = "a conversion";
