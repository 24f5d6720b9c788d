//! The tool `invoke_skill`, by which the model opens a skill (`tool/builtins/invoke_skill.py`).
//!
//! Returns the skill's text as it is: inline shell commands are not executed.

use super::skill::Skill;
use crate::{
    event::{self, Action, Observation},
    json::{EditableObject, Object},
    tool::{
        Record, Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput,
    },
};
use futures_util::future::{LocalBoxFuture, ready};
use std::rc::Rc;

/// Opens skills.
pub struct InvokeSkillTool {
    definition: ToolDefinition,
    skills: Rc<[Skill]>,
}

impl InvokeSkillTool {
    /// A tool that opens these skills.
    pub fn new(skills: Rc<[Skill]>) -> Self {
        let definition = ToolDefinition {
            name: "invoke_skill".into(),
            description: include_str!("prompts/invoke_skill.md").trim_end().into(),
            parameters: concat!(
                r#"{"type":"object","properties":{"name":{"type":"string","#,
                r#""description":"The name of the skill, as in the list."}},"required":["name"]}"#
            )
            .into(),
            annotations: ToolAnnotations {
                title: Some("invoke_skill".into()),
                read_only_hint: true,
                destructive_hint: Some(false),
                idempotent_hint: true,
                open_world_hint: Some(false),
            },
            replay: Replay::Safe,
            kind: ToolKind::Sdk,
        };
        Self { definition, skills }
    }

    fn open(&self, name: &str) -> ToolOutput {
        let error = |text: String| ToolOutput { is_error: true, ..ToolOutput::text(text) };
        match self.skills.iter().find(|skill| skill.name == name) {
            Some(skill) if skill.may_be_opened() => ToolOutput::text(&*skill.content),
            Some(_) => {
                error(format!("The skill '{name}' cannot be opened: it is added by itself where it applies."))
            }
            None => {
                let names = self.skills.iter().filter(|skill| skill.may_be_opened());
                let mut names: Vec<&str> = names.map(|skill| skill.name.as_str()).collect();
                names.sort_unstable();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                error(format!("There is no skill '{name}'. These can be opened: {names}."))
            }
        }
    }
}

/// The skill that these arguments name.
fn name_in(arguments: &str) -> Option<String> {
    let name = Object::parse(arguments)?.required::<String>("name")?;
    Some(super::trigger::strip(&name).to_owned())
}

impl Tool for InvokeSkillTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, arguments: &str) -> Result<(), String> {
        name_in(arguments).map(drop).ok_or_else(|| "`name` is required and must be a string".into())
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        let output = self.open(&name_in(&call.arguments).unwrap_or_default());
        Box::pin(ready(Ok(output)))
    }

    fn record(&self) -> Option<&dyn Record> {
        Some(self)
    }
}

impl Record for InvokeSkillTool {
    fn definition(&self) -> event::ToolDefinition {
        let ToolAnnotations { title, .. } = self.definition.annotations.clone();
        let annotations = event::ToolAnnotations {
            title,
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        event::ToolDefinition::of_class(
            "InvokeSkill",
            &self.definition.name,
            &self.definition.description,
            &annotations,
        )
    }

    fn action(&self, arguments: &EditableObject) -> Action {
        let mut fields = EditableObject::default();
        fields.set("name", arguments.get("name").unwrap_or("\"\""));
        Action::of_class("InvokeSkill", &fields)
    }

    fn observation(&self, arguments: &str, output: &ToolOutput) -> Observation {
        let mut fields = EditableObject::default();
        let name = name_in(arguments).unwrap_or_default();
        fields.set("skill_name", &crate::json::quoted(&name));
        Observation::of_class("InvokeSkill", &output.content, output.is_error, &fields)
    }
}
