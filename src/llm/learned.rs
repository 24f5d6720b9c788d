//! What a model's server has shown of itself since the page began: decided by its answers and refusals, not by its name.

use crate::llm::error::LlmError;
use std::cell::Cell;

/// What is known. Clones of a model's options share it; a switch to another model begins anew.
#[derive(Debug, Default)]
pub struct Learned {
    /// It refuses two messages of one role in a row.
    pub(super) alternates: Cell<bool>,
    /// It sends reasoning, in the field of this name.
    pub(super) reasoning_field: Cell<Option<&'static str>>,
    /// It refuses reasoning in the history.
    pub(super) refuses_reasoning: Cell<bool>,
    /// It refuses a history without reasoning or without signatures.
    pub(super) wants_reasoning: Cell<bool>,
    /// It refuses ids of items.
    pub(super) refuses_item_ids: Cell<bool>,
}

impl Learned {
    /// The field in which stored reasoning goes back, if the server has sent some or misses it.
    pub(super) fn echoed_field(&self) -> Option<&'static str> {
        let missed = self.wants_reasoning.get().then_some("reasoning_content");
        self.reasoning_field.get().or(missed).filter(|_| !self.refuses_reasoning.get())
    }

    /// Learns what a refusal names as missing or as too much. Returns whether another request would differ.
    pub(super) fn takes_refusal(&self, error: &LlmError) -> bool {
        let text = error.provider_message.as_deref().unwrap_or(&error.message).to_ascii_lowercase();
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
        let is_new = |known: &Cell<bool>| !known.replace(true);
        if has(&[
            "must alternate",
            "should alternate",
            "roles must",
            "after role",
            "expected last role",
            "alternating",
        ]) {
            return is_new(&self.alternates);
        }
        let is_refusal = matches!(error.status, None | Some(400 | 422 | 500));
        if !is_refusal {
            return false;
        }
        // Items of Responses, and blocks of Anthropic's own tools.
        if has(&[
            "without its required",
            "duplicate item",
            "server_tool_use",
            "_search_tool_result",
            "citations",
        ]) {
            return is_new(&self.refuses_item_ids);
        }
        let is_of_thoughts = has(&["reasoning", "thinking", "thought"]);
        // Anthropic misses a signature where thoughts come from elsewhere.
        let is_unsigned = has(&["signature"]) && !has(&["thought_signature", "thought signature"]);
        let is_missing = !is_unsigned
            && has(&[
                "missing",
                "passed back",
                "must be provided",
                "must be included",
                "is required",
                "field required",
            ]);
        if is_of_thoughts && is_missing {
            if let Some(field) =
                ["reasoning_content", "reasoning"].into_iter().find(|name| text.contains(name))
            {
                self.reasoning_field.set(Some(field));
            }
            return is_new(&self.wants_reasoning);
        }
        let is_too_much = has(&[
            "unsupported",
            "not supported",
            "not permitted",
            "not allowed",
            "extra",
            "unknown",
            "unrecognized",
            "unexpected",
        ]);
        is_of_thoughts && is_too_much && self.echoed_field().is_some() && is_new(&self.refuses_reasoning)
    }
}
