//! Copies of conversations of an agent server: a chunk of the wasm, see [`super`].

use super::Answer;
use crate::{
    bindings::{
        conversation::done,
        error::{invalid, set},
        options::Options,
        server::{CopyPart, Servers},
    },
    error::Result,
    format::base_state::ExecutionStatus,
    id::{ConversationId, EventId},
    llm::option_table::OptionSource as _,
    server::{AfterClose, Given, RunEnd, ServerCopy, Taken, after_close},
    store::Store,
    web::{guard::promise, host::WebHost},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::JsValue;

/// The object of this chunk.
pub struct ServerChunk;

impl Servers for ServerChunk {
    fn copy(
        &self,
        store: Rc<dyn Store>,
        id: ConversationId,
        server: String,
    ) -> LocalBoxFuture<'static, Result<Rc<dyn CopyPart>>> {
        Box::pin(async move {
            let copy = ServerCopy::new(store, Rc::new(WebHost), id, &server);
            Ok(Rc::new(OpenCopy { copy: Rc::new(copy), runs: Rc::default() }) as Rc<dyn CopyPart>)
        })
    }
}

struct OpenCopy {
    copy: Rc<ServerCopy>,
    /// The runs for which the page has waited since it opened the copy.
    runs: Rc<RefCell<Vec<RunEnd>>>,
}

impl OpenCopy {
    fn answer(&self, act: impl FnOnce(Rc<ServerCopy>) -> Answer) -> Promise {
        promise(act(self.copy.clone()))
    }
}

impl CopyPart for OpenCopy {
    fn open(&self) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.open().await) }))
    }

    fn take(&self, told: Array) -> Promise {
        self.answer(|copy| {
            Box::pin(async move {
                let texts: Vec<Told> = told.iter().map(|told| Told::read(&told)).collect::<Result<_>>()?;
                let given: Vec<Given<'_>> = texts.iter().map(Told::given).collect();
                Ok(taken_object(copy.take(&given).await?))
            })
        })
    }

    fn last(&self) -> Promise {
        self.answer(|copy| {
            Box::pin(async move { Ok(text_or_undefined(copy.last().await?.as_ref().map(EventId::as_str))) })
        })
    }

    fn cursor(&self) -> Promise {
        self.answer(|copy| Box::pin(async move { Ok((copy.cursor().await? as f64).into()) }))
    }

    fn reconnect(&self) -> Promise {
        self.answer(|copy| {
            Box::pin(async move {
                copy.reconnect();
                done(Ok(()))
            })
        })
    }

    fn state_for_server(&self, text: String) -> Promise {
        promise(async move { Ok(ServerCopy::state_for_server(&text).into()) })
    }

    fn ensure_at_rest(&self) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.ensure_at_rest().await) }))
    }

    fn ensure_decided(&self, of_page: Vec<String>) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.ensure_decided(&of_page).await) }))
    }

    fn depart(&self, length: f64) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.depart(length as u64).await) }))
    }

    fn arrive(&self) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.arrive().await) }))
    }

    fn keep(&self, content: String) -> Promise {
        self.answer(|copy| Box::pin(async move { Ok(copy.keep(&content).await?.json().as_ref().into()) }))
    }

    fn take_back(&self, id: String) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.take_back(&id.parse()?).await) }))
    }

    fn replace(&self, id: String, content: String) -> Promise {
        self.answer(|copy| {
            Box::pin(async move { Ok(copy.replace(&id.parse()?, &content).await?.json().as_ref().into()) })
        })
    }

    fn drop_refused(&self, id: String) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.drop_refused(&id.parse()?).await) }))
    }

    fn next(&self) -> Promise {
        self.answer(|copy| Box::pin(async move { Ok(text_or_undefined(copy.next().await?.as_deref())) }))
    }

    fn runs_later(&self, runs: bool) -> Promise {
        self.answer(|copy| Box::pin(async move { Ok(copy.runs_later(runs).await?.into()) }))
    }

    fn sent(&self, id: String) -> Promise {
        self.answer(|copy| {
            Box::pin(async move { Ok(text_or_undefined(copy.sent(&id.parse()?).await?.as_deref())) })
        })
    }

    fn miss(&self, id: String) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.miss(&id.parse()?).await) }))
    }

    fn try_again(&self) -> Promise {
        self.answer(|copy| Box::pin(async move { done(copy.try_again().await) }))
    }

    fn begin_call(&self, action: String) -> Promise {
        self.answer(|copy| Box::pin(async move { Ok(copy.begin_call(&action.parse()?).await?.into()) }))
    }

    fn await_run(&self, may_be_over: bool, now: f64) -> Promise {
        let runs = self.runs.clone();
        promise(async move {
            let mut runs = runs.borrow_mut();
            runs.push(RunEnd::new(may_be_over, now));
            Ok((runs.len() - 1).into())
        })
    }

    fn look_at_run(&self, run: u32, now: f64, described: String, told: Array) -> Promise {
        let runs = self.runs.clone();
        promise(async move {
            let described = status(&described).ok_or_else(|| invalid("the status"))?;
            let told: Vec<_> = told.iter().filter_map(|told| status(&told.as_string()?)).collect();
            let mut runs = runs.borrow_mut();
            let run = runs.get_mut(run as usize).ok_or_else(|| invalid("the number of the run"))?;
            let end = run.look(described, &told, now);
            Ok(text_or_undefined(end.map(ExecutionStatus::as_str)))
        })
    }

    fn after_close(&self, code: u16, reason: String, attempts: u32, random: f64) -> Promise {
        promise(async move {
            match after_close(code, &reason, attempts, random) {
                AfterClose::Wait(milliseconds) => Ok(milliseconds.into()),
                AfterClose::Fatal(error) => Err(error),
            }
        })
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
