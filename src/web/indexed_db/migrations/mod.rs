//! One module per version: the names it introduced, and how to get there from the version before.

pub(super) mod v1;
