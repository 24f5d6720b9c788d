//! Assembles tool calls from pieces, however a server divides and numbers them.

use crate::{
    json::Object,
    llm::{
        completion::ToolCallDelta,
        history::{signature_of, signed_id},
        message::MessageToolCall,
        settled_calls::{objects_in, settled},
        text_pieces::TextPieces,
        tool_names::ToolNames,
    },
};

/// The limit for the calls of one answer, far above real answers, against servers that never end.
const MAX_CALLS: usize = 1000;

/// The calls of one answer, as far as they have been received.
#[derive(Default)]
pub(super) struct ToolCalls {
    calls: Vec<PartialCall>,
    /// Whether Gemini's signatures are kept elsewhere than in the ids.
    pub(super) has_bare_ids: bool,
    /// The number of the choice from which they come.
    pub(super) choice: u64,
}

#[derive(Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    signature: String,
    arguments: String,
    /// Where the last piece of the arguments begins.
    last: usize,
    /// Whether a piece has not begun with the one before it.
    is_in_pieces: bool,
    pieces: TextPieces,
    is_shown: bool,
}

impl ToolCalls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Reads one element of `tool_calls`. `position` is its position in a list of complete calls, which need no index.
    /// Returns what can be shown of it; `None` if there are too many calls.
    pub(super) fn push(&mut self, piece: &Object<'_>, position: Option<u64>) -> Option<ToolCallDelta> {
        let function = piece.object("function");
        let id = piece.read::<String>("id").unwrap_or_default();
        let name = function.read::<String>("name").unwrap_or_default();
        // In a list of complete calls the position is more reliable than an index, which some servers leave at 0.
        let index = position.or_else(|| piece.read::<u64>("index"));
        let at = self.call_for(index, &id, &name)?;
        let call = self.calls.get_mut(at)?;
        if call.id.is_empty() {
            call.id = id;
        }
        if name.starts_with(&call.name) {
            // The first piece, a repetition, or the complete name so far.
            call.name = name;
        } else {
            call.name.push_str(&name);
        }
        let google = piece.object("extra_content").object("google");
        let signature = google.read::<String>("thought_signature");
        call.signature.extend(signature.filter(|_| !self.has_bare_ids));
        let mut shown = ToolCallDelta { index: at, ..ToolCallDelta::default() };
        let Some(json) = function.get("arguments").filter(|json| *json != "null") else { return Some(shown) };
        // Some servers send an object instead of a text.
        shown.arguments = call.pieces.text(json).unwrap_or_else(|| json.to_owned());
        call.add(&shown.arguments);
        // The name is complete when the arguments begin.
        if !std::mem::replace(&mut call.is_shown, true) {
            let begun = ToolCallDelta::begin(at, &call.shown_id(), &call.name);
            shown = ToolCallDelta { arguments: call.arguments.clone(), ..begun };
        }
        Some(shown)
    }

    /// Reads more arguments of the call at this position, as a JSON string. `None` if they are none, or if nothing of the call is
    /// shown yet.
    pub(super) fn push_arguments(&mut self, at: usize, json: &str) -> Option<ToolCallDelta> {
        let call = self.calls.get_mut(at).filter(|call| call.is_shown)?;
        let arguments = call.pieces.text(json)?;
        call.add(&arguments);
        Some(ToolCallDelta { index: at, arguments, ..ToolCallDelta::default() })
    }

    /// The calls in order. `new_id` makes the ids that are missing or taken. `None` if a call has no name.
    pub(super) fn finish(
        mut self,
        names: &ToolNames,
        new_id: &mut dyn FnMut() -> String,
    ) -> Option<Vec<MessageToolCall>> {
        // Calls without an index first, in the order of their arrival.
        self.calls.sort_by_key(|call| call.index);
        let mut calls: Vec<MessageToolCall> = Vec::new();
        for mut partial in self.calls {
            let rest = partial.pieces.rest();
            partial.arguments.extend(rest);
            let arguments = partial.whole().to_owned();
            if partial.name.trim().is_empty() {
                // Arguments under an index of their own, without a name, belong to the call before them.
                match calls.last_mut() {
                    _ if arguments.trim().is_empty() => {}
                    Some(before) => before.arguments.push_str(&arguments),
                    None => return None,
                }
                continue;
            }
            let is_taken = partial.id.trim().is_empty()
                || calls.iter().any(|call| signature_of(&call.id).0 == partial.id);
            if is_taken {
                partial.id = format!("call_{}", new_id());
            }
            calls.push(MessageToolCall {
                id: partial.shown_id(),
                responses_item_id: None,
                name: partial.name,
                arguments,
                origin: "completion".into(),
            });
        }
        Some(settled(calls, names, new_id))
    }

    /// The position of the call to which a piece belongs.
    fn call_for(&mut self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let found = match index {
            // Gemini and Ollama give every parallel call the index 0; vLLM sent a new id with every piece. Only a piece
            // with another id and with a name is another call.
            Some(_) => self.calls.iter().rposition(|call| call.index == index).filter(|at| {
                self.calls.get(*at).is_some_and(|call| {
                    // Without ids, only another name after complete arguments is another call.
                    let is_other =
                        !name.is_empty() && call.name != name && objects_in(&call.arguments).is_some();
                    call.id == id && !id.is_empty()
                        || name.is_empty()
                        || (id.is_empty() || call.id.is_empty()) && !is_other
                })
            }),
            None if !id.is_empty() => {
                let same = self.calls.iter().rposition(|call| call.id == id);
                same.or_else(|| if name.is_empty() { self.calls.len().checked_sub(1) } else { None })
            }
            None if name.is_empty() => self.calls.len().checked_sub(1),
            None => None,
        };
        if found.is_none() && self.calls.len() < MAX_CALLS {
            self.calls.push(PartialCall { index, ..PartialCall::default() });
            return Some(self.calls.len() - 1);
        }
        found
    }
}

impl PartialCall {
    fn add(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        let before = self.arguments.get(self.last..).unwrap_or_default();
        self.is_in_pieces |= !piece.starts_with(before);
        self.last = self.arguments.len();
        self.arguments.push_str(piece);
    }

    /// The arguments. Some servers send what there is so far with each piece, or everything once more at the end.
    fn whole(&self) -> &str {
        let (before, last) = self.arguments.split_at_checked(self.last).unwrap_or_default();
        let is_whole =
            !before.is_empty() && Object::parse(last).is_some() && objects_in(&self.arguments).is_none();
        if is_whole && (!self.is_in_pieces || last.starts_with(before)) { last } else { &self.arguments }
    }

    /// The id as it is stored.
    fn shown_id(&self) -> String {
        if self.signature.is_empty() { self.id.clone() } else { signed_id(&self.id, &self.signature) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(pieces: &[&str]) -> Vec<(String, String, String)> {
        let mut calls = ToolCalls::default();
        for piece in pieces {
            assert!(calls.push(&Object::parse(piece).unwrap(), None).is_some());
        }
        let mut made = 0;
        let new_id = &mut || {
            made += 1;
            made.to_string()
        };
        let calls = calls.finish(&ToolNames::default(), new_id).unwrap();
        calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.into(), name.into(), arguments.into())
    }

    #[test]
    fn pieces_of_two_calls_are_separated_by_index() {
        assert_eq!(
            calls(&[
                r#"{"index":1,"id":"b","function":{"name":"two","arguments":""}}"#,
                r#"{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}"#,
                r#"{"index":1,"function":{"arguments":"{}"}}"#,
                r#"{"index":0,"function":{"arguments":":1}"}}"#,
            ]),
            [call("a", "one", "{\"x\":1}"), call("b", "two", "{}")]
        );
    }

    #[test]
    fn parallel_calls_with_index_0_are_separated_by_id() {
        assert_eq!(
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":1}"}}"#,
            ]),
            [call("a", "f", "{}"), call("b", "f", "{\"x\":1}")]
        );
    }

    #[test]
    fn a_new_id_without_a_name_continues_the_call() {
        assert_eq!(
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"f"}}"#,
                r#"{"index":0,"id":"b","function":{"arguments":"{\"x\":"}}"#,
                r#"{"index":0,"id":"c","function":{"arguments":"1}"}}"#,
            ]),
            [call("a", "f", "{\"x\":1}")]
        );
    }

    #[test]
    fn without_an_index_calls_are_separated_by_id_and_name() {
        assert_eq!(
            calls(&[
                r#"{"id":"a","function":{"name":"f","arguments":"{"}}"#,
                r#"{"function":{"arguments":"}"}}"#,
                r#"{"id":"b","function":{"name":"g","arguments":null}}"#,
                r#"{"id":"a","function":{"arguments":" "}}"#,
                r#"{"function":{"name":"h","arguments":"{}"}}"#,
            ]),
            [call("a", "f", "{} "), call("b", "g", "{}"), call("call_1", "h", "{}")]
        );
    }

    #[test]
    fn a_name_may_be_split_or_repeated() {
        assert_eq!(
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"get_"}}"#,
                r#"{"index":0,"id":"a","function":{"name":"weather"}}"#,
            ]),
            [call("a", "get_weather", "{}")]
        );
        assert_eq!(
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}"#,
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}"#,
            ]),
            [call("a", "f", "{}")]
        );
    }

    #[test]
    fn arguments_may_be_an_object_and_repeated_ids_are_replaced() {
        assert_eq!(
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":{"x": 1.50}}}"#,
                r#"{"index":1,"id":"a","function":{"name":"f","arguments":""}}"#,
            ]),
            [call("a", "f", "{\"x\": 1.50}"), call("call_1", "f", "{}")]
        );
    }

    #[test]
    fn a_call_without_a_name_is_refused_unless_it_is_empty() {
        let mut nameless = ToolCalls::default();
        nameless.push(&Object::parse(r#"{"index":0,"id":"a","function":{"arguments":"{}"}}"#).unwrap(), None);
        assert_eq!(nameless.finish(&ToolNames::default(), &mut String::new), None);
        assert_eq!(calls(&[r#"{"index":0}"#, r#"{"index":1,"id":"a","function":{"name":"f"}}"#]).len(), 1);
    }

    #[test]
    fn calls_without_ids_under_one_index_are_told_apart_by_their_text() {
        let named = |name: &str, arguments: &str| {
            format!(r#"{{"index":0,"id":"","function":{{"name":"{name}","arguments":{arguments:?}}}}}"#)
        };
        let (one, two, other) =
            (named("f", r#"{"x":1}"#), named("f", r#"{"x":2}"#), named("g", r#"{"x":1}"#));
        assert_eq!(
            calls(&[&one, &two, &other]),
            [
                call("call_1", "f", r#"{"x":1}"#),
                call("call_3", "f", r#"{"x":2}"#),
                call("call_2", "g", r#"{"x":1}"#)
            ]
        );
    }

    #[test]
    fn arguments_of_the_next_index_without_a_name_belong_to_the_call_before() {
        let begun = r#"{"index":0,"id":"a","function":{"name":"f","arguments":""}}"#;
        let rest = r#"{"index":1,"function":{"arguments":"{\"x\":1}"}}"#;
        assert_eq!(calls(&[begun, rest]), [call("a", "f", r#"{"x":1}"#)]);
        let whole = r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":2}"}}"#;
        assert_eq!(calls(&[whole, rest]), [call("a", "f", r#"{"x":2}"#), call("call_1", "f", r#"{"x":1}"#)]);
    }

    #[test]
    fn arguments_that_come_whole_once_more_or_as_growing_texts_are_taken_once() {
        let piece = |arguments: &str| format!(r#"{{"index":0,"function":{{"arguments":{arguments:?}}}}}"#);
        let begun = r#"{"index":0,"id":"a","function":{"name":"f"}}"#.to_owned();
        let of = |pieces: &[&str]| {
            let all: Vec<String> =
                [begun.clone()].into_iter().chain(pieces.iter().map(|text| piece(text))).collect();
            calls(&all.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let whole = [call("a", "f", r#"{"x":{"y":1}}"#)];
        assert_eq!(of(&[r#"{"x":{"y""#, r#":1}}"#, r#"{"x":{"y":1}}"#]), whole);
        assert_eq!(of(&[r#"{"x":{"y""#, r#"{"x":{"y":1}"#, r#"{"x":{"y":1}}"#]), whole);
        assert_eq!(of(&[r#"{"x":"#, r#"{"y":1}"#, "}"]), whole);
        assert_eq!(of(&[r#"{"x":"#, r#"{"y":1}"#]), [call("a", "f", r#"{"x":{"y":1}"#)], "it was cut off");
    }
}
