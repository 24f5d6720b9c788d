//! The tables, and the steps from one version of them to the next.
//!
//! Call sites name a [`Table`], never a version. A change of the schema is a version more in [`Version`], a module in
//! `migrations/` and a line in [`Version::upgrade`]; the compiler asks for the line.

use super::migrations::v1;
use crate::store::StoreError;
use idb::Database;

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

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Conversations => v1::CONVERSATIONS,
            Self::Events => v1::EVENTS,
            Self::Pages => v1::PAGES,
            Self::Files => v1::FILES,
        }
    }
}

/// The index of pages by the ids that are on them.
pub(super) const PAGES_BY_ID: &str = v1::PAGES_BY_ID;
