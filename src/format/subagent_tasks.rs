//! The tasks in `agent_state`: which conversation works on each, and which call has started it.
//!
//! A record is only a note. Whether its conversation is one of a sub-agent says that conversation itself, by its directory
//! and by the sender of its prompt: see `features/subagents.rs`.

use super::{agent_state::SUBAGENT_TASKS, base_state::BaseState};
use crate::{
    id::ConversationId,
    json::{EditableObject, Object, RawJson, object},
};

/// A task that this conversation has given to a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubagentTask {
    /// Its id, such as `task_00000001`.
    pub id: String,
    /// The conversation of the sub-agent.
    pub conversation: ConversationId,
    /// The call that has started it, which its first prompt names as the sender.
    pub action: String,
}

impl BaseState {
    /// The tasks that this conversation has started. Left out are records of another form, and those that a copy has taken
    /// over from its original, whose sub-agents are not its own.
    pub fn subagent_tasks(&self) -> Vec<SubagentTask> {
        let records: EditableObject = self.in_agent_state(SUBAGENT_TASKS).unwrap_or_default();
        let own = records.iter().filter_map(|(id, record)| {
            let record = Object::parse(record)?;
            let id_in = |name: &str| record.read::<String>(name)?.parse::<ConversationId>().ok();
            (id_in("parent")? == self.id()).then_some(())?;
            Some(SubagentTask {
                id: id.to_owned(),
                conversation: id_in("conversation")?,
                action: record.read("action")?,
            })
        });
        own.collect()
    }

    /// Records a task of this call, for which `conversation` is created.
    pub fn add_subagent_task(&mut self, action: &str, conversation: ConversationId) -> SubagentTask {
        let task = SubagentTask { id: self.next_task_id(), conversation, action: action.to_owned() };
        let record = object! {
            "conversation": conversation.to_string(),
            "parent": self.id().to_string(),
            "action": action,
        };
        let mut records: EditableObject = self.in_agent_state(SUBAGENT_TASKS).unwrap_or_default();
        records.set(&task.id, &record.finish());
        self.set_in_agent_state(SUBAGENT_TASKS, Some(&RawJson::of(&records)));
        task
    }

    /// Removes the records of these tasks.
    pub fn remove_subagent_tasks(&mut self, tasks: &[SubagentTask]) {
        let mut records: EditableObject = self.in_agent_state(SUBAGENT_TASKS).unwrap_or_default();
        for task in tasks {
            records.remove(&task.id);
        }
        self.set_in_agent_state(SUBAGENT_TASKS, Some(&RawJson::of(&records)));
    }

    /// The id after all those that were ever used: the costs of a task stay when its record is lost, and would be replaced
    /// by those of another task with the same id.
    fn next_task_id(&self) -> String {
        let records: EditableObject = self.in_agent_state(SUBAGENT_TASKS).unwrap_or_default();
        let costs = self.stats().and_then(|stats| Object::parse(stats)).unwrap_or_default();
        let costs = costs.object("usage_to_metrics");
        let costs = costs.iter().filter_map(|(usage, _)| usage.strip_prefix("task:"));
        let numbers = records.iter().map(|(id, _)| id).chain(costs).filter_map(|id| {
            let digits = id.strip_prefix("task_")?;
            u32::from_str_radix(digits, 16).ok()
        });
        format!("task_{:08x}", numbers.max().unwrap_or_default().saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const CHILD: &str = "1f8fad5b-d9cb-469f-a165-70867728950e";

    fn state(agent_state: &str, stats: &str) -> BaseState {
        let text =
            format!(r#"{{"id":"{ID}","agent_state":{agent_state},"stats":{{"usage_to_metrics":{stats}}}}}"#);
        BaseState::of(ID.parse().unwrap(), &text).unwrap()
    }

    #[test]
    fn a_task_is_read_as_it_was_recorded() {
        let mut state = state("{}", "{}");
        let one = state.add_subagent_task("call-one", CHILD.parse().unwrap());
        let two = state.add_subagent_task("call-two", ID.parse().unwrap());
        assert_eq!((&*one.id, &*two.id), ("task_00000001", "task_00000002"));
        assert_eq!(state.subagent_tasks(), [one.clone(), two.clone()]);
        state.remove_subagent_tasks(&[one]);
        assert_eq!(state.subagent_tasks(), [two]);
    }

    #[test]
    fn records_that_are_none_and_those_of_another_conversation_are_left_out() {
        let record =
            |parent: &str| format!(r#"{{"conversation":"{CHILD}","parent":"{parent}","action":"call"}}"#);
        for tasks in [
            "null".into(),
            "7".into(),
            "[1]".into(),
            r#"{"task_00000001":null}"#.into(),
            format!(r#"{{"task_00000001":{}}}"#, record(CHILD)),
            format!(r#"{{"task_00000001":{}}}"#, record("x")),
        ] {
            let mut state = state(&format!(r#"{{"subagent_tasks":{tasks}}}"#), "{}");
            assert_eq!(state.subagent_tasks(), [], "{tasks}");
            let begun = state.add_subagent_task("call", CHILD.parse().unwrap());
            assert_eq!(state.subagent_tasks(), [begun], "{tasks}");
        }
        assert_eq!(
            state(&format!(r#"{{"subagent_tasks":{{"a":{}}}}}"#, record(ID)), "{}").subagent_tasks().len(),
            1
        );
    }

    #[test]
    fn an_id_with_a_record_or_with_costs_is_not_used_again() {
        for (tasks, stats, next) in [
            (r#"{"task_00000002":null}"#, "{}", "task_00000003"),
            ("{}", r#"{"task:task_0000000f":{},"agent":{}}"#, "task_00000010"),
            (r#"{"task_ffffffff":1,"other":1}"#, "{}", "task_ffffffff"),
        ] {
            let mut state = state(&format!(r#"{{"subagent_tasks":{tasks}}}"#), stats);
            assert_eq!(state.add_subagent_task("call", CHILD.parse().unwrap()).id, next);
        }
    }
}
