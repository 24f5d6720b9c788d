//! `.mcp.json` (`skills/utils.py`, `mcp/config.py`). References to variables stay as they are written: their values are filled in
//! when a server is used, and are stored nowhere.

use super::{
    Directory, Named, Part,
    values::{kind, truth, whole},
    variables::expanded,
};
use crate::json::{
    EditableObject, FromJson as _, Object, ObjectWriter, RawJson, elements, float, members, quoted,
};

const FILE: &str = ".mcp.json";
/// The fields of a server in the SDK. Others are dropped.
const FIELDS: [&str; 14] = [
    "url",
    "transport",
    "command",
    "args",
    "env",
    "cwd",
    "description",
    "icon",
    "timeout",
    "sse_read_timeout",
    "keep_alive",
    "headers",
    "auth",
    "enabled",
];

/// The servers of the plugin.
pub fn read(directory: &Directory, complaints: &mut Vec<String>) -> Vec<Named> {
    if !directory.has(FILE) {
        return Vec::new();
    }
    match directory.text(FILE).and_then(|text| servers(&text, &directory.source_of(""))) {
        Ok(servers) => {
            for server in &servers {
                if server.json.field::<RawJson>("command").is_some() {
                    complaints
                        .push(format!("the server {} is a program, which a page cannot start", server.name));
                }
            }
            servers
        }
        Err(why) => {
            complaints.push(format!("{FILE} is left out, with all of its servers: {why}"));
            Vec::new()
        }
    }
}

fn servers(text: &str, root: &str) -> Part<Vec<Named>> {
    if Object::parse(text).is_none() {
        return Err("it is not a JSON object".into());
    }
    // The one variable that is known when a plugin is read.
    let text = expanded(text, false, &|name| (name == "SKILL_ROOT").then(|| root.to_owned()));
    let given = Object::parse(&text).ok_or("it is not a JSON object")?;
    match given.get("mcpServers") {
        None | Some("{}") => Ok(Vec::new()),
        Some(servers) => each(servers),
    }
}

/// The servers in an object, as the SDK stores them.
pub fn normalized(json: &str) -> Part<String> {
    let mut out = ObjectWriter::new();
    each(json)?.iter().for_each(|server| out.field(&server.name, &server.json));
    Ok(out.finish())
}

fn each(json: &str) -> Part<Vec<Named>> {
    let wrong = || format!("the servers must be an object, and are {}", kind(json));
    let given = EditableObject::compact(json).ok_or_else(wrong)?;
    given
        .iter()
        .map(|(name, server)| Ok(Named { name: name.to_owned(), json: server_of(name, server)? }))
        .collect()
}

fn server_of(name: &str, json: &str) -> Part<RawJson> {
    let of = |what: String| format!("{what} of the server {name}");
    let given = Object::parse(json)
        .ok_or_else(|| format!("the server {name} must be an object, and is {}", kind(json)))?;
    let mut out = ObjectWriter::new();
    let mut transport = None;
    for field in FIELDS {
        // Files have the transport as `type`.
        let value = match field {
            "transport" => given.get("transport").or_else(|| given.get("type")),
            _ => given.get(field),
        };
        let Some(value) = value.filter(|value| *value != "null") else { continue };
        let wrong =
            |what: &str| Err(of(format!("{field} must be {what}, and is {}, as a field", kind(value))));
        match field {
            "args" if Vec::<String>::from_json(value).is_none() => return wrong("a list of texts"),
            "args" if elements(value).is_some() => out.raw(field, value),
            "env" | "headers" => out.raw(
                field,
                &texts(value).ok_or_else(|| of(format!("{field} must be an object of texts, as a field")))?,
            ),
            "timeout" | "sse_read_timeout" => {
                let number = float(value).or_else(|| whole(value).map(|number| number as f64));
                let Some(number) = number.filter(|number| number.is_finite()) else {
                    return wrong("a number");
                };
                out.field(field, &number);
            }
            "keep_alive" | "enabled" => {
                let Some(truth) = truth(value) else { return wrong("true or false") };
                // The SDK leaves out what is the default.
                if field != "enabled" || !truth {
                    out.field(field, &truth);
                }
            }
            "auth" => {
                if members(value).is_err() {
                    return wrong("an object");
                }
                out.raw(field, value);
            }
            _ => {
                let Some(text) = String::from_json(value) else { return wrong("a text") };
                let text = if field == "transport" && text == "shttp" { "http".to_owned() } else { text };
                if matches!(field, "url" | "command") && text.is_empty() {
                    return wrong("a text that is not empty");
                }
                if field == "transport" {
                    if !["stdio", "http", "streamable-http", "sse"].contains(&text.as_str()) {
                        return Err(of(format!("there is no transport {text}, as")));
                    }
                    transport = Some(text.clone());
                }
                out.raw(field, &quoted(&text));
            }
        }
    }
    let has = |field: &str| given.get(field).is_some_and(|value| value != "null");
    match transport.as_deref() {
        Some("stdio") if !has("command") => Err(format!("the server {name} needs a command")),
        Some("http" | "streamable-http" | "sse") if !has("url") => {
            Err(format!("the server {name} needs a url"))
        }
        None if !has("command") && !has("url") => Err(format!("the server {name} needs a command or a url")),
        _ => Ok(RawJson::from(out)),
    }
}

fn texts(json: &str) -> Option<String> {
    let mut out = ObjectWriter::new();
    for (name, value) in members(json).ok()? {
        out.field(&name, &String::from_json(value)?);
    }
    Some(out.finish())
}

#[cfg(test)]
mod tests {
    use super::super::tests_kit::directory;
    use super::*;

    fn read_text(text: &str) -> (Vec<String>, Vec<String>) {
        let mut complaints = Vec::new();
        let servers = read(&directory(&[(FILE, text)]), &mut complaints);
        (
            servers.into_iter().map(|server| format!("{} {}", server.name, server.json.as_str())).collect(),
            complaints,
        )
    }

    #[test]
    fn servers_are_read_as_the_sdk_reads_them() {
        let (servers, complaints) = read_text(
            r#"{"mcpServers":{
              "search":{"type":"http","url":"https://x/${PLACE:-here}","headers":{"Authorization":"Bearer ${TOKEN}"},"timeout":5,"more":1},
              "old":{"url":"https://x/sse","transport":"sse","enabled":true},
              "here":{"command":"node","args":["${SKILL_ROOT}/x.js"],"env":{"A":"${B}"}}}}"#,
        );
        assert_eq!(
            servers,
            [
                r#"search {"url":"https://x/${PLACE:-here}","transport":"http","timeout":5.0,"headers":{"Authorization":"Bearer ${TOKEN}"}}"#,
                r#"old {"url":"https://x/sse","transport":"sse"}"#,
                r#"here {"command":"node","args":["place/x.js"],"env":{"A":"${B}"}}"#,
            ]
        );
        assert_eq!(complaints, ["the server here is a program, which a page cannot start"]);
    }

    #[test]
    fn of_a_file_that_the_sdk_refuses_there_is_no_server() {
        for text in [
            "",
            "[]",
            r#"{"mcpServers":[]}"#,
            r#"{"mcpServers":{"a":7}}"#,
            r#"{"mcpServers":{"a":{}}}"#,
            r#"{"mcpServers":{"a":{"url":7}}}"#,
            r#"{"mcpServers":{"a":{"url":"u","type":"smoke"}}}"#,
            r#"{"mcpServers":{"a":{"url":"u","type":"stdio"}}}"#,
            r#"{"mcpServers":{"a":{"command":"c","args":"x"}}}"#,
            r#"{"mcpServers":{"a":{"url":"u","headers":{"A":1}}}}"#,
            r#"{"mcpServers":{"a":{"url":""}}}"#,
            r#"{"mcpServers":{"ok":{"url":"u"},"a":{"url":"u","auth":"oauth"}}}"#,
        ] {
            let (servers, complaints) = read_text(text);
            assert!(servers.is_empty() && complaints.len() == 1, "{text} {servers:?}");
        }
        // As in the SDK, which checks servers at the top of the file and then does not take them.
        assert_eq!(read_text(r#"{"a":{"url":"https://x"}}"#), (Vec::new(), Vec::new()));
    }
}
