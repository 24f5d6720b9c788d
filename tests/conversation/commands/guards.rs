//! Hooks that answer from a script.

use super::{Held, SECRET};
use futures_util::future::LocalBoxFuture;
use std::{cell::RefCell, collections::VecDeque, rc::Rc};
use threadkeep::{
    event::HookEventType,
    hooks::{HookDecision, Hooks},
};

/// The answer of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    Deny,
    Fail,
    AllowLate,
    DenyLate,
}

/// A hook for all occasions. It gives one answer after the other, and allows everything after the last one.
pub struct Guards {
    pub verdicts: Rc<RefCell<VecDeque<Verdict>>>,
    pub held: Rc<Held>,
}

impl Hooks for Guards {
    fn has(&self, _: HookEventType) -> bool {
        true
    }

    fn ask(&self, _: HookEventType, _: String) -> LocalBoxFuture<'static, Result<HookDecision, String>> {
        let verdict = self.verdicts.borrow_mut().pop_front().unwrap_or(Verdict::Allow);
        let is_late = matches!(verdict, Verdict::AllowLate | Verdict::DenyLate);
        let gate = is_late.then(|| self.held.hold());
        Box::pin(async move {
            if let Some(gate) = gate {
                let _ = gate.await;
            }
            match verdict {
                Verdict::Fail => Err(format!("no {SECRET}")),
                _ => Ok(HookDecision {
                    denies: matches!(verdict, Verdict::Deny | Verdict::DenyLate),
                    reason: Some(format!("because of {SECRET}")),
                    additional_context: Some(format!("Mind {SECRET}.")),
                    ..HookDecision::default()
                }),
            }
        })
    }
}
