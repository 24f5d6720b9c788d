//! Requests beside the run, critics, and messages with files: a chunk of the wasm, see [`super`].

use crate::{
    agent::critic::{Critic, CriticKind, CriticOptions, Evaluator, IterativeRefinement, critic},
    bindings::{
        conversation::waiting_calls,
        error::invalid,
        given,
        options::{Options, function, llm, property},
        side_calls::SideCalls,
        tool::read_files,
    },
    cancel::CancelToken,
    conversation::{Attached, Conversation},
    error::Result,
    json::ToJson as _,
    llm::{
        attachment::{Attachment, attachment_texts},
        option_table::OptionSource as _,
    },
};
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::{Array, Function, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The object of this chunk.
pub struct SideCallsChunk;

impl SideCalls for SideCallsChunk {
    fn call(&self, conversation: Conversation, options: JsValue) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move {
            let cancel = CancelToken::default();
            let call = Box::pin(call(&conversation, &options, &cancel));
            let Ok(stopped) = property(&options, "stopped").dyn_into::<Promise>() else { return call.await };
            match select(call, JsFuture::from(stopped)).await {
                Either::Left((text, _)) => text,
                Either::Right((_, call)) => {
                    cancel.cancel();
                    call.await
                }
            }
        })
    }

    fn critic(&self, options: &JsValue) -> Result<Rc<dyn Critic>> {
        let plain = Options::new(options, "critic");
        let kind = match plain.text("kind")?.as_deref() {
            Some("PassCritic") => CriticKind::Pass,
            Some(_) => CriticKind::AgentFinished,
            None => CriticKind::Host(Rc::new(JsEvaluator(function(options, "evaluate")?))),
        };
        let refinement = match (plain.number("successThreshold")?, plain.count("maxIterations")?) {
            (Some(success_threshold), Some(max_iterations)) => {
                Some(IterativeRefinement { success_threshold, max_iterations })
            }
            _ => None,
        };
        Ok(critic(CriticOptions {
            kind,
            rates_all_actions: plain.flag("ratesAllActions")? == Some(true),
            iterative_refinement: refinement,
        }))
    }
}

/// A critic that is a JavaScript function: it takes the JSON texts of events and promises the JSON of a rating.
struct JsEvaluator(Function);

impl Evaluator for JsEvaluator {
    fn evaluate(&self, events: Vec<Rc<str>>) -> LocalBoxFuture<'static, Option<String>> {
        let events: Array = events.iter().map(|event| JsValue::from(&**event)).collect();
        let rating = self.0.call1(&JsValue::UNDEFINED, &events);
        Box::pin(async move {
            let rating = JsFuture::from(Promise::resolve(&rating.ok()?)).await.ok()?;
            Some(given::text(&rating.as_string()?))
        })
    }
}

/// Sends a message with files.
async fn send(
    conversation: &Conversation,
    attachments: &str,
    plain: &Options<'_>,
    options: &JsValue,
) -> Result<JsValue> {
    let attachments: Option<Vec<Attachment>> = given::value(attachments);
    let content = given::value(&plain.required_text("content")?);
    let files = property(options, "files").dyn_into().ok().and_then(|files: Array| read_files(&files));
    let (Some(attachments), Some(content), Some(files)) = (attachments, content, files) else {
        return Err(invalid("a message must be a text, or a list of texts, images and files"));
    };
    let texts = attachment_texts(&attachments, plain.count("window")?.map(u64::from));
    let attached = Attached { texts, files };
    let event = match plain.text("replaced")? {
        Some(replaced) => conversation.edit_with_files(&replaced.parse()?, content, attached).await?,
        None => {
            let calls = waiting_calls(plain.text("pending")?);
            conversation.send_with_files(content, attached, plain.text("sender")?, calls).await?
        }
    };
    Ok((&**event.json()).into())
}

async fn call(conversation: &Conversation, options: &JsValue, cancel: &CancelToken) -> Result<JsValue> {
    let plain = Options::new(options, "options");
    if let Some(attachments) = plain.text("attachments")? {
        return send(conversation, &attachments, &plain, options).await;
    }
    if let Some(files) = plain.text("givenFiles")? {
        let files: Vec<Attachment> = given::value(&files).ok_or_else(|| invalid("the files of a message"))?;
        return Ok(conversation.reasons_against(&files).await?.to_json_text().into());
    }
    if let Some(image) = plain.text("image")? {
        let question = plain.text("question")?.unwrap_or_default();
        let llm = llm(&property(options, "llm"))?;
        return Ok(conversation.inspect_image(&llm, image, &question, cancel).await?.into());
    }
    if let Some(question) = plain.text("question")? {
        return Ok(conversation.ask_agent(&question, cancel).await?.into());
    }
    let given = property(options, "llm");
    let given = if given.is_undefined() { None } else { Some(llm(&given)?) };
    let max_length = plain.count("maxLength")?.unwrap_or(50) as usize;
    Ok(conversation.generate_title(given, max_length, cancel).await?.into())
}
