//! Opens a conversation: begins a new one if it does not exist, otherwise resumes it. A new one is stored by its first commit.
//!
//! Reads the base state and the end of the log only, so that the time does not depend on the length of the log.

use super::{
    Access, Conversation, LoadCondensing, OnDelta, Shared, imported,
    live::Reported,
    log::{EventLog, Listener},
    machine::{Plan, stored_agent::store_servers},
    repair,
    stuck_detector::StuckDetection,
    warning,
};
use crate::{
    agent::Agent,
    error::{Error, ErrorCode, Result},
    format::{
        base_state::{BaseState, ExecutionStatus, Tags},
        layout::nested_persistence_dir,
    },
    hooks::Hooks,
    host::Host,
    id::ConversationId,
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    skills::{AgentContext, LoadSkills},
    store::Store,
};
use std::{cell::RefCell, rc::Rc};

/// Options for opening a conversation.
pub struct OpenOptions {
    /// The conversation to resume or to create.
    pub id: ConversationId,
    /// The store that holds the conversation.
    pub store: Rc<dyn Store>,
    /// The source of time and random numbers.
    pub host: Rc<dyn Host>,
    /// The model, the tools and the instructions.
    pub agent: Agent,
    /// Whether this handle may write.
    pub access: Access,
    /// The most steps of one run; at least 1.
    pub max_iterations: u32,
    /// The most dollars that one run may cost.
    pub max_budget_per_run: Option<f64>,
    /// The stuck detection; `None` follows the stored setting.
    pub stuck_detection: Option<StuckDetection>,
    /// Tags for a conversation that is created.
    pub tags: Tags,
    /// The conversation whose sub-agent this one is, and those above that, the nearest first. The stored policy of a
    /// sub-agent is never replaced by a looser one.
    pub ancestors: Vec<ConversationId>,
    /// The open conversation above whose files the calls of this one change, if the store spans conversations.
    pub owner: Option<Conversation>,
    /// The policy that decides which calls need approval; `None` keeps the stored one. A new conversation stores
    /// [`ConfirmationPolicy::NeverConfirm`].
    pub confirmation_policy: Option<ConfirmationPolicy>,
    /// The security analyzer to store, where `Some(None)` removes it; `None` keeps the stored one.
    pub stored_analyzer: Option<Option<StoredAnalyzer>>,
    /// Runs the stored analyzer. Without it, calls that only the analyzer could rate have risk HIGH.
    pub security_analyzer: Option<Rc<dyn SecurityAnalyzer>>,
    /// Loads the code for skills, if the agent or the stored conversation has a context.
    pub load_skills: LoadSkills,
    /// Hooks around tools, messages and sessions.
    pub hooks: Option<Rc<dyn Hooks>>,
    /// Called with every committed event.
    pub listener: Listener,
    /// Called with every piece of a streamed answer.
    pub on_delta: OnDelta,
    /// Called after every commit, with the live events of the values that it changed, as a JSON array; also if a failure
    /// could not be stored.
    pub on_commit: Rc<dyn Fn(&str)>,
    /// Loads the code for condensing.
    pub condensing: LoadCondensing,
}

impl Conversation {
    /// Opens a conversation. A writer also repairs what a dead page or process left: see `repair.rs`.
    ///
    /// # Errors
    /// `id_mismatch` where the stored state names another conversation, `store_corrupt` where it cannot be read,
    /// and those of the store.
    pub async fn open(options: OpenOptions) -> Result<Self> {
        let OpenOptions { id, store, host, mut agent, access, tags, listener, on_delta, on_commit, .. } =
            options;
        let OpenOptions { max_iterations, max_budget_per_run, stuck_detection, .. } = options;
        let OpenOptions {
            confirmation_policy,
            stored_analyzer,
            security_analyzer,
            hooks,
            condensing,
            load_skills,
            ..
        } = options;
        let is_subagent = !options.ancestors.is_empty();
        let apply_control_options = |state: &mut BaseState| {
            imported::apply_control_options(
                state,
                confirmation_policy,
                stored_analyzer.as_ref(),
                is_subagent,
            );
        };
        let mut warnings = Vec::new();
        let mut torn = Vec::new();
        let mut context = match &agent.context {
            Some(given) if access == Access::Writer => Some(load_skills().await?.given(given)),
            _ => None,
        };
        let mut log = match store.load(id).await? {
            Some(listing) => {
                let state = BaseState::parse(&listing.base_state)?;
                if state.id() != id {
                    return Err(Error::new(
                        ErrorCode::IdMismatch,
                        format!(
                            "the base state stored for conversation {id} belongs to {}; delete it or import it again",
                            state.id()
                        ),
                    ));
                }
                if context.is_none()
                    && access == Access::Writer
                    && let Some(json) = state.agent_context()
                {
                    match load_skills().await {
                        Ok(skills) => context = Some(skills.stored(json.as_str())),
                        Err(error) => warnings.push(warning::skills_not_loaded(&error)),
                    }
                }
                add_skill_tool(&mut agent, context.as_deref())?;
                warnings.extend(warning::agent_warnings(&state, &agent));
                let mut effective = state.clone();
                apply_control_options(&mut effective);
                warnings.extend(warning::control_warnings(&effective));
                warnings.extend(warning::imported_tools(&imported::imported_allowed_tools(&state)));
                if access == Access::Writer && state.execution_status() == ExecutionStatus::Running {
                    warnings.push(warning::interrupted_run());
                }
                let (length, created_at) = (listing.length, listing.created_at);
                let has_end = access == Access::Writer;
                let stored = repair::Stored { id, store, host, listener, state, length, created_at, has_end };
                let (log, quarantine) = repair::open_log(stored, &mut warnings).await?;
                torn = quarantine;
                log
            }
            None => {
                add_skill_tool(&mut agent, context.as_deref())?;
                let mut state = BaseState::new(id, &agent.to_sdk_json());
                state.set_max_iterations(max_iterations.into());
                if let Some(directory) = &agent.working_dir {
                    state.set_working_dir(directory);
                }
                state.set_stuck_detection(stuck_detection != Some(StuckDetection::Off));
                state.set_tags(&tags)?;
                if is_subagent {
                    state.set_persistence_dir(&nested_persistence_dir(&options.ancestors, id));
                }
                apply_control_options(&mut state);
                EventLog::new(id, store, host, listener, state, (0, None), None)
            }
        };
        warnings.extend(context.as_deref().and_then(AgentContext::complaint).map(warning::unusable_skills));
        log.context = context;
        // The record of the task, which is stored before, has stored the owner.
        log.owner = options.owner.as_ref().and_then(|owner| owner.0.log.identity());
        let reported = Reported::new(&log).into();
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
            on_commit,
            reported,
            condensing,
            page: RefCell::default(),
            spending: RefCell::default(),
            warnings,
            file_changes: options.owner.map(|owner| owner.0.file_changes.clone()).unwrap_or_default(),
            closed: Default::default(),
        }));
        if access == Access::Writer {
            conversation.recover(&torn).await?;
            let has_imported_tools = imported::has_imported_tools(&conversation.state());
            let given = &conversation.0.agent.context;
            let given = given.as_ref().filter(|_| conversation.state().agent_context().is_none());
            let has_servers = store_servers(&mut conversation.state().clone(), &conversation.0.agent);
            if has_imported_tools
                || given.is_some()
                || has_servers
                || confirmation_policy.is_some()
                || stored_analyzer.is_some()
            {
                let mut edit = |state: &mut BaseState| {
                    apply_control_options(state);
                    if let Some(given) = given {
                        state.set_agent_context(&given.stored);
                    }
                    store_servers(state, &conversation.0.agent);
                    imported::restore_allowed_tools(state);
                };
                match conversation.0.log.is_stored() {
                    true => drop(conversation.store(Plan::default().strictly(), &mut edit).await?),
                    false => conversation.0.log.prepare(&mut edit),
                }
            }
            conversation.open_inbox().await?;
        }
        Ok(conversation)
    }
}

/// Gives the model the tool that opens skills, if there are any.
fn add_skill_tool(agent: &mut Agent, context: Option<&dyn AgentContext>) -> Result<()> {
    match context.and_then(AgentContext::tool) {
        Some(tool) => agent.tools.add(tool),
        None => Ok(()),
    }
}
