//! One open conversation for JavaScript: parse, call, serialise.
//!
//! Methods that wait return promises that settle even if the instance traps (see `web/guard.rs`); nothing stays
//! borrowed while they wait. Events cross as JSON text.

use super::{
    control::{JsAnalyzer, analyzer, policy},
    error::{invalid, set},
    hooks::hooks,
    options::{Options, agent, function, llm, property, stuck_detection, texts},
    store::CoreStore,
};
use crate::{
    conversation::{Access, Conversation, OpenOptions, WaitingCalls},
    error::Result,
    host::Host as _,
    id::ConversationId,
    json::{FromJson as _, RawObject, well_formed},
    llm::{Delta, message::Content, option_table::OptionSource as _},
    store::Found,
    web::{guard::promise, host::WebHost, locks},
};
use futures_util::future::{LocalBoxFuture, select};
use js_sys::{Array, Function, Object, Promise};
use std::{cell::RefCell, pin::pin, rc::Rc, time::Duration};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// How long closing waits for what the host gave: its store, its tools, its hooks.
const LONGEST_CLOSING: Duration = Duration::from_secs(15);

/// How long a conversation is waited for that another tab is making, in milliseconds.
const PATIENCE: f64 = 3000.0;

/// And how often it is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// An open conversation. Its verbs about calls that wait are in `control.rs`.
#[wasm_bindgen]
pub struct CoreConversation {
    conversation: Conversation,
    /// Held until `close`.
    lock: Rc<RefCell<Option<locks::Guard>>>,
}

#[wasm_bindgen]
impl CoreConversation {
    /// Opens a conversation of `store`.
    pub fn open(options: JsValue, store: &CoreStore) -> Promise {
        let (inner, lock_scope) = (store.inner(), store.lock_scope());
        promise(async move {
            let plain = Options::new(&options, "options");
            let id = plain.required_text("conversationId")?.parse()?;
            let agent = agent(&property(&options, "agent"))?;
            let on_event = function(&options, "onEvent")?;
            let on_delta = function(&options, "onDelta")?;
            let name = lock_name(&lock_scope, id);
            let mut lock = locks::try_lock(&name).await;
            let patience = WebHost.now() + PATIENCE;
            // Whoever holds the lock may be making it just now, or leave it without having made it.
            while lock.is_none() && inner.load(id).await?.is_none() && WebHost.now() < patience {
                WebHost.sleep(LOOK_AGAIN).await;
                lock = locks::try_lock(&name).await;
            }
            let conversation = Conversation::open(OpenOptions {
                id,
                store: inner,
                host: Rc::new(WebHost),
                agent,
                access: if lock.is_some() { Access::Writer } else { Access::Follower },
                max_iterations: plain.count("maxIterations")?.unwrap_or(500),
                max_budget_per_run: plain.number("maxBudgetPerRun")?,
                stuck_detection: stuck_detection(&property(&options, "stuckDetection"))?,
                tags: plain.texts("tags")?,
                confirmation_policy: plain.text("confirmationPolicy")?.as_deref().map(policy).transpose()?,
                stored_analyzer: plain.text("securityAnalyzer")?.as_deref().map(analyzer).transpose()?,
                security_analyzer: Some(Rc::new(JsAnalyzer(function(&options, "analyze")?))),
                hooks: hooks(&property(&options, "hooks"))?,
                listener: Rc::new(move |event| tell(&on_event, event.json())),
                on_delta: Rc::new(move |delta| tell_delta(&on_delta, delta)),
            })
            .await?;
            Ok(Self { conversation, lock: Rc::new(RefCell::new(lock)) }.into())
        })
    }

    /// `"writer"` or `"follower"`.
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

    /// Where the conversation stands.
    #[wasm_bindgen(js_name = executionStatus)]
    pub fn execution_status(&self) -> String {
        self.conversation.execution_status().as_str().into()
    }

    /// What was there when it was opened: 0 for this conversation, 1 for its store, 2 for nothing, 3 for nothing but the
    /// damage of which the browser has removed everything.
    pub fn found(&self) -> u8 {
        match self.conversation.found() {
            (_, Found::Damage) => 3,
            (true, Found::Nothing) => 2,
            (is_new, _) => is_new.into(),
        }
    }

    /// How many events there are.
    pub fn length(&self) -> f64 {
        self.conversation.length() as f64
    }

    /// `[{code, message}]`.
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

    /// Takes these texts, a JSON array, out of everything that is stored or told from now on.
    pub fn hide(&self, texts: String) {
        self.conversation.hide(Vec::from_json(&texts).unwrap_or_default());
    }

    /// A text without what is hidden.
    pub fn masked(&self, text: String) -> String {
        self.conversation.masked(&text)
    }

    /// The model's key where the host gave none, and the token that is stored for it.
    #[wasm_bindgen(js_name = keepKey)]
    pub fn store_key(&self, key: Option<String>, token: String) {
        self.conversation.store_key(key.as_deref(), token);
    }

    /// Events go out as their JSON texts.
    #[wasm_bindgen(unchecked_return_type = "Promise<string[]>")]
    pub fn events(&self, start: f64, end: f64) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let texts = Array::new();
            for json in conversation.events(whole(start)..whole(end)).await? {
                texts.push(&(&*json).into());
            }
            Ok(texts.into())
        })
    }

    /// What is no event in itself is known by its file.
    #[wasm_bindgen(js_name = idOf, unchecked_return_type = "Promise<string>")]
    pub fn id_of(&self, index: f64) -> Promise {
        self.verb(
            move |conversation| async move { Ok(conversation.id_of(whole(index)).await?.as_str().into()) },
        )
    }

    /// The place of the event of this id.
    #[wasm_bindgen(js_name = indexOf, unchecked_return_type = "Promise<number>")]
    pub fn index_of(&self, event: String) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move { Ok((conversation.index_of(&event.parse()?).await? as f64).into()) })
    }

    /// The message of the last `finish`, or the model's last text.
    #[wasm_bindgen(js_name = finalResponse, unchecked_return_type = "Promise<string | null>")]
    pub fn final_response(&self) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move { Ok(conversation.final_response().await?.map_or(JsValue::NULL, JsValue::from)) })
    }

    /// The content is JSON; `pending` says what becomes of calls that wait. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = sendMessage, unchecked_return_type = "Promise<string>")]
    pub fn send_message(&self, content: String, sender: Option<String>, pending: Option<String>) -> Promise {
        self.verb(move |conversation| async move {
            let content = Vec::<Content>::from_json(&well_formed(&content))
                .ok_or_else(|| invalid("a message is text, or a list of texts and images"))?;
            let calls = pending.map(|pending| match &*pending {
                "keep" => WaitingCalls::Keep,
                _ => WaitingCalls::Reject,
            });
            let event = conversation.send_message_while_waiting(content, sender, calls).await?;
            Ok((&**event.json()).into())
        })
    }

    /// See `Conversation.switchLLM`.
    #[wasm_bindgen(js_name = switchLLM)]
    pub fn switch_llm(&self, options: JsValue) -> Promise {
        self.verb(move |conversation| async move { done(conversation.switch_llm(llm(&options)?).await) })
    }

    /// Texts by name.
    #[wasm_bindgen(js_name = setTags)]
    pub fn set_tags(&self, tags: JsValue) -> Promise {
        self.verb(move |conversation| async move { done(conversation.set_tags(&texts(tags, "tags")?).await) })
    }

    /// A JSON object of stored sources by name; `null` removes one.
    #[wasm_bindgen(js_name = storeSecrets)]
    pub fn store_secrets(&self, sources: String) -> Promise {
        self.verb(move |conversation| async move {
            let sources = RawObject::parse(&well_formed(&sources))
                .map_err(|_| invalid("secrets are not of the documented form"))?;
            done(conversation.store_secrets(&sources).await)
        })
    }

    /// Resolves when it is closed; what the host gave may never answer, and is not waited for long.
    pub fn close(&self) -> Promise {
        let (conversation, lock) = (self.conversation.clone(), self.lock.clone());
        promise(async move {
            select(pin!(conversation.close()), WebHost.sleep(LONGEST_CLOSING)).await;
            conversation.let_go();
            let held = lock.borrow_mut().take();
            if let Some(held) = held {
                // Whoever heard of the end may open or delete the conversation at once.
                held.release().await;
            }
            Ok(JsValue::UNDEFINED)
        })
    }
}

impl CoreConversation {
    /// What a verb gives. It no longer waits for the host when the conversation is closed.
    pub(super) fn verb<F>(&self, act: impl FnOnce(Conversation) -> F) -> Promise
    where
        F: Future<Output = Result<JsValue>> + 'static,
    {
        let conversation = self.conversation.clone();
        let verb = Box::pin(act(conversation.clone()));
        promise(until_closed(conversation, verb))
    }
}

/// Apart from [`CoreConversation::verb`], so that a page downloads it once and not for each verb.
async fn until_closed(
    conversation: Conversation,
    verb: LocalBoxFuture<'static, Result<JsValue>>,
) -> Result<JsValue> {
    conversation.until_closed(verb).await
}

/// What has no answer but that it is done.
pub(super) fn done(result: Result<()>) -> Result<JsValue> {
    result.map(|()| JsValue::UNDEFINED)
}

fn tell(listener: &Function, json: &str) {
    // The TypeScript side catches what its subscribers throw.
    let _ = listener.call1(&JsValue::UNDEFINED, &json.into());
}

fn tell_delta(listener: &Function, Delta { content, reasoning_content }: Delta) {
    let text = |text: Option<String>| text.map_or(JsValue::UNDEFINED, JsValue::from);
    let _ = listener.call2(&JsValue::UNDEFINED, &text(content), &text(reasoning_content));
}

/// The lock of a writer of this conversation.
pub(super) fn lock_name(scope: &str, id: ConversationId) -> String {
    format!("threadkeep:{scope}:{}", id.hex())
}

/// Numbers come from JavaScript: what is no index is taken as the nearest one.
fn whole(number: f64) -> u64 {
    number.clamp(0.0, 9_007_199_254_740_991.0) as u64
}
