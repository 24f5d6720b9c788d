//! The tasks that a conversation gives to sub-agents, and which conversation may work on each.
//!
//! A record in `agent_state` comes with every archive, so it proves nothing. A conversation is that of a task only if its own
//! directory lies in that of this conversation and its first prompt names the call that has started the task. Both are
//! compared before the conversation is opened.

use crate::{
    error::{Error, ErrorCode, Result, shown},
    event::{Body, Event, Source},
    format::{base_state::BaseState, subagent_tasks::SubagentTask},
    handle::Conversation,
    id::ConversationId,
    machine::{Command, Setting},
};

/// How many events are searched for the first prompt, which follows the system prompt.
const FIRST: u64 = 16;

impl Conversation {
    /// The task that this call has started, or that it names with `resume`. With `starts`, a task that does not exist is
    /// recorded for this conversation, and is durable when this returns.
    ///
    /// # Errors
    /// `not_found` for a task of `resume` that does not exist, and for one whose conversation is not that of a sub-agent of
    /// this one; those of the store.
    pub async fn subagent_task(
        &self,
        action: &str,
        resume: Option<&str>,
        starts: Option<ConversationId>,
    ) -> Result<Option<SubagentTask>> {
        let find = |state: &BaseState| {
            let mut tasks = state.subagent_tasks().into_iter();
            tasks.find(|task| resume.map_or(task.action == action, |id| task.id == id))
        };
        let mut task = find(&self.state());
        if task.is_none()
            && let Some(id) = resume
        {
            let known: Vec<String> = self.state().subagent_tasks().into_iter().map(|task| task.id).collect();
            let text = format!("Task '{id}' not found. Available tasks: {}", known.join(", "));
            return Err(Error::new(ErrorCode::NotFound, text));
        }
        if task.is_none()
            && let Some(conversation) = starts
        {
            let setting = Setting::SubagentTask { action: action.to_owned(), conversation };
            self.perform(Command::ChangeSetting(setting)).await?;
            task = find(&self.state());
        }
        if let Some(task) = &task {
            self.ensure_own(task).await?;
        }
        Ok(task)
    }

    /// # Errors
    /// `not_found` unless the conversation of the task does not exist or is one of a sub-agent of this one.
    async fn ensure_own(&self, task: &SubagentTask) -> Result<()> {
        let store = &self.0.log.store;
        let Some(listing) = store.load(task.conversation).await? else { return Ok(()) };
        let first = store.events(task.conversation, 0..FIRST).await?;
        let first: Vec<Event> = first.into_iter().map(|event| Event::decode(event.id, event.json)).collect();
        if BaseState::parse(&listing.base_state).is_ok_and(|state| is_own(self.id(), task, &state, &first)) {
            return Ok(());
        }
        let text = format!(
            "Task {} not found: the conversation that it names is not that of a sub-agent of this one",
            shown(&task.id)
        );
        Err(Error::new(ErrorCode::NotFound, text))
    }
}

/// Whether the conversation with this base state and these first events works on a task of `parent`.
fn is_own(parent: ConversationId, task: &SubagentTask, child: &BaseState, first: &[Event]) -> bool {
    let prompt = first.iter().find(|event| event.source() == Source::User);
    let is_sent_by_call = prompt.is_none_or(|prompt| match prompt.body() {
        Body::MessageEvent(message) => message.sender.as_ref() == Some(&task.action),
        _ => false,
    });
    child.id() == task.conversation && child.ancestors().first() == Some(&parent) && is_sent_by_call
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{Head, MessageEvent, Parent},
        format::layout::nested_persistence_dir,
        json::RawJson,
        llm::message::{Content, Message, Role},
    };

    fn id(digit: char) -> ConversationId {
        digit.to_string().repeat(32).parse().unwrap()
    }

    fn prompt(sender: Option<&str>) -> Event {
        let head = Head {
            id: "0f8fad5b-d9cb-469f-a165-708677289501".parse().unwrap(),
            timestamp: "2026-01-31T09:15:02.123456".into(),
            source: Source::User,
            parent: Parent::Unset,
        };
        let message = Message::new(Role::User, vec![Content::text("SUBAGENT")]);
        let mut message = MessageEvent::new(message);
        message.sender = sender.map(str::to_owned);
        Event::new(head, message).unwrap()
    }

    fn state(conversation: ConversationId, above: &[ConversationId]) -> BaseState {
        let mut state = BaseState::new(conversation, &RawJson::parse("{}").unwrap());
        if !above.is_empty() {
            state.set_persistence_dir(&nested_persistence_dir(above, conversation));
        }
        state
    }

    #[test]
    fn a_conversation_works_on_a_task_only_if_its_directory_and_its_prompt_say_so() {
        let (parent, child, other) = (id('a'), id('b'), id('c'));
        let task = SubagentTask { id: "task_00000001".into(), conversation: child, action: "call".into() };
        let sent = [prompt(Some("call"))];
        let own = |state: &BaseState, first: &[Event]| is_own(parent, &task, state, first);
        assert!(own(&state(child, &[parent]), &sent));
        assert!(own(&state(child, &[parent, other]), &sent), "of a sub-agent that is one itself");
        assert!(own(&state(child, &[parent]), &[]), "its page died before the prompt was sent");
        assert!(!own(&state(child, &[]), &sent), "a conversation of the user");
        assert!(!own(&state(child, &[other, parent]), &sent), "the sub-agent of a sub-agent");
        assert!(!own(&state(child, &[other]), &sent), "the sub-agent of another conversation");
        assert!(!own(&state(other, &[parent]), &sent), "stored under the id of another conversation");
        assert!(!own(&state(child, &[parent]), &[prompt(Some("other"))]), "the sub-agent of another task");
        assert!(!own(&state(child, &[parent]), &[prompt(None)]), "a message of the user");
    }
}
