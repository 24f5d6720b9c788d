//! Atomicity, compare-and-swap, base states, truncation.

use super::{
    Handle, Outcome, Place, base, conversation, event_id, expect, numbered, numbered_text, store_path, stored,
};
use crate::store::{Commit, Durability, Listing, StoreError};
use futures_util::future::{FutureExt as _, join, join_all};
use std::rc::Rc;

pub(super) async fn all_of_a_commit_is_stored(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let commit = Commit {
        events: numbered(0..3),
        base_state: base("{\"id\":1}"),
        files: vec![(store_path("TASKS.json")?, Some(b"[]".to_vec()))],
        ..Commit::new(0, 1000.5)
    };
    store.commit(id, commit).await?;
    let found = store.loaded(id).await?;
    let listing = Listing {
        conversation: id,
        base_state: "{\"id\":1}".into(),
        length: 3,
        created_at: 1000.5,
        updated_at: 1000.5,
        writer: found.writer.map(|_| 0),
    };
    expect("load", &found, &listing)?;
    expect("list", &store.list().await?, &vec![listing])?;
    expect("events", &store.events(id, 0..3).await?, &stored(0..3))?;
    expect("index_of", &store.index_of(id, &event_id(2)).await?, &Some(2))?;
    expect("files", &store.files(id).await?, &vec!["TASKS.json".to_owned()])?;
    expect("read_file", &store.read_file(id, "TASKS.json").await?, &Some(b"[]".to_vec()))
}

pub(super) async fn a_failed_commit_changes_nothing(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let first = Commit {
        events: numbered(0..4),
        base_state: base("before"),
        files: vec![(store_path("changed")?, Some(vec![1])), (store_path("other")?, Some(vec![2]))],
        ..Commit::new(0, 10.0)
    };
    store.commit(id, first).await?;
    for wrong in [0, 1, 3, 5, 4000] {
        let refused = Commit {
            truncate_to: Some(1),
            events: numbered(50..53),
            base_state: base("after"),
            files: vec![
                (store_path("changed")?, Some(vec![9])),
                (store_path("other")?, None),
                (store_path("new")?, Some(vec![9])),
            ],
            ..Commit::new(wrong, 20.0)
        };
        store.conflict(id, refused).await?;
        let listing = store.loaded(id).await?;
        expect("base state", &&*listing.base_state, &"before")?;
        expect("updated_at", &listing.updated_at, &10.0)?;
        expect("events", &store.events(id, 0..100).await?, &stored(0..4))?;
        expect("index_of", &store.index_of(id, &event_id(50)).await?, &None)?;
        expect("files", &store.files(id).await?, &vec!["changed".to_owned(), "other".to_owned()])?;
        expect("read_file", &store.read_file(id, "changed").await?, &Some(vec![1]))?;
    }
    store.commit(id, Commit { events: numbered(4..5), ..Commit::new(4, 20.0) }).await?;
    expect("events", &store.events(id, 0..100).await?, &stored(0..5))
}

pub(super) async fn only_the_known_length_is_accepted(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.conflict(id, Commit { base_state: base("x"), ..Commit::new(1, 1.0) }).await?;
    store.conflict(id, Commit { events: numbered(0..1), ..Commit::new(7, 1.0) }).await?;
    expect("load", &store.load(id).await?, &None)?;
    store.commit(id, Commit { base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    store.conflict(id, Commit { events: numbered(0..1), ..Commit::new(1, 2.0) }).await?;
    store.commit(id, Commit { events: numbered(0..2), ..Commit::new(0, 2.0) }).await?;
    for wrong in [0, 1, 3] {
        store.conflict(id, Commit { base_state: base("y"), ..Commit::new(wrong, 3.0) }).await?;
        store
            .conflict(id, Commit { files: vec![(store_path("f")?, None)], ..Commit::new(wrong, 3.0) })
            .await?;
        store.conflict(id, Commit::new(wrong, 3.0)).await?;
    }
    store.commit(id, Commit { base_state: base("z"), ..Commit::new(2, 3.0) }).await?;
    let listing = store.loaded(id).await?;
    expect("base state", &&*listing.base_state, &"z")?;
    expect("length", &listing.length, &2)
}

pub(super) async fn a_commit_without_content_moves_updated_at(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let first = Commit { events: numbered(0..1), base_state: base("x"), ..Commit::new(0, 1.0) };
    store.commit(id, first).await?;
    store.commit(id, Commit::new(1, 2.0)).await?;
    let listing = store.loaded(id).await?;
    expect("base state", &&*listing.base_state, &"x")?;
    expect("length", &listing.length, &1)?;
    expect("times", &(listing.created_at, listing.updated_at), &(1.0, 2.0))
}

pub(super) async fn updated_at_never_moves_backwards(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.commit(id, Commit { base_state: base("x"), ..Commit::new(0, 500.25) }).await?;
    store.commit(id, Commit { events: numbered(0..1), ..Commit::new(0, 900.75) }).await?;
    store.commit(id, Commit { base_state: base("y"), ..Commit::new(1, 700.0) }).await?;
    let listing = place.open().await?.loaded(id).await?;
    expect("base state", &&*listing.base_state, &"y")?;
    expect("times", &(listing.created_at, listing.updated_at), &(500.25, 900.75))
}

pub(super) async fn nothing_is_stored_of_a_commit_that_comes_too_late(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let first = Commit { events: numbered(0..2), base_state: base("x"), ..Commit::new(0, 1.0) };
    store.commit(id, first).await?;
    let other = place.open().await?;
    other.commit(id, Commit { events: numbered(2..3), ..Commit::new(2, 2.0) }).await?;
    let late = Commit { events: numbered(2..5), base_state: base("late"), ..Commit::new(2, 3.0) };
    store.conflict(id, Commit { files: vec![(store_path("late")?, Some(vec![1]))], ..late }).await?;
    let listing = store.loaded(id).await?;
    expect("log", &(listing.length, &*listing.base_state), &(3, "x"))?;
    expect("events", &store.events(id, 0..100).await?, &stored(0..3))?;
    expect("files", &store.files(id).await?, &Vec::new())
}

pub(super) async fn relaxed_commits_are_stored_too(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    for (n, durability) in [(0, Durability::Relaxed), (1, Durability::Strict), (2, Durability::Relaxed)] {
        let commit =
            Commit { events: numbered(n..n + 1), base_state: base("x"), durability, ..Commit::new(n, 1.0) };
        store.commit(id, commit).await?;
    }
    expect("events", &place.open().await?.events(id, 0..9).await?, &stored(0..3))
}

pub(super) async fn a_base_state_is_replaced_completely(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.commit(id, Commit { base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    for (n, text) in
        (0..).zip(["", "{}", "Zürich", "Zörich", "\u{1F600}", "\u{1F601}", "a\0b", "", "{ \"a\" : 1.0 }"])
    {
        store
            .commit(id, Commit { events: numbered(n..n + 1), base_state: base(text), ..Commit::new(n, 1.0) })
            .await?;
        expect("base state", &&*store.loaded(id).await?.base_state, &text)?;
    }
    store.commit(id, Commit { events: numbered(9..10), ..Commit::new(9, 1.0) }).await?;
    expect("base state", &&*store.loaded(id).await?.base_state, &"{ \"a\" : 1.0 }")
}

/// A store may write only the changed part of a large text; the result of every kind of change must be read back.
pub(super) async fn every_edit_of_a_large_base_state_is_read_back(place: &Place<'_>) -> Outcome {
    let (store, other, id) = (place.open().await?, place.open().await?, conversation(1));
    let agent = "{\"kind\":\"Agent\",\"text\":\"Zürich \u{1F600} äöü\"}".repeat(2000);
    let mut texts: Vec<String> =
        ["idle", "running", "running", "f", "", "\u{1F600}", "\u{1F601}", "finished"]
            .iter()
            .map(|status| format!("{{\"agent\":{agent},\"status\":\"{status}\",\"tail\":\"{agent}\"}}"))
            .collect();
    texts.push(format!("new start{agent}"));
    texts.push(format!("new start{agent}new end"));
    texts.push(agent.clone());
    texts.push(agent.replace('Z', "\u{1F600}"));
    texts.push("small".to_owned());
    texts.push(agent.clone());
    texts.push(agent.chars().rev().collect());
    texts.push(format!("{agent}{agent}"));
    texts.push(agent);
    for (n, text) in (0..).zip(&texts) {
        // The handles take turns, so that neither may rely on the text that it wrote last.
        let writer = if n % 5 == 4 { &other } else { &store };
        writer
            .commit(id, Commit { events: numbered(n..n + 1), base_state: base(text), ..Commit::new(n, 1.0) })
            .await?;
        for reader in [&store, &other, &place.open().await?] {
            let found = reader.loaded(id).await?;
            expect(
                "base state",
                &(found.base_state.len(), &*found.base_state),
                &(text.len(), text.as_str()),
            )?;
            expect("length", &found.length, &(n + 1))?;
        }
    }
    let listed = store.list().await?;
    expect(
        "list",
        &listed.first().map(|listing| Some(&*listing.base_state) == texts.last().map(String::as_str)),
        &Some(true),
    )
}

/// A writer may remember how long the log is, and the log stays as long when only the base state changes.
pub(super) async fn a_base_state_committed_by_another_handle_stays(place: &Place<'_>) -> Outcome {
    let (one, two, id) = (place.open().await?, place.open().await?, conversation(1));
    let first = Commit { events: numbered(0..1), base_state: base("first"), ..Commit::new(0, 1.0) };
    one.commit(id, first).await?;
    for (n, text) in (1..).zip(["second", "a third and longer one", "4"]) {
        two.commit(id, Commit { base_state: base(text), ..Commit::new(n, 1.0) }).await?;
        one.commit(id, Commit { events: numbered(n..n + 1), ..Commit::new(n, 1.0) }).await?;
        for reader in [&one, &two] {
            let listing = reader.loaded(id).await?;
            expect("base state", &&*listing.base_state, &text)?;
            expect("length", &listing.length, &(n + 1))?;
        }
    }
    expect("events", &one.events(id, 0..9).await?, &stored(0..4))
}

pub(super) async fn of_two_writers_one_wins(place: &Place<'_>) -> Outcome {
    let (one, two, id) = (place.open().await?, place.open().await?, conversation(1));
    one.commit(id, Commit { base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    for n in 0..5 {
        let commit = |writer: &str| Commit {
            events: vec![(event_id(n), writer.into())],
            base_state: base(writer),
            ..Commit::new(n, 1.0)
        };
        let outcomes = join(one.0.commit(id, commit("one")), two.0.commit(id, commit("two"))).await;
        let winner = match outcomes {
            (Ok(()), Err(StoreError::Conflict { expected })) if expected == n => "one",
            (Err(StoreError::Conflict { expected }), Ok(())) if expected == n => "two",
            other => return Err(format!("expected one commit and one conflict, got {other:?}").into()),
        };
        let listing = one.loaded(id).await?;
        expect("base state", &&*listing.base_state, &winner)?;
        expect("length", &listing.length, &(n + 1))?;
        let tail = two.events(id, n..n + 1).await?;
        expect("event", &tail.first().map(|event| &*event.json), &Some(winner))?;
    }
    Ok(())
}

pub(super) async fn interleaved_writers_lose_nothing(place: &Place<'_>) -> Outcome {
    const EACH: u64 = 15;
    let id = conversation(1);
    let writers = join_all([0, 1, 2].map(|writer| async move {
        let store = place.open().await?;
        for n in 0..EACH {
            let event = writer * EACH + n;
            while !append_if_unchanged(&store, event).await? {}
        }
        Ok(())
    }))
    .await;
    writers.into_iter().collect::<Outcome>()?;
    let events = place.open().await?.events(id, 0..1000).await?;
    let indices: Vec<_> = events.iter().map(|event| event.index).collect();
    expect("indices", &indices, &(0..3 * EACH).collect())?;
    for writer in 0..3 {
        let own: Vec<_> = (writer * EACH..(writer + 1) * EACH).map(event_id).collect();
        let found: Vec<_> =
            events.iter().filter(|event| own.contains(&event.id)).map(|event| event.id.clone()).collect();
        expect("one writer's events in the order it wrote them", &found, &own)?;
    }
    Ok(())
}

async fn append_if_unchanged(store: &Handle, event: u64) -> Result<bool, String> {
    let id = conversation(1);
    let length = store.load(id).await?.map_or(0, |listing| listing.length);
    let commit = Commit {
        events: vec![(event_id(event), numbered_text(event))],
        base_state: base("x"),
        ..Commit::new(length, 1.0)
    };
    match store.0.commit(id, commit).await {
        Ok(()) => Ok(true),
        Err(StoreError::Conflict { .. }) => Ok(false),
        Err(error) => Err(format!("commit failed: {error}")),
    }
}

pub(super) async fn commits_under_way_together_keep_their_order(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.commit(id, Commit { base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    let commits = (0..20).map(|n| {
        let text = Rc::from(format!("state {n}"));
        store
            .0
            .commit(id, Commit { events: numbered(n..n + 1), base_state: Some(text), ..Commit::new(n, 1.0) })
    });
    for outcome in join_all(commits).await {
        outcome.map_err(|error| format!("commit failed: {error}"))?;
    }
    expect("events", &store.events(id, 0..100).await?, &stored(0..20))?;
    expect("base state", &&*store.loaded(id).await?.base_state, &"state 19")
}

pub(super) async fn a_dropped_commit_is_stored_completely_or_not_at_all(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let mut length = 0;
    for round in 0..10 {
        let path = store_path(&format!("file {round}"))?;
        let commit = Commit {
            events: numbered(length..length + 3),
            base_state: base(&format!("{}", length + 3)),
            files: vec![(path, Some(vec![7]))],
            ..Commit::new(length, 1.0)
        };
        if round == 0 {
            store.commit(id, commit).await?;
        } else {
            let mut dropped = store.0.commit(id, commit);
            if round % 2 == 0 {
                // Polled once, so that its first request is under way.
                let _ = (&mut dropped).now_or_never();
            }
            drop(dropped);
            // A store in JavaScript may still be at it. The next commit waits until it is over, and conflicts with one that was stored.
            match store.0.commit(id, Commit::new(length, 1.0)).await {
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(format!("commit failed: {error}").into()),
            }
        }
        let listing = place.open().await?.loaded(id).await?;
        let is_stored = listing.length == length + 3;
        if !is_stored && listing.length != length {
            return Err(
                format!("half a commit was stored: {} events instead of 3", listing.length - length).into()
            );
        }
        expect("base state", &&*listing.base_state, &listing.length.to_string().as_str())?;
        let file = store.read_file(id, &format!("file {round}")).await?;
        expect("its file is stored", &file.is_some(), &is_stored)?;
        length = listing.length;
        expect("events", &store.events(id, 0..1000).await?, &stored(0..length))?;
    }
    Ok(())
}

pub(super) async fn truncation_cuts_before_it_appends(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let first = Commit { events: numbered(0..6), base_state: base("x"), ..Commit::new(0, 1.0) };
    store.commit(id, first).await?;
    let cut = Commit {
        truncate_to: Some(4),
        events: numbered(10..13),
        files: vec![(store_path("quarantined")?, Some(b"torn".to_vec()))],
        ..Commit::new(6, 2.0)
    };
    store.commit(id, cut).await?;
    let found = store.events(id, 0..100).await?;
    let ids: Vec<_> = found.iter().map(|event| event.id.clone()).collect();
    expect("ids", &ids, &[0, 1, 2, 3, 10, 11, 12].map(event_id).to_vec())?;
    expect("length", &store.loaded(id).await?.length, &7)?;
    expect("a cut id", &store.index_of(id, &event_id(5)).await?, &None)?;
    expect("an appended id", &store.index_of(id, &event_id(10)).await?, &Some(4))?;
    expect("file", &store.read_file(id, "quarantined").await?, &Some(b"torn".to_vec()))?;
    store.conflict(id, Commit::new(6, 3.0)).await?;
    store.commit(id, Commit { truncate_to: Some(0), ..Commit::new(7, 3.0) }).await?;
    expect("events", &store.events(id, 0..100).await?, &Vec::new())?;
    expect("length", &store.loaded(id).await?.length, &0)?;
    store.commit(id, Commit { events: numbered(0..2), ..Commit::new(0, 4.0) }).await?;
    expect("events", &store.events(id, 0..100).await?, &stored(0..2))
}

pub(super) async fn truncation_beyond_the_end_changes_nothing(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let first =
        Commit { truncate_to: Some(5), events: numbered(0..2), base_state: base("x"), ..Commit::new(0, 1.0) };
    store.commit(id, first).await?;
    for (n, end) in [(2, 2), (3, 4), (4, u64::MAX)] {
        let commit = Commit { truncate_to: Some(end), events: numbered(n..n + 1), ..Commit::new(n, 1.0) };
        store.commit(id, commit).await?;
    }
    expect("events", &store.events(id, 0..100).await?, &stored(0..5))
}

pub(super) async fn the_same_id_can_be_committed_after_truncation(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let first = Commit { events: numbered(0..3), base_state: base("x"), ..Commit::new(0, 1.0) };
    store.commit(id, first).await?;
    store.commit(id, Commit { truncate_to: Some(1), events: numbered(1..3), ..Commit::new(3, 1.0) }).await?;
    expect("events", &store.events(id, 0..100).await?, &stored(0..3))?;
    expect("index_of", &store.index_of(id, &event_id(2)).await?, &Some(2))
}
