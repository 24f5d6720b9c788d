//! Background responses that are begun by one page and fetched by the next.

use crate::support::{World, text};
use futures_executor::block_on;
use futures_util::{
    FutureExt as _,
    future::{LocalBoxFuture, pending, ready},
};
use serde_json::Value;
use std::{cell::RefCell, collections::VecDeque, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::Conversation,
    format::base_state::ExecutionStatus,
    llm::{
        ApiMode, Llm, LlmOptions,
        message::Content,
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
    },
    store::MemoryStore,
};

const ID: &str = "resp_0123456789abcdef";
const BEGUN: &str = r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_0123456789abcdef","status":"in_progress"}}"#;
const DONE: &str = r#"{"type":"response.completed","sequence_number":1,"response":{"id":"resp_0123456789abcdef","status":"completed","output":[{"type":"message","content":"Done."}]}}"#;

/// Answers each request with the next list of events. A list without the complete answer leaves the request open.
#[derive(Default)]
struct Provider {
    replies: RefCell<VecDeque<Vec<&'static str>>>,
    urls: RefCell<Vec<String>>,
}

impl HttpClient for Provider {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        self.urls.borrow_mut().push(request.url.replace("http://h/v1", ""));
        let events = self.replies.borrow_mut().pop_front().unwrap_or_default();
        let body = Box::new(Events(events.into()));
        Box::pin(ready(Ok(HttpResponse { status: 200, headers: Vec::new(), body })))
    }
}

struct Events(VecDeque<&'static str>);

impl HttpBody for Events {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        match self.0.pop_front() {
            Some(event) => Box::pin(ready(Ok(Some(format!("data: {event}\n\n").into_bytes())))),
            None => Box::pin(pending()),
        }
    }
}

fn world(replies: impl IntoIterator<Item = Vec<&'static str>>) -> (World, Rc<Provider>) {
    let provider =
        Rc::new(Provider { replies: RefCell::new(replies.into_iter().collect()), ..Provider::default() });
    let mut world = World::new(Rc::new(MemoryStore::new()), Vec::new(), [text("never asked")]);
    let options = LlmOptions {
        base_url: Some("http://h/v1".into()),
        api_mode: Some(ApiMode::Responses),
        background: Some(true),
        timeout: Some(0.0),
        ..LlmOptions::new("openai/gpt-5")
    };
    world.llm = Some(Rc::new(Llm::new(options, provider.clone(), world.host.clone()).unwrap()));
    (world, provider)
}

fn stored_response(conversation: &Conversation) -> Option<Value> {
    let state: Value = serde_json::from_str(&conversation.state().json()).unwrap();
    state["agent_state"].get("background_response").cloned()
}

/// A page dies while the provider works on the answer.
fn die_in_the_answer(world: &World) {
    let conversation = block_on(world.open()).unwrap();
    block_on(conversation.send_message(vec![Content::text("Hi")], None)).unwrap();
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    assert!(run.as_mut().now_or_never().is_none());
    let response = stored_response(&conversation).unwrap();
    assert_eq!((&response["id"], &response["model"]), (&ID.into(), &"openai/gpt-5".into()));
}

#[test]
fn the_next_page_fetches_the_background_response() {
    let (world, provider) = world([vec![BEGUN], vec![BEGUN, DONE]]);
    die_in_the_answer(&world);
    let conversation = block_on(world.open()).unwrap();
    let outcome = block_on(conversation.run(CancelToken::default())).unwrap();
    assert_eq!(outcome.final_response.as_deref(), Some("Done."));
    assert_eq!(*provider.urls.borrow(), ["/responses".to_owned(), format!("/responses/{ID}?stream=true")]);
    assert_eq!(stored_response(&conversation), None);
}

#[test]
fn a_background_response_is_not_fetched_for_another_question() {
    let (world, provider) = world([vec![BEGUN], vec![BEGUN, DONE]]);
    die_in_the_answer(&world);
    let conversation = block_on(world.open()).unwrap();
    block_on(conversation.send_message(vec![Content::text("No, this.")], None)).unwrap();
    block_on(conversation.run(CancelToken::default())).unwrap();
    assert_eq!(*provider.urls.borrow(), ["/responses", "/responses"]);
}

#[test]
fn an_interrupt_cancels_the_background_response() {
    let (world, provider) = world([vec![BEGUN]]);
    let conversation = block_on(world.open()).unwrap();
    block_on(conversation.send_message(vec![Content::text("Hi")], None)).unwrap();
    let cancel = CancelToken::default();
    let mut run = Box::pin(conversation.run(cancel.clone()));
    assert!(run.as_mut().now_or_never().is_none());
    cancel.cancel();
    assert_eq!(block_on(run).unwrap().status, ExecutionStatus::Paused);
    assert_eq!(*provider.urls.borrow(), ["/responses".to_owned(), format!("/responses/{ID}/cancel")]);
    assert_eq!(stored_response(&conversation), None);
}
