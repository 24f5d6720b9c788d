//! The chunks of the wasm that a page loads when it needs them.
//!
//! A chunk is one object behind a trait. What makes the object is in the chunk's file, and a call of it before that file is
//! loaded is a trap. So nobody has it but the async function that loads the file first: there is no other way to a
//! chunk than through the object, and no object before the chunk is there.
//!
//! The build (`scripts/build.mjs`) cuts the wasm at these functions. What only one chunk reaches goes into its file; what
//! anything else reaches, by a call or by inlining, does not.

use super::{
    archive::Archives, archive_chunk::ArchiveChunk, error::error_of, messages::Messages,
    messages_chunk::MessagesChunk, store::Stores, stores_chunk::StoresChunk,
};
use crate::{
    error::{Error, ErrorCode, Result},
    llm::{anthropic::AnthropicMessages, responses::Responses, text_tools::TextTools, wire_api::WireApi},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Promise};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

macro_rules! chunks {
    ($($(#[$doc:meta])* $name:ident: $role:ty = $made:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// What the TypeScript side says of a file that does not load; the next call tries again.
        #[allow(unsafe_code, reason = "a function in another file is a foreign one to the compiler")]
        #[allow(improper_ctypes, improper_ctypes_definitions, reason = "both sides are compiled together")]
        pub(super) async fn $name() -> Result<Rc<$role>> {
            // By these names the splitter knows the two sides. The digits would tell several functions of a chunk apart.
            #[link(wasm_import_module = "__wasm_split_placeholder__")]
            unsafe extern "C" {
                #[link_name = concat!("__wasm_split_00", stringify!($name), "00_import_00000000000000000000000000000000")]
                fn imported() -> Rc<$role>;
            }
            #[unsafe(export_name = concat!("__wasm_split_00", stringify!($name), "00_export_00000000000000000000000000000000"))]
            extern "C" fn exported() -> Rc<$role> {
                Rc::new($made)
            }
            // The wasm that is built for tests is a single file.
            if cfg!(feature = "testing") {
                return Ok(Rc::new($made));
            }
            load(stringify!($name)).await?;
            // SAFETY: it is the function above, and the file that it is in has just been loaded.
            Ok(unsafe { imported() })
        }
    )* };
}

chunks! {
    /// The Responses API.
    responses: dyn WireApi = Responses;
    /// Anthropic Messages.
    anthropic: dyn WireApi = AnthropicMessages;
    /// Tools in text.
    text_tools: dyn WireApi = TextTools;
    /// Stores other than IndexedDB, and calling a store from JavaScript.
    stores: dyn Stores = StoresChunk;
    /// Zip archives.
    archive: dyn Archives = ArchiveChunk;
    /// Conversations in the forms of other programs.
    messages: dyn Messages = MessagesChunk;
}

thread_local! {
    static LOADER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Says how chunks are loaded: a function of a chunk's name that returns a promise.
#[wasm_bindgen(js_name = loadChunksWith)]
pub fn load_chunks_with(loader: Function) {
    LOADER.set(Some(loader));
}

/// Boxed, so that a page downloads it once and not for each chunk.
fn load(name: &'static str) -> LocalBoxFuture<'static, Result<()>> {
    Box::pin(async move {
        let Some(loader) = LOADER.with_borrow(Clone::clone) else {
            return Err(Error::new(ErrorCode::Internal, "nobody has said how chunks are loaded"));
        };
        let loading = loader.call1(&JsValue::UNDEFINED, &name.into()).map_err(|thrown| error_of(&thrown))?;
        let loaded = JsFuture::from(Promise::resolve(&loading)).await;
        loaded.map(drop).map_err(|thrown| error_of(&thrown))
    })
}
