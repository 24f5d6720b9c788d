//! Reading and writing the formats of other programs: a chunk of the wasm, see [`super`].
//!
//! Like the code for archives it uses a store through its JavaScript interface, and takes write locks through JavaScript.

use super::{Answer, archive::store_of};
use crate::{
    archive::{
        Claim, ImportOptions,
        history::Part,
        interchange::{
            Form, final_response_of_events, import_interchange, messages_of_events, request_body, written,
        },
    },
    bindings::{
        conversation::text_or_null,
        error::invalid,
        given,
        imported::claimed,
        messages::Messages,
        options::{Options, function, property},
        values::ImportedObject,
        wire_apis::ChunkWireApis,
    },
    host::Host as _,
    json::{FromJson as _, quoted},
    llm::{
        option_table::OptionSource as _,
        wire_api::{Api, WireApis as _},
    },
    web::{host::WebHost, store_values::to_js},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function};
use wasm_bindgen::{JsCast as _, JsValue};

/// The object of this chunk.
pub struct MessagesChunk;

impl Messages for MessagesChunk {
    fn import(&self, options: JsValue) -> Answer {
        Box::pin(async move {
            let text = Options::new(&options, INTERCHANGE).required_text("text")?;
            let claim = function(&options, "claim")?;
            let claim = |id| -> LocalBoxFuture<'_, Option<Claim>> { claimed(&claim, id) };
            let import =
                ImportOptions { host: &WebHost, now: WebHost.now(), on_progress: &|_| {}, claim: &claim };
            let imported = import_interchange(&text, &store_of(&options), &WebHost, &import).await?;
            Ok(to_js(&ImportedObject::from(&imported))?)
        })
    }

    fn written(&self, options: JsValue) -> Answer {
        Box::pin(async move {
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
            Ok(written(&store_of(&options), conversation, form, &part, &masked).await?.into())
        })
    }

    fn messages_of_events(&self, events: JsValue) -> Answer {
        Box::pin(async move { Ok(messages_of_events(&texts(&events))?.into()) })
    }

    fn response_of_events(&self, events: JsValue) -> Answer {
        Box::pin(async move { Ok(text_or_null(final_response_of_events(&texts(&events))?)) })
    }

    fn request_body(&self, options: JsValue) -> Answer {
        Box::pin(async move {
            let plain = Options::new(&options, INTERCHANGE);
            let api = plain.required_text("api")?;
            let api = Api::from_json(&quoted(&api))
                .ok_or_else(|| invalid(format!("there is no wire API {api}")))?;
            let api = ChunkWireApis(None).load(api).await?;
            let conversation = plain.required_text("conversation")?.parse()?;
            let (llm, row) = (given::text(&plain.required_text("llm")?), plain.required_text("row")?);
            Ok(request_body(&*api, &store_of(&options), conversation, &llm, &row).await?.into())
        })
    }
}

/// The texts of an array.
fn texts(array: &JsValue) -> Vec<String> {
    Array::from(array).iter().filter_map(|text| text.as_string()).collect()
}

/// The name of the options in messages of errors.
const INTERCHANGE: &str = "a conversion";
