//! A call that a subprocess agent made by itself.
//!
//! Mirrors `event/acp_tool_call.py`.

use crate::{event::body::event_body, json::RawJson};

event_body! {
    /// A call as the agent client protocol reports it; never sent to a model.
    ACPToolCallEvent {
        /// The call's id.
        required tool_call_id: String,
        /// What it does, for people.
        required title: String,
        /// How far it is.
        optional status: String,
        /// The protocol's kind of tool.
        optional tool_kind: String,
        /// The arguments.
        optional raw_input: RawJson,
        /// The result.
        optional raw_output: RawJson,
        /// The result as the protocol's content blocks.
        optional content: Vec<RawJson>,
        /// Whether it failed.
        defaulted is_error: bool,
    }
}
