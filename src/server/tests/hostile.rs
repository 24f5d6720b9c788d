//! Texts that no honest server sends: each is stored as it is, or refused with an error.

use super::*;
use crate::json::is_json;

/// Given as a page, a frame of each socket, and a description, to a copy with and without events.
fn take_as_everything(text: &str) {
    let all: [fn(&str) -> Given<'_>; 4] =
        [|text| Given::Page { from: "", text }, |text| Given::Session(text), |text| Given::Event(text), info];
    for given in all {
        let store = MemoryStore::new();
        let copy = open(&store);
        let _ = block_on(copy.take(&[given(text)]));
        let (state, first) = (fields("idle", ""), page(&log(2), false));
        let told = [info(&state), Given::Page { from: "", text: &first }];
        if block_on(copy.take(&told)).is_ok() {
            let _ = block_on(copy.take(&[given(text), given(text)]));
            assert!(is_json(&state_of(&store).json()));
            assert!(log_of(&store).iter().all(|event| is_json(event)), "{text}");
        }
    }
}

#[test]
fn a_page_of_events_with_half_a_number_is_refused() {
    let copy = open(&MemoryStore::new());
    for text in ["é1e-05", "{\"items\":[é1e-05]}", "1e-0é", "e-0", "\"é\\", "\"a\"é.5e-07\"", "é", "[1e-05"]
    {
        let given = Given::Page { from: "", text };
        assert_eq!(block_on(copy.take(&[given])).unwrap_err().code(), ErrorCode::Network, "{text}");
        take_as_everything(text);
    }
}

#[test]
fn numbers_of_events_that_no_log_reaches_are_no_crash() {
    for number in [u64::MAX, u64::MAX - 1, i64::MAX as u64] {
        let sync = format!(r#"{{"type":"sync","from_seq":-1,"through_seq":{number}}}"#);
        let store = MemoryStore::new();
        let copy = open(&store);
        take(&copy, &[info(&fields("idle", ""))]);
        for frame in [&sync, &durable_at(number, 0), &durable_at(number, 1), &sync, &durable_at(0, 2)] {
            let _ = block_on(copy.take(&[Given::Session(frame)]));
            let _ = block_on(copy.cursor());
        }
    }
}

fn durable_at(number: u64, of: usize) -> String {
    format!(r#"{{"type":"durable","seq":{number},"event":{}}}"#, message(of, "x"))
}

/// Pieces that make what a server sends, and near misses.
fn near_answers() -> impl Strategy<Value = String> {
    let event = |number| message(number, "é 1e-05");
    let pieces = [
        r#"{"items":["#.into(),
        r#"],"next_page_id":null}"#.into(),
        r#"{"type":"durable","seq":2,"event":"#.into(),
        r#"{"type":"durable","seq":18446744073709551615,"event":"#.into(),
        r#"{"type":"transient","event":"#.into(),
        r#"{"type":"sync","through_seq":18446744073709551615}"#.into(),
        r#"{"type":"delta","item_id":"a","order":18446744073709551615,"content":"é"}"#.into(),
        r#"{"type":"item_started","item_id":"a"}"#.into(),
        event(0),
        event(2),
        update(2, "execution_status", "1.5e-05"),
        update(2, "tags", r#"{"é":[1e-07]}"#),
        update(2, "full_state", &fields("idle", r#","tags":{"é":1e-05}"#)),
        fields("running", r#","stats":{"a":5e-05}"#),
        "{".into(),
        "}".into(),
        "[".into(),
        "]".into(),
        ",".into(),
        ":".into(),
        "\"".into(),
        "\\".into(),
        "\\ud83d".into(),
        "é".into(),
        "😀".into(),
        "1e-05".into(),
        ".5e-0".into(),
        "e-07".into(),
        "null".into(),
        " ".into(),
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_of_a_server_is_a_crash(near in near_answers(), any in any::<String>()) {
        take_as_everything(&near);
        take_as_everything(&any);
    }
}
