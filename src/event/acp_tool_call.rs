//! A call that an agent in a subprocess has made by itself.
//!
//! Mirrors `event/acp_tool_call.py`.

use crate::{event::body::event_body, json::RawJson};

event_body! {
    /// A call as the agent client protocol reports it; never sent to a model.
    ACPToolCallEvent {
        /// The call's id.
        required tool_call_id: String,
        /// A title for people.
        required title: String,
        /// The progress, in the terms of the protocol.
        optional status: String,
        /// The kind of tool, in the terms of the protocol.
        optional tool_kind: String,
        /// The arguments.
        optional raw_input: RawJson,
        /// The result.
        optional raw_output: RawJson,
        /// The result as the protocol's content blocks.
        optional content: Vec<RawJson>,
        /// Whether the call failed.
        defaulted is_error: bool,
    }
}
