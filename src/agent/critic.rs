//! Critics: they rate answers, and can demand another attempt at the task (`critic/`, `agent/critic_mixin.py`).
//!
//! A rating is stored with the event that it rates. What a critic decides follows from the stored rating and the number of
//! attempts, so a later page decides the same. The options of a host are read in `js/agent/critics/options.ts`.

use super::response::{NewEvent, Reply};
use crate::{
    event::{ActionEvent, Body, CriticResult, Event, Head, MessageEvent, Parent, Source},
    id::EventId,
    json::{EditableObject, RawJson, object},
    llm::message::{Content, Message, Role},
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// A critic of an agent.
pub trait Critic {
    /// The critic in the form of the SDK; `None` for a critic of the host, which Python does not have.
    fn stored(&self) -> Option<&RawJson>;

    /// Rates the events of an answer to this view. The time and the ids are for events that have none yet.
    fn rate<'a>(
        &'a self,
        view: Vec<Event>,
        reply: &'a mut Reply,
        timestamp: String,
        new_id: &'a dyn Fn() -> EventId,
    ) -> LocalBoxFuture<'a, ()>;

    /// The message that demands another attempt at a task after `attempts` earlier ones; `None` if the rating of this
    /// `finish` is good enough, or no further attempt is allowed.
    fn refine(&self, attempts: u64, finish: &ActionEvent) -> Option<NewEvent>;
}

/// A critic of the host.
pub trait Evaluator {
    /// Rates the last of these events, each of which is given as JSON. Returns the JSON of an object with `score`, and
    /// optionally `message` and `metadata`; `None` if the critic fails.
    fn evaluate(&self, events: Vec<Rc<str>>) -> LocalBoxFuture<'static, Option<String>>;
}

/// A critic with its settings.
pub struct CriticOptions {
    /// The kind of the critic.
    pub kind: CriticKind,
    /// Whether it rates every call. Otherwise it rates calls of `finish`, and messages.
    pub rates_all_actions: bool,
    /// When it demands another attempt.
    pub iterative_refinement: Option<IterativeRefinement>,
}

/// The kinds of critics.
pub enum CriticKind {
    /// Rates every answer as successful.
    Pass,
    /// Rates whether the last call is one of `finish`.
    AgentFinished,
    /// A critic of the host.
    Host(Rc<dyn Evaluator>),
}

/// The conditions of another attempt.
#[derive(Clone, Copy, Debug)]
pub struct IterativeRefinement {
    /// The lowest score of a result that is accepted.
    pub success_threshold: f64,
    /// The most attempts that are demanded in a conversation.
    pub max_iterations: u32,
}

/// The critic of these options.
pub fn critic(options: CriticOptions) -> Rc<dyn Critic> {
    Rc::new(Configured { stored: stored(&options), options })
}

struct Configured {
    options: CriticOptions,
    stored: Option<RawJson>,
}

fn stored(options: &CriticOptions) -> Option<RawJson> {
    let kind = match options.kind {
        CriticKind::Pass => "PassCritic",
        CriticKind::AgentFinished => "AgentFinishedCritic",
        CriticKind::Host(_) => return None,
    };
    let refinement = options.iterative_refinement.map(|refinement| {
        object! {
            "success_threshold": refinement.success_threshold,
            "max_iterations": refinement.max_iterations,
        }
    });
    let stored = object! {
        "mode": if options.rates_all_actions { "all_actions" } else { "finish_and_message" },
        "iterative_refinement"?: refinement,
        "kind": kind,
    };
    Some(stored.into())
}

impl Critic for Configured {
    fn stored(&self) -> Option<&RawJson> {
        self.stored.as_ref()
    }

    fn rate<'a>(
        &'a self,
        mut view: Vec<Event>,
        reply: &'a mut Reply,
        timestamp: String,
        new_id: &'a dyn Fn() -> EventId,
    ) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            for place in 0..reply.events.len() {
                let is_rated = self.is_rated(reply, place);
                let Some(new_event) = reply.events.get_mut(place) else { return };
                let id = new_event.id.get_or_insert_with(new_id).clone();
                let event = |new_event: &NewEvent| {
                    let (id, timestamp) = (id.clone(), timestamp.clone());
                    let head = Head { id, timestamp, source: new_event.source, parent: Parent::Unset };
                    Event::new(head, new_event.body.clone()).ok()
                };
                let Some(unrated) = event(new_event) else { continue };
                view.push(unrated);
                if !is_rated {
                    continue;
                }
                let rating = self.evaluate(&view).await;
                match &mut new_event.body {
                    Body::ActionEvent(action) => action.critic_result = rating,
                    Body::MessageEvent(message) => message.critic_result = rating,
                    _ => {}
                }
                if let (Some(last), Some(rated)) = (view.last_mut(), event(new_event)) {
                    *last = rated;
                }
            }
        })
    }

    fn refine(&self, attempts: u64, finish: &ActionEvent) -> Option<NewEvent> {
        let refinement = self.options.iterative_refinement?;
        let rating = finish.critic_result.as_ref()?;
        let score: f64 = rating.field("score")?;
        if attempts >= u64::from(refinement.max_iterations) || score >= refinement.success_threshold {
            return None;
        }
        let reason: String = rating.field("message").unwrap_or_default();
        let reason = if reason.is_empty() { reason } else { format!(" The reason: {reason}") };
        let text = include_str!("prompts/refine.md")
            .trim_end()
            .replace("{percent}", &((score * 100.0).round() as u32).to_string())
            .replace("{number}", &attempts.saturating_add(1).to_string())
            .replace("{reason}", &reason);
        let message = Message::new(Role::User, vec![Content::text(text)]);
        Some(NewEvent::new(Source::User, MessageEvent::new(message)))
    }
}

impl Configured {
    fn is_rated(&self, reply: &Reply, place: usize) -> bool {
        let Some(new_event) = reply.events.get(place) else { return false };
        match &new_event.body {
            // Invalid calls, and calls after a `finish`, do not run.
            Body::ActionEvent(action) => {
                reply.calls.iter().any(|call| Some(&call.action_id) == new_event.id.as_ref())
                    && (self.options.rates_all_actions || is_finish(action))
            }
            Body::MessageEvent(_) => !self.options.rates_all_actions && new_event.source == Source::Agent,
            _ => false,
        }
    }

    async fn evaluate(&self, events: &[Event]) -> Option<CriticResult> {
        let (score, message) = match &self.options.kind {
            CriticKind::Host(evaluator) => {
                let events = events.iter().map(|event| event.valid_json().clone()).collect();
                return rating_of(&evaluator.evaluate(events).await?);
            }
            CriticKind::Pass => (1.0, "Every answer passes."),
            CriticKind::AgentFinished => {
                let last = events.iter().rev().find_map(|event| match event.body() {
                    Body::ActionEvent(action) => Some(is_finish(action)),
                    _ => None,
                });
                match last {
                    Some(true) => (1.0, "The last call is one of finish."),
                    _ => (0.0, "The last call is none of finish."),
                }
            }
        };
        Some(rating(score, message, None))
    }
}

fn is_finish(action: &ActionEvent) -> bool {
    action.action.as_ref().and_then(|action| action.kind()).is_some_and(|kind| kind == "FinishAction")
}

/// The rating in this JSON of the host, if Python can read it.
fn rating_of(json: &str) -> Option<CriticResult> {
    let fields = EditableObject::compact(json)?;
    let score = fields.read("score").filter(|score| (0.0..=1.0).contains(score))?;
    let message: String = fields.read("message").unwrap_or_default();
    Some(rating(score, &message, fields.read::<EditableObject>("metadata").as_ref()))
}

fn rating(score: f64, message: &str, metadata: Option<&EditableObject>) -> CriticResult {
    // Without a message Python could not read the event again.
    object! { "score": score, "message": message, "metadata"?: metadata }.into()
}
