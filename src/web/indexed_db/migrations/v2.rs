//! The second version: a table for what threads have shown last, by conversation. `js/ui/thread/picture.ts` reads and writes it;
//! here it is made, and its rows go with their conversations.

use idb::{Database, ObjectStoreParams};

pub(in super::super) const PICTURES: &str = "pictures";

pub(in super::super) fn upgrade(database: &Database) -> Result<(), idb::Error> {
    database.create_object_store(PICTURES, ObjectStoreParams::new())?;
    Ok(())
}
