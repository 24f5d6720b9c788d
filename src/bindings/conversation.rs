//! One open conversation for JavaScript: parse, call, serialise.
//!
//! Methods that wait return promises that settle even if the instance traps (see `web/guard.rs`); nothing stays
//! borrowed while they wait. Events cross as JSON text.

use super::{
    condensing,
    control::{JsAnalyzer, analyzer, policy, tag_changes},
    error::{invalid, set},
    given,
    hooks::hooks,
    listing::delete,
    options::{Options, agent, function, host_tools, llm, property, run_limits, text_function},
    side_calls::critic_of,
    store::CoreStore,
    tool::read_files,
    wasm_files::{load_ahead, loading},
};
use crate::{
    conversation::{Access, Asked, Changing, Conversation, OpenOptions, Resume, WaitingCalls, write_lock},
    error::Result,
    event::Event,
    host::Host as _,
    id::{ConversationId, EventId},
    json::EditableObject,
    llm::{Delta, files::Files, message::Content, option_table::OptionSource as _},
    store::Found,
    web::{guard::promise, host::WebHost, locks},
};
use futures_util::future::{LocalBoxFuture, select};
use js_sys::{Array, Function, Object, Promise};
use std::{cell::RefCell, pin::pin, rc::Rc, time::Duration};
use wasm_bindgen::{JsCast as _, JsValue, prelude::wasm_bindgen};
use wasm_file::wasm_file;

/// How long closing waits for code of the host: its store, its tools, its hooks.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/**
 * The conversation itself; its store, which may have others; nothing; or nothing because the browser has removed the database as damaged.
 */
export type CoreFound = "conversation" | "store" | "nothing" | "damage";
/** What a message does with the calls that wait for the user; otherwise it is refused while they wait. */
export type CorePending = "keep" | "reject" | undefined;
export interface CoreWarning { code: string; message: string }
/** A part of an answer that was shown: the id of the answer's event, and the text. */
export interface CoreShown { id: string; content: string }
/** `null` removes the file. */
export interface CoreFile { path: string; content: Uint8Array | null }
"#;

/// An open conversation. Its methods about pending calls are in `control.rs`.
#[wasm_bindgen]
#[derive(Clone)]
pub struct CoreConversation {
    pub(super) conversation: Conversation,
    /// Held until `close`, or until another handle takes it away.
    lock: Rc<RefCell<Option<locks::Guard>>>,
    lock_name: Rc<str>,
}

#[wasm_bindgen]
impl CoreConversation {
    /// Opens a conversation of `store`.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreConversation>")]
    pub fn open(
        #[wasm_bindgen(unchecked_param_type = "object")] options: JsValue,
        store: &CoreStore,
    ) -> Promise {
        open(options, store, None)
    }

    /// Opens a conversation whose calls change the files of this one.
    #[wasm_bindgen(js_name = openBelow, unchecked_return_type = "Promise<CoreConversation>")]
    pub fn open_below(
        &self,
        #[wasm_bindgen(unchecked_param_type = "object")] options: JsValue,
        store: &CoreStore,
    ) -> Promise {
        open(options, store, Some(self.conversation.clone()))
    }

    /// Whether this handle writes the conversation.
    #[wasm_bindgen(unchecked_return_type = "'writer' | 'follower'")]
    pub fn access(&self) -> String {
        match self.conversation.access() {
            Access::Writer => "writer".into(),
            Access::Follower => "follower".into(),
        }
    }

    /// The text of `base_state.json`.
    pub fn state(&self) -> String {
        self.conversation.state().json().to_string()
    }

    /// Stores files in one transaction.
    #[wasm_bindgen(js_name = writeFiles, unchecked_return_type = "Promise<void>")]
    pub fn write_files(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreFile[]")] changes: Array,
    ) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let changes = read_files(&changes).ok_or_else(|| invalid("the changes of files"))?;
            conversation.write_files(changes).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// The title for lists and views.
    pub fn title(&self) -> Option<String> {
        self.conversation.title()
    }

    /// The execution status, as it is stored.
    #[wasm_bindgen(js_name = executionStatus, unchecked_return_type = "CoreRunResult['status']")]
    pub fn execution_status(&self) -> String {
        self.conversation.execution_status().as_str().into()
    }

    /// What there is of the conversation and its store before the first commit.
    #[wasm_bindgen(unchecked_return_type = "CoreFound")]
    pub fn found(&self) -> String {
        let is_stored = self.is_stored();
        let found = match self.conversation.found() {
            Found::Damage => "damage",
            _ if is_stored => "conversation",
            Found::Nothing => "nothing",
            Found::Something => "store",
        };
        found.into()
    }

    /// Whether the conversation is stored: a new one is not before its first commit.
    #[wasm_bindgen(js_name = isStored)]
    pub fn is_stored(&self) -> bool {
        self.conversation.is_stored()
    }

    /// The draft that a page has left when it died.
    #[wasm_bindgen(unchecked_return_type = "CoreShown | undefined")]
    pub fn draft(&self) -> Option<Object> {
        self.conversation.draft().map(shown)
    }

    /// The answer that is under way, as far as it was shown.
    #[wasm_bindgen(unchecked_return_type = "CoreShown | undefined")]
    pub fn answer(&self) -> Option<Object> {
        self.conversation.answer_under_way().map(shown)
    }

    /// The number of events.
    pub fn length(&self) -> f64 {
        self.conversation.length() as f64
    }

    #[wasm_bindgen(unchecked_return_type = "CoreWarning[]")]
    pub fn warnings(&self) -> Array {
        let warnings = self.conversation.warnings();
        let warnings = warnings.iter().map(|warning| {
            let object = Object::new();
            set(&object, "code", &warning.code.as_str().into());
            set(&object, "message", &warning.message.as_str().into());
            JsValue::from(object)
        });
        warnings.collect()
    }

    /// Masks these texts in everything that is stored or reported from now on.
    pub fn hide(&self, texts: Vec<String>) {
        self.conversation.hide(texts);
    }

    /// The text with hidden texts masked.
    pub fn masked(&self, text: String) -> String {
        self.conversation.masked(&text)
    }

    /// Sets the model's key if the host gave none, and the token that is stored for it.
    #[wasm_bindgen(js_name = keepKey)]
    pub fn store_key(&self, key: Option<String>, token: String) {
        self.conversation.store_key(key.as_deref(), token);
    }

    /// Resolves to the JSON texts of the events from `start` up to `end`.
    #[wasm_bindgen(unchecked_return_type = "Promise<string[]>")]
    pub fn events(&self, start: f64, end: f64) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let texts = Array::new();
            for json in conversation.events(to_index(start)..to_index(end)).await? {
                texts.push(&(&*json).into());
            }
            Ok(texts.into())
        })
    }

    /// The id of the event at this index. A file that is not a valid event has the id in its name.
    #[wasm_bindgen(js_name = idOf, unchecked_return_type = "Promise<string>")]
    pub fn id_of(&self, index: f64) -> Promise {
        self.verb(move |conversation| async move {
            Ok(conversation.id_of(to_index(index)).await?.as_str().into())
        })
    }

    /// The index of the event with this id.
    #[wasm_bindgen(js_name = indexOf, unchecked_return_type = "Promise<number>")]
    pub fn index_of(&self, event: String) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move { Ok((conversation.index_of(&event.parse()?).await? as f64).into()) })
    }

    /// The message of the last `finish`, or the model's last text.
    #[wasm_bindgen(js_name = finalResponse, unchecked_return_type = "Promise<string | null>")]
    pub fn final_response(&self) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move { Ok(text_or_null(conversation.final_response().await?)) })
    }

    /// The arguments of the last `finish`, as JSON.
    #[wasm_bindgen(js_name = finalArguments, unchecked_return_type = "Promise<string | null>")]
    pub fn final_arguments(&self) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move { Ok(text_or_null(conversation.final_arguments().await?)) })
    }

    /// How the answer of `finalResponse` has ended.
    #[wasm_bindgen(js_name = finishReason, unchecked_return_type = "Promise<CoreRunResult['finishReason']>")]
    pub fn finish_reason(&self) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move { Ok(text_or_null(conversation.finish_reason().await?)) })
    }

    /// Takes the content as JSON. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = sendMessage, unchecked_return_type = "Promise<string>")]
    pub fn send_message(
        &self,
        content: String,
        sender: Option<String>,
        #[wasm_bindgen(unchecked_param_type = "CorePending")] pending: Option<String>,
    ) -> Promise {
        self.verb(move |conversation| async move {
            let (content, calls) = (message_content(&content)?, waiting_calls(pending));
            let event = conversation.send_message_while_waiting(content, sender, calls).await?;
            Ok((&**event.json()).into())
        })
    }

    /// Takes the content of the message that takes the place of this one, as JSON. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = editMessage, unchecked_return_type = "Promise<string>")]
    pub fn edit_message(&self, event: String, content: String) -> Promise {
        self.verb(move |conversation| async move {
            let content = message_content(&content)?;
            let event = conversation.edit_message(&event.parse()?, content).await?;
            Ok((&**event.json()).into())
        })
    }

    /// See `Conversation.switchLLM`.
    #[wasm_bindgen(js_name = switchLLM, unchecked_return_type = "Promise<void>")]
    pub fn switch_llm(&self, #[wasm_bindgen(unchecked_param_type = "object")] options: JsValue) -> Promise {
        self.changing(llm(&options).map(|llm| self.conversation.switch_llm(llm)))
    }

    /// Replaces the tools of MCP servers.
    #[wasm_bindgen(js_name = setRemoteTools)]
    pub fn set_remote_tools(&self, #[wasm_bindgen(unchecked_param_type = "object[]")] tools: Array) {
        if let Ok(tools) = host_tools(&tools) {
            self.conversation.set_remote_tools(tools);
        }
    }

    /// Takes a JSON object of strings, in which `null` removes a tag.
    #[wasm_bindgen(js_name = changeTags, unchecked_return_type = "Promise<void>")]
    pub fn change_tags(&self, changes: String) -> Promise {
        self.changing(tag_changes(&changes).map(|changes| self.conversation.change_tags(&changes, false)))
    }

    /// Takes a JSON object of strings. Other tags are removed.
    #[wasm_bindgen(js_name = setTags, unchecked_return_type = "Promise<void>")]
    pub fn set_tags(&self, tags: String) -> Promise {
        self.changing(tag_changes(&tags).map(|tags| self.conversation.change_tags(&tags, true)))
    }

    /// Takes a JSON object of stored sources by name; `null` removes one.
    #[wasm_bindgen(js_name = storeSecrets, unchecked_return_type = "Promise<void>")]
    pub fn store_secrets(&self, sources: String) -> Promise {
        self.changing(secret_sources(&sources).map(|sources| self.conversation.store_secrets(&sources)))
    }

    /// Takes the same, as the host gives it when it opens the conversation.
    #[wasm_bindgen(js_name = openWithSecrets, unchecked_return_type = "Promise<void>")]
    pub fn open_with_secrets(&self, sources: String) -> Promise {
        self.changing(secret_sources(&sources).map(|sources| self.conversation.open_with_secrets(&sources)))
    }

    /// The same conversation, of which one method is to be called for another handle: see `Conversation::asked`.
    pub fn asked(&self, client: String, number: f64, settled: f64) -> CoreConversation {
        let asked = Asked { client, number: to_index(number), settled: to_index(settled) };
        CoreConversation {
            conversation: self.conversation.asked(asked),
            lock: self.lock.clone(),
            lock_name: self.lock_name.clone(),
        }
    }

    /// Makes a follower the writer, if the lock is free or `steals`, as it goes on to `LockManager.request`. Resolves to whether this
    /// handle is the writer.
    #[wasm_bindgen(js_name = takeOver, unchecked_return_type = "Promise<boolean>")]
    pub fn take_over(&self, steals: bool) -> Promise {
        let handle = self.clone();
        self.verb(move |_| async move {
            if handle.lock.borrow().is_some() {
                return Ok(true.into());
            }
            become_writer(handle, steals).await
        })
    }

    /// Resolves when the conversation is closed, and its lock is free.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn close(&self) -> Promise {
        let (conversation, lock) = (self.conversation.clone(), self.lock.clone());
        promise(async move {
            end(&conversation).await;
            let held = lock.borrow_mut().take();
            if let Some(held) = held {
                // As soon as this promise resolves, the conversation may be opened or deleted.
                held.release().await;
            }
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Resolves when the conversation is closed. Its lock stays taken until it is deleted.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn end(&self) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            end(&conversation).await;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Deletes the conversation, which was ended, with those of its sub-agents, and frees its lock.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn delete(&self, store: &CoreStore) -> Promise {
        let (id, held) = (self.conversation.id(), self.lock.borrow_mut().take());
        let (store, scope) = (store.inner(), store.lock_scope());
        promise(async move {
            delete(id, &*store, &scope, held).await?;
            Ok(JsValue::UNDEFINED)
        })
    }
}

#[wasm_file(agent)]
#[wasm_bindgen]
impl CoreConversation {
    /// Makes a writer a follower, because another handle has taken its place. Resolves once nothing is under way.
    #[wasm_bindgen(js_name = stepDown, unchecked_return_type = "Promise<void>")]
    pub async fn step_down(&self) -> Result<JsValue> {
        self.conversation.step_down().await;
        drop(self.lock.borrow_mut().take());
        Ok(JsValue::UNDEFINED)
    }
}

fn secret_sources(json: &str) -> Result<EditableObject> {
    given::value(json).ok_or_else(|| invalid("the sources of secrets must be a JSON object"))
}

/// See [`CoreConversation::take_over`].
#[wasm_file(agent)]
async fn become_writer(handle: CoreConversation, steals: bool) -> Result<JsValue> {
    let Some(taken) = locks::take(&handle.lock_name, steals).await else { return Ok(false.into()) };
    if let Err(error) = handle.conversation.become_writer().await {
        handle.conversation.step_down().await;
        return Err(error);
    }
    handle.lock.replace(Some(taken));
    Ok(true.into())
}

/// Resolves when nothing of the conversation is under way. Code of the host may never answer, so the wait is limited.
async fn end(conversation: &Conversation) {
    select(pin!(conversation.close()), WebHost.sleep(CLOSE_TIMEOUT)).await;
    conversation.let_go();
}

impl CoreConversation {
    /// The promise of a method. It stops waiting for the host when the conversation is closed.
    pub(super) fn verb<F>(&self, act: impl FnOnce(Conversation) -> F) -> Promise
    where
        F: Future<Output = Result<JsValue>> + 'static,
    {
        self.promised(Box::pin(act(self.conversation.clone())))
    }

    /// The same for a method that has begun.
    pub(super) fn promised(&self, method: LocalBoxFuture<'static, Result<JsValue>>) -> Promise {
        promise(until_closed(self.conversation.clone(), method))
    }

    /// The promise of a change.
    pub(super) fn changing(&self, change: Result<Changing>) -> Promise {
        self.verb(|_| async move { done(change?.await) })
    }
}

/// See [`CoreConversation::open`]. `owner`: the conversation whose files calls change, if it is not the one that is opened.
fn open(options: JsValue, store: &CoreStore, owner: Option<Conversation>) -> Promise {
    let (inner, lock_scope) = (store.inner(), store.lock_scope());
    promise(async move {
        let plain = Options::new(&options, "options");
        let id = plain.required_text("conversationId")?.parse()?;
        let given = property(&options, "agent");
        let mut agent = agent(&given)?;
        let critic = property(&given, "critic");
        if !critic.is_undefined() {
            agent.critic = Some(critic_of(&critic).await?);
        }
        let given = property(&given, "condensing");
        if given.is_null() {
            agent.condenser = Some(None);
        } else if !given.is_undefined() {
            condensing::configure(&mut agent, &given).await?;
        }
        let on_event = function(&options, "onEvent")?;
        let on_delta = property(&options, "onDelta").unchecked_into();
        let on_commit = function(&options, "onCommit")?;
        let on_displaced = function(&options, "onDisplaced")?;
        let load = function(&options, "load")?;
        let name = lock_name(&lock_scope, id);
        let home = plain.text("home")?;
        // A worker that has opened it keeps the lock.
        let waits = home.is_none();
        // Beside the lock.
        inner.connect();
        let lock = match home.as_deref() {
            // Nobody here writes what a server runs.
            Some("server") => None,
            _ if property(&options, "follows").is_truthy() => None,
            _ => write_lock(id, &*inner, &WebHost, waits, async || locks::try_lock(&name).await).await?,
        };
        let conversation = Conversation::open(OpenOptions {
            id,
            store: inner,
            host: Rc::new(WebHost),
            agent,
            access: if lock.is_some() { Access::Writer } else { Access::Follower },
            limits: run_limits(&options)?,
            resume: match plain.text("resume")?.as_deref() {
                Some("keep") => Resume::Keep,
                _ => Resume::Again,
            },
            tags: plain.texts("tags")?,
            ancestors: ancestors(&plain)?,
            owner,
            confirmation_policy: plain.text("confirmationPolicy")?.as_deref().map(policy).transpose()?,
            stored_analyzer: plain.text("securityAnalyzer")?.as_deref().map(analyzer).transpose()?,
            security_analyzer: Some(Rc::new(JsAnalyzer(function(&options, "analyze")?))),
            hooks: hooks(&property(&options, "hooks"))?,
            listener: Rc::new(move |event| notify(&on_event, event.json())),
            on_delta: Rc::new(deltas(on_delta)),
            on_commit: Rc::new(move |events| notify(&on_commit, events)),
            on_displaced: Rc::new(move || notify(&on_displaced, "")),
            load_file: Some(loading(load)),
            files: Some(Rc::new(Files::new(text_function(function(&options, "readFile")?, "")))),
        })
        .await?;
        // Opening does not wait for it, nor for `run`, which comes first; what needs them does.
        load_ahead("agent");
        Ok(CoreConversation { conversation, lock: Rc::new(RefCell::new(lock)), lock_name: name.into() }
            .into())
    })
}

/// Apart from [`CoreConversation::verb`], which is generic, so that the wasm has this code once and not for each method.
async fn until_closed(
    conversation: Conversation,
    verb: LocalBoxFuture<'static, Result<JsValue>>,
) -> Result<JsValue> {
    conversation.until_closed(verb).await
}

/// The conversations above the one that is opened, whose ids are joined by line feeds.
fn ancestors(options: &Options<'_>) -> Result<Vec<ConversationId>> {
    let ids = options.text("ancestors")?.unwrap_or_default();
    ids.lines().map(str::parse).collect()
}

/// `undefined` for a method that returns nothing.
pub(super) fn done(result: Result<()>) -> Result<JsValue> {
    result.map(|()| JsValue::UNDEFINED)
}

/// A text, or `null` for none.
pub(super) fn text_or_null(text: Option<impl Into<JsValue>>) -> JsValue {
    text.map_or(JsValue::NULL, Into::into)
}

/// The content of a message.
pub(super) fn message_content(json: &str) -> Result<Vec<Content>> {
    given::value(json).ok_or_else(|| invalid("a message must be a text, or a list of texts and images"))
}

/// What `CorePending` says of the calls that wait for the user.
pub(super) fn waiting_calls(pending: Option<String>) -> Option<WaitingCalls> {
    pending.map(|pending| match &*pending {
        "keep" => WaitingCalls::Keep,
        _ => WaitingCalls::Reject,
    })
}

/// A `CoreShown`.
fn shown((id, content): (EventId, String)) -> Object {
    let object = Object::new();
    set(&object, "id", &id.as_str().into());
    set(&object, "content", &content.into());
    object
}

/// The JSON texts of events.
pub(super) fn event_texts(events: &[Event]) -> JsValue {
    events.iter().map(|event| JsValue::from_str(event.valid_json())).collect::<Array>().into()
}

fn notify(listener: &Function, json: &str) {
    // The TypeScript side catches errors of its subscribers.
    let _ = listener.call1(&JsValue::UNDEFINED, &json.into());
}

#[wasm_bindgen]
extern "C" {
    /// Takes the pieces of answers. Its methods get texts, because each value of JavaScript that is made here costs as much
    /// as a call.
    type DeltaListener;
    #[wasm_bindgen(method, catch)]
    fn text(
        this: &DeltaListener,
        answer: &JsValue,
        content: Option<&str>,
        reasoning: Option<&str>,
    ) -> std::result::Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn call(
        this: &DeltaListener,
        answer: &JsValue,
        index: usize,
        arguments: &str,
        name: Option<&str>,
        id: Option<&str>,
    ) -> std::result::Result<(), JsValue>;
}

/// Passes on the pieces of answers. The id of an answer becomes a string of JavaScript once, not with each piece.
fn deltas(listener: DeltaListener) -> impl Fn(&EventId, Delta) {
    let answer = RefCell::new((String::new(), Rc::new(JsValue::UNDEFINED)));
    move |id, delta| {
        let shown = {
            let answer = &mut *answer.borrow_mut();
            if answer.0 != id.as_str() {
                *answer = (id.to_string(), Rc::new(id.as_str().into()));
            }
            Rc::clone(&answer.1)
        };
        notify_of_delta(&listener, &shown, &delta);
    }
}

/// Text and each call are events of their own; JSON for all of them would take longer than all the rest. The listener does
/// not throw.
fn notify_of_delta(listener: &DeltaListener, answer: &JsValue, delta: &Delta) {
    let Delta { content, reasoning_content, tool_calls } = delta;
    if content.is_some() || reasoning_content.is_some() || tool_calls.is_empty() {
        let _ = listener.text(answer, content.as_deref(), reasoning_content.as_deref());
    }
    for call in tool_calls {
        let _ = listener.call(answer, call.index, &call.arguments, call.name.as_deref(), call.id.as_deref());
    }
}

/// The name of the write lock of a conversation.
pub(super) fn lock_name(scope: &str, id: ConversationId) -> String {
    format!("threadkeep:{scope}:{}", id.hex())
}

/// A number from JavaScript, rounded to the nearest valid index.
fn to_index(number: f64) -> u64 {
    number.clamp(0.0, 9_007_199_254_740_991.0) as u64
}
