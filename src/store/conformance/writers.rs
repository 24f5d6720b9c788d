//! The number of a conversation's writer, in stores that keep it.

use super::{Handle, Outcome, Place, base, conversation, expect, numbered, store_path, stored};
use crate::store::{Commit, FilesOf, StoreError, WriterNumber};
use futures_util::future::join_all;

/// `commit` by a writer that expects this number and stores that one.
fn by(expected: u64, next: u64, commit: Commit) -> Commit {
    Commit { writer: Some(WriterNumber { expected, next }), ..commit }
}

/// Stores a conversation with two events; `false` if the store keeps no numbers.
async fn keeps_numbers(store: &Handle, n: u32) -> Result<bool, super::Failure> {
    let first = Commit { events: numbered(0..2), base_state: base("first"), ..Commit::new(0, 5.0) };
    store.commit(conversation(n), first).await?;
    Ok(store.loaded(conversation(n)).await?.writer.is_some())
}

async fn number(store: &Handle) -> Result<Option<u64>, String> {
    Ok(store.loaded(conversation(1)).await?.writer)
}

pub(super) async fn the_number_of_the_writer_grows_with_its_commit(place: &Place<'_>) -> Outcome {
    let (store, other, id) = (place.open().await?, place.open().await?, conversation(1));
    if !keeps_numbers(&store, 1).await? {
        return Ok(());
    }
    expect("number", &number(&store).await?, &Some(0))?;
    let file = || Ok::<_, String>(vec![(store_path("f")?, Some(vec![1]))]);
    let commits = [
        Commit { events: numbered(2..4), ..Commit::new(2, 5.0) },
        Commit { base_state: base("second"), ..Commit::new(4, 5.0) },
        Commit { files: file()?, ..Commit::new(4, 0.0) },
        Commit::new(4, 0.0),
        Commit { events: numbered(4..5), base_state: base("third"), files: file()?, ..Commit::new(4, 5.0) },
        Commit { truncate_to: Some(3), ..Commit::new(5, 5.0) },
        Commit { truncate_to: Some(2), events: numbered(2..5), ..Commit::new(3, 5.0) },
    ];
    for (n, commit) in (0..).zip(commits) {
        let writer = if n % 2 == 0 { &store } else { &other };
        writer.commit(id, by(n, n + 1, commit)).await?;
        for reader in [&store, &other, &place.open().await?] {
            expect("number", &number(reader).await?, &Some(n + 1))?;
        }
    }
    let listing = place.open().await?.loaded(id).await?;
    expect("log", &(listing.length, listing.updated_at, &*listing.base_state), &(5, 5.0, "third"))?;
    expect("list", &store.list().await?, &vec![listing])?;
    expect("events", &other.events(id, 0..9).await?, &stored(0..5))
}

pub(super) async fn a_commit_without_a_number_neither_compares_nor_changes_it(place: &Place<'_>) -> Outcome {
    let (store, other, id) = (place.open().await?, place.open().await?, conversation(1));
    if !keeps_numbers(&store, 1).await? {
        return Ok(());
    }
    store.commit(id, by(0, 7, Commit { events: numbered(2..3), ..Commit::new(2, 6.0) })).await?;
    let long = "x".repeat(100_000);
    for n in 3..70 {
        let base_state = (n % 9 == 0).then(|| format!("{long}{n}").into());
        let writer = if n % 4 == 0 { &other } else { &store };
        writer.commit(id, Commit { events: numbered(n..n + 1), base_state, ..Commit::new(n, 6.0) }).await?;
    }
    expect("number", &number(&other).await?, &Some(7))?;
    store.commit(id, Commit { base_state: base("x"), ..Commit::new(70, 6.0) }).await?;
    store.commit(id, Commit { truncate_to: Some(4), ..Commit::new(70, 6.0) }).await?;
    expect("number", &number(&other).await?, &Some(7))?;
    other.commit(id, by(7, 7, Commit { events: numbered(4..5), ..Commit::new(4, 6.0) })).await?;
    expect("number", &number(&store).await?, &Some(7))
}

pub(super) async fn nothing_is_stored_of_a_writer_that_was_replaced(place: &Place<'_>) -> Outcome {
    let (old, new, id) = (place.open().await?, place.open().await?, conversation(1));
    if !keeps_numbers(&old, 1).await? {
        return Ok(());
    }
    let file = |content| Ok::<_, String>(vec![(store_path("f")?, Some(vec![content]))]);
    old.commit(id, by(0, 1, Commit { files: file(1)?, ..Commit::new(2, 5.0) })).await?;
    // The old one remembers the end of the log, and the log stays as long.
    old.commit(id, by(1, 1, Commit { events: numbered(2..3), ..Commit::new(2, 5.0) })).await?;
    for (n, how) in
        (1..).zip([Commit::new(3, 0.0), Commit { base_state: base("second"), ..Commit::new(3, 6.0) }])
    {
        new.commit(id, by(n, n + 1, how)).await?;
        let known = new.loaded(id).await?;
        for late in [
            Commit { events: numbered(90..91), ..Commit::new(3, 7.0) },
            Commit { base_state: base("late"), ..Commit::new(3, 7.0) },
            Commit { files: file(9)?, ..Commit::new(3, 0.0) },
            Commit { files: file(9)?, ..Commit::new(3, 7.0) },
            Commit::new(3, 7.0),
            Commit { truncate_to: Some(1), ..Commit::new(3, 7.0) },
            Commit {
                events: numbered(90..92),
                base_state: base("late"),
                files: file(9)?,
                ..Commit::new(3, 7.0)
            },
        ] {
            for late in [by(n, n, late.clone()), by(n, n + 1, late.clone()), by(0, 9, late)] {
                old.conflict(id, late).await?;
                expect("load", &old.loaded(id).await?, &known)?;
                expect("events", &new.events(id, 0..9).await?, &stored(0..3))?;
                expect("file", &new.read_file(id, "f").await?, &Some(vec![1]))?;
            }
        }
    }
    new.commit(id, by(3, 3, Commit { events: numbered(3..4), files: file(2)?, ..Commit::new(3, 7.0) }))
        .await?;
    new.commit(id, by(3, 3, Commit { files: file(3)?, ..Commit::new(4, 0.0) })).await?;
    old.conflict(id, by(2, 2, Commit { files: file(9)?, ..Commit::new(4, 0.0) })).await?;
    expect("events", &old.events(id, 0..9).await?, &stored(0..4))?;
    expect("file", &old.read_file(id, "f").await?, &Some(vec![3]))
}

pub(super) async fn a_writer_that_was_replaced_changes_no_files_of_another_conversation(
    place: &Place<'_>,
) -> Outcome {
    let (store, other) = (place.open().await?, place.open().await?);
    let has_numbers = keeps_numbers(&store, 1).await? && keeps_numbers(&store, 2).await?;
    if !has_numbers || !store.spans_conversations() {
        return Ok(());
    }
    let attempt = |length, number, owner| {
        let files = vec![(store_path("f")?, Some(vec![1]))];
        let files_of = FilesOf { conversation: conversation(1), created_at: 5.0, writer: owner, files };
        let commit = Commit { events: numbered(length..length + 1), ..Commit::new(length, 6.0) };
        Ok::<_, String>(by(number, number, Commit { files_of: Some(files_of), ..commit }))
    };
    store.commit(conversation(2), attempt(2, 0, Some(0))?).await?;
    store.commit(conversation(2), attempt(3, 0, None)?).await?;
    // Its own writer is another one; then that of the files.
    other.commit(conversation(2), by(0, 1, Commit::new(4, 0.0))).await?;
    store.conflict(conversation(2), attempt(4, 0, Some(0))?).await?;
    other.commit(conversation(1), by(0, 1, Commit::new(2, 0.0))).await?;
    store.conflict(conversation(2), attempt(4, 1, Some(0))?).await?;
    expect("length", &other.loaded(conversation(2)).await?.length, &4)?;
    store.commit(conversation(2), attempt(4, 1, Some(1))?).await?;
    expect("length", &other.loaded(conversation(2)).await?.length, &5)?;
    expect("the number stays", &number(&other).await?, &Some(1))
}

pub(super) async fn of_two_that_take_a_writers_place_one_wins(place: &Place<'_>) -> Outcome {
    let (one, two, id) = (place.open().await?, place.open().await?, conversation(1));
    if !keeps_numbers(&one, 1).await? {
        return Ok(());
    }
    for n in 0..6 {
        // Alone, and with a base state, which leaves the log as long as it was too.
        let claim = |text: &str| {
            let base_state = if n % 2 == 0 { None } else { base(text) };
            by(n, n + 1, Commit { base_state, ..Commit::new(2, 5.0) })
        };
        let claims = [one.0.commit(id, claim("one")), two.0.commit(id, claim("two"))];
        let outcomes = join_all(claims).await;
        let refused = Err(StoreError::Conflict { expected: 2 });
        match outcomes.as_slice() {
            [Ok(()), late] | [late, Ok(())] if *late == refused => {}
            other => return Err(format!("expected one commit and one conflict, got {other:?}").into()),
        }
        expect("number", &number(&one).await?, &Some(n + 1))?;
        let winner = if outcomes.first() == Some(&refused) { "two" } else { "one" };
        if n % 2 == 1 {
            expect("base state", &&*two.loaded(id).await?.base_state, &winner)?;
        }
    }
    Ok(())
}

pub(super) async fn of_two_that_begin_a_conversation_one_wins(place: &Place<'_>) -> Outcome {
    let (one, two, id) = (place.open().await?, place.open().await?, conversation(1));
    if !keeps_numbers(&one, 2).await? {
        return Ok(());
    }
    one.commit(id, by(0, 1, Commit { base_state: base("one"), ..Commit::new(0, 1.0) })).await?;
    two.conflict(id, by(0, 1, Commit { base_state: base("two"), ..Commit::new(0, 1.0) })).await?;
    two.conflict(conversation(3), by(1, 2, Commit { base_state: base("x"), ..Commit::new(0, 1.0) })).await?;
    expect("load", &two.load(conversation(3)).await?, &None)?;
    expect("base state", &&*two.loaded(id).await?.base_state, &"one")
}

pub(super) async fn the_number_of_the_writer_survives_reopening_and_not_deletion(
    place: &Place<'_>,
) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    if !keeps_numbers(&store, 1).await? {
        return Ok(());
    }
    store.commit(id, by(0, 3, Commit { events: numbered(2..3), ..Commit::new(2, 6.0) })).await?;
    store.0.close();
    let store = place.open().await?;
    expect("number", &number(&store).await?, &Some(3))?;
    store.conflict(id, by(0, 1, Commit::new(3, 6.0))).await?;
    store.commit(id, by(3, 4, Commit::new(3, 6.0))).await?;
    store.delete(id).await?;
    let again = |expected| by(expected, 1, Commit { base_state: base("y"), ..Commit::new(0, 50.0) });
    store.conflict(id, again(4)).await?;
    store.commit(id, again(0)).await?;
    expect("number", &number(&place.open().await?).await?, &Some(1))?;
    store.delete(id).await?;
    store.commit(id, Commit { base_state: base("z"), ..Commit::new(0, 60.0) }).await?;
    expect("number", &number(&place.open().await?).await?, &Some(0))
}
