//! Pages of events of an agent server with any text, asked for from the last event of the copy, from the first, or from any.
#![no_main]

mod server;

use libfuzzer_sys::fuzz_target;
use server::{Told, lines};
use threadkeep::server::Given;

fuzz_target!(|bytes: &[u8]| {
    let told = Told::new();
    for line in lines(bytes) {
        let last = told.last();
        match line.split_once('@') {
            Some((from, text)) => told.take(Given::Page { from, text }),
            None => told.take(Given::Page { from: &last, text: &line }),
        }
        told.use_outbox(&line);
    }
});
