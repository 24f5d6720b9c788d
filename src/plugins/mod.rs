//! Plugins: directories with skills, commands, agents, hooks and servers, which extend an agent (`plugin/plugin.py`,
//! `plugin/format/claude_code.py`).
//!
//! Performs no I/O and runs nothing: somebody else has fetched the files. A part that cannot be read is left out, and named in
//! `complaints`; only a manifest that cannot be read refuses the plugin.

mod agent;
mod command;
mod directory;
mod hooks;
mod manifest;
mod merge;
mod output;
mod programs;
mod prompt;
mod servers;
mod skill;
mod source;
#[cfg(test)]
mod tests_kit;
mod values;
mod variables;

pub use directory::{Chosen, Directory, Entry, chosen, entries};
pub use hooks::{Matcher, matchers, shown};
pub use merge::{Given, Merged, MergedSkill, merge};
pub use output::{Meaning, Output};
pub use prompt::{Question, verdict};
pub use source::{Resolved, Source, without_credentials};
pub use variables::{Lookup, expanded, names};

use crate::{
    error::{Error, ErrorCode, Result},
    json::{ListWriter, ObjectWriter, RawJson, ToJson},
};

/// The most skills of a plugin, and of all plugins of a conversation together, with those that its agent has.
pub const MAX_SKILLS: usize = 100;

/// The front matter of a Markdown file, and the text below it.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontMatter {
    /// The fields, a JSON object.
    pub fields: RawJson,
    /// The text below, without white space at its ends.
    pub content: String,
}

impl FrontMatter {
    /// Front matter as JavaScript gives it: `{ fields, content }`.
    pub fn read(given: &RawJson) -> Option<Self> {
        Some(Self { fields: given.field("fields")?, content: given.field("content")? })
    }
}

/// Reads the front matter of a file with this path and text. An error is a sentence.
pub type ReadFrontMatter<'a> = &'a dyn Fn(&str, &str) -> std::result::Result<FrontMatter, String>;

/// A part of a plugin, or a sentence that says why it cannot be used.
type Part<T> = std::result::Result<T, String>;

/// Something with a name, in the form in which the SDK stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The JSON object.
    pub json: RawJson,
}

/// A plugin as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    /// The fields of `plugin.json`, with the SDK's defaults.
    pub manifest: Named,
    /// The skills of `skills/`, in the order of their files.
    pub skills: Vec<Named>,
    /// The commands of `commands/`.
    pub commands: Vec<Named>,
    /// The definitions of `agents/`.
    pub agents: Vec<Named>,
    /// The six lists of hooks as the SDK stores them; `None` if there is no file, or none that can be read.
    pub hooks: Option<RawJson>,
    /// The servers of `.mcp.json`. References to variables are in them as they are written.
    pub servers: Vec<Named>,
    /// A sentence for each part that is left out.
    pub complaints: Vec<String>,
}

impl Plugin {
    /// The plugin in this directory.
    ///
    /// # Errors
    /// `invalid_options` if its manifest cannot be read, `too_large` if it has too many skills.
    pub fn read(directory: &Directory, front_matter: ReadFrontMatter<'_>) -> Result<Self> {
        let manifest = manifest::read(directory)?;
        let mut complaints = Vec::new();
        let skills = skill::read(directory, front_matter, &mut complaints);
        let hooks = hooks::read(directory, &mut complaints);
        let servers = servers::read(directory, &mut complaints);
        let agents = agent::read(directory, front_matter, &mut complaints);
        let commands = command::read(directory, front_matter, &mut complaints);
        let plugin = Self { manifest, skills, commands, agents, hooks, servers, complaints };
        let count = plugin.skills.len() + plugin.commands.len();
        if count > MAX_SKILLS {
            return Err(too_large(format!(
                "the plugin {} has {count} skills and commands, and the most is {MAX_SKILLS}",
                plugin.manifest.name
            )));
        }
        Ok(plugin)
    }

    /// The plugin as JSON.
    pub fn to_json(&self) -> String {
        let mut out = ObjectWriter::new();
        out.field("manifest", &self.manifest.json);
        for (name, list) in [("skills", &self.skills), ("commands", &self.commands), ("agents", &self.agents)]
        {
            let mut items = ListWriter::new();
            list.iter().for_each(|each| items.item(each.json.as_str()));
            out.raw(name, &items.finish());
        }
        out.optional("hooks", &self.hooks);
        let mut servers = ObjectWriter::new();
        self.servers.iter().for_each(|server| servers.field(&server.name, &server.json));
        out.raw("mcp_config", &servers.finish());
        out.field("complaints", &self.complaints);
        out.finish()
    }
}

/// The Markdown files directly in a folder, each read by `read`; what cannot be read is left out.
fn read_files(
    directory: &Directory,
    folder: &str,
    front_matter: ReadFrontMatter<'_>,
    complaints: &mut Vec<String>,
    read: &dyn Fn(&File<'_>, &FrontMatter) -> Part<Named>,
) -> Vec<Named> {
    let mut found = Vec::new();
    for name in directory.files_in(folder) {
        let is_markdown = name
            .rsplit_once('.')
            .is_some_and(|(stem, end)| !stem.is_empty() && end.eq_ignore_ascii_case("md"));
        if !is_markdown || name == "README.md" || name == "readme.md" {
            continue;
        }
        let path = format!("{folder}/{name}");
        let file = File { path: &path, source: directory.source_of(&path) };
        let part = directory.text(&path).and_then(|text| front_matter(&path, &text));
        match part.and_then(|text| read(&file, &text)) {
            Ok(part) => found.push(part),
            Err(why) => complaints.push(format!("{path} is left out: {why}")),
        }
    }
    found
}

/// A Markdown file of a plugin.
struct File<'a> {
    /// The path in the plugin.
    path: &'a str,
    /// The path with the plugin's directory, as it is stored.
    source: String,
}

impl File<'_> {
    /// The file's name without its ending, as Python's `Path.stem` is.
    fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorCode::InvalidOptions, message)
}

fn too_large(message: String) -> Error {
    Error::new(ErrorCode::TooLarge, message)
}

/// A list as JSON.
fn list<T: ToJson>(items: &[T]) -> RawJson {
    RawJson::of(items)
}
