//! The field of `base_state.json` that marks the copy of a conversation which an agent server runs. Such a conversation is
//! written by nobody here, because its log goes on there. An export leaves the field out, and so does a fork.

/// The name of the field. Its value is an object with the fields below.
pub const SERVER: &str = "threadkeep_server";

/// The address of the server, such as `http://127.0.0.1:8000`.
pub const HOST: &str = "host";

/// Whether the conversation is on the way to the server, which has not told of it yet; absent otherwise.
pub const MOVING: &str = "moving";

/// How many events the server has but cannot read itself, so that no client gets them; absent if there are none.
pub const SKIPPED: &str = "skipped";

/// The messages of the user that the server does not have for certain, in their order, and the last ones that arrived: objects
/// with [`MESSAGE`], [`SINCE`], [`RUNS`], [`UNLOGGED`] and [`ARRIVED`]. Absent if there are none.
pub const OUTBOX: &str = "outbox";

/// The `MessageEvent` under the id that the message has until it is in the log.
pub const MESSAGE: &str = "event";

/// The length of the log when the message was sent for the first time: its event is behind that. Absent until then.
pub const SINCE: &str = "since";

/// Whether the agent is to go on with the message.
pub const RUNS: &str = "runs";

/// Whether the server has taken the message and has not logged it in time; absent otherwise.
pub const UNLOGGED: &str = "unlogged";

/// The id of its event, once it is in the log.
pub const ARRIVED: &str = "arrived";

/// The ids of the actions that a page has begun to carry out for the server's agent, as long as the log has no result; absent
/// if there are none.
pub const BEGUN: &str = "begun";
