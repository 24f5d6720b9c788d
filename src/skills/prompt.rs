//! The texts that a context adds to the system prompt, and to messages and results.
//!
//! The sections and their order, and the tags around a skill in a message or a result, are the SDK's
//! (`context/prompts/sections/dynamic.py`, `context/agent_context.py`); the sentences are our own.

use super::{skill::Skill, trigger::strip};

/// Facts for the sections.
#[derive(Default)]
pub struct Sections<'a> {
    /// Skills that are always on.
    pub always_on: Vec<&'a Skill>,
    /// The memory of the agent.
    pub memory: Option<&'a str>,
    /// Skills that are listed by name.
    pub listed: Vec<&'a Skill>,
    /// The host's own text.
    pub suffix: Option<&'a str>,
    /// Names and descriptions of secrets.
    pub secrets: Vec<(String, Option<String>)>,
    /// The date and the time.
    pub now: Option<&'a str>,
}

/// Where a section has its content.
const PLACE: &str = "@@";

impl Sections<'_> {
    /// The sections that have content, in the order of the SDK; `None` if there is none.
    pub fn text(&self) -> Option<String> {
        let mut sections = Vec::new();
        let mut add = |frame: &str, content: String| {
            if !content.is_empty() {
                sections.push(frame.trim_end().replacen(PLACE, &content, 1));
            }
        };
        let mut always_on = String::new();
        for skill in &self.always_on {
            always_on.push_str(&format!(
                "\n[BEGIN context from [{}]]\n{}\n[END Context]\n",
                skill.name, skill.content
            ));
        }
        add(include_str!("prompts/repo_context.md"), always_on);
        add(include_str!("prompts/memory_context.md"), self.memory.unwrap_or_default().to_owned());
        add(include_str!("prompts/skills.md"), self.list());
        add(PLACE, strip(self.suffix.unwrap_or_default()).to_owned());
        let mut secrets = String::new();
        for (name, description) in &self.secrets {
            let description = description.as_ref().filter(|description| !description.is_empty());
            let description = description.map(|description| format!(" - {description}")).unwrap_or_default();
            secrets.push_str(&format!("\n* **{name}**{description}"));
        }
        add(include_str!("prompts/custom_secrets.md"), secrets);
        add(include_str!("prompts/current_datetime.md"), self.now.unwrap_or_default().to_owned());
        (!sections.is_empty()).then(|| sections.join("\n\n"))
    }

    /// The list of skills (`skills/skill.py`, `to_prompt`).
    fn list(&self) -> String {
        if self.listed.is_empty() {
            return String::new();
        }
        let mut list = String::from("<available_skills>\n");
        for skill in &self.listed {
            list.push_str(&format!(
                "  <skill>\n    <name>{}</name>\n    <description>{}</description>\n  </skill>\n",
                escaped(&skill.name),
                escaped(&skill.listed_description())
            ));
        }
        list.push_str("</available_skills>");
        list
    }
}

fn escaped(text: &str) -> String {
    strip(text).replace('&', "&amp;").replace('>', "&gt;").replace('<', "&lt;")
}

/// The text for skills that a message activates, each with its keyword (`skill_knowledge_info.j2`).
pub fn activated_skills(skills: &[(&Skill, &str)]) -> String {
    let mut text = String::new();
    for (skill, keyword) in skills {
        text.push_str(&format!(
            "\n<EXTRA_INFO>\nA skill that is added to messages with \"{keyword}\". Use it if it helps.\n"
        ));
        if let Some(source) = skill.source.as_ref().filter(|source| !source.is_empty()) {
            text.push_str(&format!("\nThe skill is from {source}; paths in it are relative to that.\n"));
        }
        text.push_str(&format!("\n\n{}\n</EXTRA_INFO>\n", skill.content));
    }
    strip(&text).to_owned()
}

/// The text for rules about a path, each with its glob (`get_tool_use_suffix`).
pub fn activated_rules(rules: &[(&Skill, &str)]) -> String {
    let texts: Vec<String> = rules
        .iter()
        .map(|(rule, glob)| {
            let source = rule.source.as_ref().filter(|source| !source.is_empty());
            let source = source.map(|source| format!("The rule's file: {source}\n")).unwrap_or_default();
            format!(
                "<EXTRA_INFO>\nA rule for files like \"{glob}\", such as this one.\n{source}\n{}\n</EXTRA_INFO>",
                rule.content
            )
        })
        .collect();
    texts.join("\n")
}
