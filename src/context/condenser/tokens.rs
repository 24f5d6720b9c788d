//! The number of tokens of a view: the provider's count for the last request, and estimates for what was added since.
//!
//! An estimate that is too low leads to requests that do not fit, one that is too high only to an early condensation. So
//! estimates are rather too high.

use crate::{
    context::{
        messages::{events_to_messages, history_of},
        view::View,
    },
    event::{Body, Event},
    llm::{
        ToolSchema,
        files::IMAGE_TOKENS,
        message::{Content, FileContent, Message},
    },
};

/// The provider's count for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The number of events at the start of the view that the request consisted of. No event before this place has
    /// been removed or replaced since.
    pub events: usize,
    /// The input tokens, including the definitions of the tools.
    pub tokens: u64,
}

impl Reported {
    /// The count that came with an answer: the request consisted of the events before the answer. `None` if the answer
    /// is not in the view, or if the view has been condensed since.
    pub fn with_answer(view: &View, response_id: &str, tokens: u64) -> Option<Self> {
        let events = view.events().iter().position(|event| is_of_answer(event, response_id))?;
        view.since_condensation().contains(&events).then_some(Self { events, tokens })
    }

    /// The provider's supposed count for the events that the last condensation has left, if the estimate for them is as
    /// wrong as one of `estimated` tokens for an earlier request that it has counted. `None` without a condensation.
    pub fn scaled(view: &View, counts: &TokenCounts, tokens: u64, estimated: u64) -> Option<Self> {
        let events = view.since_condensation().start;
        let tokens = scaled(counts.first(events), tokens, estimated)?;
        (events > 0).then_some(Self { events, tokens })
    }
}

/// Whether this event is a part of the answer with this id.
pub fn is_of_answer(event: &Event, response_id: &str) -> bool {
    match event.body() {
        Body::ActionEvent(action) => action.llm_response_id == response_id,
        Body::MessageEvent(message) => message.llm_response_id.as_deref() == Some(response_id),
        _ => false,
    }
}

/// `count * tokens / estimated`; `None` if nothing was estimated.
fn scaled(count: u64, tokens: u64, estimated: u64) -> Option<u64> {
    let scaled = (u128::from(count) * u128::from(tokens)).checked_div(u128::from(estimated))?;
    Some(u64::try_from(scaled).unwrap_or(u64::MAX))
}

/// How tokens are counted.
#[derive(Clone, Copy)]
pub struct Counting<'a> {
    /// The number of tokens of a text.
    pub text: &'a dyn Fn(&str) -> u64,
    /// The number of tokens of a file that the model is given itself; `None` if it gets the text.
    pub file: &'a dyn Fn(&FileContent) -> Option<u64>,
}

impl<'a> Counting<'a> {
    /// For a model that is given no files.
    pub fn texts(text: &'a dyn Fn(&str) -> u64) -> Self {
        Self { text, file: &|_| None }
    }
}

/// The number of tokens of each start of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// For each number of events, from 0 on.
    of_first: Vec<u64>,
}

impl TokenCounts {
    /// The counts for these events and for the definitions of these tools, which are part of every request.
    pub fn of(
        events: &[Event],
        tools: &[ToolSchema],
        reported: Option<Reported>,
        count: Counting<'_>,
    ) -> Self {
        let mut sum = 0_u64;
        let mut of_first = vec![0];
        for (place, event) in events.iter().enumerate() {
            let messages = messages_of(event);
            let own: u64 = messages.iter().map(|message| size_of_message(message, count)).sum();
            sum = sum.saturating_add(own);
            if place == 0 {
                sum = tools.iter().map(|tool| size_of_tool(tool, count.text)).fold(sum, u64::saturating_add);
            }
            of_first.push(sum);
        }
        let mut counts = Self { of_first };
        if let Some(reported) = reported {
            counts.correct(reported);
        }
        counts
    }

    /// Scales the estimates for the events of that request so that their sum is what the provider has counted.
    pub fn correct(&mut self, reported: Reported) {
        let estimated = self.first(reported.events);
        if estimated == 0 || reported.events >= self.of_first.len() {
            return;
        }
        for (events, count) in self.of_first.iter_mut().enumerate() {
            *count = if events <= reported.events {
                scaled(*count, reported.tokens, estimated).unwrap_or(*count)
            } else {
                count.saturating_sub(estimated).saturating_add(reported.tokens)
            };
        }
    }

    /// The number of tokens of the first events.
    pub fn first(&self, events: usize) -> u64 {
        self.of_first.get(events).or(self.of_first.last()).copied().unwrap_or(0)
    }

    /// The number of tokens of all events.
    pub fn total(&self) -> u64 {
        self.of_first.last().copied().unwrap_or(0)
    }
}

/// The messages of an event alone, a summary as it is sent.
fn messages_of(event: &Event) -> Vec<Message> {
    match event.body() {
        Body::Condensation(_) => history_of(std::slice::from_ref(event)),
        _ => events_to_messages(std::slice::from_ref(event)),
    }
}

/// The tokens that surround the text of a message or a call.
const FRAME: u64 = 5;

fn size_of_message(message: &Message, Counting { text: count, file }: Counting<'_>) -> u64 {
    let mut sum = FRAME;
    for part in &message.content {
        let given = match part {
            Content::File(named) => file(named),
            _ => None,
        };
        let tokens = given.unwrap_or_else(|| part.as_text().map_or(IMAGE_TOKENS, count));
        sum = sum.saturating_add(tokens);
    }
    for call in message.tool_calls.iter().flatten() {
        sum = sum.saturating_add(FRAME);
        sum = sum.saturating_add(count(&call.name));
        sum = sum.saturating_add(count(&call.id));
        sum = sum.saturating_add(count(&call.arguments));
    }
    if let Some(reasoning) = &message.reasoning_content {
        sum = sum.saturating_add(count(reasoning));
    }
    sum
}

fn size_of_tool(tool: &ToolSchema, count: &dyn Fn(&str) -> u64) -> u64 {
    [&*tool.name, &*tool.description, &*tool.parameters]
        .into_iter()
        .map(count)
        .fold(FRAME, u64::saturating_add)
}

/// A run of characters that tokenizers split in the same way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Lower,
    Upper,
    Digit,
    Space,
    Line,
    Other,
}

/// The estimated number of tokens of a text, rather too high.
pub fn estimated_tokens(text: &str) -> u64 {
    // Counted in sixths of a token, so that whole numbers are enough.
    let mut sixths = 0_u64;
    let mut run = Run::Other;
    let mut length = 0_u64;
    for c in text.chars() {
        let kind = match c {
            'a'..='z' => Run::Lower,
            'A'..='Z' => Run::Upper,
            '0'..='9' => Run::Digit,
            ' ' | '\t' => Run::Space,
            '\n' | '\r' => Run::Line,
            _ => Run::Other,
        };
        // A capital begins the word that follows it.
        let continues = kind == run || run == Run::Upper && length == 1 && kind == Run::Lower;
        length = if continues { length.saturating_add(1) } else { 1 };
        run = kind;
        sixths = sixths.saturating_add(match kind {
            Run::Lower if length == 1 => 6,
            // A run that is longer than most words is random, and random letters are split more often.
            Run::Lower if length > 12 => 4,
            Run::Lower => 1,
            Run::Upper if length == 1 => 6,
            Run::Upper => 4,
            Run::Digit if length % 3 == 1 => 6,
            Run::Digit => 0,
            // One space belongs to the word after it.
            Run::Space if length % 64 == 2 => 6,
            Run::Space => 0,
            Run::Line if length % 32 == 1 => 6,
            Run::Line => 0,
            Run::Other => match c.len_utf8() {
                1 if length == 1 => 6,
                1 => 4,
                2 => 6,
                3 => 10,
                _ => 18,
            },
        });
    }
    sixths.div_ceil(6)
}
