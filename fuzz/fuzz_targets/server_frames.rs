//! Frames of the two sockets of an agent server with any text, between connections and messages of the user.
#![no_main]

mod server;

use libfuzzer_sys::fuzz_target;
use server::{Told, lines};
use threadkeep::server::Given;

fuzz_target!(|bytes: &[u8]| {
    let told = Told::new();
    for line in lines(bytes) {
        match line.split_at_checked(1) {
            Some(("c", _)) => told.reconnect(),
            Some(("m", text)) => told.use_outbox(text),
            Some(("e", text)) => told.take(Given::Event(text)),
            _ => told.take(Given::Session(&line)),
        }
    }
});
