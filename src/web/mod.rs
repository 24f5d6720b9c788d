//! The core's traits on what browsers and Node offer. Imports nothing of agents and conversations.

pub mod fetch;
pub mod guard;
pub mod host;
pub mod indexed_db;
pub mod leaving;
pub mod locks;
