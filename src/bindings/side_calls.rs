//! Requests beside the run, for JavaScript: `askAgent`, `generateTitle` and the tool that inspects images; critics and
//! messages with files belong to the same file, the agent's.

use super::{
    conversation::{CoreConversation, text_or_null, waiting_calls},
    error::invalid,
    given,
    options::{self, Options, function, property},
    tool::read_files,
};
use crate::{
    agent::critic::{Critic, CriticKind, CriticOptions, Evaluator, IterativeRefinement, critic},
    cancel::CancelToken,
    conversation::Attached,
    error::Result,
    llm::{
        Llm,
        attachment::{Attachment, attachment_texts},
        message::Content,
        option_table::OptionSource as _,
    },
};
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::{Array, Function, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use wasm_file::wasm_file;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A message below a system prompt of its own; its cost is counted under `usageId`. */
export interface CoreAside { usageId: string; system: string; message: string }
/** A title of at most `maxLength` characters, by default of the conversation's own model. */
export interface CoreTitleOptions { llm: object | undefined; maxLength: number }
/**
 * The content of a message and its files, both as JSON. The changes of the conversation's own files are stored with it. `window` is that
 * of the model.
 */
export interface CoreMessageWithFiles {
  content: string;
  attachments: string;
  window: number | undefined;
  files: { path: string; content: Uint8Array | null }[];
}
"#;

#[wasm_file(agent)]
#[wasm_bindgen]
impl CoreConversation {
    /// Asks about the conversation, by default its own model. If `stopped` resolves before, the request is aborted.
    /// Resolves to the answer.
    #[wasm_bindgen(js_name = askAgent, unchecked_return_type = "Promise<string>")]
    pub async fn ask_agent(
        &self,
        question: String,
        #[wasm_bindgen(unchecked_param_type = "object | undefined")] llm: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Result<JsValue> {
        until(stopped, |cancel| {
            Box::pin(async move {
                let llm = given_llm(&llm)?;
                Ok(self.conversation.ask_agent(&question, llm, &cancel).await?.into())
            })
        })
        .await
    }

    /// Makes a title for the conversation. If `stopped` resolves before, the request is aborted. Resolves to the title.
    #[wasm_bindgen(js_name = generateTitle, unchecked_return_type = "Promise<string>")]
    pub async fn generate_title(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreTitleOptions")] options: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Result<JsValue> {
        until(stopped, |cancel| {
            Box::pin(async move {
                let given = given_llm(&property(&options, "llm"))?;
                let max_length = Options::new(&options, "options").count("maxLength")?.unwrap_or(50);
                Ok(self.conversation.generate_title(given, max_length as usize, &cancel).await?.into())
            })
        })
        .await
    }

    /// Asks a model about the URL of an image. If `stopped` resolves before, the request is aborted. Resolves to the answer.
    #[wasm_bindgen(js_name = inspectImage, unchecked_return_type = "Promise<string>")]
    pub async fn inspect_image(
        &self,
        #[wasm_bindgen(unchecked_param_type = "object")] llm: JsValue,
        image: String,
        question: String,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Result<JsValue> {
        until(stopped, |cancel| {
            Box::pin(async move {
                let llm = options::llm(&llm)?;
                Ok(self.conversation.inspect_image(&llm, image, &question, &cancel).await?.into())
            })
        })
        .await
    }

    /// Asks the conversation's model without the conversation. If `stopped` resolves before, the request is aborted. Resolves to the
    /// answer.
    #[wasm_bindgen(js_name = askAside, unchecked_return_type = "Promise<string>")]
    pub async fn ask_aside(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreAside")] question: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Result<JsValue> {
        until(stopped, |cancel| {
            Box::pin(async move {
                let plain = Options::new(&question, "a question");
                let text = |name: &str| plain.required_text(name);
                let (usage_id, system, message) = (text("usageId")?, text("system")?, text("message")?);
                Ok(self.conversation.ask_aside(usage_id, system, message, &cancel).await?.into())
            })
        })
        .await
    }

    /// As `sendMessage`, for a message with files. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = sendWithFiles, unchecked_return_type = "Promise<string>")]
    pub async fn send_with_files(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreMessageWithFiles")] message: JsValue,
        sender: Option<String>,
        #[wasm_bindgen(unchecked_param_type = "CorePending")] pending: Option<String>,
    ) -> Result<JsValue> {
        let (content, attached) = with_files(&message)?;
        let calls = waiting_calls(pending);
        let event = self.conversation.send_with_files(content, attached, sender, calls).await?;
        Ok((&**event.json()).into())
    }

    /// As `editMessage`, for a message with files. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = editWithFiles, unchecked_return_type = "Promise<string>")]
    pub async fn edit_with_files(
        &self,
        event: String,
        #[wasm_bindgen(unchecked_param_type = "CoreMessageWithFiles")] message: JsValue,
    ) -> Result<JsValue> {
        let (content, attached) = with_files(&message)?;
        let event = self.conversation.edit_with_files(&event.parse()?, content, attached).await?;
        Ok((&**event.json()).into())
    }

    /// Takes files as JSON, the [`crate::llm::attachment::Attachment`]s without their texts. Resolves to
    /// `Conversation::reasons_against`.
    #[wasm_bindgen(js_name = reasonsAgainst, unchecked_return_type = "Promise<(string | null)[]>")]
    pub async fn reasons_against(&self, files: String) -> Result<JsValue> {
        let files: Vec<Attachment> = given::value(&files).ok_or_else(|| invalid("the files of a message"))?;
        let reasons = self.conversation.reasons_against(&files).await?;
        Ok(reasons.into_iter().map(text_or_null).collect::<Array>().into())
    }
}

/// The critic of these options.
#[wasm_file(agent)]
pub(super) async fn critic_of<'a>(options: &'a JsValue) -> Result<Rc<dyn Critic>> {
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

/// A model that the host may have given.
fn given_llm(llm: &JsValue) -> Result<Option<Llm>> {
    if llm.is_undefined() { Ok(None) } else { options::llm(llm).map(Some) }
}

/// The answer to a request, which is aborted if `stopped` resolves before.
async fn until<'a>(
    stopped: Promise,
    request: impl FnOnce(CancelToken) -> LocalBoxFuture<'a, Result<JsValue>>,
) -> Result<JsValue> {
    let cancel = CancelToken::default();
    match select(request(cancel.clone()), JsFuture::from(stopped)).await {
        Either::Left((text, _)) => text,
        Either::Right((_, request)) => {
            cancel.cancel();
            request.await
        }
    }
}
