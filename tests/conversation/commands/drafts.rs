//! Records the drafts of answers that stream, and checks that none disappears.

use serde_json::{Value, json};
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
};
use threadkeep::store::Commit;

/// The drafts in the store, by the ids of their answers: the page that has stored one, and its pieces by their paths.
#[derive(Default)]
pub struct Drafts(RefCell<HashMap<String, Pieces>>);

/// Of one draft.
type Pieces = (u32, BTreeMap<String, String>);

impl Drafts {
    /// A commit of this page was applied. A draft is removed by the event that keeps it, by an answer or by the next draft.
    pub fn applied(&self, commit: &Commit, page: u32) {
        let mut drafts = self.0.borrow_mut();
        let mut removed: HashMap<String, (u32, String)> = HashMap::new();
        let mut is_replaced = false;
        for (path, content) in &commit.files {
            let Some(name) = path.as_str().strip_prefix("drafts/") else { continue };
            let id = name.split_once('/').unwrap().0.to_owned();
            let (owner, pieces) = drafts.entry(id.clone()).or_insert((page, BTreeMap::new()));
            if let Some(content) = content {
                let piece: Value = serde_json::from_slice(content).unwrap();
                pieces.insert(path.to_string(), piece["text"].as_str().unwrap().to_owned());
                is_replaced = true;
            } else if let Some(piece) = pieces.remove(path.as_str()) {
                removed.entry(id).or_insert((*owner, String::new())).1.push_str(&piece);
            }
        }
        drafts.retain(|_, (_, pieces)| !pieces.is_empty());
        let events: Vec<Value> =
            commit.events.iter().map(|(_, json)| serde_json::from_str(json).unwrap()).collect();
        for (id, (owner, text)) in removed {
            let is_kept = |event: &Value| {
                let said = event["llm_message"]["content"][0]["text"].as_str().unwrap_or_default();
                event["id"] == id.as_str() && said.starts_with(&text)
            };
            let is_answer = |event: &Value| {
                let is_said = event["kind"] == "MessageEvent" || event["kind"] == "ActionEvent";
                // A note of the same run takes back what it is about.
                is_said && (event["source"] == "agent" || event["source"] == "environment" && owner == page)
            };
            let is_over = is_replaced
                || text.trim().is_empty()
                || events.iter().any(|event| is_answer(event) || is_kept(event));
            assert!(is_over, "{text:?} of {id} is gone: {events:#?}");
            // Whatever the user says comes after what is kept: the draft, or a later answer of the model.
            let said =
                events.iter().position(|event| event["source"] == "user" && event["kind"] == "MessageEvent");
            let is_later = |event: &Value| event["source"] == "agent" && is_answer(event);
            let kept = events.iter().position(|event| is_kept(event) || is_later(event));
            assert!(
                said.is_none() || kept < said && kept.is_some(),
                "a message goes past {text:?}: {events:#?}"
            );
        }
    }

    /// Checks that none is left, once all questions are answered.
    pub fn check_end(&self) {
        assert!(self.0.borrow().is_empty(), "drafts are left");
    }
}

/// The stream with this answer of Chat Completions: its text up to the middle, and the rest.
pub fn streamed(answer: &Value) -> (String, String) {
    let event = |delta: Value, reason: Value, usage: &Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        format!("data: {}\n\n", json!({ "id": answer["id"], "choices": [choice], "usage": usage }))
    };
    let message = &answer["choices"][0]["message"];
    let text = message["content"].as_str().unwrap_or_default();
    let (first, second) = text.split_at(text.len() / 2);
    let mut calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    for (index, call) in calls.iter_mut().enumerate() {
        call["index"] = index.into();
    }
    let rest = if calls.is_empty() {
        json!({ "content": second })
    } else {
        json!({ "content": second, "tool_calls": calls })
    };
    let begins = event(json!({ "content": first }), Value::Null, &Value::Null);
    let end = event(json!({}), "stop".into(), &answer["usage"]);
    (begins, format!("{}{end}data: [DONE]\n\n", event(rest, Value::Null, &Value::Null)))
}
