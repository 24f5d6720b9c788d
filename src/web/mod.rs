//! The core's traits on the web's own interfaces. Knows nothing of agents.

pub mod guard;
pub mod indexed_db;
pub mod locks;
