//! The tables and the upgrades of the schema from version to version.
//!
//! Other modules use a [`Table`], never a version. A change of the schema needs a new version in [`Version`], a module in
//! `migrations/` and a line in [`Version::upgrade`].

use super::migrations::{v1, v2};
use crate::store::StoreError;
use idb::Database;
use wasm_bindgen::JsValue;

/// All versions of the schema, with the number that IndexedDB stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V1 = 1,
    V2 = 2,
}

impl Version {
    const ALL: &[Version] = &[Version::V1, Version::V2];

    /// The version that this code reads and writes.
    pub(super) const CURRENT: Version = Version::V2;

    /// Upgrades a database of the previous version to this one.
    fn upgrade(self, database: &Database) -> Result<(), idb::Error> {
        match self {
            Self::V1 => v1::upgrade(database),
            Self::V2 => v2::upgrade(database),
        }
    }
}

/// Upgrades a database from version `found`, 0 for an empty one, to the current version.
pub(super) fn migrate(database: &Database, found: u32) -> Result<(), StoreError> {
    for version in Version::ALL.iter().filter(|version| **version as u32 > found) {
        version.upgrade(database).map_err(super::failure::idb_failure)?;
    }
    Ok(())
}

/// An object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Conversations,
    Events,
    Pages,
    Files,
    Pictures,
}

impl Table {
    pub(super) const ALL: &[Table] =
        &[Table::Conversations, Table::Events, Table::Pages, Table::Files, Table::Pictures];

    /// The name as a JavaScript text that is made once: making one for each use measurably slows an append.
    #[expect(clippy::indexing_slicing, reason = "there is one for each variant")]
    pub(super) fn name(self) -> JsValue {
        NAMES.with(|names| names[self as usize].clone())
    }
}

thread_local! {
    /// The names, in the order of [`Table`].
    static NAMES: [JsValue; 5] =
        [v1::CONVERSATIONS, v1::EVENTS, v1::PAGES, v1::FILES, v2::PICTURES].map(JsValue::from_str);
}

/// The index of pages by their ids.
pub(super) const PAGES_BY_ID: &str = v1::PAGES_BY_ID;
