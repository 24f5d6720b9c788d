//! The text form of a call in the history.

use super::python::str_of;
use crate::{
    json::{EditableObject, FromJson as _},
    llm::message::MessageToolCall,
};

/// The SDK's `convert_tool_call_to_string`, but without errors: arguments that are not an object are written unchanged, so
/// that one invalid call does not make the history unusable.
pub(super) fn text_of(call: &MessageToolCall) -> String {
    let mut text = format!("<function={}>\n", call.name);
    match EditableObject::compact(&call.arguments) {
        Some(arguments) => {
            for (name, value) in arguments.iter() {
                let is_long = String::from_json(value).is_some_and(|text| text.contains('\n'));
                let edge = if is_long { "\n" } else { "" };
                text.push_str(&format!("<parameter={name}>{edge}{}{edge}</parameter>\n", str_of(value)));
            }
        }
        None => {
            text.push_str(call.arguments.trim());
            text.push('\n');
        }
    }
    text.push_str("</function>");
    text
}
