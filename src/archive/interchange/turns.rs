//! A timeline in the order of a log: the calls of one answer stand together, and every call has its one result.

use super::timeline::{Item, Outcome, Stamp, Timeline, What};
use crate::{
    event::{ActionEvent, Source},
    id::EventId,
    llm::message::{Content, Message, Role},
    names::Names,
};

/// How many places a sentence names.
const MOST_NAMED: usize = 5;

/// One thing, or the calls of one answer with their results.
pub enum Turn {
    /// Whatever is no call and no result of one.
    Item(Box<Item>),
    /// The calls of one answer.
    Calls(Vec<Call>),
}

/// A call and what came of it.
pub struct Call {
    /// When, and where.
    pub stamp: Stamp,
    /// The call.
    pub action: ActionEvent,
    /// Its result, if the file has it.
    pub result: Option<(Stamp, Outcome)>,
}

/// Takes a timeline's items apart into turns. What that changes is told in its warnings.
pub fn turns(timeline: &mut Timeline<'_>) -> Vec<Turn> {
    let items = std::mem::take(&mut timeline.items);
    let mut pairing = Pairing { timeline, turns: Vec::new(), calls: Vec::new(), places: Names::default() };
    let mut responses = Names::default();
    let mut orphans = Vec::new();
    for Item { stamp, what } in items {
        match what {
            What::Call(action) => pairing.call(stamp, action, &mut responses),
            What::Result(id, outcome) => match pairing.open_call(&id) {
                Some(call) => call.result = Some((stamp, outcome)),
                None => {
                    orphans.push(stamp.place.clone());
                    let what = What::Message(Source::Environment, in_the_users_place(outcome));
                    pairing.turns.push(Turn::Item(Box::new(Item { stamp, what })));
                }
            },
            what => pairing.turns.push(Turn::Item(Box::new(Item { stamp, what }))),
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

/// Some of these places, for a sentence.
pub fn named(places: &[String]) -> String {
    let words: Vec<&str> = places.iter().take(MOST_NAMED).map(String::as_str).collect();
    match places.len().checked_sub(MOST_NAMED) {
        Some(more) if more > 0 => format!("{} and {more} more", words.join(", ")),
        _ => words.join(", "),
    }
}

struct Pairing<'a, 'host> {
    timeline: &'a Timeline<'host>,
    turns: Vec<Turn>,
    /// Where each call is: its turn, and its place in that.
    calls: Vec<(usize, usize)>,
    /// The latest call of each id that the file has, as a place in `calls`.
    places: Names,
}

impl Pairing<'_, '_> {
    /// `responses` has the turn of each answer's name.
    fn call(&mut self, stamp: Stamp, mut action: ActionEvent, responses: &mut Names) {
        let last = self.turns.len().saturating_sub(1);
        let goes_on = responses.get(&action.llm_response_id) == Some(last)
            && matches!(self.turns.last(), Some(Turn::Calls(_)));
        if !goes_on {
            let name = action.llm_response_id.clone();
            if responses.has(&name) {
                // An answer that something else tears apart is two, and the second needs a name of its own.
                action.llm_response_id = self.timeline.new_id().to_string();
            }
            responses.set(&name, self.turns.len());
            self.turns.push(Turn::Calls(Vec::new()));
        }
        let turn = self.turns.len().saturating_sub(1);
        let Some(Turn::Calls(calls)) = self.turns.last_mut() else { return };
        if let Some(first) = calls.first() {
            action.llm_response_id.clone_from(&first.action.llm_response_id);
        }
        let id = action.tool_call_id.clone();
        if self.places.has(&id) {
            // Some providers count from zero in every answer.
            rename(&mut action, &self.timeline.new_id());
        }
        self.places.set(&id, self.calls.len());
        self.calls.push((turn, calls.len()));
        calls.push(Call { stamp, action, result: None });
    }

    /// The latest call of this id, if nothing has answered it yet.
    fn open_call(&mut self, id: &str) -> Option<&mut Call> {
        let (turn, place) = *self.calls.get(self.places.get(id)?)?;
        match self.turns.get_mut(turn)? {
            Turn::Calls(calls) => calls.get_mut(place).filter(|call| call.result.is_none()),
            Turn::Item(_) => None,
        }
    }
}

fn rename(action: &mut ActionEvent, id: &EventId) {
    action.tool_call_id = id.to_string();
    action.tool_call.id = id.to_string();
}

/// A result that answers nothing: no provider would take it for one.
fn in_the_users_place(outcome: Outcome) -> Message {
    let content = match outcome {
        Outcome::Content(content) => content,
        Outcome::Rejected(text) | Outcome::Failed(text) => vec![Content::text(text)],
    };
    Message::new(Role::User, content)
}
