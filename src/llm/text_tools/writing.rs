//! A call in text while it is being written: its name, and its arguments as JSON that grows.
//!
//! A text is shown as it comes, a value of another type once it is complete. A call that [`super::reading::parse_call`] will
//! refuse may be shown in part.

use super::reading::{CALL, CALL_END, VALUE, VALUE_END, name_and_value, property_of, tool_named, value_of};
use crate::{
    json::{Object, quoted},
    llm::{
        chat_completions::messages::is_space,
        completion::{ToolCallDelta, ToolSchema},
    },
};

/// The place up to which a call has been read.
#[derive(Default)]
pub(super) struct Writing {
    /// The length of the text that has been read.
    at: usize,
    place: Place,
    /// The position of the tool in the list.
    tool: usize,
    has_values: bool,
}

#[derive(Clone, Copy, Default)]
enum Place {
    /// Before the name of the tool.
    #[default]
    Start,
    /// Between values.
    Body,
    /// In the tag of a value, or in a value that is shown when it is complete; it begins where reading goes on.
    Value,
    /// In the text of a value, of which something is shown if `is_begun`.
    Text { is_begun: bool },
    /// After the call, or after a mistake.
    End,
}

impl Writing {
    /// Reads what is new of a text with a call, and returns what can be shown of it. `ends` is whether the text is complete.
    pub(super) fn read(
        &mut self,
        text: &str,
        ends: bool,
        id: &str,
        tools: &[ToolSchema],
    ) -> Option<ToolCallDelta> {
        let mut delta = ToolCallDelta::default();
        loop {
            let rest = text.get(self.at..).unwrap_or_default();
            let (place, length) = match self.place {
                Place::Start => self.start(rest, id, tools, &mut delta),
                Place::Body => self.body(rest, ends, &mut delta.arguments),
                Place::Value => self.value(rest, tools, &mut delta.arguments),
                Place::Text { is_begun } => Self::text(rest, is_begun, &mut delta.arguments),
                Place::End => None,
            }
            .unwrap_or((self.place, 0));
            self.at += length;
            self.place = place;
            if length == 0 {
                break;
            }
        }
        Some(delta).filter(|delta| delta.name.is_some() || !delta.arguments.is_empty())
    }

    fn start(
        &mut self,
        rest: &str,
        id: &str,
        tools: &[ToolSchema],
        delta: &mut ToolCallDelta,
    ) -> Option<(Place, usize)> {
        let from = rest.find(CALL)? + CALL.len();
        let name = rest.get(from..)?.split_once('>')?.0;
        let length = from + name.len() + 1;
        if name.is_empty() {
            return Some((Place::Start, length));
        }
        let Some(tool) = tool_named(name, tools) else { return Some((Place::End, length)) };
        self.tool = tools.iter().position(|other| other.name == tool.name)?;
        *delta = ToolCallDelta::begin(0, id, &tool.name);
        delta.arguments.push('{');
        Some((Place::Body, length))
    }

    fn body(&mut self, rest: &str, ends: bool, out: &mut String) -> Option<(Place, usize)> {
        let value = rest.find(VALUE);
        let end = rest.find(CALL_END);
        match (value, end) {
            (Some(value), end) if end.is_none_or(|end| value < end) => {
                Some((Place::Value, value + VALUE.len()))
            }
            (_, Some(end)) => {
                out.push('}');
                Some((Place::End, end + CALL_END.len()))
            }
            // The stop word is not part of the answer.
            _ if ends => {
                out.push('}');
                Some((Place::End, rest.len().max(1)))
            }
            _ => Some((Place::Body, rest.rfind('<').unwrap_or(rest.len()))),
        }
    }

    fn value(&mut self, rest: &str, tools: &[ToolSchema], out: &mut String) -> Option<(Place, usize)> {
        let tag_end = rest.find(['>', '='])?;
        let schema =
            tools.get(self.tool).and_then(|tool| Object::parse(&tool.parameters)).unwrap_or_default();
        let properties = schema.object("properties");
        let name = rest.get(..tag_end)?;
        let property = property_of(&properties, name);
        let kind = property.as_ref().and_then(|property| property.read::<String>("type"));
        let is_text = property.is_some()
            && !matches!(kind.as_deref(), Some("integer" | "number" | "boolean" | "array" | "object"));
        if is_text && rest.get(tag_end..)?.starts_with('>') {
            self.push_name(name, out);
            out.push('"');
            return Some((Place::Text { is_begun: false }, tag_end + 1));
        }
        let length = rest.find(VALUE_END)?;
        let after = length + VALUE_END.len();
        let (name, text) = name_and_value(rest.get(..length)?)?;
        // A common parameter that the tool does not have is dropped, as is one that makes the call invalid.
        if let Some(json) = property_of(&properties, name).and_then(|property| value_of(text, &property).ok())
        {
            self.push_name(name, out);
            out.push_str(&json);
        }
        Some((Place::Body, after))
    }

    fn push_name(&mut self, name: &str, out: &mut String) {
        if std::mem::replace(&mut self.has_values, true) {
            out.push_str(", ");
        }
        out.push_str(&quoted(name));
        out.push_str(": ");
    }

    /// White space around a text is not part of it, so that at the end is shown once other text follows.
    fn text(rest: &str, is_begun: bool, out: &mut String) -> Option<(Place, usize)> {
        let start = if is_begun { 0 } else { rest.len() - rest.trim_start_matches(is_space).len() };
        let end = [VALUE_END, CALL_END].iter().filter_map(|tag| Some((rest.find(tag)?, *tag))).min();
        let may_end = || rest.rfind('<').filter(|at| rest.get(*at..).is_some_and(may_begin_end));
        let until = end.map(|(at, _)| at).or_else(may_end).unwrap_or(rest.len());
        let shown = rest.get(start..until).unwrap_or_default().trim_end_matches(is_space);
        let json = quoted(shown);
        out.push_str(json.get(1..json.len() - 1)?);
        match end {
            Some((at, VALUE_END)) => {
                out.push('"');
                Some((Place::Body, at + VALUE_END.len()))
            }
            Some(_) => Some((Place::End, rest.len())),
            None => Some((Place::Text { is_begun: is_begun || !shown.is_empty() }, start + shown.len())),
        }
    }
}

/// Whether this may be the beginning of a tag that ends a value.
fn may_begin_end(start: &str) -> bool {
    VALUE_END.starts_with(start) || CALL_END.starts_with(start)
}
