//! What an answer carried beside its text, kept so that it goes back to the server that sent it: reasoning details, signatures,
//! whatever a server of Chat Completions adds to a message or to a call.
//!
//! It is stored as a `ReasoningItemModel` without an id, whose `encrypted_content` is the JSON of [`Carried`]: the SDK keeps such
//! an item, also in copies, and sends it to nobody, because it sends only items with an id. It is sent again to whoever speaks
//! the same protocol under the same base URL and model family; others would refuse it, or not understand it.

use crate::{
    json::{EditableObject, FromJson as _, Object, ObjectWriter, ToJson as _, is_same, object, quoted},
    llm::{
        endpoint::Endpoint,
        message::{Message, ReasoningItem},
    },
};

/// The longest text that is kept, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// The words by which a field is known as reasoning or what belongs to it.
const WORDS: &[&str] =
    &["reason", "thought", "think", "signature", "encrypted", "opaque", "extra_content", "provider_specific"];

/// The fields of a message that are read on their own.
const READ: &[&str] = &[
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "thinking",
    "thinking_blocks",
    "tool_calls",
    "content",
];

/// The fields of one message, and of each of its calls, as far as they have been received.
#[derive(Default)]
pub(super) struct Carrying {
    message: EditableObject,
    calls: Vec<EditableObject>,
    length: usize,
}

impl Carrying {
    /// Takes what a piece of a message has beside its text.
    pub(super) fn take(&mut self, piece: &Object<'_>) {
        for (name, json) in piece.iter().filter(|(name, json)| is_kept(name, json)) {
            self.length = self.length.saturating_add(json.len());
            if self.length <= MAX_LENGTH {
                add(&mut self.message, name, json);
            }
        }
    }

    /// Takes what a piece of the call at this position has beside name and arguments.
    pub(super) fn take_of_call(&mut self, at: usize, piece: &Object<'_>) {
        let function = piece.object("function");
        for (name, json) in piece.iter().chain(function.iter()).filter(|(name, json)| is_kept(name, json)) {
            self.length = self.length.saturating_add(json.len());
            if self.length <= MAX_LENGTH {
                if self.calls.len() <= at {
                    self.calls.resize_with(at + 1, EditableObject::default);
                }
                if let Some(call) = self.calls.get_mut(at) {
                    add(call, name, json);
                }
            }
        }
    }

    /// The item that keeps it; `None` if there was nothing. `origin` is that of the answer.
    pub(super) fn item(&self, origin: &Origin) -> Option<ReasoningItem> {
        if origin.server.is_empty()
            || self.length > MAX_LENGTH
            || self.message.is_empty() && self.calls.is_empty()
        {
            return None;
        }
        let mut json = origin.fields_for(CHAT);
        json.field("message", &self.message);
        json.field("calls", &self.calls);
        let encrypted_content = Some(json.finish());
        Some(ReasoningItem { encrypted_content, ..ReasoningItem::default() })
    }
}

fn is_kept(name: &str, json: &str) -> bool {
    let is_empty = matches!(json, "\"\"" | "[]" | "{}") || !json.starts_with(['"', '[', '{']);
    !is_empty && !READ.contains(&name) && WORDS.iter().any(|word| name.contains(word))
}

/// Adds a piece of a field. The details of reasoning come in pieces as its text does: those with one index and one type are
/// one.
fn add(fields: &mut EditableObject, name: &str, json: &str) {
    let known = fields.read::<Vec<EditableObject>>(name);
    let (Some(mut known), Some(more)) = (known, Vec::<EditableObject>::from_json(json)) else {
        return fields.set(name, json);
    };
    for detail in more {
        match known.last_mut().filter(|last| continues(last, &detail)) {
            Some(last) => join(last, &detail),
            None => known.push(detail),
        }
    }
    fields.set(name, &known.to_json_text());
}

/// Whether a detail is the next piece of this one. What is encrypted comes whole.
fn continues(last: &EditableObject, next: &EditableObject) -> bool {
    let same = |name: &str| last.get(name) == next.get(name);
    let is_open = |name: &str| matches!(next.get(name), None | Some("null")) || same(name);
    let has_text =
        |detail: &EditableObject| ["text", "summary"].iter().any(|name| detail.get(name).is_some());
    same("type")
        && same("index")
        && is_open("id")
        && has_text(last)
        && (has_text(next) || next.get("signature").is_some())
}

fn join(last: &mut EditableObject, next: &EditableObject) {
    for (name, json) in next.iter() {
        let both = last.read::<String>(name).zip(next.read::<String>(name));
        match (name, both) {
            ("text" | "summary", Some((before, more))) => last.set(name, &quoted(&[before, more].concat())),
            _ if json == "null" || last.get(name).is_some_and(|known| is_same(known, json)) => {}
            _ => last.set(name, json),
        }
    }
}

/// Where an answer comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    server: String,
    family: String,
}

impl Origin {
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let url = endpoint.url("");
        let server = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_owned();
        Self { server, family: family(&endpoint.model) }
    }

    /// The fields by which what is carried over this protocol is known again.
    pub(super) fn fields_for(&self, api: &str) -> ObjectWriter {
        object! { "api": api, "server": self.server, "model": self.family }
    }

    /// Whether these fields, which were begun by [`Self::fields_for`], are its own.
    pub(super) fn is_of(&self, fields: &EditableObject) -> bool {
        let is = |name: &str, own: &str| fields.read::<String>(name).as_deref() == Some(own);
        is("server", &self.server) && is("model", &self.family)
    }
}

/// The family of a model: its name up to the number of its version.
fn family(model: &str) -> String {
    let name = model.to_ascii_lowercase();
    let start =
        name.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().trim_end_matches(['-', '.', '_']);
    if start.is_empty() { name } else { start.to_owned() }
}

/// The protocols of which something is carried.
pub(super) const CHAT: &str = "chat";
pub(super) const RESPONSES: &str = "responses";
pub(super) const ANTHROPIC: &str = "anthropic";

/// What a message of the history carries over this protocol for this server.
pub(super) fn fields_of(message: &Message, api: &str, origin: &Origin) -> Option<EditableObject> {
    let item = message.responses_reasoning_item.as_ref().filter(|item| item.id.is_none())?;
    let fields = EditableObject::compact(item.encrypted_content.as_deref()?)?;
    (fields.read::<String>("api").as_deref() == Some(api) && origin.is_of(&fields)).then_some(fields)
}

/// What a message of the history carries for this server of Chat Completions.
pub(super) struct Carried(EditableObject);

impl Carried {
    /// `None` if it carries nothing, or comes from elsewhere.
    pub(super) fn by(message: &Message, origin: &Origin) -> Option<Self> {
        fields_of(message, CHAT, origin).map(Self)
    }

    /// The fields of the message.
    pub(super) fn message(&self) -> EditableObject {
        self.0.read("message").unwrap_or_default()
    }

    /// The fields of each call, in their order.
    pub(super) fn calls(&self) -> Vec<EditableObject> {
        self.0.read("calls").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(pieces: &[&str]) -> String {
        let mut carrying = Carrying::default();
        for piece in pieces {
            carrying.take(&Object::parse(&format!("{{\"reasoning_details\":{piece}}}")).unwrap());
        }
        carrying.message.get("reasoning_details").unwrap_or_default().to_owned()
    }

    #[test]
    fn pieces_of_a_detail_are_joined_and_encrypted_ones_stay_apart() {
        let claude = details(&[
            r#"[{"type":"reasoning.text","text":"I ","index":0,"format":"anthropic-claude-v1"}]"#,
            r#"[{"type":"reasoning.text","text":"see.","index":0,"format":"anthropic-claude-v1"}]"#,
            r#"[{"type":"reasoning.text","signature":"sig","index":0,"format":"anthropic-claude-v1"}]"#,
        ]);
        assert!(is_same(
            &claude,
            r#"[{"type":"reasoning.text","text":"I see.","index":0,"format":"anthropic-claude-v1","signature":"sig"}]"#
        ));
        let openai = details(&[
            r#"[{"type":"reasoning.summary","summary":"A","index":0}]"#,
            r#"[{"type":"reasoning.summary","summary":"B","index":0,"id":null}]"#,
            r#"[{"type":"reasoning.encrypted","data":"x","id":"rs_1","index":0}]"#,
            r#"[{"type":"reasoning.encrypted","data":"y","id":"rs_2","index":0}]"#,
        ]);
        let expected = r#"[{"type":"reasoning.summary","summary":"AB","index":0},{"type":"reasoning.encrypted","data":"x","id":"rs_1","index":0},{"type":"reasoning.encrypted","data":"y","id":"rs_2","index":0}]"#;
        assert!(is_same(&openai, expected), "{openai}");
    }

    #[test]
    fn it_goes_back_only_to_its_server_and_family() {
        let origin = |model: &str, base: Option<&str>| Origin::of(&Endpoint::resolve(model, base).unwrap());
        let mut carrying = Carrying::default();
        carrying.take(
            &Object::parse(r#"{"reasoning_opaque":"abc","content":"x","reasoning":"y","annotations":[1]}"#)
                .unwrap(),
        );
        let mut message = Message::new(crate::llm::message::Role::Assistant, Vec::new());
        message.responses_reasoning_item =
            carrying.item(&origin("openrouter/google/gemini-3-pro-preview", None));
        let has = |model: &str, base: Option<&str>| Carried::by(&message, &origin(model, base)).is_some();
        assert!(has("openrouter/google/gemini-3.1-flash", None));
        assert!(!has("openrouter/anthropic/claude-sonnet-4.5", None));
        assert!(!has("openrouter/google/gemini-3-pro-preview", Some("https://relay.example/v1")));
        let own = Carried::by(&message, &origin("openrouter/google/gemini-3-pro-preview", None)).unwrap();
        assert_eq!(own.message().text(), r#"{"reasoning_opaque":"abc"}"#);
        let nothing = Carrying::default().item(&Origin::default());
        assert_eq!(nothing, None);
    }
}
