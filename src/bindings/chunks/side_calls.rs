//! Requests beside the run, critics, and messages with files: a chunk of the wasm, see [`super`].

use super::Answer;
use crate::{
    agent::critic::{Critic, CriticKind, CriticOptions, Evaluator, IterativeRefinement, critic},
    bindings::{
        conversation::{text_or_null, waiting_calls},
        error::invalid,
        given,
        options::{Options, function, llm, property},
        side_calls::SideCalls,
        tool::read_files,
    },
    cancel::CancelToken,
    conversation::{Attached, Conversation},
    error::Result,
    llm::{
        attachment::{Attachment, attachment_texts},
        message::Content,
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
    fn ask_agent(&self, conversation: Conversation, question: String, stopped: Promise) -> Answer {
        until(stopped, |cancel| {
            Box::pin(async move { Ok(conversation.ask_agent(&question, &cancel).await?.into()) })
        })
    }

    fn generate_title(&self, conversation: Conversation, options: JsValue, stopped: Promise) -> Answer {
        until(stopped, |cancel| {
            Box::pin(async move {
                let given = property(&options, "llm");
                let given = if given.is_undefined() { None } else { Some(llm(&given)?) };
                let max_length = Options::new(&options, "options").count("maxLength")?.unwrap_or(50);
                Ok(conversation.generate_title(given, max_length as usize, &cancel).await?.into())
            })
        })
    }

    fn inspect_image(
        &self,
        conversation: Conversation,
        given: JsValue,
        image: String,
        question: String,
        stopped: Promise,
    ) -> Answer {
        until(stopped, |cancel| {
            Box::pin(async move {
                let llm = llm(&given)?;
                Ok(conversation.inspect_image(&llm, image, &question, &cancel).await?.into())
            })
        })
    }

    fn send_with_files(
        &self,
        conversation: Conversation,
        message: JsValue,
        sender: Option<String>,
        pending: Option<String>,
    ) -> Answer {
        Box::pin(async move {
            let (content, attached) = with_files(&message)?;
            let calls = waiting_calls(pending);
            let event = conversation.send_with_files(content, attached, sender, calls).await?;
            Ok((&**event.json()).into())
        })
    }

    fn edit_with_files(&self, conversation: Conversation, event: String, message: JsValue) -> Answer {
        Box::pin(async move {
            let (content, attached) = with_files(&message)?;
            let event = conversation.edit_with_files(&event.parse()?, content, attached).await?;
            Ok((&**event.json()).into())
        })
    }

    fn reasons_against(&self, conversation: Conversation, files: String) -> Answer {
        Box::pin(async move {
            let files: Vec<Attachment> =
                given::value(&files).ok_or_else(|| invalid("the files of a message"))?;
            let reasons = conversation.reasons_against(&files).await?;
            Ok(reasons.into_iter().map(text_or_null).collect::<Array>().into())
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

/// The content of a message with files, and the files.
fn with_files(message: &JsValue) -> Result<(Vec<Content>, Attached)> {
    let plain = Options::new(message, "a message");
    let attachments: Option<Vec<Attachment>> = given::value(&plain.required_text("attachments")?);
    let content = given::value(&plain.required_text("content")?);
    let files = property(message, "files").dyn_into().ok().and_then(|files: Array| read_files(&files));
    let (Some(attachments), Some(content), Some(files)) = (attachments, content, files) else {
        return Err(invalid("a message must be a text, or a list of texts, images and files"));
    };
    let texts = attachment_texts(&attachments, plain.count("window")?.map(u64::from));
    Ok((content, Attached { texts, files }))
}

/// The answer to a request, which is aborted if `stopped` resolves before.
fn until(stopped: Promise, request: impl FnOnce(CancelToken) -> Answer) -> Answer {
    let cancel = CancelToken::default();
    let request = request(cancel.clone());
    Box::pin(async move {
        match select(request, JsFuture::from(stopped)).await {
            Either::Left((text, _)) => text,
            Either::Right((_, request)) => {
                cancel.cancel();
                request.await
            }
        }
    })
}
