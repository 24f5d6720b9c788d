//! Copies of conversations of an agent server: a chunk of the wasm, see [`super`].

use crate::{
    bindings::{
        error::{invalid, set},
        server::{CopyPart, Servers},
    },
    error::Result,
    format::base_state::ExecutionStatus,
    id::ConversationId,
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
    fn open(
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

impl CopyPart for OpenCopy {
    fn call(&self, method: String, arguments: Array) -> Promise {
        let (copy, runs) = (self.copy.clone(), self.runs.clone());
        promise(async move { call(&copy, &runs, &method, &arguments).await })
    }
}

async fn call(
    copy: &ServerCopy,
    runs: &RefCell<Vec<RunEnd>>,
    method: &str,
    arguments: &Array,
) -> Result<JsValue> {
    let text = |place| arguments.get(place).as_string().unwrap_or_default();
    let number = |place| arguments.get(place).as_f64().unwrap_or_default();
    Ok(match method {
        // Texts by threes: the kind, the text, and for a page the event from which it was asked for, for a description the length of
        // the copy then.
        "take" => {
            let texts: Vec<String> =
                arguments.iter().map(|text| text.as_string().unwrap_or_default()).collect();
            let given = texts.chunks(3).map(given).collect::<Result<Vec<_>>>()?;
            shown(copy.take(&given).await?)
        }
        "open" => {
            copy.open().await?;
            JsValue::UNDEFINED
        }
        "stateForServer" => ServerCopy::state_for_server(&text(0)).into(),
        "ensureAtRest" => {
            copy.ensure_at_rest().await?;
            JsValue::UNDEFINED
        }
        // The names of the tools of the page.
        "ensureDecided" => {
            let of_page: Vec<String> = arguments.iter().filter_map(|name| name.as_string()).collect();
            copy.ensure_decided(&of_page).await?;
            JsValue::UNDEFINED
        }
        "depart" => {
            copy.depart(number(0) as u64).await?;
            JsValue::UNDEFINED
        }
        "arrive" => {
            copy.arrive().await?;
            JsValue::UNDEFINED
        }
        "last" => copy.last().await?.map_or(JsValue::UNDEFINED, |last| last.as_str().into()),
        "cursor" => (copy.cursor().await? as f64).into(),
        "reconnect" => {
            copy.reconnect();
            JsValue::UNDEFINED
        }
        "keep" => copy.keep(&text(0)).await?.json().as_ref().into(),
        "takeBack" => {
            copy.take_back(&text(0).parse()?).await?;
            JsValue::UNDEFINED
        }
        "replace" => copy.replace(&text(0).parse()?, &text(1)).await?.json().as_ref().into(),
        "dropRefused" => {
            copy.drop_refused(&text(0).parse()?).await?;
            JsValue::UNDEFINED
        }
        "next" => copy.next().await?.map_or(JsValue::UNDEFINED, JsValue::from),
        "runsLater" => copy.runs_later(arguments.get(0).is_truthy()).await?.into(),
        "sent" => {
            let found = copy.sent(&text(0).parse()?).await?;
            found.map_or(JsValue::UNDEFINED, |json| (&*json).into())
        }
        "miss" => {
            copy.miss(&text(0).parse()?).await?;
            JsValue::UNDEFINED
        }
        "tryAgain" => {
            copy.try_again().await?;
            JsValue::UNDEFINED
        }
        "beginCall" => copy.begin_call(&text(0).parse()?).await?.into(),
        // Resolves to a number for `lookAtRun`.
        "awaitRun" => {
            let mut runs = runs.borrow_mut();
            runs.push(RunEnd::new(arguments.get(0).is_truthy(), number(1)));
            (runs.len() - 1).into()
        }
        // The number, the time, the status that is described, and those that the log has told.
        "lookAtRun" => {
            let described = status(&text(2)).ok_or_else(|| invalid("the status"))?;
            let told: Vec<_> =
                arguments.iter().skip(3).filter_map(|told| status(&told.as_string()?)).collect();
            let mut runs = runs.borrow_mut();
            let run = runs.get_mut(number(0) as usize).ok_or_else(|| invalid("the number of the run"))?;
            let end = run.look(described, &told, number(1));
            end.map_or(JsValue::UNDEFINED, |status| status.as_str().into())
        }
        "afterClose" => match after_close(number(0) as u16, &text(1), number(2) as u32, number(3)) {
            AfterClose::Wait(milliseconds) => milliseconds.into(),
            AfterClose::Fatal(error) => return Err(error),
        },
        _ => return Err(invalid("the name of the method")),
    })
}

fn status(text: &str) -> Option<ExecutionStatus> {
    ExecutionStatus::ALL.iter().copied().find(|status| status.as_str() == text)
}

fn given(texts: &[String]) -> Result<Given<'_>> {
    match texts {
        [kind, text, from] => Ok(match &**kind {
            "session" => Given::Session(text),
            "event" => Given::Event(text),
            "page" => Given::Page { from, text },
            _ => Given::Info { length: from.parse().unwrap_or_default(), text },
        }),
        _ => Err(invalid("what the server has told")),
    }
}

fn shown(taken: Taken) -> JsValue {
    let object = Object::new();
    let live: Array = taken.live.iter().map(|event| JsValue::from(&**event)).collect();
    set(&object, "live", &live.into());
    set(&object, "isBehind", &taken.is_behind.into());
    set(&object, "hasGap", &taken.has_gap.into());
    set(&object, "isSnapshot", &taken.is_snapshot.into());
    set(&object, "isOutdated", &taken.is_outdated.into());
    object.into()
}
