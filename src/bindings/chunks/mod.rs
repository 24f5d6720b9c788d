//! The chunks of the wasm that a page loads when it needs them.
//!
//! Each part of a chunk is one object behind a trait. The function that makes the object is in the chunk's file, and calling it
//! before that file is loaded traps. Therefore only the async function that first loads the file can call it: the part can be
//! used only through its object, and the object exists only once the chunk is loaded.
//!
//! The build (`scripts/build-wasm.mjs`) cuts the wasm at these functions. Code that only one chunk uses goes into its file;
//! code that is also called from or inlined elsewhere does not.

use super::{
    error::error_of,
    http::{PageRequests, RequestsChunk},
};
use crate::{
    conversation::{DraftFiles, Drafts},
    error::{Error, ErrorCode, Result},
    llm::{
        anthropic::AnthropicMessages, chat_completions::ChatCompletions, responses::Responses,
        text_tools::TextTools, wire_api::WireApi,
    },
    skills::{AgentSkills, Skills},
    wasm_file,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Promise};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

macro_rules! chunks {
    ($($file:ident { $($(#[$doc:meta])* $number:literal $name:ident: $role:ty = $made:expr;)* })*) => { $($(
        $(#[$doc])*
        ///
        /// # Errors
        /// The error of the TypeScript side if the file cannot be loaded; the next call tries again.
        #[allow(unsafe_code, reason = "to the compiler a function in another wasm file is an extern one")]
        #[allow(improper_ctypes, improper_ctypes_definitions, reason = "both sides are compiled together")]
        pub(super) async fn $name() -> Result<Rc<$role>> {
            // The splitter finds the two sides by these names; the number tells the functions of a chunk apart.
            #[link(wasm_import_module = "__wasm_split_placeholder__")]
            unsafe extern "C" {
                #[link_name = concat!("__wasm_split_00", stringify!($file), "00_import_0000000000000000000000000000000", $number)]
                fn imported() -> Rc<$role>;
            }
            #[unsafe(export_name = concat!("__wasm_split_00", stringify!($file), "00_export_0000000000000000000000000000000", $number))]
            extern "C" fn exported() -> Rc<$role> {
                Rc::new($made)
            }
            load(stringify!($file)).await?;
            // SAFETY: this calls `exported`, which has the same type, and its file has just been loaded.
            Ok(unsafe { imported() })
        }
    )*)* };
}

chunks! {
    // What asks models.
    run {
        /// Requests to models, over any wire API.
        0 requests: dyn PageRequests = RequestsChunk;
        /// Chat Completions.
        1 chat: dyn WireApi = ChatCompletions;
        /// The Responses API.
        2 responses: dyn WireApi = Responses;
        /// Anthropic Messages.
        3 anthropic: dyn WireApi = AnthropicMessages;
        /// Drafts of answers, and the ids of background responses.
        4 drafts: dyn Drafts = DraftFiles;
    }
    // What agents do beside asking a model.
    agent {
        /// Tools in text.
        0 text_tools: dyn WireApi = TextTools;
        /// Skills and the rest of an agent's context.
        1 skills: dyn Skills = AgentSkills;
    }
}

thread_local! {
    static LOADER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Sets the function that loads chunks: it takes the name of a chunk and returns a promise, or nothing if the chunk is
/// there. With `true` as its second argument the promise is also fulfilled if the chunk cannot be loaded.
#[wasm_bindgen(js_name = loadChunksWith)]
pub fn load_chunks_with(loader: Function) {
    let load = loader.clone();
    wasm_file::load_with(Rc::new(move |name| load_by(Some(load.clone()), name)));
    LOADER.set(Some(loader));
}

/// Begins to load a chunk that will be needed soon. A failure is left to the function that needs it.
pub(super) fn load_ahead(name: &'static str) {
    if let Some(loader) = LOADER.with_borrow(Clone::clone) {
        // The promise is always fulfilled.
        let _ = loader.call2(&JsValue::UNDEFINED, &name.into(), &true.into());
    }
}

/// Loads a chunk before it is used, with a function that may wait for the network; without one this does nothing.
pub(super) fn load_with(loader: Option<Function>, name: &'static str) -> LocalBoxFuture<'static, Result<()>> {
    match loader {
        Some(loader) => load_by(Some(loader), name),
        None => Box::pin(async { Ok(()) }),
    }
}

fn load(name: &'static str) -> LocalBoxFuture<'static, Result<()>> {
    load_by(LOADER.with_borrow(Clone::clone), name)
}

/// Boxed, so that the main file has this code once and not for each chunk.
fn load_by(loader: Option<Function>, name: &'static str) -> LocalBoxFuture<'static, Result<()>> {
    Box::pin(async move {
        let Some(loader) = loader else {
            return Err(Error::new(
                ErrorCode::Internal,
                "no loader for chunks is set; call loadChunksWith first",
            ));
        };
        let loading = loader.call1(&JsValue::UNDEFINED, &name.into()).map_err(|thrown| error_of(&thrown))?;
        if loading.is_undefined() {
            // The chunk is there: a method does not lose its place to one that is called later.
            return Ok(());
        }
        let loaded = JsFuture::from(Promise::resolve(&loading)).await;
        loaded.map(drop).map_err(|thrown| error_of(&thrown))
    })
}
