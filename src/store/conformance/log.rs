//! Reading the log: ranges, exact texts, ids, size.

use super::{Outcome, Place, base, conversation, event_id, expect, numbered, stored};
use crate::{
    id::EventId,
    store::{Commit, Durability},
};
use std::rc::Rc;

pub(super) async fn ranges_may_reach_beyond_the_end(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    // Other conversations come before and after this one in the order of ids; none of their events may be returned.
    for (n, other) in [(0, conversation(0)), (0, conversation(2))] {
        let commit = Commit { events: numbered(n..20), base_state: base("y"), ..Commit::new(n, 1.0) };
        store.commit(other, commit).await?;
    }
    let first = Commit { events: numbered(0..5), base_state: base("x"), ..Commit::new(0, 1.0) };
    store.commit(id, first).await?;
    for (requested, expected) in [
        (0..5, 0..5),
        (0..0, 0..0),
        (2..3, 2..3),
        (3..3, 0..0),
        (4..100, 4..5),
        (5..6, 0..0),
        (5..5, 0..0),
        (0..u64::MAX, 0..5),
        (1..9_007_199_254_740_993, 1..5),
        (u64::MAX..u64::MAX, 0..0),
        (9_007_199_254_740_993..u64::MAX, 0..0),
        #[expect(clippy::reversed_empty_ranges, reason = "a caller may compute one")]
        (4..2, 0..0),
    ] {
        expect(&format!("events {requested:?}"), &store.events(id, requested).await?, &stored(expected))?;
    }
    Ok(())
}

pub(super) async fn an_unknown_conversation_has_no_events(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    expect("load", &store.load(id).await?, &None)?;
    expect("events", &store.events(id, 0..10).await?, &Vec::new())?;
    expect("index_of", &store.index_of(id, &event_id(0)).await?, &None)?;
    expect("files", &store.files(id).await?, &Vec::new())?;
    expect("read_file", &store.read_file(id, "TASKS.json").await?, &None)
}

pub(super) async fn texts_come_back_exactly(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let texts: Vec<Rc<str>> = [
        "",
        " ",
        "{\"a\": 1.0, \"b\":1e400,\"c\":\"\\ud83d\"}\n",
        "not JSON",
        "a\0b",
        "\u{feff}{}",
        "Zürich 東京 \u{1F469}\u{200D}\u{1F52C} e\u{301} \u{e9} \u{fffd} \u{ffff} \u{10ffff}",
        "\r\n\t\u{2028}\u{2029}",
        "__proto__",
    ]
    .into_iter()
    .map(Rc::from)
    .collect();
    let events = (0..).map(event_id).zip(texts.iter().cloned()).collect();
    store.commit(id, Commit { events, base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    let found = place.open().await?.events(id, 0..100).await?;
    let found: Vec<_> = found.into_iter().map(|event| event.json).collect();
    expect("texts", &found, &texts)
}

pub(super) async fn the_index_of_an_id_is_its_first(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let ids = ["0f8fad5b", "0F8FAD5B", "aaaaaaaa", "0f8fad5b", "aaaaaaaa", "--------"];
    let mut events = Vec::new();
    for text in ids {
        events.push((parsed(text)?, text.into()));
    }
    store.commit(id, Commit { events, base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    let again = Commit { events: vec![(parsed("0F8FAD5B")?, "again".into())], ..Commit::new(6, 1.0) };
    store.commit(id, again).await?;
    for (text, index) in [
        ("0f8fad5b", Some(0)),
        ("0F8FAD5B", Some(1)),
        ("aaaaaaaa", Some(2)),
        ("--------", Some(5)),
        ("0f8fad5c", None),
        ("0f8fad5b0", None),
    ] {
        expect(text, &store.index_of(id, &parsed(text)?).await?, &index)?;
    }
    store.commit(id, Commit { truncate_to: Some(2), ..Commit::new(7, 1.0) }).await?;
    expect("kept by truncation", &store.index_of(id, &parsed("0f8fad5b")?).await?, &Some(0))?;
    expect("cut by truncation", &store.index_of(id, &parsed("aaaaaaaa")?).await?, &None)
}

/// A fork has events with the ids of those that it copied.
pub(super) async fn the_same_id_in_two_conversations_has_two_indices(place: &Place<'_>) -> Outcome {
    let (store, one, two) = (place.open().await?, conversation(1), conversation(2));
    store
        .commit(one, Commit { events: numbered(0..4), base_state: base("x"), ..Commit::new(0, 1.0) })
        .await?;
    let fork = Commit {
        events: [3, 1, 7].map(|n| (event_id(n), Rc::from("fork"))).into(),
        base_state: base("y"),
        ..Commit::new(0, 1.0)
    };
    store.commit(two, fork).await?;
    for (n, in_one, in_two) in
        [(0, Some(0), None), (1, Some(1), Some(1)), (3, Some(3), Some(0)), (7, None, Some(2))]
    {
        expect("index in the first", &store.index_of(one, &event_id(n)).await?, &in_one)?;
        expect("index in the fork", &store.index_of(two, &event_id(n)).await?, &in_two)?;
    }
    expect("events", &store.events(one, 0..100).await?, &stored(0..4))
}

pub(super) async fn an_event_of_a_megabyte(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let large: Rc<str> = "0123456789 äöü \u{1F600}".repeat(50_000).into();
    let events = vec![
        (event_id(0), "small".into()),
        (event_id(1), Rc::clone(&large)),
        (event_id(2), Rc::clone(&large)),
        (event_id(3), "small".into()),
    ];
    store.commit(id, Commit { events, base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    let found = place.open().await?.events(id, 0..10).await?;
    let lengths: Vec<_> = found.iter().map(|event| event.json.len()).collect();
    expect("lengths", &lengths, &vec![5, large.len(), large.len(), 5])?;
    expect("text", &found.get(1).map(|event| event.json == large), &Some(true))
}

pub(super) async fn ten_thousand_events_are_read_by_page(place: &Place<'_>) -> Outcome {
    const LENGTH: u64 = 10_000;
    const PAGE: u64 = 250;
    let (store, id) = (place.open().await?, conversation(1));
    for start in (0..LENGTH).step_by(1000) {
        let commit = Commit {
            events: numbered(start..start + 1000),
            base_state: base("x"),
            durability: Durability::Relaxed,
            ..Commit::new(start, 1.0)
        };
        store.commit(id, commit).await?;
    }
    let store = place.open().await?;
    expect("length", &store.loaded(id).await?.length, &LENGTH)?;
    for page in (0..LENGTH / PAGE).rev() {
        let range = page * PAGE..(page + 1) * PAGE;
        expect("page", &store.events(id, range.clone()).await?, &stored(range))?;
    }
    expect("tail", &store.events(id, LENGTH - 1..LENGTH + 5).await?, &stored(LENGTH - 1..LENGTH))?;
    for n in [0, 1, 4_999, 9_999] {
        expect("index_of", &store.index_of(id, &event_id(n)).await?, &Some(n))?;
    }
    expect("index_of", &store.index_of(id, &event_id(LENGTH)).await?, &None)
}

fn parsed(id: &str) -> Result<EventId, String> {
    id.parse().map_err(|error| format!("the suite used an invalid id: {error}"))
}
