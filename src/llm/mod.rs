//! Models: what is said to them and what comes back, one file per wire API.
//!
//! Knows nothing of events or conversations. Performs no I/O of its own: requests go through [`transport::HttpClient`].

pub mod message;
pub mod transport;
