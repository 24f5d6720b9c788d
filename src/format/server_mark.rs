//! The field of `base_state.json` that marks the copy of a conversation which an agent server runs. Such a conversation is
//! written by nobody here, because its log goes on there. An export leaves the field out, and so does a fork.

/// The name of the field. Its value is an object with the fields below.
pub const SERVER: &str = "threadkeep_server";

/// The address of the server, such as `http://127.0.0.1:8000`.
pub const HOST: &str = "host";

/// How many events the server has but cannot read itself, so that no client gets them; absent if there are none.
pub const SKIPPED: &str = "skipped";
