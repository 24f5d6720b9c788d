//! Copies of conversations that an agent server runs, for JavaScript, which does the requests.

use super::{
    conversation::done,
    error::{invalid, set},
    options::Options,
    store::CoreStore,
};
use crate::{
    error::Result,
    format::base_state::ExecutionStatus,
    id::EventId,
    llm::option_table::OptionSource as _,
    server::{AfterClose, Given, RunEnd, ServerCopy, Taken, after_close},
    store::Store,
    web::{guard::promise, host::WebHost},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::prelude::*;
use wasm_file::wasm_file;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A text of the server: see `Given` in `src/server/given.rs`. */
export type CoreTold =
  | { kind: "session" | "event"; text: string }
  | { kind: "page"; text: string; from: string }
  | { kind: "info"; text: string; length: number };
/** What has changed with it: see `Taken` in `src/server/copy.rs`. The live events are JSON. */
export interface CoreTaken { live: string[]; isBehind: boolean; hasGap: boolean; isSnapshot: boolean; isOutdated: boolean }
"#;

/// The copy of a conversation of an agent server. Its methods are those of [`crate::server::ServerCopy`] with the same names,
/// where they have no description.
#[wasm_bindgen]
#[derive(Clone)]
pub struct CoreServerCopy {
    copy: Rc<ServerCopy>,
    /// The runs for which the page has waited since it opened the copy.
    runs: Rc<RefCell<Vec<RunEnd>>>,
}

#[wasm_bindgen]
impl CoreServerCopy {
    /// The copy of the conversation `id` of the server at this address, which `open` reads.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreServerCopy>")]
    pub fn of(store: &CoreStore, id: String, server: String) -> Promise {
        promise(copy_of(store.inner(), id, server))
    }
}

#[wasm_file(server)]
async fn copy_of(store: Rc<dyn Store>, id: String, server: String) -> Result<JsValue> {
    let copy = ServerCopy::new(store, Rc::new(WebHost), id.parse()?, &server);
    Ok(CoreServerCopy { copy: Rc::new(copy), runs: Rc::default() }.into())
}

impl CoreServerCopy {
    /// The promise of a method.
    fn promised(&self, method: LocalBoxFuture<'static, Result<JsValue>>) -> Promise {
        promise(method)
    }
}

#[wasm_file(server)]
#[wasm_bindgen]
impl CoreServerCopy {
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn open(&self) -> Result<JsValue> {
        done(self.copy.open().await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<CoreTaken>")]
    pub async fn take(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreTold[]")] told: Array,
    ) -> Result<JsValue> {
        let texts: Vec<Told> = told.iter().map(|told| Told::read(&told)).collect::<Result<_>>()?;
        let given: Vec<Given<'_>> = texts.iter().map(Told::given).collect();
        Ok(taken_object(self.copy.take(&given).await?))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub async fn last(&self) -> Result<JsValue> {
        Ok(text_or_undefined(self.copy.last().await?.as_ref().map(EventId::as_str)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<number>")]
    pub async fn cursor(&self) -> Result<JsValue> {
        Ok((self.copy.cursor().await? as f64).into())
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn reconnect(&self) -> Result<JsValue> {
        self.copy.reconnect();
        done(Ok(()))
    }

    #[wasm_bindgen(js_name = stateForServer, unchecked_return_type = "Promise<string>")]
    pub async fn state_for_server(&self, text: String) -> Result<JsValue> {
        Ok(ServerCopy::state_for_server(&text).into())
    }

    #[wasm_bindgen(js_name = ensureAtRest, unchecked_return_type = "Promise<void>")]
    pub async fn ensure_at_rest(&self) -> Result<JsValue> {
        done(self.copy.ensure_at_rest().await)
    }

    /// Takes the names of the tools of the page.
    #[wasm_bindgen(js_name = ensureDecided, unchecked_return_type = "Promise<void>")]
    pub async fn ensure_decided(&self, of_page: Vec<String>) -> Result<JsValue> {
        done(self.copy.ensure_decided(&of_page).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn depart(&self, length: f64) -> Result<JsValue> {
        done(self.copy.depart(length as u64).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn arrive(&self) -> Result<JsValue> {
        done(self.copy.arrive().await)
    }

    /// Resolves to the JSON of the event.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub async fn keep(&self, content: String) -> Result<JsValue> {
        Ok(self.copy.keep(&content).await?.json().as_ref().into())
    }

    #[wasm_bindgen(js_name = takeBack, unchecked_return_type = "Promise<void>")]
    pub async fn take_back(&self, id: String) -> Result<JsValue> {
        done(self.copy.take_back(&id.parse()?).await)
    }

    /// Resolves to the JSON of the event.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub async fn replace(&self, id: String, content: String) -> Result<JsValue> {
        Ok(self.copy.replace(&id.parse()?, &content).await?.json().as_ref().into())
    }

    #[wasm_bindgen(js_name = dropRefused, unchecked_return_type = "Promise<void>")]
    pub async fn drop_refused(&self, id: String) -> Result<JsValue> {
        done(self.copy.drop_refused(&id.parse()?).await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub async fn next(&self) -> Result<JsValue> {
        Ok(text_or_undefined(self.copy.next().await?.as_deref()))
    }

    #[wasm_bindgen(js_name = keepRun, unchecked_return_type = "Promise<boolean>")]
    pub async fn keep_run(&self) -> Result<JsValue> {
        Ok(self.copy.keep_run().await?.into())
    }

    #[wasm_bindgen(js_name = dropRun, unchecked_return_type = "Promise<void>")]
    pub async fn drop_run(&self) -> Result<JsValue> {
        done(self.copy.drop_run().await)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub async fn sent(&self, id: String) -> Result<JsValue> {
        Ok(text_or_undefined(self.copy.sent(&id.parse()?).await?.as_deref()))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn miss(&self, id: String) -> Result<JsValue> {
        done(self.copy.miss(&id.parse()?).await)
    }

    #[wasm_bindgen(js_name = tryAgain, unchecked_return_type = "Promise<void>")]
    pub async fn try_again(&self) -> Result<JsValue> {
        done(self.copy.try_again().await)
    }

    #[wasm_bindgen(js_name = beginCall, unchecked_return_type = "Promise<boolean>")]
    pub async fn begin_call(&self, action: String) -> Result<JsValue> {
        Ok(self.copy.begin_call(&action.parse()?).await?.into())
    }

    /// Begins to wait for the end of a run at this time: see [`crate::server::RunEnd`]. Resolves to a number for `lookAtRun`.
    /// `may_be_over` is what the page has seen, not a way to wait.
    #[wasm_bindgen(js_name = awaitRun, unchecked_return_type = "Promise<number>")]
    pub async fn await_run(&self, may_be_over: bool, now: f64) -> Result<JsValue> {
        let mut runs = self.runs.borrow_mut();
        runs.push(RunEnd::new(may_be_over, now));
        Ok((runs.len() - 1).into())
    }

    /// Takes the time, the status that is described, and those that the log has told, among other values. Resolves to the status at
    /// the end of the run once that is over.
    #[wasm_bindgen(js_name = lookAtRun, unchecked_return_type = "Promise<CoreRunResult['status'] | undefined>")]
    pub async fn look_at_run(
        &self,
        run: u32,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "CoreRunResult['status']")] described: String,
        #[wasm_bindgen(unchecked_param_type = "readonly unknown[]")] told: Array,
    ) -> Result<JsValue> {
        let described = status(&described).ok_or_else(|| invalid("the status"))?;
        let told: Vec<_> = told.iter().filter_map(|told| status(&told.as_string()?)).collect();
        let mut runs = self.runs.borrow_mut();
        let run = runs.get_mut(run as usize).ok_or_else(|| invalid("the number of the run"))?;
        let end = run.look(described, &told, now);
        Ok(text_or_undefined(end.map(ExecutionStatus::as_str)))
    }

    /// Resolves to the milliseconds before the next attempt: see [`crate::server::after_close`].
    #[wasm_bindgen(js_name = afterClose, unchecked_return_type = "Promise<number>")]
    pub async fn after_close(
        &self,
        code: u16,
        reason: String,
        attempts: u32,
        random: f64,
    ) -> Result<JsValue> {
        match after_close(code, &reason, attempts, random) {
            AfterClose::Wait(milliseconds) => Ok(milliseconds.into()),
            AfterClose::Fatal(error) => Err(error),
        }
    }
}

fn status(text: &str) -> Option<ExecutionStatus> {
    ExecutionStatus::ALL.iter().copied().find(|status| status.as_str() == text)
}

fn text_or_undefined(text: Option<&str>) -> JsValue {
    text.map_or(JsValue::UNDEFINED, JsValue::from)
}

/// A `CoreTold`.
enum Told {
    Session(String),
    Event(String),
    Page { from: String, text: String },
    Info { length: u64, text: String },
}

impl Told {
    fn read(told: &JsValue) -> Result<Self> {
        let told = Options::new(told, "what the server has told");
        let text = told.required_text("text")?;
        Ok(match &*told.required_text("kind")? {
            "session" => Self::Session(text),
            "event" => Self::Event(text),
            "page" => Self::Page { from: told.required_text("from")?, text },
            _ => Self::Info { length: told.number("length")?.unwrap_or_default() as u64, text },
        })
    }

    fn given(&self) -> Given<'_> {
        match self {
            Self::Session(text) => Given::Session(text),
            Self::Event(text) => Given::Event(text),
            Self::Page { from, text } => Given::Page { from, text },
            Self::Info { length, text } => Given::Info { length: *length, text },
        }
    }
}

/// The `CoreTaken` of what was taken.
fn taken_object(taken: Taken) -> JsValue {
    let object = Object::new();
    let live: Array = taken.live.iter().map(|event| JsValue::from(&**event)).collect();
    set(&object, "live", &live.into());
    set(&object, "isBehind", &taken.is_behind.into());
    set(&object, "hasGap", &taken.has_gap.into());
    set(&object, "isSnapshot", &taken.is_snapshot.into());
    set(&object, "isOutdated", &taken.is_outdated.into());
    object.into()
}
