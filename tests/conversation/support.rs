//! A model that answers from a script and checks its requests, a host with a constant time, and tools made of closures.

use futures_channel::oneshot;
use futures_util::future::{LocalBoxFuture, pending, poll_fn, ready};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    task::Poll,
    time::Duration,
};
use threadkeep::{
    agent::{Agent, AgentCondenser, critic::Critic},
    conversation::{Access, Conversation, OpenOptions, Resume, RunLimits, stuck_detector::StuckDetection},
    error::{Error, ErrorCode, Result},
    event::{Body, Event, Source},
    hooks::Hooks,
    host::Host,
    id::ConversationId,
    json::{EditableObject, RawJson},
    llm::{
        Delta, Llm, LlmOptions,
        files::Files,
        message::Content,
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
    },
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    skills::GivenContext,
    store::{Commit, Store},
    tool::{
        Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput,
        ToolRegistry,
    },
    wasm_file,
};
use uuid::Uuid;

/// A function that is called when the listener has got an event.
pub type Heard = Rc<dyn Fn()>;

/// A host with ascending ids, and a time that tests move.
#[derive(Default)]
pub struct TestHost {
    ids: Cell<u128>,
    /// Milliseconds that have passed.
    pub passed: Cell<f64>,
    pub clock: Rc<Clock>,
}

/// The time by which sleepers wake, in milliseconds; `None` while sleeping takes no time.
#[derive(Default)]
pub struct Clock(pub Cell<Option<f64>>);

impl TestHost {
    /// A host whose ids are none of those of hosts with other numbers.
    pub fn numbered(number: u128) -> Rc<Self> {
        Rc::new(Self { ids: Cell::new(number << 32), ..Self::default() })
    }
}

impl Host for TestHost {
    fn now(&self) -> f64 {
        1_769_850_902_123.0 + self.passed.get()
    }

    fn local_time(&self) -> String {
        "2026-01-31T09:15:02.123456".into()
    }

    fn random_uuid(&self) -> Uuid {
        self.ids.set(self.ids.get() + 1);
        Uuid::from_u128(0x1000_0000_0000_4000_8000_0000_0000_0000 + self.ids.get())
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        if let Some(start) = self.clock.0.get() {
            let clock = Rc::clone(&self.clock);
            let end = start + duration.as_secs_f64() * 1000.0;
            let is_over = move || clock.0.get().is_none_or(|now| now >= end);
            return Box::pin(poll_fn(move |_| if is_over() { Poll::Ready(()) } else { Poll::Pending }));
        }
        // Delays before a retry pass at once; the timeout of a request never does.
        if duration < Duration::from_secs(100) { Box::pin(ready(())) } else { Box::pin(pending()) }
    }

    /// A letter and its accent are one character.
    fn last_character(&self, text: &str) -> usize {
        text.rfind(|c| c != '\u{301}').unwrap_or_default()
    }
}

/// One answer of the scripted model.
pub enum Answer {
    Message(Value),
    Status(u16, Value),
    /// Answers once the sender sends or is dropped.
    When(oneshot::Receiver<()>, Value),
    /// Fails once the sender sends or is dropped.
    FailsWhen(oneshot::Receiver<()>, u16),
    Never,
}

pub fn text(text: &str) -> Answer {
    Answer::Message(json!({ "role": "assistant", "content": text }))
}

pub fn calls(calls: &[(&str, &str, &str)]) -> Answer {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
        })
        .collect();
    Answer::Message(json!({ "role": "assistant", "content": "Let me see.", "tool_calls": calls }))
}

/// Answers from a script, and panics if a provider would refuse a request.
#[derive(Default)]
pub struct ScriptedModel {
    pub answers: RefCell<VecDeque<Answer>>,
    pub requests: RefCell<Vec<Value>>,
    /// Gives the answers after the end of the script.
    pub next: RefCell<Option<Box<dyn Fn() -> Answer>>>,
}

impl ScriptedModel {
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Rc<Self> {
        Rc::new(Self { answers: RefCell::new(answers.into_iter().collect()), ..Self::default() })
    }

    pub fn last_messages(&self) -> Vec<Value> {
        self.requests.borrow().last().expect("no request yet")["messages"].as_array().unwrap().clone()
    }
}

/// An HTTP client that is connected to the scripted model.
struct Wire(Rc<ScriptedModel>);

impl HttpClient for Wire {
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, std::result::Result<HttpResponse, HttpError>> {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        check_messages(body["messages"].as_array().unwrap());
        self.0.requests.borrow_mut().push(body);
        let answer = self.0.answers.borrow_mut().pop_front();
        let answer = answer.or_else(|| self.0.next.borrow().as_ref().map(|next| next()));
        let answer = answer.expect("one more request than answers");
        Box::pin(async move {
            let (status, body) = match answer {
                Answer::Message(message) => (200, completion(message)),
                Answer::Status(status, body) => (status, body),
                Answer::When(go, message) => {
                    let _ = go.await;
                    (200, completion(message))
                }
                Answer::FailsWhen(go, status) => {
                    let _ = go.await;
                    (status, json!({ "error": { "message": "no" } }))
                }
                Answer::Never => pending().await,
            };
            Ok(HttpResponse {
                status,
                headers: Vec::new(),
                body: Box::new(OneChunk(Some(body.to_string().into_bytes()))),
            })
        })
    }
}

/// An answer of Chat Completions. A message may have the id of the answer as its `name`.
pub fn completion(message: Value) -> Value {
    let name = message["name"].as_str().map_or_else(|| Uuid::from_u128(0).to_string(), str::to_owned);
    json!({
        "id": format!("chatcmpl-{name}"),
        "model": "scripted",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
    })
}

struct OneChunk(Option<Vec<u8>>);

impl HttpBody for OneChunk {
    fn chunk(&mut self) -> LocalBoxFuture<'_, std::result::Result<Option<Vec<u8>>, HttpError>> {
        Box::pin(ready(Ok(self.0.take())))
    }
}

/// Checks the rules of all providers: instructions come first, and each call is answered once, directly after it.
pub fn check_messages(messages: &[Value]) {
    assert_eq!(messages[0]["role"], "system", "the instructions come first");
    let mut open: Vec<String> = Vec::new();
    for message in &messages[1..] {
        let role = message["role"].as_str().unwrap();
        let is_empty = |content: &Value| match content {
            Value::String(text) => text.is_empty(),
            Value::Array(parts) => parts.iter().any(|part| part["text"] == ""),
            _ => true,
        };
        assert!(
            role == "assistant" && message["tool_calls"].is_array() || !is_empty(&message["content"]),
            "{message}"
        );
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let place = open.iter().position(|call| call == id);
            open.remove(place.unwrap_or_else(|| panic!("an answer to a call that is not open: {message}")));
            continue;
        }
        assert!(open.is_empty(), "calls without an answer before {message}: {open:?}");
        assert_ne!(role, "system", "instructions in the middle");
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap().to_owned();
            assert!(!open.contains(&id), "the same call twice: {id}");
            open.push(id);
            let arguments = call["function"]["arguments"].as_str().unwrap();
            assert!(serde_json::from_str::<Value>(arguments).unwrap().is_object(), "{arguments}");
        }
    }
    assert!(open.is_empty(), "calls without an answer at the end: {open:?}");
    assert_ne!(messages.last().unwrap()["role"], "assistant", "the last message is the model's own");
}

type Run = dyn Fn(ToolCall) -> LocalBoxFuture<'static, std::result::Result<ToolOutput, ToolFailure>>;

/// A tool that takes any object with a string `text`.
pub struct TestTool {
    definition: ToolDefinition,
    run: Box<Run>,
}

impl TestTool {
    pub fn shared<F>(name: &str, replay: Replay, run: impl Fn(ToolCall) -> F + 'static) -> Rc<dyn Tool>
    where
        F: Future<Output = std::result::Result<ToolOutput, ToolFailure>> + 'static,
    {
        let definition = ToolDefinition {
            name: name.into(),
            description: format!("The tool {name}."),
            parameters: r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#
                .into(),
            annotations: ToolAnnotations::default(),
            replay,
            kind: ToolKind::Mcp,
        };
        Rc::new(Self { definition, run: Box::new(move |call| Box::pin(run(call))) })
    }
}

impl Tool for TestTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, arguments: &str) -> std::result::Result<(), String> {
        match serde_json::from_str::<Value>(arguments).unwrap()["text"] {
            Value::String(_) => Ok(()),
            _ => Err("text: must be a string".into()),
        }
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, std::result::Result<ToolOutput, ToolFailure>> {
        (self.run)(call)
    }

    fn changes_files(&self) -> bool {
        self.definition.name == "write"
    }
}

/// A tool that returns its text.
pub fn echo() -> Rc<dyn Tool> {
    TestTool::shared("echo", Replay::Safe, |call| async move {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        Ok(ToolOutput::text(arguments["text"].as_str().unwrap()))
    })
}

/// A context in the form in which the SDK stores it.
fn given_context(context: &Value) -> GivenContext {
    GivenContext { stored: RawJson::parse(&context.to_string()).unwrap(), memory: None }
}

/// The options with which a test opens conversations.
pub struct World {
    pub model: Rc<ScriptedModel>,
    pub store: Rc<dyn Store>,
    pub host: Rc<TestHost>,
    pub tools: Vec<Rc<dyn Tool>>,
    pub tool_concurrency_limit: usize,
    pub max_iterations: u32,
    pub max_budget_per_run: Option<f64>,
    pub stuck_detection: Option<StuckDetection>,
    pub resume: Resume,
    pub confirmation_policy: Option<ConfirmationPolicy>,
    pub stored_analyzer: Option<Option<StoredAnalyzer>>,
    pub analyzer: Option<Rc<dyn SecurityAnalyzer>>,
    pub hooks: Option<Rc<dyn Hooks>>,
    pub critic: Option<Rc<dyn Critic>>,
    /// The MCP servers of the host, as they are stored.
    pub mcp_config: EditableObject,
    /// The host's agent context, as the SDK stores it.
    pub context: Option<Value>,
    /// Whether the code for skills cannot be loaded.
    pub skills_fail: bool,
    /// The kinds of events that the listener received.
    pub received: Rc<RefCell<Vec<String>>>,
    /// Called after that.
    pub heard: Rc<RefCell<Option<Heard>>>,
    /// The live events of each commit, as a JSON array.
    pub live: Rc<RefCell<Vec<String>>>,
    /// How often the store has refused a commit because of another writer.
    pub displaced: Rc<Cell<u32>>,
    /// The id that came with each piece of an answer.
    pub pieces: Rc<RefCell<Vec<String>>>,
    /// The text in those pieces that have the same id as the last one.
    pub shown: Rc<RefCell<String>>,
    pub native_tool_calling: Option<bool>,
    pub condenser: Option<Option<Rc<AgentCondenser>>>,
    /// The conversations above, for that of a sub-agent.
    pub ancestors: Vec<ConversationId>,
    /// The conversation whose files calls change.
    pub owner: Option<Conversation>,
    /// Instead of the scripted model.
    pub llm: Option<Rc<Llm>>,
    /// Reads the files of messages.
    pub files: Option<Rc<Files>>,
}

pub const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

impl World {
    pub fn new(
        store: Rc<dyn Store>,
        tools: Vec<Rc<dyn Tool>>,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        Self {
            model: ScriptedModel::new(answers),
            store,
            host: Rc::default(),
            tools,
            tool_concurrency_limit: 1,
            max_iterations: 20,
            max_budget_per_run: None,
            stuck_detection: None,
            resume: Resume::Again,
            confirmation_policy: None,
            stored_analyzer: None,
            analyzer: None,
            hooks: None,
            critic: None,
            mcp_config: EditableObject::default(),
            context: None,
            skills_fail: false,
            received: Rc::default(),
            heard: Rc::default(),
            live: Rc::default(),
            displaced: Rc::default(),
            pieces: Rc::default(),
            shown: Rc::default(),
            native_tool_calling: None,
            condenser: None,
            ancestors: Vec::new(),
            owner: None,
            llm: None,
            files: None,
        }
    }

    /// A model with this name, whose requests the scripted model answers.
    pub fn llm(&self, model: &str) -> Llm {
        let mut options = LlmOptions::new(model);
        options.base_url = Some("http://127.0.0.1:1/v1".into());
        options.stream = Some(false);
        options.native_tool_calling = self.native_tool_calling;
        options.input_cost_per_token = Some(0.001);
        options.output_cost_per_token = Some(0.002);
        Llm::new(options, Rc::new(Wire(self.model.clone())), self.host.clone()).unwrap()
    }

    pub async fn open(&self) -> Result<Conversation> {
        self.open_as(Access::Writer).await
    }

    pub async fn open_as(&self, access: Access) -> Result<Conversation> {
        self.open_other(ID.parse()?, access).await
    }

    /// Opens a conversation that is stored already, without any event.
    pub async fn open_stored(&self) -> Result<Conversation> {
        self.open_other_stored(ID.parse()?).await
    }

    pub async fn open_other_stored(&self, id: ConversationId) -> Result<Conversation> {
        let prepared = self.open_other(id, Access::Writer).await?;
        if !prepared.is_stored() {
            let base_state = Some(prepared.state().json());
            self.store.commit(id, Commit { base_state, ..Commit::new(0, self.host.now()) }).await?;
        }
        self.open_other(id, Access::Writer).await
    }

    pub async fn open_other(&self, id: ConversationId, access: Access) -> Result<Conversation> {
        let agent = Agent {
            llm: self.llm.clone().unwrap_or_else(|| Rc::new(self.llm("openai/gpt-4o"))),
            tools: ToolRegistry::new(self.tools.clone())?,
            system_prompt: "Be brief.".into(),
            context: self.context.as_ref().map(given_context),
            working_dir: None,
            tool_concurrency_limit: self.tool_concurrency_limit,
            condenser: self.condenser.clone(),
            count_tokens: None,
            critic: self.critic.clone(),
            mcp_config: self.mcp_config.clone(),
            filter_tools_regex: None,
        };
        wasm_file::load_with(match self.skills_fail {
            true => Rc::new(|_| Box::pin(ready(Err(Error::new(ErrorCode::Network, "no network"))))),
            false => Rc::new(|_| Box::pin(ready(Ok(())))),
        });
        let (received, live, pieces) = (self.received.clone(), self.live.clone(), self.pieces.clone());
        let (shown, heard) = (self.shown.clone(), self.heard.clone());
        Conversation::open(OpenOptions {
            ancestors: self.ancestors.clone(),
            owner: self.owner.clone(),
            id,
            store: self.store.clone(),
            host: self.host.clone(),
            agent,
            access,
            limits: RunLimits {
                max_iterations: self.max_iterations,
                max_budget_per_run: self.max_budget_per_run,
                stuck_detection: self.stuck_detection,
            },
            resume: self.resume,
            tags: Vec::new(),
            confirmation_policy: self.confirmation_policy,
            stored_analyzer: self.stored_analyzer.clone(),
            security_analyzer: self.analyzer.clone(),
            hooks: self.hooks.clone(),
            listener: Rc::new(move |event| {
                received.borrow_mut().push(event.kind().to_owned());
                if let Some(heard) = &*heard.borrow() {
                    heard();
                }
            }),
            on_delta: Rc::new(move |id, delta| {
                let is_another = pieces.borrow().last().is_none_or(|last| last != id.as_str());
                if is_another || delta == Delta::default() {
                    shown.borrow_mut().clear();
                }
                pieces.borrow_mut().push(id.to_string());
                shown.borrow_mut().push_str(&delta.content.unwrap_or_default());
            }),
            on_commit: Rc::new(move |events| live.borrow_mut().push(events.to_owned())),
            on_displaced: {
                let displaced = self.displaced.clone();
                Rc::new(move || displaced.set(displaced.get() + 1))
            },
            load_file: None,
            files: self.files.clone(),
        })
        .await
    }

    pub async fn events(&self) -> Vec<Value> {
        let id: ConversationId = ID.parse().unwrap();
        let events = self.store.events(id, 0..u64::MAX).await.unwrap();
        events.iter().map(|event| serde_json::from_str(&event.json).unwrap()).collect()
    }

    pub async fn kinds(&self) -> Vec<String> {
        self.events().await.iter().map(|event| event["kind"].as_str().unwrap().replace("Event", "")).collect()
    }
}

pub async fn say(conversation: &Conversation, text: &str) {
    conversation.send_message(vec![Content::text(text)], None).await.unwrap();
}

/// Moves HEAD back to the last message of the user, as a page leaves it that dies before it has answered again.
pub async fn back_to_question(conversation: &Conversation) -> Result<()> {
    let branch = conversation.active_branch(usize::MAX).await?;
    let is_message =
        |event: &&Event| event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_));
    let question = branch.iter().rfind(is_message).map(|event| event.id().clone());
    conversation.navigate_to(question).await
}

/// Yields once, so that other futures are polled.
pub async fn yield_once() {
    let mut is_second = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_second, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// How much of something random is played: a `few` in `npm test`, and in `npm test -- --all` as many as `all` says; `npm run explore` has
/// more.
pub fn amount(few: u32, all: u32) -> u32 {
    let usual = if std::env::var("THREADKEEP_ALL").is_ok() { all } else { few };
    std::env::var("THREADKEEP_AMOUNT").map_or(usual, |count| count.parse().unwrap())
}

/// The seed of what has no chances of proptest.
pub fn seed() -> u64 {
    std::env::var("THREADKEEP_SEED").map_or(1, |seed| seed.parse().unwrap())
}
