//! The tables, and the steps from one version of them to the next.
//!
//! Call sites name a [`Table`], never a version. A change of the schema is a version more in [`Version`], a module in
//! `migrations/` and a line in [`Version::upgrade`]; the compiler asks for the line.

use super::migrations::v1;
use crate::store::StoreError;
use idb::Database;
use wasm_bindgen::JsValue;

/// The versions there have been. The number is IndexedDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V1 = 1,
}

impl Version {
    const ALL: &[Version] = &[Version::V1];

    /// What this code reads and writes.
    pub(super) const CURRENT: Version = Version::V1;

    /// Takes a database of the version before to this one.
    fn upgrade(self, database: &Database) -> Result<(), idb::Error> {
        match self {
            Self::V1 => v1::upgrade(database),
        }
    }
}

/// Takes a database from `found`, 0 for an empty one, to the current version.
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
}

impl Table {
    pub(super) const ALL: &[Table] = &[Table::Conversations, Table::Events, Table::Pages, Table::Files];

    /// Its name as a JavaScript text, of which there is only one: making another for each use shows in an append.
    pub(super) fn name(self) -> JsValue {
        NAMES.with(|names| names.get(self as usize).cloned().unwrap_or_default())
    }
}

thread_local! {
    /// In the order of [`Table`].
    static NAMES: Vec<JsValue> =
        [v1::CONVERSATIONS, v1::EVENTS, v1::PAGES, v1::FILES].iter().map(|name| JsValue::from_str(name)).collect();
}

/// The index of pages by the ids that are on them.
pub(super) const PAGES_BY_ID: &str = v1::PAGES_BY_ID;
