//! The further files: exact bytes, unusual names, order.

use super::{Outcome, Place, base, conversation, expect, numbered, store_path, stored};
use crate::{
    id::StorePath,
    store::{Commit, FilesOf, FirstReads, Loaded},
};

pub(super) async fn files_come_back_exactly(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let every_byte: Vec<u8> = (0..=255).collect();
    let contents = [
        ("empty", Vec::new()),
        ("bytes", every_byte),
        ("one/two/three.json", b"{}\n".to_vec()),
        ("zero", vec![0]),
    ];
    let mut files = Vec::new();
    for (path, content) in &contents {
        files.push((store_path(path)?, Some(content.clone())));
    }
    store.commit(id, Commit { base_state: base("x"), files, ..Commit::new(0, 1.0) }).await?;
    let store = place.open().await?;
    for (path, content) in contents {
        expect(path, &store.read_file(id, path).await?, &Some(content))?;
    }
    for absent in ["one", "one/two", "absent", "EMPTY", "empty/x"] {
        expect(absent, &store.read_file(id, absent).await?, &None)?;
    }
    Ok(())
}

pub(super) async fn paths_are_sorted(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    // The order of code points, which is not that of UTF-16: U+FFFD comes before U+1F600.
    let sorted =
        ["A", "a", "a b", "a!", "a.txt", "a1", "aa", "b/a", "b/b", "z", "é", "\u{fffd}", "\u{1F600}"];
    let mut files = Vec::new();
    for (n, path) in (0..).zip(sorted.iter().rev()) {
        files.push((store_path(path)?, Some(vec![n])));
    }
    store.commit(id, Commit { base_state: base("x"), files, ..Commit::new(0, 1.0) }).await?;
    expect("files", &store.files(id).await?, &sorted.map(str::to_owned).to_vec())
}

pub(super) async fn files_are_listed_by_folder(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let mut files = Vec::new();
    for path in ["a", "a b/x", "a-b", "a.b", "a/", "a/b", "a/b/c", "a/\u{1F600}", "a0", "ab/c", "b/a/c"] {
        if let Ok(path) = store_path(path) {
            files.push((path, Some(vec![1])));
        }
    }
    store.commit(id, Commit { base_state: base("x"), files, ..Commit::new(0, 1.0) }).await?;
    let expected: [(&str, &[&str]); 5] = [
        ("a", &["a/b", "a/b/c", "a/\u{1F600}"]),
        ("a/b", &["a/b/c"]),
        ("ab", &["ab/c"]),
        ("a0", &[]),
        ("c", &[]),
    ];
    for (folder, paths) in expected {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        expect(folder, &store.files_below(id, Some(folder)).await?, &paths)?;
    }
    Ok(())
}

pub(super) async fn what_opening_reads_at_once_is_what_is_stored(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let reads = FirstReads { last: 2, folders: vec![store_path("b")?, store_path("a")?, store_path("x")?] };
    if store.load_to_open(id, &reads).await?.is_some() {
        return Err("there is a conversation before its first commit".to_owned().into());
    }
    for (length, paths) in [(1, &["a/1", "c/1"][..]), (5, &["a/1", "b/1", "b/2", "c/1"])] {
        let mut files = Vec::new();
        for path in paths {
            files.push((store_path(path)?, Some(vec![1])));
        }
        let known = store.load(id).await?.map_or(0, |listing| listing.length);
        let events = numbered(known..length);
        store.commit(id, Commit { base_state: base("x"), events, files, ..Commit::new(known, 1.0) }).await?;
        let Some(Loaded { listing, end, files }) = store.load_to_open(id, &reads).await? else {
            return Err("the conversation is missing".to_owned().into());
        };
        expect("the listing", &listing, &store.loaded(id).await?)?;
        // A store may leave both to later calls.
        if let Some(end) = end {
            expect("the end", &end, &Ok(stored(length.saturating_sub(2)..length)))?;
        }
        if let Some(files) = files {
            let files: Vec<&str> = files.iter().map(StorePath::as_str).collect();
            let wanted: Vec<&str> = match length {
                1 => vec!["a/1"],
                _ => vec!["b/1", "b/2", "a/1"],
            };
            expect("the files", &files, &wanted)?;
        }
    }
    Ok(())
}

pub(super) async fn unusual_paths_are_distinct_files(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let long = "p".repeat(StorePath::MAX_LENGTH);
    let paths = [
        "__proto__",
        "constructor",
        "toString",
        "0",
        "00",
        "-1",
        "null",
        "undefined",
        " ",
        " leading and trailing ",
        "...",
        ".hidden",
        "~",
        "e\u{301}",
        "\u{e9}",
        "東京/\u{1F469}\u{200D}\u{1F52C}",
        "%2e%2e",
        "a%2Fb",
        "a?b#c",
        "'\"`",
        "{}",
        long.as_str(),
    ];
    let mut files = Vec::new();
    for path in paths {
        files.push((store_path(path)?, Some(path.as_bytes().to_vec())));
    }
    store.commit(id, Commit { base_state: base("x"), files, ..Commit::new(0, 1.0) }).await?;
    expect("how many", &store.files(id).await?.len(), &paths.len())?;
    for path in paths {
        expect(path, &store.read_file(id, path).await?, &Some(path.as_bytes().to_vec()))?;
    }
    Ok(())
}

pub(super) async fn the_last_change_of_a_file_in_a_commit_counts(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let path = |name: &str| store_path(name);
    let first = vec![
        (path("removed again")?, Some(vec![1])),
        (path("removed again")?, None),
        (path("written twice")?, Some(vec![1, 1])),
        (path("written twice")?, Some(vec![2])),
        (path("never there")?, None),
        (path("later removed")?, Some(vec![1])),
        (path("later replaced")?, Some(vec![1; 100])),
    ];
    store.commit(id, Commit { base_state: base("x"), files: first, ..Commit::new(0, 1.0) }).await?;
    expect(
        "files",
        &store.files(id).await?,
        &["later removed", "later replaced", "written twice"].map(str::to_owned).to_vec(),
    )?;
    let second = vec![
        (path("later removed")?, None),
        (path("later replaced")?, Some(vec![3])),
        (path("written twice")?, None),
        (path("written twice")?, Some(vec![4])),
    ];
    store.commit(id, Commit { files: second, ..Commit::new(0, 1.0) }).await?;
    expect(
        "files",
        &store.files(id).await?,
        &["later replaced", "written twice"].map(str::to_owned).to_vec(),
    )?;
    expect("removed", &store.read_file(id, "later removed").await?, &None)?;
    expect("replaced", &store.read_file(id, "later replaced").await?, &Some(vec![3]))?;
    expect("rewritten", &store.read_file(id, "written twice").await?, &Some(vec![4]))
}

pub(super) async fn the_same_path_in_two_conversations_is_two_files(place: &Place<'_>) -> Outcome {
    let store = place.open().await?;
    for n in [1, 2, 3] {
        let files =
            vec![(store_path("same")?, Some(vec![n])), (store_path(&format!("own {n}"))?, Some(vec![n]))];
        let commit = Commit { base_state: base("x"), files, ..Commit::new(0, 1.0) };
        store.commit(conversation(n.into()), commit).await?;
    }
    store
        .commit(conversation(2), Commit { files: vec![(store_path("same")?, None)], ..Commit::new(0, 1.0) })
        .await?;
    expect("first", &store.read_file(conversation(1), "same").await?, &Some(vec![1]))?;
    expect("second", &store.read_file(conversation(2), "same").await?, &None)?;
    expect("third", &store.read_file(conversation(3), "same").await?, &Some(vec![3]))?;
    expect("files", &store.files(conversation(2)).await?, &vec!["own 2".to_owned()])
}

/// A commit with files of conversation 1, whose `created_at` is 1.0.
fn with_files_of_first(commit: Commit, files: &[(&str, Option<&[u8]>)]) -> Result<Commit, String> {
    let mut other =
        FilesOf { conversation: conversation(1), created_at: 1.0, writer: None, files: Vec::new() };
    for (path, content) in files {
        other.files.push((store_path(path)?, content.map(<[u8]>::to_vec)));
    }
    Ok(Commit { files_of: Some(other), ..commit })
}

pub(super) async fn files_of_another_conversation_are_in_the_transaction(place: &Place<'_>) -> Outcome {
    let store = place.open().await?;
    if !store.spans_conversations() {
        return Ok(());
    }
    let first = || Commit { events: numbered(0..2), base_state: base("first"), ..Commit::new(0, 1.0) };
    let files = vec![(store_path("removed")?, Some(vec![1])), (store_path("kept")?, Some(vec![2]))];
    store.commit(conversation(1), Commit { files, ..first() }).await?;
    store.commit(conversation(2), first()).await?;
    for n in 2..5_u8 {
        let length = u64::from(n);
        let content = [n];
        let files: [(&str, Option<&[u8]>); 2] = [("written", Some(&content)), ("removed", None)];
        let commit = Commit { events: numbered(length..length + 1), ..Commit::new(length, 2.0) };
        let own = Commit { files: vec![(store_path("own")?, Some(vec![n]))], ..commit };
        store.commit(conversation(2), with_files_of_first(own, &files)?).await?;
        // A conflict stores none of them.
        let late = with_files_of_first(Commit::new(length, 3.0), &[("kept", None)])?;
        store.conflict(conversation(2), late).await?;
    }
    let store = place.open().await?;
    expect("files", &store.files(conversation(1)).await?, &["kept", "written"].map(str::to_owned).to_vec())?;
    expect("content", &store.read_file(conversation(1), "written").await?, &Some(vec![4]))?;
    expect("own files", &store.files(conversation(2)).await?, &vec!["own".to_owned()])?;
    expect("length", &store.loaded(conversation(2)).await?.length, &5)?;
    // The other conversation is as it was, and its writer goes on.
    let other = store.loaded(conversation(1)).await?;
    expect("log", &(other.length, other.updated_at, &*other.base_state), &(2, 1.0, "first"))?;
    store.commit(conversation(1), Commit { events: numbered(2..3), ..Commit::new(2, 4.0) }).await
}

pub(super) async fn files_of_a_conversation_that_is_gone_are_refused_with_the_commit(
    place: &Place<'_>,
) -> Outcome {
    let store = place.open().await?;
    if !store.spans_conversations() {
        return Ok(());
    }
    store.commit(conversation(2), Commit { base_state: base("x"), ..Commit::new(0, 1.0) }).await?;
    let attempt = || {
        let commit = Commit { events: numbered(0..1), created_at: Some(1.0), ..Commit::new(0, 2.0) };
        with_files_of_first(commit, &[("late", Some(&[1]))])
    };
    store.conflict(conversation(2), attempt()?).await?;
    let first = |at| Commit { events: numbered(0..2), base_state: base("x"), ..Commit::new(0, at) };
    store.commit(conversation(1), first(1.0)).await?;
    store.delete(conversation(1)).await?;
    store.conflict(conversation(2), attempt()?).await?;
    store.commit(conversation(1), first(5.0)).await?;
    store.conflict(conversation(2), attempt()?).await?;
    expect("length", &store.loaded(conversation(2)).await?.length, &0)?;
    expect("files", &store.files(conversation(1)).await?, &Vec::new())
}

pub(super) async fn files_alone_leave_the_log_the_state_and_the_times(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    store.commit(id, Commit { events: numbered(0..2), base_state: base("x"), ..Commit::new(0, 5.0) }).await?;
    let file = |length, content: Option<Vec<u8>>| {
        let files = vec![(store_path("f")?, content)];
        Ok::<_, String>(Commit { files, ..Commit::new(length, 0.0) })
    };
    for n in 1..4 {
        store.commit(id, file(2, Some(vec![n]))?).await?;
    }
    let listing = place.open().await?.loaded(id).await?;
    expect("log", &(listing.length, listing.updated_at, &*listing.base_state), &(2, 5.0, "x"))?;
    // Another writer goes on, and then the first one.
    let other = place.open().await?;
    other.commit(id, Commit { events: numbered(2..3), ..Commit::new(2, 6.0) }).await?;
    store.conflict(id, file(2, None)?).await?;
    expect("content", &store.read_file(id, "f").await?, &Some(vec![3]))?;
    store.commit(id, file(3, None)?).await?;
    store.commit(id, Commit { events: numbered(3..4), base_state: base("y"), ..Commit::new(3, 7.0) }).await?;
    other.conflict(id, file(3, Some(vec![9]))?).await?;
    store.commit(id, file(4, Some(vec![4]))?).await?;
    let listing = other.loaded(id).await?;
    expect("log", &(listing.length, listing.updated_at, &*listing.base_state), &(4, 7.0, "y"))?;
    other.delete(id).await?;
    store.conflict(id, file(4, Some(vec![5]))?).await?;
    expect("files", &store.files(id).await?, &Vec::new())
}

pub(super) async fn a_file_of_four_megabytes(place: &Place<'_>) -> Outcome {
    let (store, id) = (place.open().await?, conversation(1));
    let content: Vec<u8> =
        (0..4_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let files = vec![(store_path("big")?, Some(content.clone()))];
    store.commit(id, Commit { base_state: base("x"), files, ..Commit::new(0, 1.0) }).await?;
    let found = place.open().await?.read_file(id, "big").await?;
    expect("content", &(found == Some(content)), &true)
}
