//! Copies of conversations that an agent server runs, for JavaScript, which does the requests. The work is done in a chunk
//! ([`super::chunks::server`]), loaded with the first such conversation.

use super::{chunks, store::CoreStore};
use crate::{error::Result, id::ConversationId, store::Store, web::guard::promise};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Promise};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

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

/// The interface of the chunk.
pub trait Servers {
    /// See `CoreServerCopy.of`.
    fn copy(
        &self,
        store: Rc<dyn Store>,
        id: ConversationId,
        server: String,
    ) -> LocalBoxFuture<'static, Result<Rc<dyn CopyPart>>>;
}

/// A copy. Each function is that of [`CoreServerCopy`] with its name.
pub trait CopyPart {
    fn open(&self) -> Promise;
    fn take(&self, told: Array) -> Promise;
    fn last(&self) -> Promise;
    fn cursor(&self) -> Promise;
    fn reconnect(&self) -> Promise;
    fn state_for_server(&self, text: String) -> Promise;
    fn ensure_at_rest(&self) -> Promise;
    fn ensure_decided(&self, of_page: Vec<String>) -> Promise;
    fn depart(&self, length: f64) -> Promise;
    fn arrive(&self) -> Promise;
    fn keep(&self, content: String) -> Promise;
    fn take_back(&self, id: String) -> Promise;
    fn replace(&self, id: String, content: String) -> Promise;
    fn drop_refused(&self, id: String) -> Promise;
    fn next(&self) -> Promise;
    fn runs_later(&self, runs: bool) -> Promise;
    fn sent(&self, id: String) -> Promise;
    fn miss(&self, id: String) -> Promise;
    fn try_again(&self) -> Promise;
    fn begin_call(&self, action: String) -> Promise;
    fn await_run(&self, may_be_over: bool, now: f64) -> Promise;
    fn look_at_run(&self, run: u32, now: f64, described: String, told: Array) -> Promise;
    fn after_close(&self, code: u16, reason: String, attempts: u32, random: f64) -> Promise;
}

/// The copy of a conversation of an agent server. Its methods are those of [`crate::server::ServerCopy`] with the same names,
/// where they have no description.
#[wasm_bindgen]
pub struct CoreServerCopy {
    part: Rc<dyn CopyPart>,
}

#[wasm_bindgen]
impl CoreServerCopy {
    /// The copy of the conversation `id` of the server at this address, which `open` reads.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreServerCopy>")]
    pub fn of(store: &CoreStore, id: String, server: String) -> Promise {
        let store = store.inner();
        promise(async move {
            let part = chunks::server().await?.copy(store, id.parse()?, server).await?;
            Ok(Self { part }.into())
        })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn open(&self) -> Promise {
        self.part.open()
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<CoreTaken>")]
    pub fn take(&self, #[wasm_bindgen(unchecked_param_type = "CoreTold[]")] told: Array) -> Promise {
        self.part.take(told)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub fn last(&self) -> Promise {
        self.part.last()
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<number>")]
    pub fn cursor(&self) -> Promise {
        self.part.cursor()
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn reconnect(&self) -> Promise {
        self.part.reconnect()
    }

    #[wasm_bindgen(js_name = stateForServer, unchecked_return_type = "Promise<string>")]
    pub fn state_for_server(&self, text: String) -> Promise {
        self.part.state_for_server(text)
    }

    #[wasm_bindgen(js_name = ensureAtRest, unchecked_return_type = "Promise<void>")]
    pub fn ensure_at_rest(&self) -> Promise {
        self.part.ensure_at_rest()
    }

    /// Takes the names of the tools of the page.
    #[wasm_bindgen(js_name = ensureDecided, unchecked_return_type = "Promise<void>")]
    pub fn ensure_decided(&self, of_page: Vec<String>) -> Promise {
        self.part.ensure_decided(of_page)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn depart(&self, length: f64) -> Promise {
        self.part.depart(length)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn arrive(&self) -> Promise {
        self.part.arrive()
    }

    /// Resolves to the JSON of the event.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn keep(&self, content: String) -> Promise {
        self.part.keep(content)
    }

    #[wasm_bindgen(js_name = takeBack, unchecked_return_type = "Promise<void>")]
    pub fn take_back(&self, id: String) -> Promise {
        self.part.take_back(id)
    }

    /// Resolves to the JSON of the event.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn replace(&self, id: String, content: String) -> Promise {
        self.part.replace(id, content)
    }

    #[wasm_bindgen(js_name = dropRefused, unchecked_return_type = "Promise<void>")]
    pub fn drop_refused(&self, id: String) -> Promise {
        self.part.drop_refused(id)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub fn next(&self) -> Promise {
        self.part.next()
    }

    #[wasm_bindgen(js_name = runsLater, unchecked_return_type = "Promise<boolean>")]
    pub fn runs_later(&self, runs: bool) -> Promise {
        self.part.runs_later(runs)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub fn sent(&self, id: String) -> Promise {
        self.part.sent(id)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn miss(&self, id: String) -> Promise {
        self.part.miss(id)
    }

    #[wasm_bindgen(js_name = tryAgain, unchecked_return_type = "Promise<void>")]
    pub fn try_again(&self) -> Promise {
        self.part.try_again()
    }

    #[wasm_bindgen(js_name = beginCall, unchecked_return_type = "Promise<boolean>")]
    pub fn begin_call(&self, action: String) -> Promise {
        self.part.begin_call(action)
    }

    /// Begins to wait for the end of a run at this time: see [`crate::server::RunEnd`]. Resolves to a number for `lookAtRun`.
    #[wasm_bindgen(js_name = awaitRun, unchecked_return_type = "Promise<number>")]
    pub fn await_run(&self, may_be_over: bool, now: f64) -> Promise {
        self.part.await_run(may_be_over, now)
    }

    /// Takes the time, the status that is described, and those that the log has told, among other values. Resolves to the status at
    /// the end of the run once that is over.
    #[wasm_bindgen(js_name = lookAtRun, unchecked_return_type = "Promise<CoreRunResult['status'] | undefined>")]
    pub fn look_at_run(
        &self,
        run: u32,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "CoreRunResult['status']")] described: String,
        #[wasm_bindgen(unchecked_param_type = "readonly unknown[]")] told: Array,
    ) -> Promise {
        self.part.look_at_run(run, now, described, told)
    }

    /// Resolves to the milliseconds before the next attempt: see [`crate::server::after_close`].
    #[wasm_bindgen(js_name = afterClose, unchecked_return_type = "Promise<number>")]
    pub fn after_close(&self, code: u16, reason: String, attempts: u32, random: f64) -> Promise {
        self.part.after_close(code, reason, attempts, random)
    }
}
