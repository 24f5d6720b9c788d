//! What people are shown of an answer beside its text: the sources that it names, and what the server has done by itself.
//!
//! The SDK has no field for either. They are kept with what goes back to the server (`llm/carried.rs`), in the JSON of a reasoning
//! item without an id, which the SDK keeps and sends to nobody.

use crate::{
    json::{EditableObject, FromJson, Object, ToJson, elements, object, string},
    llm::message::{Message, ReasoningItem},
};

/// The most sources that are kept of an answer, and the most things that a server did.
const MOST: usize = 100;

/// The longest address, in bytes.
const LONGEST_URL: usize = 2048;

/// The longest title, name or description, in characters.
const LONGEST_TEXT: usize = 300;

/// The fields in which servers list the sources of an answer, beside it: Perplexity's and xAI's, and Z.ai's.
const LISTS: [&str; 3] = ["citations", "search_results", "web_search"];

/// The arguments of servers' own tools that say what they are used for.
const DETAILS: [&str; 6] = ["query", "queries", "url", "code", "command", "prompt"];

/// A source that an answer names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSource {
    /// An `http:` or `https:` address.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
}

/// Something that a server has done by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The name of the tool.
    pub name: String,
    /// What it was used for: a query, an address, the beginning of a program.
    pub detail: Option<String>,
}

/// What people are shown beside the text of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The sources. Where the text has numbers, it counts them from 1.
    pub sources: Vec<WebSource>,
    /// What the server did, in order.
    pub work: Vec<Work>,
}

impl Beside {
    /// What is kept of this item's answer.
    pub fn of(item: Option<&ReasoningItem>) -> Self {
        let of = |item: &ReasoningItem| {
            let fields = item.encrypted_content.as_deref().filter(|_| item.id.is_none());
            let fields = Object::parse(fields?)?;
            let mut beside = Self::default();
            beside.list(fields.get("sources").unwrap_or_default());
            for work in fields.objects("work").unwrap_or_default() {
                beside.add_work(&work.read::<String>("name").unwrap_or_default(), work.read("detail"));
            }
            Some(beside)
        };
        item.and_then(of).unwrap_or_default()
    }

    /// Takes one source that a text names.
    pub(super) fn cite(&mut self, citation: &Object<'_>) {
        // Chat Completions has the fields in an object of the type's name.
        let inner = citation.object("url_citation");
        if let Some(source) = source_of(&inner).or_else(|| source_of(citation)) {
            self.add(source);
        }
    }

    /// Takes the lists of sources that this object has. Each piece of a stream repeats them.
    pub(super) fn take_lists(&mut self, object: &Object<'_>) {
        for name in LISTS {
            self.list(object.get(name).unwrap_or_default());
        }
    }

    fn list(&mut self, json: &str) {
        for element in elements(json).unwrap_or_default() {
            let bare = || string(element).and_then(String::from_json).and_then(|url| address(&url));
            let source = match Object::parse(element) {
                Some(object) => source_of(&object),
                None => bare().map(|url| WebSource { url, title: None }),
            };
            source.into_iter().for_each(|source| self.add(source));
        }
    }

    fn add(&mut self, source: WebSource) {
        let has_room = self.sources.len() < MOST;
        match self.sources.iter_mut().find(|known| known.url == source.url) {
            Some(known) => known.title = known.title.take().or(source.title),
            None if has_room => self.sources.push(source),
            None => {}
        }
    }

    /// Takes something that the server did with a tool of its own, whose arguments are in one of these objects.
    pub(super) fn did(&mut self, name: &str, places: &[&Object<'_>]) {
        let details = places.iter().flat_map(|place| DETAILS.iter().filter_map(|name| place.get(name)));
        self.add_work(name, details.into_iter().find_map(detail_of));
    }

    fn add_work(&mut self, name: &str, detail: Option<String>) {
        let line = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            Some(words.join(" ").chars().take(LONGEST_TEXT).collect::<String>())
                .filter(|text| !text.is_empty())
        };
        if let (Some(name), true) = (line(name), self.work.len() < MOST) {
            self.work.push(Work { name, detail: detail.and_then(|text| line(&text)) });
        }
    }

    /// Keeps it in this message.
    pub(super) fn keep(&self, message: &mut Message) {
        if self.sources.is_empty() && self.work.is_empty() {
            return;
        }
        let item = message.responses_reasoning_item.get_or_insert_default();
        let known = item.encrypted_content.as_deref();
        let known = known.map_or(Some(EditableObject::default()), EditableObject::compact);
        // What a server has encrypted is no JSON.
        let Some(mut fields) = known.filter(|_| item.id.is_none()) else { return };
        for (name, json) in [("sources", self.sources.to_json_text()), ("work", self.work.to_json_text())] {
            if json != "[]" {
                fields.set(name, &json);
            }
        }
        item.encrypted_content = Some(fields.text());
    }
}

/// The source that an object names.
fn source_of(object: &Object<'_>) -> Option<WebSource> {
    let text = |name: &str| object.read::<String>(name);
    let url = ["url", "link", "source"].into_iter().find_map(|name| address(&text(name)?))?;
    let title = ["title", "document_title"].into_iter().find_map(text);
    let title = title.map(|title| title.trim().chars().take(LONGEST_TEXT).collect::<String>());
    Some(WebSource { url, title: title.filter(|title| !title.is_empty()) })
}

/// An address that can be a link; nothing that a page would run.
fn address(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = url.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let is_plain = !rest.is_empty() && !url.contains(|c: char| c.is_whitespace() || c.is_control());
    (is_web && is_plain && url.len() <= LONGEST_URL).then(|| url.to_owned())
}

/// The first text in this value.
fn detail_of(json: &str) -> Option<String> {
    let text = String::from_json(json).filter(|text| !text.trim().is_empty());
    text.or_else(|| elements(json)?.into_iter().find_map(String::from_json))
}

impl ToJson for WebSource {
    fn write_json(&self, out: &mut String) {
        object! { "url": self.url, "title"?: self.title }.write_json(out);
    }
}

impl ToJson for Work {
    fn write_json(&self, out: &mut String) {
        object! { "name": self.name, "detail"?: self.detail }.write_json(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::message::Role;

    fn cited(json: &[&str]) -> Vec<String> {
        let mut beside = Beside::default();
        for json in json {
            beside.cite(&Object::parse(json).unwrap());
        }
        beside.sources.into_iter().map(|WebSource { url, title }| format!("{url} {title:?}")).collect()
    }

    #[test]
    fn only_what_can_be_a_link_is_a_source() {
        for url in [
            "javascript:alert(1)",
            "JavaScript://x%0aalert(1)",
            "data:text/html,x",
            "ftp://a.example",
            "//a.example",
            "https://",
            "https://a.example/ b",
            "https://a.example/\\u0000",
        ] {
            assert_eq!(cited(&[&format!("{{\"url\":\"{url}\"}}")]), [""; 0], "{url}");
        }
        assert_eq!(cited(&[&format!("{{\"url\":\"https://{}\"}}", "a".repeat(2048))]), [""; 0]);
        assert_eq!(
            cited(&[r#"{"url":" HTTPS://A.example/?a=1#b ","title":" A "}"#]),
            ["HTTPS://A.example/?a=1#b Some(\"A\")"]
        );
    }

    #[test]
    fn a_source_counts_once_and_their_number_is_bounded() {
        let twice = [r#"{"url":"https://a.example"}"#, r#"{"url":"https://a.example","title":"A"}"#];
        assert_eq!(cited(&twice), ["https://a.example Some(\"A\")"]);
        let many: Vec<String> =
            (0..300).map(|at| format!("{{\"url\":\"https://a.example/{at}\"}}")).collect();
        assert_eq!(cited(&many.iter().map(String::as_str).collect::<Vec<_>>()).len(), MOST);
    }

    #[test]
    fn it_is_kept_beside_everything_else_that_the_item_keeps() {
        let mut beside = Beside::default();
        beside.take_lists(
            &Object::parse(r#"{"citations":["https://a.example","https://b.example"]}"#).unwrap(),
        );
        let arguments = Object::parse(r#"{"type":"search","queries":["Rust\n  wasm"]}"#).unwrap();
        beside.did("web_search", &[&Object::default(), &arguments]);
        assert_eq!(beside.work[0].detail.as_deref(), Some("Rust wasm"));
        let some = |text: &str| Some(text.to_owned());
        let kept = |id: Option<String>, encrypted_content: Option<String>| {
            let mut message = Message::new(Role::Assistant, Vec::new());
            message.responses_reasoning_item =
                Some(ReasoningItem { id, encrypted_content, ..ReasoningItem::default() });
            beside.keep(&mut message);
            message.responses_reasoning_item.unwrap()
        };
        for before in [None, some("{\"api\":\"chat\",\"message\":{}}")] {
            let item = kept(None, before.clone());
            assert_eq!(Beside::of(Some(&item)), beside, "{item:?}");
            let start = before.as_deref().unwrap_or_default().trim_end_matches('}');
            assert!(item.encrypted_content.unwrap().starts_with(start));
        }
        // What only its server can read is not touched.
        for (id, opaque) in [(None, some("b3BhcXVl")), (some("rs_1"), some("b3BhcXVl")), (some("rs_1"), None)]
        {
            let item = kept(id, opaque.clone());
            assert_eq!(
                (item.encrypted_content.clone(), Beside::of(Some(&item))),
                (opaque, Beside::default())
            );
        }
        let mut message = Message::new(Role::Assistant, Vec::new());
        Beside::default().keep(&mut message);
        assert_eq!(message.responses_reasoning_item, None);
    }

    #[test]
    fn what_another_program_has_written_there_is_not_trusted() {
        let of = |text: &str| {
            let encrypted_content = Some(text.to_owned());
            Beside::of(Some(&ReasoningItem { encrypted_content, ..ReasoningItem::default() }))
        };
        for text in [
            "",
            "[]",
            "{\"sources\":7,\"work\":{}}",
            "{\"sources\":[null,7,{\"url\":\"javascript://x\"}],\"work\":[1,{}]}",
        ] {
            assert_eq!(of(text), Beside::default(), "{text}");
        }
    }
}
