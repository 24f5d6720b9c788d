//! Requests beside the run: a question about the conversation, and its title (`ask_agent` and `generate_title` in
//! `conversation/impl/local_conversation.py`, `conversation/title_utils.py`).
//!
//! They append no event and change no status, so they are possible during a run. Only their costs are stored. They never
//! wait for the network as a run does: the caller gets the error.

use crate::{
    cancel::CancelToken,
    context::messages::history_of,
    error::{Error, ErrorCode, Result},
    event::{Body, Event, Source},
    handle::Conversation,
    host::{self, Host},
    llm::{
        Llm, LlmError, LlmFailure, ToolSchema,
        message::{Content, Message, Role},
        transport::{HttpClient, HttpError, HttpRequest, HttpResponse},
    },
    log::active_branch::{ActiveBranch, load},
    machine::Command,
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// The usage id of questions, as in the SDK.
const ASK_AGENT: &str = "ask-agent-llm";

/// The usage id of questions about images, if the host names none: in the SDK it contains the name of the model's profile.
const VISION_PROFILE: &str = "vision-profile:vision";

/// The longest part of a message that the model gets for a title, in characters.
const TITLE_INPUT: usize = 1000;

impl Conversation {
    /// Asks a model about the conversation, by default that of the agent, and returns its text. The model sees the view
    /// without the calls that have no result yet. Its cost is stored under its own usage id if another one is asked.
    ///
    /// # Errors
    /// Those of the model, `aborted` if `cancel` was cancelled, `locked_elsewhere`, `invalid_state` once the conversation
    /// is closed, and those of the store.
    pub async fn ask_agent(&self, question: &str, llm: Option<Llm>, cancel: &CancelToken) -> Result<String> {
        self.ensure_writable()?;
        let mut messages = self.0.log.read(|branch| history_of(settled(branch))).await?;
        let instructions = self.inspect(|machine| machine.instructions).await?;
        if let Some(Body::SystemPromptEvent(prompt)) = instructions.map(|draft| draft.body) {
            messages.insert(0, prompt.to_llm_message());
        }
        let text = include_str!("../agent/prompts/ask.md").trim_end().replace("{question}", question);
        messages.push(Message::new(Role::User, vec![Content::text(text)]));
        let usage_id = llm.as_ref().and_then(|given| given.options.usage_id.clone());
        let mut llm = side_llm(&llm.unwrap_or_else(|| (*self.llm()).clone()));
        llm.options.usage_id = Some(usage_id.unwrap_or_else(|| ASK_AGENT.into()));
        // With the tools, because the history may contain calls of them.
        self.answer_aside(&llm, messages, &self.0.agent.tool_schemas(), cancel).await
    }

    /// A title of at most `max_length` characters for the first message of the user. The model makes it, by default that
    /// of the agent; if it fails, the title is the beginning of the message. The title is not stored.
    ///
    /// # Errors
    /// `invalid_state` if there is no message of the user, or the conversation is closed; `aborted`, `locked_elsewhere`,
    /// and those of the store.
    pub async fn generate_title(
        &self,
        llm: Option<Llm>,
        max_length: usize,
        cancel: &CancelToken,
    ) -> Result<String> {
        self.ensure_writable()?;
        let log = &self.0.log;
        // The view may have lost the first message to a condensation.
        let branch = load(&*log.store, log.id, log.head(), usize::MAX).await?;
        let message = branch.events.iter().find_map(text_of_user).ok_or_else(|| {
            let text = "there is no text of the user yet that a title could be made of; send a message first";
            Error::new(ErrorCode::InvalidState, text)
        })?;
        let mut start: String = message.chars().take(TITLE_INPUT).collect();
        if start.len() < message.len() {
            start.push_str(" […]");
        }
        let request = include_str!("../agent/prompts/title.md").trim_end();
        let request = request.replace("{length}", &max_length.to_string()).replace("{message}", &start);
        let messages = vec![
            Message::new(
                Role::System,
                vec![Content::text(include_str!("../agent/prompts/title_system.md").trim_end())],
            ),
            Message::new(Role::User, vec![Content::text(request)]),
        ];
        let llm = side_llm(&llm.unwrap_or_else(|| (*self.llm()).clone()));
        let title = match self.answer_aside(&llm, messages, &[], cancel).await {
            Ok(answer) => without_reasoning(&answer).trim().to_owned(),
            Err(error) if matches!(error.code(), ErrorCode::Aborted | ErrorCode::InvalidState) => {
                return Err(error);
            }
            Err(_) => String::new(),
        };
        Ok(cut(&*self.0.log.host, if title.is_empty() { &message } else { &title }, max_length))
    }

    /// The answer of another model to a question about an image.
    ///
    /// # Errors
    /// As `ask_agent`.
    pub async fn inspect_image(
        &self,
        llm: &Llm,
        image_url: String,
        question: &str,
        cancel: &CancelToken,
    ) -> Result<String> {
        self.ensure_writable()?;
        let image = Content::Image { image_urls: vec![image_url], cache_prompt: false };
        let messages = vec![
            Message::new(
                Role::System,
                vec![Content::text(include_str!("../agent/prompts/image.md").trim_end())],
            ),
            Message::new(Role::User, vec![Content::text(question), image]),
        ];
        let mut llm = side_llm(llm);
        llm.options.usage_id.get_or_insert_with(|| VISION_PROFILE.into());
        self.answer_aside(&llm, messages, &[], cancel).await
    }

    /// The conversation's model's answer to a message below a system prompt of its own, without the conversation.
    ///
    /// # Errors
    /// As `ask_agent`.
    pub async fn ask_aside(
        &self,
        usage_id: String,
        system: String,
        message: String,
        cancel: &CancelToken,
    ) -> Result<String> {
        self.ensure_writable()?;
        let messages = vec![
            Message::new(Role::System, vec![Content::text(system)]),
            Message::new(Role::User, vec![Content::text(message)]),
        ];
        let mut llm = side_llm(&self.llm());
        llm.options.usage_id = Some(usage_id);
        self.answer_aside(&llm, messages, &[], cancel).await
    }

    /// The text of an answer to these messages. Its cost is stored under the model's usage id.
    async fn answer_aside(
        &self,
        llm: &Llm,
        messages: Vec<Message>,
        tools: &[ToolSchema],
        cancel: &CancelToken,
    ) -> Result<String> {
        let answer = self.complete_aside(llm, messages, tools, cancel).await;
        if self.has_uncounted_spending() {
            // The answer is not lost if the store fails: the next commit stores the cost.
            let _ = self.perform(Command::CountSpending).await;
        }
        let stopped = || Error::new(ErrorCode::Aborted, "the request was stopped by its signal");
        let answer = answer.ok_or_else(stopped)?;
        let answer = answer.map_err(|error: LlmError| self.without_secrets(error.into()))?;
        // As in the SDK, the first text counts.
        let text = answer.message.content.iter().find_map(Content::as_text);
        match text.filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(self.masked(text)),
            None => {
                let text = "the model answered without text; ask again, or in other words";
                Err(LlmError::new(LlmFailure::NoResponse, text).into())
            }
        }
    }
}

/// The events of the view before the answer whose calls have no result yet. Such an answer is the end of the view.
fn settled(branch: &ActiveBranch) -> &[Event] {
    let events = branch.view.events();
    let open = branch.pending.first().and_then(response_of);
    let is_open = |event: &Event| open.is_some() && response_of(event) == open;
    let end = events.iter().position(is_open).unwrap_or(events.len());
    events.get(..end).unwrap_or_default()
}

fn response_of(event: &Event) -> Option<&str> {
    match event.body() {
        Body::ActionEvent(action) => Some(&action.llm_response_id),
        _ => None,
    }
}

/// This model for one request beside a run: nobody continues its answer later.
fn side_llm(llm: &Llm) -> Llm {
    let mut aside = llm.clone();
    aside.options.background = Some(false);
    aside.options.request_text = Rc::default();
    aside.http = Rc::new(Impatient(aside.http));
    aside.fallbacks = llm.fallbacks.iter().map(side_llm).collect();
    aside
}

/// An HTTP client that does not wait for the network to come back. Such a wait belongs to a run.
struct Impatient(Rc<dyn HttpClient>);

impl HttpClient for Impatient {
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, std::result::Result<HttpResponse, HttpError>> {
        self.0.send(request)
    }
}

/// The text of a message of the user, if it has any.
fn text_of_user(event: &Event) -> Option<String> {
    let Body::MessageEvent(message) = event.body() else { return None };
    let parts: Vec<&str> = message.llm_message.content.iter().filter_map(Content::as_text).collect();
    let text = parts.join(" ").trim().to_owned();
    (event.source() == Source::User && !text.is_empty()).then_some(text)
}

/// An answer without the reasoning that some models write into their text. An unclosed block reaches to the end.
fn without_reasoning(answer: &str) -> String {
    let lower = answer.to_ascii_lowercase();
    let mut kept = String::new();
    let mut at = 0;
    while let Some(start) = lower.get(at..).and_then(|rest| rest.find("<think>")) {
        kept.push_str(answer.get(at..at + start).unwrap_or_default());
        match lower.get(at + start..).and_then(|rest| rest.find("</think>")) {
            Some(end) => at += start + end + "</think>".len(),
            None => return kept,
        }
    }
    kept.push_str(answer.get(at..).unwrap_or_default());
    kept
}

/// A text of at most `max_length` characters, cut with dots as in the SDK.
fn cut(host: &dyn Host, text: &str, max_length: usize) -> String {
    if text.chars().count() <= max_length {
        return text.to_owned();
    }
    format!("{}...", host::beginning(host, text, max_length.saturating_sub(3)))
}
