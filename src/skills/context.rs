//! A stored agent context and its effects.

use super::{
    AgentContext, GivenContext,
    invoke::InvokeSkillTool,
    prompt::{Sections, activated_rules, activated_skills},
    skill::Skill,
    trigger::strip,
};
use crate::{
    event::{Body, Event, MessageEvent, ObservationEvent},
    format::base_state::BaseState,
    json::{Object, RawJson},
    llm::message::Content,
    tool::Tool,
};
use std::rc::Rc;

/// Lists of names in the base state.
const ACTIVATED_SKILLS: &str = "activated_knowledge_skills";
const ACTIVATED_RULES: &str = "activated_path_rules";
const INVOKED: &str = "invoked_skills";

/// A context in the form of the SDK's `AgentContext`.
pub(super) struct StoredContext {
    skills: Rc<[Skill]>,
    system_message_suffix: Option<String>,
    user_message_suffix: Option<String>,
    memory: Option<Rc<str>>,
    secrets: Vec<(String, Option<String>)>,
    now: Now,
    complaint: Option<String>,
}

/// The date and time in the system prompt.
enum Now {
    /// The time at which the system prompt is written.
    Clock,
    /// This text, or nothing.
    Text(Option<String>),
}

impl StoredContext {
    pub(super) fn stored(json: &str) -> Self {
        Self::read(json, None, true)
    }

    pub(super) fn given(given: &GivenContext) -> Self {
        Self::read(given.stored.as_str(), given.memory.clone(), false)
    }

    fn read(json: &str, memory: Option<Rc<str>>, is_stored: bool) -> Self {
        let fields = Object::parse(json).unwrap_or_default();
        let disabled: Vec<String> = fields.read("disabled_skills").unwrap_or_default();
        let mut skills = Vec::new();
        let mut unusable = Vec::new();
        for stored in fields.objects("skills").unwrap_or_default() {
            let name = || stored.read("name").unwrap_or_else(|| "?".to_owned());
            match Skill::read(&stored) {
                Some(skill) if disabled.contains(&skill.name) => {}
                Some(skill) if !(is_stored && skill.has_files) => skills.push(skill),
                _ => unusable.push(name()),
            }
        }
        let complaint = (!unusable.is_empty()).then(|| {
            format!(
                "skills that need files which this page does not have, or that cannot be read, are not used here: {}",
                unusable.join(", ")
            )
        });
        let now = match fields.get("current_datetime") {
            Some(_) => {
                let now = fields.read::<String>("current_datetime").filter(|now| !now.is_empty());
                Now::Text(now.map(|now| to_the_minute(&now).unwrap_or(now)))
            }
            None => Now::Clock,
        };
        Self {
            skills: skills.into(),
            system_message_suffix: fields.read("system_message_suffix"),
            user_message_suffix: fields.read("user_message_suffix"),
            memory,
            secrets: secrets_in(&fields.object("secrets")),
            now,
            complaint,
        }
    }

    /// The skills whose text is always in the system prompt, except those that are meant for another vendor's model.
    fn always_on(&self, model: &str) -> Vec<&Skill> {
        let family = family_of(model);
        let is_for = |skill: &&Skill| match (skill.name.to_lowercase().as_str(), family) {
            (_, None) => true,
            ("claude", Some(family)) => family == "claude",
            ("gemini", Some(family)) => family == "gemini",
            _ => true,
        };
        self.skills.iter().filter(|skill| skill.is_always_on()).filter(is_for).collect()
    }
}

impl AgentContext for StoredContext {
    fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    fn tool(&self) -> Option<Rc<dyn Tool>> {
        let is_needed = |skill: &Skill| skill.is_agentskills_format && skill.may_be_opened();
        let tool = || Rc::new(InvokeSkillTool::new(Rc::clone(&self.skills))) as Rc<dyn Tool>;
        self.skills.iter().any(is_needed).then(tool)
    }

    fn dynamic_context(&self, model: &str, state: &BaseState, local_time: &str) -> Option<String> {
        let registry = state.field("secret_registry");
        let sources = registry.and_then(|registry| registry.field::<RawJson>("secret_sources"));
        let sources = sources.as_ref().and_then(|sources| Object::parse(sources.as_str()));
        let mut secrets = self.secrets.clone();
        for (name, description) in secrets_in(&sources.unwrap_or_default()) {
            match secrets.iter_mut().find(|(known, _)| *known == name) {
                Some(known) => known.1 = description,
                None => secrets.push((name, description)),
            }
        }
        Sections {
            always_on: self.always_on(model),
            memory: self.memory.as_deref(),
            listed: self.skills.iter().filter(|skill| skill.is_listed()).collect(),
            suffix: self.system_message_suffix.as_deref(),
            secrets,
            now: match &self.now {
                // The date and the time without seconds: `2026-01-31T12:30`.
                Now::Clock => local_time.get(..16),
                Now::Text(text) => text.as_deref(),
            },
        }
        .text()
    }

    fn extend_message(&self, message: &mut MessageEvent, state: &mut BaseState) {
        let texts: Vec<&str> = message.llm_message.content.iter().filter_map(Content::as_text).collect();
        let query = texts.join("\n").to_lowercase();
        let mut active = names_in(state, ACTIVATED_SKILLS);
        let is_new = |skill: &&Skill| !active.contains(&skill.name);
        let found: Vec<(&Skill, &str)> = self
            .skills
            .iter()
            .filter(is_new)
            .filter_map(|skill| Some((skill, skill.keyword_in(strip(&query))?)))
            .collect();
        let mut parts = Vec::new();
        if !found.is_empty() {
            parts.push(activated_skills(&found));
            message.activated_skills = found.iter().map(|(skill, _)| skill.name.clone()).collect();
            active.extend(message.activated_skills.iter().cloned());
            state.set_field(ACTIVATED_SKILLS, Some(&RawJson::of(&active)));
        }
        let suffix = strip(self.user_message_suffix.as_deref().unwrap_or_default());
        if !suffix.is_empty() {
            parts.push(suffix.to_owned());
        }
        if !parts.is_empty() {
            // In front of the texts that hooks have added.
            message.extended_content.insert(0, Content::text(parts.join("\n")));
        }
    }

    fn extend_observation(
        &self,
        observation: &mut ObservationEvent,
        action: Option<&Event>,
        state: &mut BaseState,
    ) {
        let result = &observation.observation;
        if result.kind().as_deref() == Some("InvokeSkillObservation") && !result.is_error() {
            let mut names = names_in(state, INVOKED);
            if let Some(name) = result.as_json().field("skill_name").filter(|name| !names.contains(name)) {
                names.push(name);
                state.set_field(INVOKED, Some(&RawJson::of(&names)));
            }
        }
        let Some(path) = action.and_then(|action| path_of(action, state)) else { return };
        let mut active = names_in(state, ACTIVATED_RULES);
        let found: Vec<(&Skill, &str)> = self
            .skills
            .iter()
            .filter(|skill| !active.contains(&skill.name))
            .filter_map(|skill| Some((skill, skill.glob_of(&path)?)))
            .collect();
        if !found.is_empty() {
            observation.extended_content.push(Content::text(activated_rules(&found)));
            active.extend(found.iter().map(|(skill, _)| skill.name.clone()));
            state.set_field(ACTIVATED_RULES, Some(&RawJson::of(&active)));
        }
    }
}

fn names_in(state: &BaseState, list: &str) -> Vec<String> {
    state.field(list).and_then(|names| names.read()).unwrap_or_default()
}

fn secrets_in(sources: &Object<'_>) -> Vec<(String, Option<String>)> {
    let description = |source| Object::parse(source)?.read("description");
    sources.iter().map(|(name, source)| (name.to_owned(), description(source))).collect()
}

/// The path among the arguments of a call, relative to the workspace. `None` if it is outside. A workspace without an
/// absolute path is that of a page, whose paths begin at the root.
fn path_of(action: &Event, state: &BaseState) -> Option<String> {
    let Body::ActionEvent(action) = action.body() else { return None };
    let action = action.action.as_ref()?;
    let path = match action.mcp_arguments() {
        Some(arguments) => arguments.field::<String>("path"),
        None => action.as_json().field("path"),
    };
    let path = path.filter(|path| !path.is_empty())?;
    let workspace: String =
        state.field("workspace").and_then(|it| it.field("working_dir")).unwrap_or_default();
    let is_below = path.starts_with('/') && workspace.starts_with('/');
    let root = if is_below { names_of(&workspace) } else { Vec::new() };
    let names = names_of(&path);
    // As a last resort the path is read as a file system does.
    let resolved = resolved(&names);
    let names = names.strip_prefix(root.as_slice()).or_else(|| resolved.strip_prefix(root.as_slice()))?;
    Some(if names.is_empty() { ".".to_owned() } else { names.join("/") })
}

/// The names in a path, as Python's `PurePath` reads it.
fn names_of(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").collect()
}

/// The names without `..` and the names that it leaves.
fn resolved<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut left = Vec::new();
    for name in names {
        match *name {
            ".." => drop(left.pop()),
            name => left.push(name),
        }
    }
    left
}

/// A date with a time in ISO 8601 as the SDK shows it: without seconds and zone. `None` for any other text.
fn to_the_minute(text: &str) -> Option<String> {
    let (date, time) = text.split_at_checked(10)?;
    let is_date = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let number = |text: &str| match text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.parse::<u8>().ok(),
        false => None,
    };
    let is_month =
        number(date.get(5..7)?)?.wrapping_sub(1) < 12 && number(date.get(8..10)?)?.wrapping_sub(1) < 31;
    let (clock, rest) = time.strip_prefix(['T', 't', ' ', '_'])?.split_at_checked(5)?;
    let (hour, minute) = clock.split_once(':')?;
    let is_time = number(hour)? < 24 && number(minute)? < 60;
    let mut rest = rest;
    if let Some(seconds) = rest.strip_prefix(':') {
        let (seconds, fraction) = seconds.split_at_checked(2)?;
        if number(seconds)? >= 60 {
            return None;
        }
        rest = fraction;
        if let Some(digits) = fraction.strip_prefix(['.', ',']) {
            rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() == digits.len() {
                return None;
            }
        }
    }
    let is_zone = match rest.strip_prefix(['+', '-']) {
        Some(zone) => {
            zone.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') && matches!(zone.len(), 4 | 5)
        }
        None => matches!(rest, "" | "Z" | "z"),
    };
    let is_all = date.bytes().enumerate().all(is_date) && is_month && is_time && is_zone;
    is_all.then(|| format!("{date}T{clock}"))
}

/// The vendor of a model, if its name is known to belong to one (`llm/utils/model_prompt_spec.py`).
fn family_of(model: &str) -> Option<&'static str> {
    let model = strip(model).to_lowercase();
    let families = [
        ("openai", ["gpt-", "o1", "o3", "o4"].as_slice()),
        ("claude", &["claude"]),
        ("gemini", &["gemini"]),
        ("other", &["llama", "mistral", "deepseek", "qwen"]),
    ];
    let family = families.iter().find(|(_, parts)| parts.iter().any(|part| model.contains(part)));
    family.map(|(family, _)| *family)
}
