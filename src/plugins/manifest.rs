//! `plugin.json` (`plugin/format/claude_code.py`, `load_manifest`).

use super::{Directory, Named, Part, invalid, values::kind};
use crate::{
    error::Result,
    json::{EditableObject, FromJson as _, Object, ObjectWriter, RawJson, quoted},
};

/// The files, in the order in which they count.
const FILES: [&str; 2] = [".plugin/plugin.json", ".claude-plugin/plugin.json"];
/// The file of the format of agent-plugins.org, if it names its schema.
const AGENT_PLUGINS: &str = "plugin.json";

/// The manifest; without a file one with the directory's name.
pub fn read(directory: &Directory) -> Result<Named> {
    if directory.has(AGENT_PLUGINS) && is_agent_plugin(&directory.text(AGENT_PLUGINS)) {
        return Err(invalid(format!(
            "{AGENT_PLUGINS} is a manifest of agent-plugins.org, and plugins of that format are not read here"
        )));
    }
    let Some(file) = FILES.into_iter().find(|file| directory.has(file)) else {
        let name = directory.name();
        let mut out = ObjectWriter::new();
        out.field("name", name);
        out.field("version", "1.0.0");
        out.field("description", &format!("Plugin loaded from {name}"));
        return Ok(Named { name: name.to_owned(), json: RawJson::from(out) });
    };
    let fields = directory.text(file).and_then(|text| fields_of(&text));
    fields.map_err(|why| invalid(format!("the manifest {file} cannot be read: {why}")))
}

/// As the SDK decides: what is broken, and what names a schema.
fn is_agent_plugin(text: &Part<String>) -> bool {
    let Ok(text) = text else { return true };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Object::parse(text).is_none_or(|fields| fields.get("$schema").is_some())
}

fn fields_of(text: &str) -> Part<Named> {
    let given = EditableObject::compact(text).ok_or("it is not a JSON object")?;
    let optional_text = |name: &str| match given.get(name) {
        None => Ok(None),
        Some(json) => String::from_json(json)
            .map(Some)
            .ok_or_else(|| format!("{name} must be a text, and is {}", kind(json))),
    };
    let name = optional_text("name")?.ok_or("it has no name")?;
    let mut out = ObjectWriter::new();
    out.field("name", &name);
    out.field("version", &optional_text("version")?.unwrap_or_else(|| "1.0.0".to_owned()));
    out.field("description", &optional_text("description")?.unwrap_or_default());
    if let Some(author) = given.get("author").filter(|author| *author != "null") {
        out.raw("author", &author_of(author)?);
    }
    if given.get("entry_command").is_some_and(|command| command != "null") {
        out.optional("entry_command", &optional_text("entry_command")?);
    }
    for (field, value) in given.iter() {
        // The SDK drops what is null where it stores a manifest.
        if !["name", "version", "description", "author", "entry_command"].contains(&field) && value != "null"
        {
            out.raw(field, value);
        }
    }
    Ok(Named { name, json: RawJson::from(out) })
}

/// An author is an object, or a text such as `Name <email>`.
fn author_of(json: &str) -> Part<String> {
    let mut out = ObjectWriter::new();
    if let Some(text) = String::from_json(json) {
        let (name, rest) = match text.split_once('<') {
            Some((name, rest)) if text.contains('>') => (name, Some(rest)),
            _ => (text.as_str(), None),
        };
        out.field("name", name.trim());
        out.optional("email", &rest.map(|rest| rest.split('>').next().unwrap_or_default().trim().to_owned()));
        return Ok(out.finish());
    }
    let fields = Object::parse(json)
        .ok_or_else(|| format!("author must be a text or an object, and is {}", kind(json)))?;
    for name in ["name", "email", "url"] {
        let value = match (name, fields.get(name)) {
            ("name", None) => Some(quoted("")),
            (_, None) => None,
            (name, Some("null")) if name != "name" => None,
            (_, Some(json)) if String::from_json(json).is_some() => Some(json.to_owned()),
            (name, Some(json)) => {
                return Err(format!("{name} of author must be a text, and is {}", kind(json)));
            }
        };
        if let Some(value) = value {
            out.raw(name, &value);
        }
    }
    Ok(out.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(path: &str, text: &str) -> std::result::Result<String, String> {
        let directory = Directory::new("fallback", "", vec![(path.to_owned(), text.as_bytes().to_vec())]);
        read(&directory.unwrap())
            .map(|it| it.json.as_str().to_owned())
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_manifest_has_the_defaults_of_the_sdk_and_keeps_further_fields() {
        let text = r#"{"keywords":["x"],"name":"n","author":"A B <a@b>","homepage":null}"#;
        let full = r#"{"name":"n","version":"1.0.0","description":"","author":{"name":"A B","email":"a@b"},"keywords":["x"]}"#;
        for path in FILES {
            assert_eq!(manifest(path, text).unwrap(), full);
        }
        let object = r#"{"name":"n","author":{"url":"u","more":1},"entry_command":"now"}"#;
        assert_eq!(
            manifest(FILES[0], object).unwrap(),
            r#"{"name":"n","version":"1.0.0","description":"","author":{"name":"","url":"u"},"entry_command":"now"}"#
        );
    }

    #[test]
    fn without_a_manifest_the_plugin_has_the_name_of_its_directory() {
        let inferred = r#"{"name":"fallback","version":"1.0.0","description":"Plugin loaded from fallback"}"#;
        assert_eq!(manifest("README.md", "").unwrap(), inferred);
        assert_eq!(manifest("plugin.json", r#"{"name":"other"}"#).unwrap(), inferred);
    }

    #[test]
    fn the_first_of_two_manifests_counts() {
        let files = [(FILES[1], r#"{"name":"two"}"#), (FILES[0], r#"{"name":"one"}"#)];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        assert_eq!(read(&Directory::new("p", "", files.to_vec()).unwrap()).unwrap().name, "one");
    }

    #[test]
    fn a_manifest_that_cannot_be_read_refuses_the_plugin() {
        for text in [
            "",
            "[]",
            "{",
            r#"{"version":"1"}"#,
            r#"{"name":7}"#,
            r#"{"name":null}"#,
            r#"{"name":"n","version":1}"#,
            r#"{"name":"n","author":7}"#,
            r#"{"name":"n","author":{"name":null}}"#,
            r#"{"name":"n","description":null}"#,
            r#"{"name":"n","entry_command":[]}"#,
        ] {
            let message = manifest(FILES[1], text).unwrap_err();
            assert!(
                message.starts_with("the manifest .claude-plugin/plugin.json cannot be read: "),
                "{text}: {message}"
            );
        }
        let schema = r#"{"$schema":"https://agent-plugins.org/x","name":"n"}"#;
        for text in ["{", "[]", schema] {
            assert!(manifest("plugin.json", text).unwrap_err().contains("agent-plugins.org"), "{text}");
        }
    }
}
