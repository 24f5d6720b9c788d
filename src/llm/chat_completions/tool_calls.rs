//! Assembles tool calls from pieces, however a server divides and numbers them.

use crate::{
    json::Object,
    llm::{
        completion::ToolCallDelta,
        history::{signature_of, signed_id},
        message::MessageToolCall,
        text_pieces::TextPieces,
    },
};

/// The limit for the calls of one answer, far above real answers, against servers that never end.
const MAX_CALLS: usize = 1000;

/// The calls of one answer, as far as they have been received.
#[derive(Default)]
pub(super) struct ToolCalls(Vec<PartialCall>);

#[derive(Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    signature: String,
    arguments: String,
    pieces: TextPieces,
    is_shown: bool,
}

impl ToolCalls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        let call = self.0.get_mut(at)?;
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
        call.signature.extend(google.read::<String>("thought_signature"));
        let mut shown = ToolCallDelta { index: at, ..ToolCallDelta::default() };
        let Some(json) = function.get("arguments").filter(|json| *json != "null") else { return Some(shown) };
        // Some servers send an object instead of a text.
        shown.arguments = call.pieces.text(json).unwrap_or_else(|| json.to_owned());
        call.arguments.push_str(&shown.arguments);
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
        let call = self.0.get_mut(at).filter(|call| call.is_shown)?;
        let arguments = call.pieces.text(json)?;
        call.arguments.push_str(&arguments);
        Some(ToolCallDelta { index: at, arguments, ..ToolCallDelta::default() })
    }

    /// The calls in order. `new_id` makes the ids that are missing or taken. `None` if a call has no name.
    pub(super) fn finish(mut self, mut new_id: impl FnMut() -> String) -> Option<Vec<MessageToolCall>> {
        // Calls without an index first, in the order of their arrival.
        self.0.sort_by_key(|call| call.index);
        let mut calls: Vec<MessageToolCall> = Vec::new();
        for mut partial in self.0 {
            partial.arguments.extend(partial.pieces.rest());
            if partial.name.trim().is_empty() {
                if partial.arguments.trim().is_empty() {
                    continue;
                }
                return None;
            }
            let is_taken = partial.id.trim().is_empty()
                || calls.iter().any(|call| signature_of(&call.id).0 == partial.id);
            if is_taken {
                partial.id = format!("call_{}", new_id());
            }
            let is_blank = partial.arguments.trim().is_empty();
            calls.push(MessageToolCall {
                id: partial.shown_id(),
                responses_item_id: None,
                name: partial.name,
                // Providers refuse a history with empty arguments; they must be an object.
                arguments: if is_blank { "{}".into() } else { partial.arguments },
                origin: "completion".into(),
            });
        }
        Some(calls)
    }

    /// The position of the call to which a piece belongs.
    fn call_for(&mut self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let found = match index {
            // Gemini and Ollama give every parallel call the index 0; vLLM sent a new id with every piece. Only a piece
            // with another id and with a name is another call.
            Some(_) => self.0.iter().rposition(|call| call.index == index).filter(|at| {
                self.0.get(*at).is_some_and(|call| {
                    id.is_empty() || call.id.is_empty() || call.id == id || name.is_empty()
                })
            }),
            None if !id.is_empty() => {
                let same = self.0.iter().rposition(|call| call.id == id);
                same.or_else(|| if name.is_empty() { self.0.len().checked_sub(1) } else { None })
            }
            None if name.is_empty() => self.0.len().checked_sub(1),
            None => None,
        };
        if found.is_none() && self.0.len() < MAX_CALLS {
            self.0.push(PartialCall { index, ..PartialCall::default() });
            return Some(self.0.len() - 1);
        }
        found
    }
}

impl PartialCall {
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
        let new_id = || {
            made += 1;
            made.to_string()
        };
        let calls = calls.finish(new_id).unwrap();
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
        assert_eq!(nameless.finish(String::new), None);
        assert_eq!(calls(&[r#"{"index":0}"#, r#"{"index":1,"id":"a","function":{"name":"f"}}"#]).len(), 1);
    }
}
