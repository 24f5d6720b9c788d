//! The plain objects of `js/store/types.ts`, written by serde.

use super::host_store::MAX_INDEX;
use crate::{
    id::StorePath,
    store::{Commit, Durability, Listing, StoreError, StoredEvent, WriterNumber},
};
use serde::{Serialize, Serializer};
use wasm_bindgen::JsValue;

/// The JavaScript value of a result: an object for a struct, `null` for `None`.
///
/// # Errors
/// `Corrupt`, for a number above `Number.MAX_SAFE_INTEGER`, which JavaScript could not represent exactly.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, StoreError> {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    value.serialize(&serializer).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// `Listing` of `js/store/types.ts`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListingObject<'a> {
    conversation: String,
    base_state: &'a str,
    length: u64,
    created_at: f64,
    updated_at: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    writer: Option<u64>,
}

impl<'a> From<&'a Listing> for ListingObject<'a> {
    fn from(listing: &'a Listing) -> Self {
        Self {
            conversation: listing.conversation.to_string(),
            base_state: &listing.base_state,
            length: listing.length,
            created_at: listing.created_at,
            updated_at: listing.updated_at,
            writer: listing.writer,
        }
    }
}

/// `StoredEvent` of `js/store/types.ts`.
#[derive(Serialize)]
pub struct EventObject<'a> {
    index: u64,
    id: &'a str,
    json: &'a str,
}

impl<'a> From<&'a StoredEvent> for EventObject<'a> {
    fn from(event: &'a StoredEvent) -> Self {
        Self { index: event.index, id: event.id.as_str(), json: &event.json }
    }
}

/// `Commit` of `js/store/types.ts`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitObject<'a> {
    expected_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    writer: Option<NumberObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncate_to: Option<u64>,
    events: Vec<NewEvent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_state: Option<&'a str>,
    files: Vec<FileChange<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_of: Option<OtherFiles<'a>>,
    at: f64,
    durability: &'static str,
}

#[derive(Serialize)]
struct NumberObject {
    expected: u64,
    next: u64,
}

#[derive(Serialize)]
struct NewEvent<'a> {
    id: &'a str,
    json: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OtherFiles<'a> {
    conversation: String,
    created_at: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    writer: Option<u64>,
    files: Vec<FileChange<'a>>,
}

#[derive(Serialize)]
struct FileChange<'a> {
    path: &'a str,
    content: Option<Bytes<'a>>,
}

/// A `Uint8Array`; without this, serde would write a list of numbers.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

fn changes(files: &[(StorePath, Option<Vec<u8>>)]) -> Vec<FileChange<'_>> {
    let changes = files
        .iter()
        .map(|(path, content)| FileChange { path: path.as_str(), content: content.as_deref().map(Bytes) });
    changes.collect()
}

impl<'a> From<&'a Commit> for CommitObject<'a> {
    fn from(commit: &'a Commit) -> Self {
        let events = commit.events.iter().map(|(id, json)| NewEvent { id: id.as_str(), json });
        Self {
            expected_length: commit.expected_length,
            created_at: commit.created_at,
            writer: commit.writer.map(|WriterNumber { expected, next }| NumberObject { expected, next }),
            // A log cannot be longer than JavaScript can count.
            truncate_to: commit.truncate_to.map(|length| length.min(MAX_INDEX)),
            events: events.collect(),
            base_state: commit.base_state.as_deref(),
            files: changes(&commit.files),
            files_of: commit.files_of.as_ref().map(|other| OtherFiles {
                conversation: other.conversation.to_string(),
                created_at: other.created_at,
                writer: other.writer,
                files: changes(&other.files),
            }),
            at: commit.at,
            durability: match commit.durability {
                Durability::Strict => "strict",
                Durability::Relaxed => "relaxed",
            },
        }
    }
}
