//! Groups a timeline in the order of a log: the calls of one answer together, each call with its result.

use super::timeline::{Item, ItemKind, Outcome, Stamp, Timeline};
use crate::{
    event::{ActionEvent, Source},
    id::EventId,
    llm::message::{Content, Message, Role},
};
use std::collections::HashMap;

/// The highest number of places in a warning.
const MAX_NAMED: usize = 5;

/// One item, or the calls of one answer with their results.
pub enum Turn {
    /// An item that is neither a call nor the result of one.
    Item(Box<Item>),
    /// The calls of one answer.
    Calls(Vec<Call>),
    /// What comes next follows the turn with this item, or begins the conversation anew.
    Back(Option<EventId>),
}

/// A call and its result.
pub struct Call {
    /// The id, the time and the position of the call.
    pub stamp: Stamp,
    /// The call.
    pub action: ActionEvent,
    /// Its result, if the file has it.
    pub result: Option<(Stamp, Outcome)>,
}

/// Groups the items of a timeline into turns. Changes are reported in its warnings.
pub fn turns(timeline: &mut Timeline<'_>) -> Vec<Turn> {
    let items = std::mem::take(&mut timeline.items);
    let mut pairing =
        Pairing { timeline, turns: Vec::new(), calls: Vec::new(), first_open: 0, by_id: HashMap::new() };
    let mut responses = HashMap::new();
    let mut orphans = Vec::new();
    for Item { stamp, kind } in items {
        match kind {
            ItemKind::Back(id) => {
                // Results that come after this belong to another branch, so they answer no call before it.
                pairing.first_open = pairing.calls.len();
                pairing.turns.push(Turn::Back(id));
            }
            ItemKind::Call(action) => pairing.call(stamp, action, &mut responses),
            ItemKind::Result(id, outcome) => match pairing.open_call(&id) {
                Some(call) => call.result = Some((stamp, outcome)),
                None => {
                    orphans.push(stamp.place.clone());
                    let kind = ItemKind::Message(Source::Environment, as_user_message(outcome));
                    pairing.turns.push(Turn::Item(Box::new(Item { stamp, kind })));
                }
            },
            kind => pairing.turns.push(Turn::Item(Box::new(Item { stamp, kind }))),
        }
    }
    let turns = pairing.turns;
    if !orphans.is_empty() {
        timeline
            .warnings
            .push(format!("results of calls that are not in the file became messages: {}", named(&orphans)));
    }
    turns
}

/// The first of these places, for a warning.
pub fn named(places: &[String]) -> String {
    let named: Vec<&str> = places.iter().take(MAX_NAMED).map(String::as_str).collect();
    match places.len().checked_sub(MAX_NAMED) {
        Some(more) if more > 0 => format!("{} and {more} more", named.join(", ")),
        _ => named.join(", "),
    }
}

struct Pairing<'a, 'host> {
    timeline: &'a Timeline<'host>,
    turns: Vec<Turn>,
    /// The position of each call: the index of its turn, and its index in that.
    calls: Vec<(usize, usize)>,
    /// The first call of this branch.
    first_open: usize,
    /// The latest call with each id in the file, as an index into `calls`.
    by_id: HashMap<String, usize>,
}

impl Pairing<'_, '_> {
    /// Adds a call. `responses` has the turn of each answer's id.
    fn call(&mut self, stamp: Stamp, mut action: ActionEvent, responses: &mut HashMap<String, usize>) {
        let last = self.turns.len().saturating_sub(1);
        let continues = responses.get(&action.llm_response_id) == Some(&last)
            && matches!(self.turns.last(), Some(Turn::Calls(_)));
        if !continues {
            let name = action.llm_response_id.clone();
            if responses.contains_key(&name) {
                // An answer that is interrupted by another item becomes two, and the second needs another id.
                action.llm_response_id = self.timeline.new_id().to_string();
            }
            responses.insert(name, self.turns.len());
            self.turns.push(Turn::Calls(Vec::new()));
        }
        let turn = self.turns.len().saturating_sub(1);
        let Some(Turn::Calls(calls)) = self.turns.last_mut() else { return };
        if let Some(first) = calls.first() {
            action.llm_response_id.clone_from(&first.action.llm_response_id);
        }
        let id = action.tool_call_id.clone();
        if self.by_id.contains_key(&id) {
            // Some providers count ids from zero in every answer.
            rename(&mut action, &self.timeline.new_id());
        }
        self.by_id.insert(id, self.calls.len());
        self.calls.push((turn, calls.len()));
        calls.push(Call { stamp, action, result: None });
    }

    /// The latest call with this id, if it has no result yet.
    fn open_call(&mut self, id: &str) -> Option<&mut Call> {
        let latest = self.by_id.get(id).copied().filter(|latest| *latest >= self.first_open)?;
        let (turn, index) = *self.calls.get(latest)?;
        match self.turns.get_mut(turn)? {
            Turn::Calls(calls) => calls.get_mut(index).filter(|call| call.result.is_none()),
            Turn::Item(_) | Turn::Back(_) => None,
        }
    }
}

fn rename(action: &mut ActionEvent, id: &EventId) {
    action.tool_call_id = id.to_string();
    action.tool_call.id = id.to_string();
}

/// A result without a call as a user message, because providers refuse such a result.
fn as_user_message(outcome: Outcome) -> Message {
    let content = match outcome {
        Outcome::Content(content) => content,
        Outcome::Rejected(text) | Outcome::Failed(text) => vec![Content::text(text)],
    };
    Message::new(Role::User, content)
}
