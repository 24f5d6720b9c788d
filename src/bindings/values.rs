//! The plain objects that other files than the main one give to JavaScript, written by serde; those of a store are in `web/store_values.rs`.
//!
//! Only what goes out is written by serde: a getter or proxy of the host may throw, which serde-wasm-bindgen does not
//! catch, so that reading a host's object stays in `web/host_store.rs`. The main wasm makes its few objects with
//! [`super::error::set`]: with serde, a list of two texts made it 1.4 kB larger.

use crate::{
    archive::{Imported, MirrorPlan, Outcome},
    web::store_values::CommitObject,
};
use js_sys::{Array, Int32Array};
use serde::Serialize;

/// `CoreImported` of `imported.rs`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportedObject<'a> {
    id: String,
    outcome: &'static str,
    event_count: u64,
    warnings: &'a [String],
}

impl<'a> From<&'a Imported> for ImportedObject<'a> {
    fn from(imported: &'a Imported) -> Self {
        Self {
            id: imported.conversation.to_string(),
            outcome: match imported.outcome {
                Outcome::Created => "created",
                Outcome::Continued { .. } => "continued",
                Outcome::Merged { .. } => "merged",
                Outcome::UpToDate => "up_to_date",
            },
            event_count: imported.length,
            warnings: &imported.warnings,
        }
    }
}

/// `CoreExport` of `archive.rs`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExportObject<'a> {
    pub id: String,
    pub folder: String,
    pub nested: Vec<NestedObject>,
    pub base_state: &'a str,
    pub length: u64,
    pub updated_at: f64,
    pub files: Vec<&'a str>,
    pub searched: Vec<&'a str>,
    /// How long the host's store may take for one call, in milliseconds.
    pub call_timeout: f64,
}

/// `CoreNested` of `archive.rs`.
#[derive(Serialize)]
pub(super) struct NestedObject {
    pub id: String,
    pub folder: String,
}

/// `CoreMirrorPlan` of `archive.rs`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MirrorPlanObject<'a> {
    moves: Vec<MoveObject<'a>>,
    stale: &'a [String],
    writes: Vec<WriteObject>,
    has_state: bool,
    has_more: bool,
    is_same_order: bool,
    next: u64,
}

/// An event file of a mirror that is written again.
#[derive(Serialize)]
struct MoveObject<'a> {
    name: &'a str,
    number: u64,
}

/// An event of the store that a mirror lacks.
#[derive(Serialize)]
struct WriteObject {
    index: usize,
    number: u64,
}

impl<'a> From<&'a MirrorPlan> for MirrorPlanObject<'a> {
    fn from(plan: &'a MirrorPlan) -> Self {
        let MirrorPlan { moves, stale, writes, has_state, has_more, is_same_order, next } = plan;
        Self {
            moves: moves.iter().map(|(name, number)| MoveObject { name, number: *number }).collect(),
            stale,
            writes: writes
                .iter()
                .map(|(index, number)| WriteObject { index: *index, number: *number })
                .collect(),
            has_state: *has_state,
            has_more: *has_more,
            is_same_order: *is_same_order,
            next: *next,
        }
    }
}

/// `ZipWriting` of `archive.rs`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WritingObject<'a> {
    pub commit: CommitObject<'a>,
    pub ids: String,
    pub paths: String,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub event_sources: Int32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub file_sources: Int32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub given: Array,
}
