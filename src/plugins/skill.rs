//! The skills of a plugin (`plugin/format/base.py`, `skills/skill.py`): names are not checked, as the SDK does not for plugins.

use super::{
    Directory, File, FrontMatter, Named, Part, ReadFrontMatter, list,
    values::{kind, spelled, spelled_list, truth},
};
use crate::json::{
    FromJson as _, ListWriter, Object, ObjectWriter, RawJson, elements, members, objects, quoted,
};

/// The folder of skills.
const FOLDER: &str = "skills";
/// Files of instructions that other programs have, and the names of their skills.
const OTHERS: [(&str, &str); 4] =
    [("claude.md", "claude"), ("gemini.md", "gemini"), ("agent.md", "agents"), ("agents.md", "agents")];
/// The folders of a skill whose files are listed.
const RESOURCES: [&str; 3] = ["scripts", "references", "assets"];

/// The skills, in the order of their files. Without a folder of skills a `SKILL.md` at the top is one.
pub fn read(
    directory: &Directory,
    front_matter: ReadFrontMatter<'_>,
    complaints: &mut Vec<String>,
) -> Vec<Named> {
    if directory.has(FOLDER) {
        complaints.push("skills is a file and no folder, so there are none".to_owned());
        return Vec::new();
    }
    let mut found: Vec<(Vec<String>, Kind, Named)> = Vec::new();
    for (path, kind) in files(directory) {
        let file = File { source: directory.source_of(&path), path: &path };
        let skill = match kind {
            Kind::Directory => in_directory(directory, &file, front_matter, complaints),
            Kind::Text => in_text(directory, &file, front_matter, complaints),
        };
        match skill {
            // Of two of a kind with one name the later counts.
            Ok((kind, skill)) => {
                found.retain(|(_, other, each)| *other != kind || each.name != skill.name);
                found.push((path.split('/').map(str::to_owned).collect(), kind, skill));
            }
            Err(why) => complaints.push(format!("{path} is left out: {why}")),
        }
    }
    found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    found.into_iter().map(|(_, _, skill)| skill).collect()
}

/// The form of a skill's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `SKILL.md`, with files beside it.
    Directory,
    /// Any other Markdown file.
    Text,
}

/// The files of skills in the order in which the SDK reads them.
fn files(directory: &Directory) -> Vec<(String, Kind)> {
    if !directory.has_folder(FOLDER) {
        return skill_file(directory, "").into_iter().map(|path| (path, Kind::Directory)).collect();
    }
    let folders = directory.folders_in(FOLDER).into_iter();
    let mut found: Vec<(String, Kind)> = folders
        .filter_map(|name| Some((skill_file(directory, &format!("{FOLDER}/{name}"))?, Kind::Directory)))
        .collect();
    for name in directory.files_in(FOLDER) {
        let lower = name.to_lowercase();
        if name.ends_with(".md") && lower != "readme.md" {
            let kind = if lower == "skill.md" { Kind::Directory } else { Kind::Text };
            found.push((format!("{FOLDER}/{name}"), kind));
        }
    }
    found
}

/// The `SKILL.md` of a folder, in any case; of several the first.
fn skill_file(directory: &Directory, folder: &str) -> Option<String> {
    let name = directory.files_in(folder).into_iter().find(|name| name.to_lowercase() == "skill.md")?;
    Some(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") })
}

fn in_directory(
    directory: &Directory,
    file: &File<'_>,
    front_matter: ReadFrontMatter<'_>,
    complaints: &mut Vec<String>,
) -> Part<(Kind, Named)> {
    let text = front_matter(file.path, &directory.text(file.path)?)?;
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let own =
        if folder.is_empty() { directory.name() } else { folder.rsplit('/').next().unwrap_or_default() };
    if !folder.is_empty() && directory.has(&format!("{folder}/.mcp.json")) {
        complaints.push(format!("{folder}/.mcp.json is not used: only a plugin's own .mcp.json is"));
    }
    let resources = resources(directory, folder);
    Ok((Kind::Directory, skill(file, own, &text, true, resources)?))
}

fn in_text(
    directory: &Directory,
    file: &File<'_>,
    front_matter: ReadFrontMatter<'_>,
    complaints: &mut Vec<String>,
) -> Part<(Kind, Named)> {
    let text = directory.text(file.path)?;
    let name = file.path.rsplit('/').next().unwrap_or_default().to_lowercase();
    if let Some((_, name)) = OTHERS.iter().find(|(file, _)| *file == name) {
        let content = FrontMatter { fields: ObjectWriter::new().into(), content: text };
        return Ok((Kind::Text, written(name, &content, file, "null", &Extra::default())?));
    }
    let text = front_matter(file.path, &text)?;
    match text.fields.field::<RawJson>("mcp_tools") {
        None => {}
        Some(servers) if members(servers.as_str()).is_ok() => {
            complaints
                .push(format!("mcp_tools of {} are not used: only a plugin's own .mcp.json is", file.path));
        }
        Some(servers) if servers.as_str() == "null" => {}
        Some(servers) => {
            return Err(format!("mcp_tools must be an object, and is {}", kind(servers.as_str())));
        }
    }
    Ok((Kind::Text, skill(file, file.stem(), &text, false, None)?))
}

/// Fields that not every skill has.
#[derive(Default)]
struct Extra {
    inputs: String,
    is_agentskills_format: bool,
    resources: Option<String>,
}

fn skill(
    file: &File<'_>,
    own: &str,
    text: &FrontMatter,
    is_agentskills_format: bool,
    resources: Option<String>,
) -> Part<Named> {
    let fields = Object::parse(text.fields.as_str()).unwrap_or_default();
    let name = fields.get("name").map_or_else(|| own.to_owned(), spelled);
    let (trigger, inputs) = trigger(&name, &fields)?;
    written(&name, text, file, &trigger, &Extra { inputs, is_agentskills_format, resources })
}

/// The skill as the SDK stores it.
fn written(name: &str, text: &FrontMatter, file: &File<'_>, trigger: &str, extra: &Extra) -> Part<Named> {
    let fields = Object::parse(text.fields.as_str()).unwrap_or_default();
    // Of two spellings that the SDK knows of a field, the first that is there counts, even if it is null.
    let given =
        |names: &[&str]| names.iter().find_map(|name| fields.get(name)).filter(|json| *json != "null");
    let mut out = ObjectWriter::new();
    out.field("name", name);
    out.field("content", &text.content);
    if trigger != "null" {
        out.raw("trigger", trigger);
    }
    out.field("source", &file.source);
    out.raw("inputs", if extra.inputs.is_empty() { "[]" } else { &extra.inputs });
    out.field("is_agentskills_format", &extra.is_agentskills_format);
    out.field("version", "1.0.0");
    for name in ["description", "license", "compatibility"] {
        if let Some(json) = given(&[name]) {
            let text = String::from_json(json)
                .ok_or_else(|| format!("{name} must be a text, and is {}", kind(json)))?;
            out.field(name, &text);
        }
    }
    if let Some(json) = given(&["metadata"]) {
        let members =
            members(json).map_err(|_| format!("metadata must be an object, and is {}", kind(json)))?;
        let mut metadata = ObjectWriter::new();
        members.iter().for_each(|(name, value)| metadata.field(name, &spelled(value)));
        out.raw("metadata", &metadata.finish());
    }
    if let Some(json) = given(&["allowed-tools", "allowed_tools"]) {
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect();
        let tools: Option<Vec<String>> = String::from_json(json).map(words).or_else(|| spelled_list(json));
        let tools =
            tools.ok_or_else(|| format!("allowed-tools must be a text or a list, and is {}", kind(json)))?;
        out.field("allowed_tools", &tools);
    }
    let is_hidden = match given(&["disable-model-invocation", "disable_model_invocation"]) {
        Some(json) => truth(json).ok_or_else(|| {
            format!("disable-model-invocation must be true or false, and is {}", kind(json))
        })?,
        None => false,
    };
    // A rule for paths is added where it applies, and nobody opens it.
    out.field("disable_model_invocation", &(is_hidden || trigger.starts_with(r#"{"type":"path""#)));
    if let Some(resources) = &extra.resources {
        out.raw("resources", resources);
    }
    Ok(Named { name: name.to_owned(), json: RawJson::from(out) })
}

/// The trigger that adds a skill to a message, and the inputs for which a task asks.
fn trigger(name: &str, fields: &Object<'_>) -> Part<(String, String)> {
    let keywords = fields.get("triggers").unwrap_or("[]");
    if elements(keywords).is_none() {
        return Err(format!("triggers must be a list, and is {}", kind(keywords)));
    }
    let of = |kind: &str, field: &str, list: &RawJson| {
        let mut out = ObjectWriter::new();
        out.field("type", kind);
        out.field(field, list);
        out.finish()
    };
    let paths = paths(fields.get("paths"))?;
    if !paths.is_empty() {
        return Ok((of("path", "paths", &list(&paths)), String::new()));
    }
    let words = || Vec::<String>::from_json(keywords).ok_or("triggers must be a list of texts");
    if let Some(json) = fields.get("inputs") {
        let mut words = words()?;
        let own = format!("/{name}");
        if !words.contains(&own) {
            words.push(own);
        }
        return Ok((of("task", "triggers", &list(&words)), inputs(json)?));
    }
    let words = words()?;
    Ok(if words.is_empty() {
        ("null".to_owned(), String::new())
    } else {
        (of("keyword", "keywords", &list(&words)), String::new())
    })
}

/// Globs in a text with commas, or in a list.
fn paths(json: Option<&str>) -> Part<Vec<String>> {
    let Some(json) = json.filter(|json| *json != "null") else { return Ok(Vec::new()) };
    let split = |text: String| text.split(',').map(str::to_owned).collect();
    let paths: Option<Vec<String>> = String::from_json(json).map(split).or_else(|| spelled_list(json));
    let paths = paths.ok_or_else(|| format!("paths must be a text or a list, and is {}", kind(json)))?;
    Ok(paths.iter().map(|path| path.trim().to_owned()).filter(|path| !path.is_empty()).collect())
}

fn inputs(json: &str) -> Part<String> {
    let wrong = "inputs must be a list of objects with a name and a description";
    let mut out = ListWriter::new();
    for input in objects(json).ok_or(wrong)? {
        let mut fields = ObjectWriter::new();
        for name in ["name", "description"] {
            fields.field(name, &input.required::<String>(name).ok_or(wrong)?);
        }
        out.item(&fields.finish());
    }
    Ok(out.finish())
}

/// The files of a skill in the folders that the format names; `None` if there are none.
fn resources(directory: &Directory, folder: &str) -> Option<String> {
    let mut out = ObjectWriter::new();
    out.raw("skill_root", &quoted(&directory.source_of(folder)));
    let mut has_some = false;
    for kind in RESOURCES {
        let inner = if folder.is_empty() { kind.to_owned() } else { format!("{folder}/{kind}") };
        let mut names = ListWriter::new();
        directory.below(&inner).for_each(|path| names.item(&quoted(path)));
        has_some |= !names.is_empty();
        out.raw(kind, &names.finish());
    }
    has_some.then(|| out.finish())
}

#[cfg(test)]
mod tests {
    use super::super::tests_kit::{directory, json_front_matter};
    use super::*;

    fn skills(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let mut complaints = Vec::new();
        let found = read(&directory(files), &json_front_matter, &mut complaints);
        (found.into_iter().map(|skill| skill.json.as_str().to_owned()).collect(), complaints)
    }

    fn names(files: &[(&str, &str)]) -> Vec<String> {
        let mut complaints = Vec::new();
        read(&directory(files), &json_front_matter, &mut complaints)
            .into_iter()
            .map(|skill| skill.name)
            .collect()
    }

    #[test]
    fn a_skill_has_the_fields_of_the_sdk() {
        let text = r#"---
{"name":"Not-The Folder","description":"d","license":"MIT","metadata":{"a":1,"b":true},"allowed-tools":"x  y"}
---
text
"#;
        let files = [
            ("skills/a/SKILL.md", text),
            ("skills/a/scripts/x.sh", ""),
            ("skills/a/references/more.md", "m"),
        ];
        let (found, complaints) = skills(&files);
        assert_eq!(complaints, [""; 0]);
        assert_eq!(
            found,
            [concat!(
                r#"{"name":"Not-The Folder","content":"text","source":"place/skills/a/SKILL.md","inputs":[],"#,
                r#""is_agentskills_format":true,"version":"1.0.0","description":"d","license":"MIT","#,
                r#""metadata":{"a":"1","b":"True"},"allowed_tools":["x","y"],"disable_model_invocation":false,"#,
                r#""resources":{"skill_root":"place/skills/a","scripts":["x.sh"],"references":["more.md"],"assets":[]}}"#
            )]
        );
    }

    #[test]
    fn triggers_are_chosen_as_the_sdk_chooses_them() {
        let of = |fields: &str| skills(&[("skills/a.md", &format!("---\n{fields}\n---\nx"))]);
        let keyword = of(r#"{"triggers":["git"]}"#);
        assert!(keyword.0[0].contains(r#""trigger":{"type":"keyword","keywords":["git"]}"#), "{keyword:?}");
        let task = of(r#"{"triggers":["b"],"inputs":[{"name":"n","description":"d","more":1}]}"#);
        assert!(task.0[0].contains(r#""trigger":{"type":"task","triggers":["b","/a"]},"#), "{task:?}");
        assert!(task.0[0].contains(r#""inputs":[{"name":"n","description":"d"}]"#), "{task:?}");
        let path = of(r#"{"paths":"*.py, src/**","triggers":["git"]}"#);
        assert!(path.0[0].contains(r#""trigger":{"type":"path","paths":["*.py","src/**"]}"#), "{path:?}");
        assert!(path.0[0].contains(r#""disable_model_invocation":true"#), "{path:?}");
        for fields in [
            r#"{"triggers":"git"}"#,
            r#"{"triggers":null}"#,
            r#"{"triggers":[1]}"#,
            r#"{"paths":7}"#,
            r#"{"inputs":null}"#,
            r#"{"inputs":[{"name":"n"}]}"#,
            r#"{"description":7}"#,
            r#"{"metadata":"x"}"#,
            r#"{"allowed-tools":7}"#,
            r#"{"disable-model-invocation":"perhaps"}"#,
            r#"{"mcp_tools":"x"}"#,
        ] {
            let (found, complaints) = of(fields);
            assert!(
                found.is_empty() && complaints[0].starts_with("skills/a.md is left out: "),
                "{fields} {complaints:?}"
            );
        }
    }

    #[test]
    fn skills_are_found_where_the_sdk_finds_them() {
        let files = [
            ("skills/README.md", "x"),
            ("skills/b.md", "x"),
            ("skills/a/skill.md", "x"),
            ("skills/a/SKILL.md", "y"),
            ("skills/a/other.md", "x"),
            ("skills/c/deep/SKILL.md", "x"),
            ("skills/AGENTS.md", "---\n{}\n---\nraw"),
            ("SKILL.md", "x"),
            ("skills/d.MD", "x"),
        ];
        assert_eq!(names(&files), ["agents", "a", "b"]);
        let (found, _) = skills(&files);
        assert!(found[0].contains(r#""content":"---\n{}\n---\nraw","source""#), "{}", found[0]);
        assert!(found[1].contains(r#""content":"y""#), "{}", found[1]);
        assert_eq!(names(&[("Skill.md", "x"), ("notes.md", "x")]), ["plugin"]);
        assert_eq!(names(&[("skills", "x"), ("SKILL.md", "x")]), [""; 0]);
    }

    #[test]
    fn of_two_skills_with_one_name_the_later_counts() {
        let named = "---\n{\"name\":\"same\"}\n---\n";
        let files =
            [("skills/a/SKILL.md", &*format!("{named}1")), ("skills/b/SKILL.md", &*format!("{named}2"))];
        let (found, _) = skills(&files);
        assert!(found.len() == 1 && found[0].contains(r#""content":"2""#), "{found:?}");
    }

    #[test]
    fn servers_of_a_skill_are_not_used_and_that_is_said() {
        let (found, complaints) = skills(&[("skills/a/SKILL.md", "x"), ("skills/a/.mcp.json", "{}")]);
        assert_eq!((found.len(), complaints.len()), (1, 1));
        let (found, complaints) = skills(&[("skills/a.md", "---\n{\"mcp_tools\":{}}\n---\nx")]);
        assert_eq!((found.len(), complaints.len()), (1, 1));
    }
}
