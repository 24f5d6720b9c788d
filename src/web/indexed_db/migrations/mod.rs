//! One module per version of the schema: the names that it introduced, and the upgrade from the version before.

pub(super) mod v1;
pub(super) mod v2;
