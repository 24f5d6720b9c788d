//! The listed conversations and their order.

use super::{Outcome, Place, base, conversation, expect, numbered, store_path, stored};
use crate::store::Commit;

pub(super) async fn an_empty_store_lists_nothing(place: &Place<'_>) -> Outcome {
    let store = place.open().await?;
    expect("list", &store.list().await?, &Vec::new())?;
    expect("load", &store.load(conversation(1)).await?, &None)
}

pub(super) async fn the_most_recently_updated_comes_first(place: &Place<'_>) -> Outcome {
    let store = place.open().await?;
    for (n, at) in [(3, 30.0), (1, 10.0), (5, 10.0), (2, 1_795_000_000_000.5), (4, 10.0)] {
        let commit = Commit { events: numbered(0..1), base_state: base("x"), ..Commit::new(0, at) };
        store.commit(conversation(n), commit).await?;
    }
    let order = |listings: Vec<crate::store::Listing>| -> Vec<_> {
        listings.into_iter().map(|listing| listing.conversation).collect()
    };
    let expected = [2, 3, 1, 4, 5].map(conversation).to_vec();
    expect("order", &order(store.list().await?), &expected)?;
    store.commit(conversation(4), Commit::new(1, 40.0)).await?;
    let expected = [2, 4, 3, 1, 5].map(conversation).to_vec();
    expect("order after an update", &order(store.list().await?), &expected)?;
    for listing in store.list().await? {
        expect("load", &store.load(listing.conversation).await?, &Some(listing))?;
    }
    Ok(())
}

pub(super) async fn a_conversation_without_a_base_state_is_not_listed(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.commit(id, Commit::new(0, 1.0)).await?;
    expect("load", &store.load(id).await?, &None)?;
    let files = vec![(store_path("f")?, Some(vec![1]))];
    store.commit(id, Commit { events: numbered(0..2), files, ..Commit::new(0, 2.0) }).await?;
    expect("load", &store.load(id).await?, &None)?;
    expect("list", &store.list().await?, &Vec::new())
}

pub(super) async fn an_import_appears_with_its_last_commit(place: &Place<'_>) -> Outcome {
    let (store, reader, id) = (place.open().await?, place.open().await?, conversation(1));
    for start in [0, 10, 20] {
        let commit = Commit {
            events: numbered(start..start + 10),
            files: vec![(store_path(&format!("f{start}"))?, Some(vec![1]))],
            ..Commit::new(start, 100.0 + start as f64)
        };
        store.commit(id, commit).await?;
        expect("load", &reader.load(id).await?, &None)?;
        expect("list", &reader.list().await?, &Vec::new())?;
    }
    store.conflict(id, Commit { base_state: base("x"), ..Commit::new(0, 200.0) }).await?;
    expect("load", &reader.load(id).await?, &None)?;
    store.commit(id, Commit { base_state: base("x"), ..Commit::new(30, 200.0) }).await?;
    for handle in [&store, &reader] {
        let listing = handle.loaded(id).await?;
        expect("base state", &&*listing.base_state, &"x")?;
        expect("length", &listing.length, &30)?;
        expect("times", &(listing.created_at, listing.updated_at), &(100.0, 200.0))?;
        expect("list", &handle.list().await?, &vec![listing])?;
        expect("events", &handle.events(id, 0..100).await?, &stored(0..30))?;
        expect("files", &handle.files(id).await?.len(), &3)?;
    }
    Ok(())
}
