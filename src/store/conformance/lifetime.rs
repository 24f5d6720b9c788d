//! Handles, reopening, deletion, closing.

use super::{Handle, Outcome, Place, base, conversation, event_id, expect, numbered, store_path, stored};
use crate::store::{Commit, StoreError};
use futures_util::future::join;

async fn fill(store: &Handle, n: u32) -> Outcome {
    let commit = Commit {
        events: numbered(0..5),
        base_state: base("x"),
        files: vec![(store_path("f")?, Some(vec![1])), (store_path("g/h")?, Some(vec![2]))],
        ..Commit::new(0, 1.0)
    };
    store.commit(conversation(n), commit).await
}

pub(super) async fn another_handle_sees_what_is_committed(place: &Place<'_>) -> Outcome {
    let (one, two, id) = (place.open().await?, place.open().await?, conversation(1));
    fill(&one, 1).await?;
    for (n, (writer, reader)) in
        (5..).zip([(&two, &one), (&one, &two), (&two, &one), (&two, &one), (&one, &two)])
    {
        let text = format!("state {n}");
        writer
            .commit(id, Commit { events: numbered(n..n + 1), base_state: base(&text), ..Commit::new(n, 1.0) })
            .await?;
        let listing = reader.loaded(id).await?;
        expect("length", &listing.length, &(n + 1))?;
        expect("base state", &&*listing.base_state, &text.as_str())?;
        expect("event", &reader.events(id, n..n + 1).await?, &stored(n..n + 1))?;
    }
    Ok(())
}

pub(super) async fn commits_can_be_read_after_reopening(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    fill(&store, 1).await?;
    store.0.close();
    let store = place.open().await?;
    expect("length", &store.loaded(id).await?.length, &5)?;
    expect("events", &store.events(id, 0..9).await?, &stored(0..5))?;
    expect("index_of", &store.index_of(id, &event_id(4)).await?, &Some(4))?;
    expect("file", &store.read_file(id, "g/h").await?, &Some(vec![2]))?;
    store.commit(id, Commit { events: numbered(5..6), ..Commit::new(5, 2.0) }).await?;
    expect("events", &store.events(id, 0..9).await?, &stored(0..6))
}

pub(super) async fn deletion_leaves_nothing(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.delete(id).await?;
    fill(&store, 1).await?;
    store.delete(id).await?;
    expect("load", &store.load(id).await?, &None)?;
    expect("list", &store.list().await?, &Vec::new())?;
    expect("events", &store.events(id, 0..9).await?, &Vec::new())?;
    expect("index_of", &store.index_of(id, &event_id(0)).await?, &None)?;
    expect("files", &store.files(id).await?, &Vec::new())?;
    expect("file", &store.read_file(id, "f").await?, &None)?;
    store.delete(id).await?;
    let again = Commit { events: numbered(0..1), base_state: base("y"), ..Commit::new(0, 50.0) };
    store.commit(id, again).await?;
    let listing = store.loaded(id).await?;
    expect("times", &(listing.created_at, listing.updated_at), &(50.0, 50.0))?;
    expect("length", &listing.length, &1)?;
    expect("files", &store.files(id).await?, &Vec::new())
}

pub(super) async fn deletion_leaves_other_conversations_unchanged(place: &Place<'_>) -> Outcome {
    let store = place.open().await?;
    for n in [1, 2, 3] {
        fill(&store, n).await?;
    }
    store.delete(conversation(2)).await?;
    for n in [1, 3] {
        let id = conversation(n);
        expect("length", &store.loaded(id).await?.length, &5)?;
        expect("events", &store.events(id, 0..9).await?, &stored(0..5))?;
        expect("index_of", &store.index_of(id, &event_id(4)).await?, &Some(4))?;
        expect("file", &store.read_file(id, "f").await?, &Some(vec![1]))?;
    }
    expect("list", &store.list().await?.len(), &2)
}

pub(super) async fn deletion_ends_an_unfinished_import(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let files = vec![(store_path("f")?, Some(vec![1]))];
    store.commit(id, Commit { events: numbered(0..3), files, ..Commit::new(0, 1.0) }).await?;
    store.delete(id).await?;
    store.commit(id, Commit { events: numbered(7..9), base_state: base("x"), ..Commit::new(0, 5.0) }).await?;
    expect("length", &store.loaded(id).await?.length, &2)?;
    expect("a removed id", &store.index_of(id, &event_id(0)).await?, &None)?;
    expect("files", &store.files(id).await?, &Vec::new())
}

pub(super) async fn a_writer_of_a_deleted_conversation_conflicts(place: &Place<'_>) -> Outcome {
    let (writer, other, id) = (place.open().await?, place.open().await?, conversation(1));
    fill(&writer, 1).await?;
    other.delete(id).await?;
    writer
        .conflict(id, Commit { events: numbered(5..6), base_state: base("y"), ..Commit::new(5, 2.0) })
        .await?;
    expect("load", &writer.load(id).await?, &None)?;
    expect("events", &writer.events(id, 0..9).await?, &Vec::new())?;
    let shorter = Commit { events: numbered(0..2), base_state: base("z"), ..Commit::new(0, 3.0) };
    other.commit(id, shorter).await?;
    writer
        .conflict(id, Commit { events: numbered(5..6), base_state: base("y"), ..Commit::new(5, 4.0) })
        .await?;
    let listing = writer.loaded(id).await?;
    expect("base state", &&*listing.base_state, &"z")?;
    writer.commit(id, Commit { base_state: base("y"), ..Commit::new(2, 5.0) }).await?;
    let listing = other.loaded(id).await?;
    expect("times", &(listing.created_at, listing.updated_at), &(3.0, 5.0))
}

/// Also if the new log is as long as the old one was.
pub(super) async fn a_writer_of_a_conversation_that_was_created_again_conflicts(
    place: &Place<'_>,
) -> Outcome {
    let (writer, other, id) = (place.open().await?, place.open().await?, conversation(1));
    fill(&writer, 1).await?;
    let next = |from, created_at| Commit {
        events: numbered(from..from + 1),
        base_state: base("y"),
        created_at: Some(created_at),
        ..Commit::new(from, 60.0)
    };
    writer.commit(id, next(5, 1.0)).await?;
    other.delete(id).await?;
    writer.conflict(id, next(6, 1.0)).await?;
    other
        .commit(id, Commit { events: numbered(0..6), base_state: base("z"), ..Commit::new(0, 50.0) })
        .await?;
    writer.conflict(id, next(6, 1.0)).await?;
    writer.conflict(id, Commit { events: Vec::new(), ..next(6, 1.0) }).await?;
    let listing = writer.loaded(id).await?;
    expect("base state", &&*listing.base_state, &"z")?;
    expect("events", &writer.events(id, 0..9).await?, &stored(0..6))?;
    other.commit(id, next(6, 50.0)).await?;
    expect("events", &writer.events(id, 0..9).await?, &stored(0..7))
}

pub(super) async fn a_closed_store_fails_with_closed(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    fill(&store, 1).await?;
    store.0.close();
    store.0.close();
    let path = store_path("f")?;
    let event = event_id(0);
    let closed = Some(StoreError::Closed);
    let append = Commit { events: numbered(5..6), ..Commit::new(5, 2.0) };
    expect("list", &store.0.list().await.err(), &closed)?;
    expect("load", &store.0.load(id).await.err(), &closed)?;
    expect("events", &store.0.events(id, 0..1).await.err(), &closed)?;
    expect("index_of", &store.0.index_of(id, &event).await.err(), &closed)?;
    expect("commit", &store.0.commit(id, append).await.err(), &closed)?;
    expect("files", &store.0.files(id, None).await.err(), &closed)?;
    expect("read_file", &store.0.read_file(id, &path).await.err(), &closed)?;
    expect("delete", &store.0.delete(id).await.err(), &closed)?;
    expect("events", &place.open().await?.events(id, 0..9).await?, &stored(0..5))
}

pub(super) async fn closing_one_handle_leaves_the_others_open(place: &Place<'_>) -> Outcome {
    let (one, two, id) = (place.open().await?, place.open().await?, conversation(1));
    fill(&one, 1).await?;
    one.0.close();
    two.commit(id, Commit { events: numbered(5..6), ..Commit::new(5, 2.0) }).await?;
    expect("events", &two.events(id, 0..9).await?, &stored(0..6))
}

pub(super) async fn reading_while_writing_sees_complete_commits(place: &Place<'_>) -> Outcome {
    const BATCH: u64 = 7;
    let (writer, reader, id) = (place.open().await?, place.open().await?, conversation(1));
    let first = Commit { events: numbered(0..BATCH), base_state: base("7"), ..Commit::new(0, 1.0) };
    writer.commit(id, first).await?;
    for batch in 1..12 {
        let (start, end) = (batch * BATCH, (batch + 1) * BATCH);
        let commit = Commit {
            events: numbered(start..end),
            base_state: base(&end.to_string()),
            ..Commit::new(start, 1.0)
        };
        let read = async {
            let events = reader.events(id, 0..1000).await?;
            let listing = reader.loaded(id).await?;
            expect("events of an incomplete commit", &(events.len() as u64 % BATCH), &0)?;
            expect("events", &events, &stored(0..events.len() as u64))?;
            expect(
                "base state of the same commit",
                &&*listing.base_state,
                &listing.length.to_string().as_str(),
            )
        };
        let (wrote, read) = join(writer.commit(id, commit), read).await;
        wrote?;
        read?;
    }
    Ok(())
}
