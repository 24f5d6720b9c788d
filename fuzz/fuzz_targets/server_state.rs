//! Descriptions of a conversation and whole states from an agent server with any text, and what is sent there.
#![no_main]

mod server;

use libfuzzer_sys::fuzz_target;
use server::{Told, lines};
use threadkeep::server::{Given, ServerCopy};

fuzz_target!(|bytes: &[u8]| {
    let told = Told::new();
    for (length, line) in lines(bytes).iter().enumerate() {
        ServerCopy::state_for_server(line);
        told.take(Given::Info { length: length as u64, text: line });
        told.take(Given::Event(&format!(
            r#"{{"kind":"ConversationStateUpdateEvent","key":"full_state","timestamp":"{length}","value":{line}}}"#
        )));
    }
});
