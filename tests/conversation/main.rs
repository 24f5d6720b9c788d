//! Tests of conversations through their verbs, with a scripted model that checks every request.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod approval;
mod attachments;
mod commands;
mod condensing;
mod confirmation;
mod crash;
mod critics;
mod deciding;
mod drafts;
mod editing;
mod interop;
mod scripted_store;
mod files;
mod file_versions;
mod follower;
mod fork;
mod histories;
mod hooks;
mod kept_drafts;
mod background;
mod limits;
mod live;
mod long_memory;
mod loop_;
mod opening;
mod queue;
mod partial;
mod run_result;
mod servers;
mod shown_answers;
mod side_calls;
mod skills;
mod status;
mod stopping;
mod stuck_detector;
mod subagents;
mod support;
mod switch_llm;
mod text_tools;
mod token_counts;
mod token_limits;
mod tree;
mod taking_over;
mod two_writers;
