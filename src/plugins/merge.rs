//! Several plugins as one, on top of what the host gives its agent (`plugin/loader.py`, `plugin/plugin.py`).
//!
//! Of skills with one name the last counts, also in the place of the host's. A server or an agent never takes the place of the
//! host's: what the host has given keeps its URL, its headers and its tools.

use super::{MAX_SKILLS, Named, command, hooks, invalid, too_large};
use crate::{
    error::Result,
    json::{ListWriter, Object, ObjectWriter, RawJson, quoted},
};

/// The names of what the host has given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Skills, in order.
    pub skills: Vec<String>,
    /// MCP servers.
    pub servers: Vec<String>,
    /// Definitions of sub-agents.
    pub agents: Vec<String>,
}

impl Given {
    /// The names in an object of three lists.
    pub fn read(json: &str) -> Self {
        let fields = Object::parse(json).unwrap_or_default();
        let names = |field: &str| fields.read(field).unwrap_or_default();
        Self { skills: names("skills"), servers: names("servers"), agents: names("agents") }
    }
}

/// A skill of the result.
#[derive(Clone, Debug, PartialEq)]
pub enum MergedSkill {
    /// The host's of this name.
    Given(String),
    /// A plugin's.
    OfPlugin(Named),
}

/// The parts that an agent has with its plugins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// All skills, in order.
    pub skills: Vec<MergedSkill>,
    /// The servers of plugins.
    pub servers: Vec<Named>,
    /// The agents of plugins.
    pub agents: Vec<Named>,
    /// The hooks of plugins, one after the other.
    pub hooks: Option<RawJson>,
    /// A sentence for each part that is not used.
    pub complaints: Vec<String>,
}

/// Merges plugins, each as [`super::Plugin::to_json`] has written it, in their order.
///
/// # Errors
/// `invalid_options` for a text that is no plugin, `too_large` if there are too many skills together.
pub fn merge(given: &Given, plugins: &[String]) -> Result<Merged> {
    let read: Option<Vec<Object<'_>>> = plugins.iter().map(|plugin| Object::parse(plugin)).collect();
    let plugins = read.ok_or_else(|| invalid("plugins must be a list of plugins".to_owned()))?;
    let mut merged = Merged {
        skills: given.skills.iter().cloned().map(MergedSkill::Given).collect(),
        ..Merged::default()
    };
    let mut configs = Vec::new();
    for plugin in &plugins {
        let manifest = plugin.object("manifest");
        let name = manifest.read::<String>("name").unwrap_or_default();
        let commands = plugin.objects("commands").unwrap_or_default();
        let skills = named(plugin, "skills").into_iter();
        for skill in skills.chain(commands.iter().map(|each| command::to_skill(&name, each))) {
            merged.take_skill(&name, skill);
        }
        for (key, server) in plugin.object("mcp_config").iter() {
            if let Some(json) = RawJson::parse(server) {
                merged.take_server(&name, Named { name: key.to_owned(), json }, given);
            }
        }
        for agent in named(plugin, "agents") {
            let is_taken = given.agents.contains(&agent.name)
                || merged.agents.iter().any(|each| each.name == agent.name);
            if is_taken {
                merged
                    .complaints
                    .push(format!("plugin {name}: there is an agent {} already, which stays", agent.name));
            } else {
                merged.agents.push(agent);
            }
        }
        configs.extend(plugin.get("hooks").and_then(RawJson::parse));
    }
    if merged.skills.len() > MAX_SKILLS {
        let count = merged.skills.len();
        return Err(too_large(format!(
            "the agent and its plugins have {count} skills, and the most is {MAX_SKILLS}"
        )));
    }
    merged.hooks = hooks::merged(&configs);
    Ok(merged)
}

impl Merged {
    fn take_skill(&mut self, plugin: &str, skill: Named) {
        let is_same = |each: &&mut MergedSkill| match each {
            MergedSkill::Given(name) => *name == skill.name,
            MergedSkill::OfPlugin(known) => known.name == skill.name,
        };
        match self.skills.iter_mut().find(is_same) {
            Some(known) => {
                self.complaints
                    .push(format!("plugin {plugin}: its skill {} takes the place of another", skill.name));
                *known = MergedSkill::OfPlugin(skill);
            }
            None => self.skills.push(MergedSkill::OfPlugin(skill)),
        }
    }

    fn take_server(&mut self, plugin: &str, server: Named, given: &Given) {
        if given.servers.contains(&server.name) {
            self.complaints
                .push(format!("plugin {plugin}: the server {} is the host's, which stays", server.name));
            return;
        }
        match self.servers.iter_mut().find(|known| known.name == server.name) {
            Some(known) => {
                self.complaints
                    .push(format!("plugin {plugin}: its server {} takes the place of another", server.name));
                *known = server;
            }
            None => self.servers.push(server),
        }
    }

    /// As JSON: a skill of the host is its name, one of a plugin an object.
    pub fn to_json(&self) -> String {
        let mut out = ObjectWriter::new();
        let mut skills = ListWriter::new();
        for skill in &self.skills {
            match skill {
                MergedSkill::Given(name) => skills.item(&quoted(name)),
                MergedSkill::OfPlugin(skill) => skills.item(skill.json.as_str()),
            }
        }
        out.raw("skills", &skills.finish());
        let mut servers = ObjectWriter::new();
        self.servers.iter().for_each(|server| servers.field(&server.name, &server.json));
        out.raw("servers", &servers.finish());
        let mut agents = ListWriter::new();
        self.agents.iter().for_each(|agent| agents.item(agent.json.as_str()));
        out.raw("agents", &agents.finish());
        out.optional("hooks", &self.hooks);
        out.field("complaints", &self.complaints);
        out.finish()
    }
}

fn named(plugin: &Object<'_>, field: &str) -> Vec<Named> {
    let objects = plugin.objects(field).unwrap_or_default();
    let read =
        |each: Object<'_>| Some(Named { name: each.required("name")?, json: RawJson::parse(each.text())? });
    objects.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{
        MAX_SKILLS, Plugin,
        tests_kit::{directory, json_front_matter},
    };
    use super::*;
    use crate::error::ErrorCode;

    fn plugin(name: &str, files: &[(&str, &str)]) -> String {
        let manifest = format!(r#"{{"name":"{name}"}}"#);
        let mut all = vec![(".plugin/plugin.json", manifest.as_str())];
        all.extend(files);
        Plugin::read(&directory(&all), &json_front_matter).unwrap().to_json()
    }

    fn names(merged: &Merged) -> Vec<&str> {
        merged
            .skills
            .iter()
            .map(|skill| match skill {
                MergedSkill::Given(name) => name.as_str(),
                MergedSkill::OfPlugin(skill) => skill.name.as_str(),
            })
            .collect()
    }

    #[test]
    fn of_skills_with_one_name_the_last_counts_in_the_place_of_the_first() {
        let given = Given { skills: vec!["a".into(), "b".into()], ..Given::default() };
        let one =
            plugin("one", &[("skills/b/SKILL.md", "1"), ("skills/c/SKILL.md", "1"), ("commands/go.md", "x")]);
        let two = plugin("two", &[("skills/c/SKILL.md", "2")]);
        let merged = merge(&given, &[one, two]).unwrap();
        assert_eq!(names(&merged), ["a", "b", "c", "one:go"]);
        assert_eq!(merged.skills[0], MergedSkill::Given("a".into()));
        let MergedSkill::OfPlugin(c) = &merged.skills[2] else { panic!("{:?}", merged.skills) };
        assert_eq!(c.json.field::<String>("content").unwrap(), "2");
        assert_eq!(merged.complaints.len(), 2, "{:?}", merged.complaints);
    }

    #[test]
    fn a_server_or_agent_of_the_host_stays() {
        let given =
            Given { servers: vec!["search".into()], agents: vec!["critic".into()], ..Given::default() };
        let server =
            |url: &str| format!(r#"{{"mcpServers":{{"search":{{"url":"{url}"}},"own":{{"url":"{url}"}}}}}}"#);
        let files = [("https://1", "1"), ("https://2", "2")].map(|(url, prompt)| {
            plugin(
                "p",
                &[(".mcp.json", &server(url)), ("agents/critic.md", prompt), ("agents/new.md", prompt)],
            )
        });
        let merged = merge(&given, &files).unwrap();
        assert_eq!(merged.servers.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(), ["own"]);
        assert_eq!(merged.servers[0].json.as_str(), r#"{"url":"https://2"}"#);
        assert_eq!(merged.agents.len(), 1);
        assert_eq!(merged.agents[0].json.field::<String>("system_prompt").unwrap(), "1");
        assert_eq!(merged.complaints.len(), 6, "{:?}", merged.complaints);
    }

    #[test]
    fn there_are_not_more_skills_than_the_sdk_allows() {
        let given = Given {
            skills: (0..MAX_SKILLS).map(|number| format!("s{number}")).collect(),
            ..Given::default()
        };
        let same = plugin("p", &[("skills/s1/SKILL.md", "x")]);
        assert_eq!(merge(&given, &[same]).unwrap().skills.len(), MAX_SKILLS);
        let more = plugin("p", &[("skills/more/SKILL.md", "x")]);
        assert_eq!(merge(&given, &[more]).unwrap_err().code(), ErrorCode::TooLarge);
    }

    #[test]
    fn hooks_are_concatenated_and_what_is_written_can_be_read() {
        let hooks = |command: &str| format!(r#"{{"Stop":[{{"hooks":[{{"command":"{command}"}}]}}]}}"#);
        let plugins = ["a", "b"].map(|command| plugin(command, &[("hooks/hooks.json", &hooks(command))]));
        let merged = merge(&Given::default(), &plugins).unwrap();
        assert_eq!(hooks::matchers(merged.hooks.as_ref().unwrap(), "Stop").len(), 2);
        let json = merged.to_json();
        assert!(
            json.starts_with(r#"{"skills":[],"servers":{},"agents":[],"hooks":{"pre_tool_use""#),
            "{json}"
        );
    }
}
