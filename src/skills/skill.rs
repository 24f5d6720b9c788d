//! One skill, as the SDK stores it (`skills/skill.py`, `Skill`).

use super::trigger::{glob_matches, has_keyword, strip};
use crate::json::Object;

/// A skill.
pub struct Skill {
    /// The name, by which the model opens it.
    pub name: String,
    /// The text for the model.
    pub content: String,
    /// The file or the URL that it comes from.
    pub source: Option<String>,
    /// Whether it is a `SKILL.md`, whose text is read only when it is needed.
    pub is_agentskills_format: bool,
    trigger: Option<Trigger>,
    description: Option<String>,
    disable_model_invocation: bool,
    /// Whether it has files beside its text.
    pub has_files: bool,
}

/// The event that activates a skill.
enum Trigger {
    /// One of these words in a message of the user.
    Words(Vec<String>),
    /// A call with a path that one of these globs matches.
    Paths(Vec<String>),
}

/// The most characters of a description in the list of skills.
const DESCRIPTION_LIMIT: usize = 1024;

impl Skill {
    /// The skill in these fields; `None` if the SDK would not accept them.
    pub fn read(fields: &Object<'_>) -> Option<Self> {
        let trigger = match fields.get("trigger").filter(|trigger| *trigger != "null") {
            Some(trigger) => Some(Trigger::read(&Object::parse(trigger)?)?),
            None => None,
        };
        let is_path_rule = matches!(trigger, Some(Trigger::Paths(_)));
        Some(Self {
            name: fields.required("name")?,
            content: fields.required("content")?,
            source: fields.optional("source")?,
            is_agentskills_format: fields.read("is_agentskills_format").unwrap_or_default(),
            trigger,
            description: fields.optional("description")?,
            disable_model_invocation: is_path_rule
                || fields.read("disable_model_invocation").unwrap_or_default(),
            has_files: fields.get("resources").is_some_and(|resources| resources != "null"),
        })
    }

    /// Whether its text is always in the system prompt.
    pub fn is_always_on(&self) -> bool {
        !self.is_agentskills_format && self.trigger.is_none()
    }

    /// Whether the system prompt lists it.
    pub fn is_listed(&self) -> bool {
        !self.is_always_on() && self.may_be_opened()
    }

    /// Whether the model may open it.
    pub fn may_be_opened(&self) -> bool {
        !self.disable_model_invocation
    }

    /// The first keyword that a message, in lower case, contains.
    pub fn keyword_in(&self, message: &str) -> Option<&str> {
        let Some(Trigger::Words(words)) = &self.trigger else { return None };
        words.iter().map(String::as_str).find(|word| has_keyword(message, word))
    }

    /// The first glob that matches this path.
    pub fn glob_of(&self, path: &str) -> Option<&str> {
        let Some(Trigger::Paths(globs)) = &self.trigger else { return None };
        globs.iter().map(String::as_str).find(|glob| glob_matches(glob, path))
    }

    /// The description in the list of skills: if the skill has none, its first line that is not a heading. If that is not
    /// all of the text, the description says how many characters are missing.
    pub fn listed_description(&self) -> String {
        let mut missing = 0;
        let mut description = self.description.as_deref().unwrap_or_default();
        if description.is_empty() {
            let mut end = 0;
            for line in self.content.split('\n') {
                end += line.len();
                let text = strip(line);
                if !text.is_empty() && !text.starts_with('#') {
                    description = text;
                    missing = self.content.get(end..).unwrap_or_default().chars().count();
                    break;
                }
                end += 1;
            }
        }
        let length = description.chars().count();
        let mut shown: String = description.chars().take(DESCRIPTION_LIMIT).collect();
        missing += length.saturating_sub(DESCRIPTION_LIMIT);
        if missing > 0 {
            shown.push_str(&format!(
                "... [{missing} characters more: read them with invoke_skill(name=\"{}\")]",
                self.name
            ));
        }
        shown
    }
}

impl Trigger {
    fn read(fields: &Object<'_>) -> Option<Self> {
        match fields.required::<String>("type")?.as_str() {
            "keyword" => Some(Self::Words(fields.required("keywords")?)),
            "task" => Some(Self::Words(fields.required("triggers")?)),
            "path" => Some(Self::Paths(fields.required("paths")?)),
            _ => None,
        }
    }
}
