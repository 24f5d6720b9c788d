//! Changes the arguments of a call before it is approved.
//!
//! Events in the log never change, and providers and Python expect exactly one call for each result. So the batch is
//! written once more with the new arguments, on a new branch that starts before the batch; the calls of the old branch
//! are answered as rejected. The model and Python see the arguments that were run.

use crate::{
    agent::{NewEvent, arguments::read_arguments},
    error::{Error, ErrorCode, Result},
    event::{ActionEvent, Body, Event, SecurityRisk},
    features::hooks::unless_interrupted,
    handle::Conversation,
    id::EventId,
    machine::{Command, HookAnswers, Rewrite, calls::Renamed},
    tool::record_of_call,
};

impl Conversation {
    /// Replaces the arguments of a call that waits for the user, after its tool has accepted them. The call continues to
    /// wait under a new event, which is returned. Other calls of the same batch get new events as well.
    ///
    /// # Errors
    /// `invalid_options` for arguments that the tool does not accept, `not_found` for an action that does not wait
    /// for the user, `invalid_state` during a run or for a call whose tool is missing, `locked_elsewhere`, and those
    /// of the store; nothing has changed then.
    pub async fn edit_action(&self, action: &EventId, arguments: &str) -> Result<Event> {
        self.ensure_writable()?;
        let old = self.waiting_action(action).await?;
        let id = self.0.log.new_id();
        let edited = NewEvent {
            id: Some(id.clone()),
            timestamp: None,
            source: old.source(),
            body: self.with_arguments(&old, arguments)?.into(),
            files: Vec::new(),
        };
        let risk = self.risk_of_edited(&edited, &id).await;
        let hooks_cancel = self.0.page.borrow().hooks_cancel.clone();
        let hook_answers =
            unless_interrupted(Box::pin(self.ask_about_edited(&edited, &id)), &hooks_cancel).await?;
        // From here on no other command may run: it could decide about another call of the batch that is being copied.
        let lock = self.0.log.lock().await;
        self.ensure_writable()?;
        // Results that wait for a commit are stored first, or their calls would be copied to the new branch without them.
        self.append_held(&lock).await?;
        let rewrite = self.rewrite(&old, edited, &id, risk, hook_answers).await?;
        let events = self.perform_now(&lock, Command::EditAction(rewrite)).await?;
        events
            .into_iter()
            .find(|event| *event.id() == id)
            .ok_or_else(|| Error::new(ErrorCode::Internal, "the edited call was not stored"))
    }

    async fn waiting_action(&self, action: &EventId) -> Result<Event> {
        self.inspect(|machine| machine.waiting_action(action).cloned()).await?
    }

    /// The call with these arguments. Its risk is reset, its summary replaced and its rating removed, because they are about
    /// the old arguments.
    fn with_arguments(&self, old: &Event, arguments: &str) -> Result<ActionEvent> {
        let Body::ActionEvent(old) = old.body() else {
            return Err(Error::new(ErrorCode::Internal, "the pending event is not an action"));
        };
        let Some(tool) = self.0.agent.tools.get(&old.tool_name) else {
            let text = format!(
                "the agent has no tool {}; reject the call, or open the conversation with this tool",
                old.tool_name
            );
            return Err(Error::new(ErrorCode::InvalidState, text));
        };
        let refuse = |why: String| {
            let text = format!("these arguments do not fit the tool {}: {why}", old.tool_name);
            Error::new(ErrorCode::InvalidOptions, text)
        };
        let arguments = read_arguments(arguments, tool.definition(), false).map_err(refuse)?;
        tool.check(&arguments.for_tool.text()).map_err(refuse)?;
        let mut edited = old.clone();
        edited.tool_call.arguments = arguments.stored;
        edited.action = Some(record_of_call(&*tool, &arguments.for_tool));
        edited.security_risk = SecurityRisk::Unknown;
        edited.summary = Some(arguments.summary);
        edited.critic_result = None;
        Ok(edited)
    }

    async fn risk_of_edited(&self, edited: &NewEvent, id: &EventId) -> Option<SecurityRisk> {
        let analyzer = self.security_analyzer().filter(|analyzer| !analyzer.is_the_model())?;
        Some(self.risk_of(edited, id, Some(&analyzer)).await)
    }

    /// Copies all events from the batch's first call on, with new ids, for a new branch.
    async fn rewrite(
        &self,
        old: &Event,
        edited: NewEvent,
        edited_id: &EventId,
        risk: Option<SecurityRisk>,
        hook_answers: HookAnswers,
    ) -> Result<Rewrite> {
        let log = &self.0.log;
        let branch = self.active_branch(usize::MAX).await?;
        let response = |event: &Event| match event.body() {
            Body::ActionEvent(action) => Some(action.llm_response_id.clone()),
            _ => None,
        };
        let start =
            branch.iter().position(|event| response(event).is_some() && response(event) == response(old));
        let Some((before, batch)) = start.and_then(|start| branch.split_at_checked(start)) else {
            return Err(Error::new(ErrorCode::Internal, "the call is not on its branch"));
        };
        if batch.iter().any(|event| matches!(event.body(), Body::Unknown | Body::Unreadable)) {
            let text = "events after this call cannot be read, so its arguments cannot be changed; reject it instead";
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        let mut events = hook_answers.events;
        let mut renamed = Renamed(Vec::new());
        // The ratings of an SDK analyzer apply to the old arguments.
        for event in batch.iter().filter(|event| !matches!(event.body(), Body::SecurityAnalysisEvent(_))) {
            let is_edited = event.id() == old.id();
            let id = if is_edited { edited_id.clone() } else { log.new_id() };
            let mut new_event = if is_edited { edited.clone() } else { copy_of(event, &id) };
            update_action_id(&mut new_event.body, &renamed);
            renamed.0.push((event.id().as_str().to_owned(), id));
            events.push(new_event);
        }
        Ok(Rewrite {
            old: old.id().clone(),
            events,
            root: before.last().map(|event| event.id().clone()),
            renamed,
            edited: edited_id.clone(),
            risk,
            denied: hook_answers.denied,
        })
    }
}

fn copy_of(event: &Event, id: &EventId) -> NewEvent {
    NewEvent {
        id: Some(id.clone()),
        timestamp: Some(event.timestamp().to_owned()),
        source: event.source(),
        body: event.body().clone(),
        files: Vec::new(),
    }
}

/// Replaces the id of the action that a result names by the new one.
fn update_action_id(body: &mut Body, renamed: &Renamed) {
    let id = match body {
        Body::ObservationEvent(body) => &mut body.action_id,
        Body::UserRejectObservation(body) => &mut body.action_id,
        Body::HookExecutionEvent(body) => match &mut body.action_id {
            Some(id) => id,
            None => return,
        },
        _ => return,
    };
    if let Some(new) = renamed.new_of(id) {
        *id = new.as_str().to_owned();
    }
}
