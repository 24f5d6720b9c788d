//! The core's traits, implemented with the APIs of browsers and Node. Does not depend on agents and conversations.

pub mod fetch;
pub mod guard;
pub mod host;
pub mod host_store;
pub mod indexed_db;
pub mod leaving;
pub mod locks;
pub mod store_values;
