//! Opens a conversation: begins a new one if it does not exist, otherwise resumes it. A new one is stored by its first commit.
//!
//! Reads the base state and the end of the log only, so that the time does not depend on the length of the log.

use crate::{
    agent::Agent,
    error::{Error, ErrorCode, Result},
    features::file_versions::file_versions,
    format::{
        base_state::{BaseState, ExecutionStatus, Tags},
        layout::nested_persistence_dir,
        server_mark::SERVER,
    },
    handle::{Access, Conversation, Handle, OnDelta, Shared, live::Reported, warning},
    hooks::Hooks,
    host::Host,
    id::ConversationId,
    llm::files::Files,
    log::{EventLog, Listener, LogOptions, repair, warning::Warning},
    machine::{
        Command, Resume, RunLimits, Setting,
        imported::{Control, has_imported_tools, imported_allowed_tools},
        stored_agent::store_servers,
        stuck_detector::StuckDetection,
    },
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    skills::{AgentContext, given_context, stored_context},
    store::{Loaded, Store},
    wasm_file::LoadFile,
};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

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
    /// The limits of each run.
    pub limits: RunLimits,
    /// The treatment of a draft that a page has left when it died.
    pub resume: Resume,
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
    /// Hooks around tools, messages and sessions.
    pub hooks: Option<Rc<dyn Hooks>>,
    /// Called with every committed event.
    pub listener: Listener,
    /// Called with every piece of a streamed answer.
    pub on_delta: OnDelta,
    /// Called after every commit, with the live events of the values that it changed, as a JSON array; also if a failure
    /// could not be stored, and when a summary is asked for.
    pub on_commit: Rc<dyn Fn(&str)>,
    /// Called when a commit was refused because another handle has taken the place of this one, which has to step down then:
    /// see [`Conversation::step_down`].
    pub on_displaced: Rc<dyn Fn()>,
    /// Loads the file of the wasm with which a run condenses, and may wait for the network.
    pub load_file: Option<LoadFile>,
    /// Reads the files of messages for models that are given them.
    pub files: Option<Rc<Files>>,
}

impl OpenOptions {
    fn of_log(&self) -> LogOptions {
        LogOptions {
            id: self.id,
            store: self.store.clone(),
            host: self.host.clone(),
            listener: self.listener.clone(),
            load_file_versions: Rc::new(file_versions),
        }
    }
}

impl Conversation {
    /// Opens a conversation. A writer also repairs what a dead page or process left: see `recover.rs`.
    ///
    /// # Errors
    /// `id_mismatch` where the stored state names another conversation, `store_corrupt` where it cannot be read,
    /// and those of the store.
    pub async fn open(mut options: OpenOptions) -> Result<Self> {
        let is_writer = options.access == Access::Writer;
        let control = Control {
            policy: options.confirmation_policy,
            analyzer: options.stored_analyzer.take(),
            is_subagent: !options.ancestors.is_empty(),
        };
        let mut warnings = Vec::new();
        let mut torn = Vec::new();
        let mut context = match &options.agent.context {
            Some(given) => match given_context(given).await {
                Ok(context) => Some(context),
                Err(error) if is_writer => return Err(error),
                Err(error) => {
                    warnings.push(warning::skills_not_loaded(&error));
                    None
                }
            },
            None => None,
        };
        let wanted = repair::first_reads()?;
        let mut files = None;
        let mut log = match options.store.load_to_open(options.id, &wanted).await? {
            Some(Loaded { listing, end, files: listed }) => {
                files = listed;
                let state = stored_state(options.id, &listing.base_state)?;
                if is_writer && state.field(SERVER).is_some() {
                    return Err(copy_of_server());
                }
                // Of a context of the host whose code is missing, the warning says so already.
                if context.is_none()
                    && warnings.is_empty()
                    && let Some(json) = state.agent_context()
                {
                    match stored_context(json.as_str()).await {
                        Ok(stored) => context = Some(stored),
                        Err(error) => warnings.push(warning::skills_not_loaded(&error)),
                    }
                }
                add_skill_tool(&mut options.agent, context.as_deref())?;
                state_warnings(&state, &options, &control, &mut warnings);
                let (log, quarantine) =
                    repair::open_log(options.of_log(), is_writer, state, &listing, end, &mut warnings)
                        .await?;
                log.find_beginning().await?;
                torn = quarantine;
                log
            }
            None => {
                add_skill_tool(&mut options.agent, context.as_deref())?;
                let state = new_state(&options, &control)?;
                EventLog::new(options.of_log(), state, (0, None), Some(0), None)
            }
        };
        warnings.extend(context.as_deref().and_then(AgentContext::complaint).map(warning::unusable_skills));
        log.context = context;
        // A sub-agent's task is recorded in its owner before this, so the owner is stored and has an identity.
        log.owner = options.owner.clone().and_then(|owner| {
            let (_, created_at) = owner.0.log.identity()?;
            Some((owner.0.log.clone(), created_at))
        });
        let reported = Reported::new(&log).into();
        let shared = Shared {
            log: Rc::new(log),
            llm: RefCell::new(options.agent.llm.clone()),
            agent: options.agent,
            access: options.access.into(),
            displaced: Cell::default(),
            resume: options.resume,
            on_displaced: options.on_displaced,
            security_analyzer: options.security_analyzer,
            hooks: options.hooks,
            limits: Cell::new(RunLimits {
                max_iterations: options.limits.max_iterations.max(1),
                ..options.limits
            }),
            on_delta: options.on_delta,
            on_commit: options.on_commit,
            reported,
            load_file: options.load_file,
            files: options.files,
            page: RefCell::default(),
            spending: RefCell::default(),
            warnings: warnings.into(),
            turns: Default::default(),
            file_changes: options.owner.map(|owner| owner.0.file_changes.clone()).unwrap_or_default(),
            closed: Default::default(),
        };
        let conversation = Self(Rc::new(Handle { shared: Rc::new(shared), asked: None }));
        if is_writer {
            conversation.recover(&torn).await?;
            conversation.store_given(control).await?;
            conversation.load_inbox(files.clone()).await?;
            conversation.open_draft(options.resume, files).await?;
            conversation.append_inbox().await?;
        }
        Ok(conversation)
    }

    /// Stores the settings that are given at opening, and those of an import that the opening decides about.
    async fn store_given(&self, control: Control) -> Result<()> {
        let agent = &self.0.agent;
        let changes = has_imported_tools(&self.state())
            || agent.context.is_some() && self.state().agent_context().is_none()
            || store_servers(&mut self.state().clone(), agent)
            || control.policy.is_some()
            || control.analyzer.is_some();
        let setting = Setting::Given(control);
        match (changes, self.is_stored()) {
            (true, true) => drop(self.perform(Command::ChangeSetting(setting)).await?),
            (true, false) => self.set_in_first_commit(&setting),
            (false, _) => {}
        }
        Ok(())
    }
}

/// The state in this text, if it belongs to this conversation.
///
/// # Errors
/// `id_mismatch`, `store_corrupt`.
fn stored_state(id: ConversationId, base_state: &str) -> Result<BaseState> {
    let state = BaseState::parse(base_state)?;
    if state.id() != id {
        return Err(Error::new(
            ErrorCode::IdMismatch,
            format!(
                "the base state stored for conversation {id} belongs to {}; delete it or import it again",
                state.id()
            ),
        ));
    }
    Ok(state)
}

pub(crate) fn copy_of_server() -> Error {
    let text =
        "an agent server runs this conversation, and this is a copy; open it with that server as its `home`";
    Error::new(ErrorCode::InvalidState, text)
}

/// The state of a conversation that is not stored.
fn new_state(options: &OpenOptions, control: &Control) -> Result<BaseState> {
    let mut state = BaseState::new(options.id, &options.agent.to_sdk_json());
    state.set_max_iterations(options.limits.max_iterations.into());
    if let Some(directory) = &options.agent.working_dir {
        state.set_working_dir(directory);
    }
    state.set_stuck_detection(options.limits.stuck_detection != Some(StuckDetection::Off));
    state.set_tags(&options.tags)?;
    if control.is_subagent {
        state.set_persistence_dir(&nested_persistence_dir(&options.ancestors, options.id));
    }
    control.apply(&mut state);
    Ok(state)
}

/// Adds the warnings about a stored state.
fn state_warnings(state: &BaseState, options: &OpenOptions, control: &Control, warnings: &mut Vec<Warning>) {
    warnings.extend(warning::agent_warnings(state, &options.agent));
    let mut effective = state.clone();
    control.apply(&mut effective);
    warnings.extend(warning::control_warnings(&effective));
    warnings.extend(warning::imported_tools(&imported_allowed_tools(state)));
    if options.access == Access::Writer && state.execution_status() == ExecutionStatus::Running {
        warnings.push(warning::interrupted_run());
    }
}

/// Gives the model the tool that opens skills, if there are any.
fn add_skill_tool(agent: &mut Agent, context: Option<&dyn AgentContext>) -> Result<()> {
    match context.and_then(AgentContext::tool) {
        Some(tool) => agent.tools.add(tool),
        None => Ok(()),
    }
}

/// How long opening waits for the lock of a conversation that is not stored, in milliseconds. If another page has it open, this time
/// is lost: nothing that is stored or locked tells that page from one that is closing it, or that is being left and reloaded. Whoever
/// followed the latter would be without a writer, and could not send the first message.
const LOCK_TIMEOUT: f64 = 200.0;

/// How often opening tries to get that lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The lock under which a handle may write this conversation; `None` if another one holds it. `try_lock` does not wait. With `waits`
/// this does, for the lock of a conversation that is not stored.
///
/// # Errors
/// Those of the store.
pub async fn write_lock<L>(
    id: ConversationId,
    store: &dyn Store,
    host: &dyn Host,
    waits: bool,
    try_lock: impl AsyncFn() -> Option<L>,
) -> Result<Option<L>> {
    let mut lock = try_lock().await;
    let deadline = host.now() + LOCK_TIMEOUT;
    // The holder of the lock may be a deletion, an import or an opening that fails, which release it soon.
    while waits && lock.is_none() && store.load(id).await?.is_none() && host.now() < deadline {
        host.sleep(LOCK_POLL_INTERVAL).await;
        lock = try_lock().await;
    }
    Ok(lock)
}
