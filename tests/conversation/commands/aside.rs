//! Questions beside the run, and a critic, both of which answer from a script.

use super::{Held, SECRET, check, ledger::Ledger};
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::{cell::RefCell, collections::VecDeque, rc::Rc};
use threadkeep::{
    agent::critic::{Critic, CriticKind, CriticOptions, Evaluator, IterativeRefinement, critic},
    cancel::CancelToken,
    conversation::Conversation,
    error::ErrorCode,
};

/// The beginning of all questions, which must not get into the log.
pub const QUESTION: &str = "A question aside: ";

/// The usage id of questions.
pub const USAGE_ID: &str = "ask-agent-llm";

/// The behaviour of the model when it is asked a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Answered,
    Held,
    /// The answer is held, and the caller stops waiting for it.
    Stopped,
    Failing,
}

impl Question {
    pub const ALL: [Self; 4] = [Self::Answered, Self::Held, Self::Stopped, Self::Failing];

    fn text(self) -> &'static str {
        match self {
            Self::Answered => "one",
            Self::Held => "two",
            Self::Stopped => "three",
            Self::Failing => "four",
        }
    }

    /// The question in this request, if it is one.
    pub fn of(request: &str) -> Option<Self> {
        let (_, rest) = request.rsplit_once(QUESTION)?;
        Self::ALL.into_iter().find(|question| rest.starts_with(question.text()))
    }

    /// Asks, and checks the answer.
    pub async fn ask(self, conversation: &Conversation, cancel: CancelToken) {
        let answer = conversation.ask_agent(&format!("{QUESTION}{}", self.text()), None, &cancel).await;
        match answer {
            Ok(text) => assert!(!text.contains(SECRET) && self != Self::Failing, "{text}"),
            Err(error) => {
                assert!(self == Self::Stopped || error.code() != ErrorCode::Aborted, "nobody stopped it");
                check(&error);
            }
        }
    }

    /// The model's answer: a message of Chat Completions, or a status and an error.
    pub async fn answer(self, held: Rc<Held>, ledger: Rc<Ledger>) -> Result<Value, (u16, Value)> {
        if self == Self::Failing {
            return Err((500, json!({ "error": { "message": "no" } })));
        }
        if self != Self::Answered {
            let _ = held.hold().await;
        }
        ledger.is_answered(USAGE_ID);
        Ok(json!({ "role": "assistant", "content": format!("It is {SECRET}.") }))
    }
}

/// The behaviour of the critic for one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    Good,
    Bad,
    BadLate,
    Fails,
}

impl Rating {
    pub const ALL: [Self; 4] = [Self::Good, Self::Bad, Self::BadLate, Self::Fails];
}

/// The most attempts that the critic demands.
pub const MAX_ATTEMPTS: u32 = 2;

/// The beginning of a message that demands another attempt.
pub const DEMAND: &str = "A check of your result";

/// A critic that gives one rating after the other, and a good one for everything after the last.
pub fn scripted_critic(ratings: &Rc<RefCell<VecDeque<Rating>>>, held: &Rc<Held>) -> Rc<dyn Critic> {
    critic(CriticOptions {
        kind: CriticKind::Host(Rc::new(Scripted { ratings: ratings.clone(), held: held.clone() })),
        rates_all_actions: false,
        iterative_refinement: Some(IterativeRefinement {
            success_threshold: 0.6,
            max_iterations: MAX_ATTEMPTS,
        }),
    })
}

struct Scripted {
    ratings: Rc<RefCell<VecDeque<Rating>>>,
    held: Rc<Held>,
}

impl Evaluator for Scripted {
    fn evaluate(&self, events: Vec<Rc<str>>) -> LocalBoxFuture<'static, Option<String>> {
        assert!(!events.iter().any(|event| event.contains(SECRET)), "a secret is shown to the critic");
        let rating = self.ratings.borrow_mut().pop_front().unwrap_or(Rating::Good);
        let gate = (rating == Rating::BadLate).then(|| self.held.hold());
        Box::pin(async move {
            if let Some(gate) = gate {
                let _ = gate.await;
            }
            let score = match rating {
                Rating::Good => 0.9,
                Rating::Bad | Rating::BadLate => 0.1,
                Rating::Fails => return None,
            };
            Some(json!({ "score": score, "message": format!("because of {SECRET}") }).to_string())
        })
    }
}
