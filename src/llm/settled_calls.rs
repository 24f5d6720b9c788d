//! The calls of a complete answer, as its text says them. While an answer arrives, servers divide and number calls in many
//! wrong ways; at its end the text decides: one object, several, or a repetition.

use crate::{
    json::{Object, is_same},
    llm::{message::MessageToolCall, tool_names::ToolNames},
};

/// The calls that these are: arguments that are several objects are several calls of the tool, a wrapper of calls is those in
/// it, and a name is that of a tool. `new_id` makes the ids of further calls.
pub(super) fn settled(
    calls: Vec<MessageToolCall>,
    names: &ToolNames,
    new_id: &mut dyn FnMut() -> String,
) -> Vec<MessageToolCall> {
    let mut settled = Vec::new();
    for call in calls {
        let name = names.original(&call.name).to_owned();
        // Almost always they are one object, which is read once: it can be long.
        let fields = Object::parse(call.arguments.trim());
        let parts = match fields.as_ref().map(wrapped) {
            Some(Some(inner)) => inner
                .into_iter()
                .map(|(name, arguments)| (names.original(&name).to_owned(), arguments))
                .collect(),
            Some(None) => vec![(name, call.arguments.clone())],
            None => each_of(&call.arguments).map(|arguments| (name.clone(), arguments)).collect::<Vec<_>>(),
        };
        for (place, (name, arguments)) in parts.into_iter().enumerate() {
            let mut more = || (format!("call_{}", new_id()), None);
            let (id, responses_item_id) =
                if place == 0 { (call.id.clone(), call.responses_item_id.clone()) } else { more() };
            settled.push(MessageToolCall {
                id,
                responses_item_id,
                name,
                arguments,
                origin: call.origin.clone(),
            });
        }
    }
    settled
}

/// The arguments of each call in a text: the text itself if it is not a sequence of objects.
fn each_of(text: &str) -> impl Iterator<Item = String> {
    let mut distinct: Vec<&str> = Vec::new();
    for object in objects_in(text).unwrap_or_default() {
        // Some servers begin with `{}`, others end with everything once more.
        let is_repeated = distinct.iter().any(|known| is_same(known, object));
        if !is_repeated {
            distinct.push(object);
        }
    }
    if distinct.len() > 1 {
        distinct.retain(|object| Object::parse(object).is_some_and(|fields| fields.iter().next().is_some()));
    }
    // A text that is one object keeps its white space.
    if distinct.first().is_none_or(|object| *object == text.trim()) {
        distinct.clear();
    }
    if distinct.is_empty() {
        // Providers refuse a history with empty arguments; they must be an object.
        distinct.push(if text.trim().is_empty() { "{}" } else { text });
    }
    distinct.into_iter().map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// The objects of which a text consists; `None` if it is anything else. Tokens of a model's template may follow them.
pub(super) fn objects_in(text: &str) -> Option<Vec<&str>> {
    let mut objects = Vec::new();
    let mut rest = text.trim_matches(is_between);
    while !rest.is_empty() {
        if rest.starts_with('<') && !objects.is_empty() {
            break;
        }
        let (object, after) = rest.split_at_checked(end_of_object(rest)?)?;
        Object::parse(object)?;
        objects.push(object);
        rest = after.trim_start_matches(is_between);
    }
    (!objects.is_empty()).then_some(objects)
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// The length of the object with which a text begins.
pub(super) fn end_of_object(text: &str) -> Option<usize> {
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b'{' if !is_string => depth += 1,
            b'}' if !is_string => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}').then_some(at + 1);
        }
    }
    None
}

/// The calls in a wrapper that models of OpenAI make up (`multi_tool_use.parallel`), found by its form.
fn wrapped(fields: &Object<'_>) -> Option<Vec<(String, String)>> {
    if fields.iter().count() != 1 {
        return None;
    }
    let uses = fields.objects("tool_uses").filter(|uses| !uses.is_empty())?;
    let call = |used: &Object<'_>| {
        let parameters = used.get("parameters").filter(|json| json.starts_with('{')).unwrap_or("{}");
        Some((used.read::<String>("recipient_name")?, parameters.to_owned()))
    };
    uses.iter().map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, arguments: &str) -> Vec<String> {
        let call = MessageToolCall {
            id: "a".into(),
            responses_item_id: None,
            name: name.into(),
            arguments: arguments.into(),
            origin: "completion".into(),
        };
        let mut made = 0;
        let new_id = &mut || {
            made += 1;
            made.to_string()
        };
        let settled = settled(vec![call], &ToolNames::default(), new_id);
        settled.into_iter().map(|call| format!("{} {}{}", call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn several_objects_are_several_calls_and_a_repetition_is_none() {
        for (arguments, calls) in [
            (r#"{"x":1}{"x":2}"#, &[r#"a f{"x":1}"#, r#"call_1 f{"x":2}"#][..]),
            (
                "{\"x\":1}\n{\"x\":2},{\"x\":3}",
                &[r#"a f{"x":1}"#, r#"call_1 f{"x":2}"#, r#"call_2 f{"x":3}"#],
            ),
            (r#"{}{"x":1}"#, &[r#"a f{"x":1}"#]),
            (r#"{"x":1}{}"#, &[r#"a f{"x":1}"#]),
            (r#"{"x":1}{"x": 1}"#, &[r#"a f{"x":1}"#]),
            (r#"{"x":"}{"}{"x":"\"}"}"#, &[r#"a f{"x":"}{"}"#, r#"call_1 f{"x":"\"}"}"#]),
            ("{}{}", &["a f{}"]),
            ("", &["a f{}"]),
            (r#"{"x":1}<|tool_call_end|>"#, &[r#"a f{"x":1}"#]),
        ] {
            assert_eq!(of("f", arguments), calls, "{arguments}");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [r#"{"x":1"#, r#"{"x":1} and more"#, "{'x': 1}", "[1]", r#"}{"x":1}"#, "é{", "{\"x\":1}}"]
        {
            assert_eq!(of("f", text), [format!("a f{text}")]);
        }
    }

    #[test]
    fn a_wrapper_is_the_calls_in_it() {
        let many =
            r#"{"tool_uses":[{"recipient_name":"functions.f","parameters":{"x":1}},{"recipient_name":"g"}]}"#;
        assert_eq!(of("multi_tool_use.parallel", many), [r#"a functions.f{"x":1}"#, "call_1 g{}"]);
        for other in [
            r#"{"tool_uses":[]}"#,
            r#"{"tool_uses":[{"x":1}]}"#,
            r#"{"tool_uses":[{"recipient_name":"f"}],"x":1}"#,
        ] {
            assert_eq!(of("f", other), [format!("a f{other}")]);
        }
    }
}
