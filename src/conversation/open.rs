//! Opening: creating a conversation that does not exist, resuming one that does.
//!
//! Reads the base state and the end of the log, not the log.

use super::{
    Access, Conversation, Shared, imported,
    log::{EventLog, Listener},
    machine::Plan,
    repair,
    stuck_detector::StuckDetection,
    warning,
};
use crate::{
    agent::Agent,
    error::{Error, ErrorCode, Result},
    format::base_state::{BaseState, ExecutionStatus, Tags},
    hooks::Hooks,
    host::Host,
    id::ConversationId,
    llm::Delta,
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    store::Store,
};
use std::{cell::RefCell, rc::Rc};

/// What a conversation is opened with.
pub struct OpenOptions {
    /// An id that exists resumes; one that does not is created.
    pub id: ConversationId,
    /// Where it lives.
    pub store: Rc<dyn Store>,
    /// Time and chance.
    pub host: Rc<dyn Host>,
    /// What answers.
    pub agent: Agent,
    /// Whether this handle may write.
    pub access: Access,
    /// How many steps one run may take; at least 1.
    pub max_iterations: u32,
    /// How many dollars one run may spend.
    pub max_budget_per_run: Option<f64>,
    /// Whether and when a run stops that goes in circles; without it, as the stored state says.
    pub stuck_detection: Option<StuckDetection>,
    /// Tags of a conversation that is created.
    pub tags: Tags,
    /// When a call needs the user's consent; `None` leaves what is stored, which is never for a new conversation.
    pub confirmation_policy: Option<ConfirmationPolicy>,
    /// Who says how dangerous a call is, which can be nobody; `None` leaves what is stored, which is nobody for a new
    /// conversation.
    pub stored_analyzer: Option<Option<StoredAnalyzer>>,
    /// Asks it. Without this, what only it could tell counts as dangerous.
    pub security_analyzer: Option<Rc<dyn SecurityAnalyzer>>,
    /// What is asked and told around tools, messages and sessions.
    pub hooks: Option<Rc<dyn Hooks>>,
    /// Told of every committed event.
    pub listener: Listener,
    /// Told of every piece of an answer.
    pub on_delta: Rc<dyn Fn(Delta)>,
}

impl Conversation {
    /// Opens a conversation. A writer also mends what a dead page or process left: see `repair.rs`.
    ///
    /// # Errors
    /// `id_mismatch` where the stored state names another conversation, `store_corrupt` where it cannot be read,
    /// `not_found` for a follower of nothing, and those of the store.
    pub async fn open(options: OpenOptions) -> Result<Self> {
        let OpenOptions { id, store, host, agent, access, tags, listener, on_delta, .. } = options;
        let OpenOptions { max_iterations, max_budget_per_run, stuck_detection, .. } = options;
        let OpenOptions { confirmation_policy, stored_analyzer, security_analyzer, hooks, .. } = options;
        let choose = |state: &mut BaseState| {
            imported::choose(state, confirmation_policy, stored_analyzer.as_ref());
        };
        let mut warnings = Vec::new();
        let mut torn = Vec::new();
        let mut is_new = false;
        let log = match store.load(id).await? {
            Some(listing) => {
                let state = BaseState::parse(&listing.base_state)?;
                if state.id() != id {
                    return Err(Error::new(
                        ErrorCode::IdMismatch,
                        format!("what is stored as conversation {id} says that it is {}", state.id()),
                    ));
                }
                warnings.extend(warning::about_agent(&state, &agent));
                let mut chosen = state.clone();
                choose(&mut chosen);
                warnings.extend(warning::about_control(&chosen));
                warnings.extend(warning::about_allowed(&imported::allowed_elsewhere(&state)));
                if access == Access::Writer && state.execution_status() == ExecutionStatus::Running {
                    warnings.push(warning::run_died());
                }
                let (length, created_at) = (listing.length, listing.created_at);
                let stored = repair::Stored { id, store, host, listener, state, length, created_at };
                let (log, quarantine) = repair::open_log(stored, &mut warnings).await?;
                torn = quarantine;
                log
            }
            None if access == Access::Follower => {
                return Err(Error::new(ErrorCode::NotFound, format!("there is no conversation {id}")));
            }
            None => {
                is_new = true;
                let mut state = BaseState::new(id, &agent.to_sdk_json());
                state.set_max_iterations(max_iterations.into());
                state.set_stuck_detection(stuck_detection != Some(StuckDetection::Off));
                state.set_tags(&tags)?;
                choose(&mut state);
                EventLog::create(id, store, host, listener, state).await?
            }
        };
        let conversation = Self(Rc::new(Shared {
            log,
            llm: RefCell::new(agent.llm.clone()),
            agent,
            access,
            security_analyzer,
            hooks,
            max_iterations: max_iterations.max(1),
            max_budget_per_run,
            stuck_detection,
            on_delta,
            page: RefCell::default(),
            spending: RefCell::default(),
            warnings,
            is_new,
            closed: Default::default(),
        }));
        if access == Access::Writer {
            conversation.recover(&torn).await?;
            let has_brought = imported::is_to_be_taken_in(&conversation.state());
            if has_brought || confirmation_policy.is_some() || stored_analyzer.is_some() {
                let mut edit = |state: &mut BaseState| {
                    choose(state);
                    imported::take_in(state);
                };
                conversation.store(Plan::default().strictly(), &mut edit).await?;
            }
            conversation.open_inbox().await?;
        }
        Ok(conversation)
    }
}
