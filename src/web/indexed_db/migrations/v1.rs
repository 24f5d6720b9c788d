//! The first version: heads, rows, pages of ids, files. `store::rows` describes them.

use idb::{Database, IndexParams, KeyPath, ObjectStoreParams};

pub(in super::super) const CONVERSATIONS: &str = "conversations";
pub(in super::super) const EVENTS: &str = "events";
pub(in super::super) const PAGES: &str = "pages";
pub(in super::super) const FILES: &str = "files";
pub(in super::super) const PAGES_BY_ID: &str = "ids";

pub(in super::super) fn upgrade(database: &Database) -> Result<(), idb::Error> {
    let mut by_conversation = ObjectStoreParams::new();
    by_conversation.key_path(Some(KeyPath::new_single("conversation")));
    database.create_object_store(CONVERSATIONS, by_conversation)?;
    database.create_object_store(EVENTS, ObjectStoreParams::new())?;
    database.create_object_store(FILES, ObjectStoreParams::new())?;
    let pages = database.create_object_store(PAGES, ObjectStoreParams::new())?;
    let mut each_id = IndexParams::new();
    each_id.multi_entry(true);
    pages.create_index(PAGES_BY_ID, KeyPath::new_single("ids"), Some(each_id))?;
    Ok(())
}
