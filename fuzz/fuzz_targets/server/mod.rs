//! A copy of a conversation on an agent server, which is told any texts. The input is text; bytes below 32 stand for common parts
//! of what a server sends, and each line is one text.
#![allow(dead_code, reason = "each target uses a part of it")]

use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use std::{cell::Cell, future::ready, rc::Rc, time::Duration};
use threadkeep::{
    host::Host,
    id::ConversationId,
    json::is_json,
    server::{Given, ServerCopy},
    store::{MemoryStore, Store},
};
use uuid::Uuid;

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

const STATE: &str = concat!(
    r#"{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","agent":{"kind":"Agent","llm":{"model":"m"}},"#,
    r#""workspace":{"kind":"LocalWorkspace","working_dir":"/w"},"execution_status":"idle","tags":{}}"#
);

const MESSAGE: &str = concat!(
    r#"{"id":"aaaaaaaa-0000-4000-8000-000000000000","timestamp":"2026-01-31T09:15:02.1","source":"user","llm_message":"#,
    r#"{"role":"user","content":[{"type":"text","text":"é 1e-05"}]},"kind":"MessageEvent"}"#
);

const UPDATE: &str = concat!(
    r#"{"id":"bbbbbbbb-0000-4000-8000-000000000000","timestamp":"2026-01-31T09:15:02.2","source":"environment","#,
    r#""kind":"ConversationStateUpdateEvent","key":""#
);

const PARTS: [&str; 32] = [
    r#"{"items":["#,
    r#"],"next_page_id":null}"#,
    r#"{"type":"durable","seq":"#,
    r#","event":"#,
    r#"{"type":"transient","event":"#,
    r#"{"type":"sync","through_seq":"#,
    r#"{"type":"item_started","item_id":""#,
    r#"{"type":"delta","item_id":""#,
    r#"","attempt":"#,
    r#","order":"#,
    "\n",
    r#","kind":"reasoning","content":""#,
    r#"{"type":"item_aborted","item_id":""#,
    MESSAGE,
    UPDATE,
    r#"execution_status","value":"#,
    r#"full_state","value":"#,
    r#"stats","value":"#,
    STATE,
    r#""id":"#,
    r#","tags":{"#,
    r#","leaf_event_id":"#,
    r#""aaaaaaaa-0000-4000-8000-000000000000""#,
    "1e-05",
    "1.5e-07",
    "18446744073709551615",
    r#"{"kind":"StreamingDeltaEvent","timestamp":"","content":""#,
    r#""running""#,
    "\\ud83d",
    "null",
    "\"",
    "}",
];

struct Clock(Cell<u128>);

impl Host for Clock {
    fn now(&self) -> f64 {
        1_000.0
    }

    fn local_time(&self) -> String {
        "2026-01-31T09:15:02.123456".to_owned()
    }

    fn random_uuid(&self) -> Uuid {
        self.0.set(self.0.get() + 1);
        Uuid::from_u128(self.0.get())
    }

    fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}

/// The copy and its store.
pub struct Told {
    store: MemoryStore,
    copy: ServerCopy,
}

impl Told {
    /// A copy of which only the description is known.
    pub fn new() -> Self {
        let store = MemoryStore::new();
        let id: ConversationId = ID.parse().expect("it is an id");
        let copy =
            ServerCopy::new(Rc::new(store.another()), Rc::new(Clock(Cell::new(0))), id, "http://127.0.0.1");
        let told = Self { store, copy };
        block_on(told.copy.open()).expect("nothing is stored");
        told.take(Given::Info { length: 0, text: STATE });
        assert!(block_on(told.store.load(id)).expect("memory does not fail").is_some());
        told
    }

    /// Tells it something. What is stored then is a conversation.
    pub fn take(&self, given: Given<'_>) {
        let _ = block_on(self.copy.take(&[given]));
        let _ = block_on(self.copy.cursor());
        let id = self.copy.id();
        if let Some(listing) = block_on(self.store.load(id)).expect("memory does not fail") {
            assert!(is_json(&listing.base_state));
            let events = block_on(self.store.events(id, 0..u64::MAX)).expect("memory does not fail");
            assert_eq!(events.len() as u64, listing.length);
            assert!(events.iter().all(|event| is_json(&event.json)));
        }
    }

    /// What a page does between two things that it is told.
    pub fn use_outbox(&self, text: &str) {
        let kept = block_on(self.copy.keep(text));
        let _ = block_on(self.copy.next());
        if let Ok(kept) = kept {
            let _ = block_on(self.copy.take_back(kept.id()));
        }
        let _ = block_on(self.copy.ensure_at_rest());
    }

    /// The last event, from which a page is asked for.
    pub fn last(&self) -> String {
        let last = block_on(self.copy.last()).ok().flatten();
        last.map_or_else(String::new, |last| last.as_str().to_owned())
    }

    /// The socket is opened anew.
    pub fn reconnect(&self) {
        self.copy.reconnect();
    }
}

/// The lines of an input.
pub fn lines(bytes: &[u8]) -> Vec<String> {
    let text: String = String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| PARTS.get(c as usize).map_or_else(|| c.to_string(), |part| (*part).to_owned()))
        .collect();
    text.lines().map(str::to_owned).collect()
}
