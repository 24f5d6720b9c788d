//! The agents of a plugin (`subagent/schema.py`, `AgentDefinition`), for the tool `task`.

use super::{
    Directory, File, FrontMatter, Named, Part, ReadFrontMatter, hooks, read_files, servers,
    values::{kind, spelled, spelled_list, whole},
};
use crate::json::{FromJson, ListWriter, Object, ObjectWriter, RawJson, float, members, quoted};

const MODES: [&str; 3] = ["always_confirm", "never_confirm", "confirm_risky"];
const KNOWN: [&str; 14] = [
    "color",
    "condenser",
    "description",
    "hooks",
    "max_budget_per_run",
    "max_iteration_per_run",
    "mcp_config",
    "mcp_servers",
    "model",
    "name",
    "permission_mode",
    "profile_store_dir",
    "skills",
    "tools",
];

/// The definitions, in the order of their files. What a definition has that a sub-agent here does not use is said.
pub fn read(
    directory: &Directory,
    front_matter: ReadFrontMatter<'_>,
    complaints: &mut Vec<String>,
) -> Vec<Named> {
    let found = read_files(directory, "agents", front_matter, complaints, &agent);
    for agent in &found {
        for (field, what) in [("hooks", "hooks"), ("mcp_config", "servers"), ("condenser", "condenser")] {
            if agent.json.field::<RawJson>(field).is_some() {
                complaints.push(format!(
                    "{what} of the agent {} are not used: those of the conversation are",
                    agent.name
                ));
            }
        }
    }
    found
}

fn agent(file: &File<'_>, text: &FrontMatter) -> Part<Named> {
    let fields = Object::parse(text.fields.as_str()).unwrap_or_default();
    let given = |name: &str| fields.get(name).filter(|json| *json != "null");
    let spelled_or = |name: &str, default: &str| fields.get(name).map_or_else(|| default.to_owned(), spelled);
    let name = spelled_or("name", file.stem());
    let description = spelled_or("description", "");
    let mut out = ObjectWriter::new();
    out.field("name", &name);
    out.field("description", &description);
    out.field("model", &spelled_or("model", "inherit"));
    out.optional("color", &given("color").map(spelled));
    out.field("tools", &texts(fields.get("tools"), |text| vec![text.to_owned()]));
    out.field("skills", &texts(fields.get("skills"), words));
    out.field("system_prompt", &text.content);
    out.field("source", &file.source);
    let mut examples = ListWriter::new();
    examples.items(self::examples(&description).into_iter().map(|example| quoted(&example)));
    out.raw("when_to_use_examples", &examples.finish());
    if let Some(json) = given("hooks").filter(|json| members(json).is_ok()) {
        out.field("hooks", &hooks::normalized(json)?);
    }
    if let Some(mode) = given("permission_mode") {
        let mode = spelled(mode).trim().to_lowercase();
        if !MODES.contains(&mode.as_str()) {
            return Err(format!("permission_mode must be one of {}, and is {mode}", MODES.join(", ")));
        }
        out.field("permission_mode", &mode);
    }
    if let Some(json) = given("max_iteration_per_run").filter(|json| is_text_or_number(json)) {
        let number = whole(json).filter(|number| *number > 0);
        let number = number
            .ok_or_else(|| format!("max_iteration_per_run must be a whole number above 0, and is {json}"))?;
        out.raw("max_iteration_per_run", &number.to_string());
    }
    if let Some(json) = given("max_budget_per_run").filter(|json| is_text_or_number(json)) {
        let number = float(spelled(json).trim()).filter(|number| *number > 0.0 && number.is_finite());
        let number =
            number.ok_or_else(|| format!("max_budget_per_run must be a number above 0, and is {json}"))?;
        out.field("max_budget_per_run", &number);
    }
    // The first that is there counts, even if it is null.
    if let Some(json) = fields.get("mcp_config").or(fields.get("mcp_servers")).filter(|json| *json != "null")
    {
        out.raw("mcp_config", &servers::normalized(json)?);
    }
    if let Some(json) = given("profile_store_dir") {
        let directory = String::from_json(json);
        out.field(
            "profile_store_dir",
            &directory.ok_or_else(|| format!("profile_store_dir must be a text, and is {}", kind(json)))?,
        );
    }
    if let Some(condenser) = condenser(given("condenser"))? {
        out.raw("condenser", &condenser);
    }
    let mut metadata = ObjectWriter::new();
    fields
        .iter()
        .filter(|(field, _)| !KNOWN.contains(field))
        .for_each(|(field, value)| metadata.raw(field, value));
    out.raw("metadata", &metadata.finish());
    Ok(Named { name, json: RawJson::from(out) })
}

fn texts(json: Option<&str>, split: fn(&str) -> Vec<String>) -> Vec<String> {
    let Some(json) = json else { return Vec::new() };
    String::from_json(json).map(|text| split(&text)).or_else(|| spelled_list(json)).unwrap_or_default()
}

fn words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Anything else has no meaning for the SDK in a field of a limit.
fn is_text_or_number(json: &str) -> bool {
    !matches!(kind(json), "a list" | "an object" | "true or false")
}

/// The texts between `<example>` and `</example>`.
fn examples(description: &str) -> Vec<String> {
    let lower = description.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    let place = |mark: &str, from: usize| Some(from + lower.get(from..)?.find(mark)?);
    while let Some(start) = place("<example>", at).map(|start| start + "<example>".len()) {
        let Some(end) = place("</example>", start) else { break };
        found.extend(description.get(start..end).map(|text| text.trim().to_owned()));
        at = end + "</example>".len();
    }
    found.retain(|example| !example.is_empty());
    found
}

/// A condenser that is written as a word: `None` is the usual one.
fn condenser(json: Option<&str>) -> Part<Option<String>> {
    let Some(json) = json else { return Ok(None) };
    let none = || Ok(Some(r#"{"kind":"NoOpCondenser"}"#.to_owned()));
    let word = match (bool::from_json(json), String::from_json(json)) {
        (Some(true), _) => return Ok(None),
        (Some(false), _) => return none(),
        (_, Some(word)) => word.trim().to_lowercase(),
        _ if members(json).is_ok() => return Ok(Some(json.to_owned())),
        _ => return Err(format!("condenser must be a word or an object, and is {}", kind(json))),
    };
    match word.as_str() {
        "" | "default" | "inherit" => Ok(None),
        "none" | "off" | "false" | "no" | "disable" | "disabled" => none(),
        _ => Err(format!("there is no condenser {word}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests_kit::{directory, json_front_matter};
    use super::*;

    fn read_one(fields: &str) -> (Option<String>, Vec<String>) {
        let mut complaints = Vec::new();
        let text = format!("---\n{fields}\n---\nYou review.\n");
        let found = read(&directory(&[("agents/critic.md", &text)]), &json_front_matter, &mut complaints);
        (found.into_iter().next().map(|agent| agent.json.as_str().to_owned()), complaints)
    }

    #[test]
    fn an_agent_has_the_fields_of_the_sdk() {
        let (agent, complaints) = read_one(concat!(
            r#"{"description":"Reviews. <example>\n one </EXAMPLE><example></example>","tools":"Read","skills":"a, b,","#,
            r#""color":7,"max_iteration_per_run":"5","max_budget_per_run":"0.5","permission_mode":" Confirm_Risky","more":[1]}"#
        ));
        assert_eq!(complaints, [""; 0]);
        assert_eq!(
            agent.unwrap(),
            concat!(
                r#"{"name":"critic","description":"Reviews. <example>\n one </EXAMPLE><example></example>","model":"inherit","#,
                r#""color":"7","tools":["Read"],"skills":["a","b"],"system_prompt":"You review.","source":"place/agents/critic.md","#,
                r#""when_to_use_examples":["one"],"permission_mode":"confirm_risky","max_iteration_per_run":5,"#,
                r#""max_budget_per_run":0.5,"metadata":{"more":[1]}}"#
            )
        );
    }

    #[test]
    fn what_a_sub_agent_does_not_use_is_said() {
        let (agent, complaints) = read_one(
            r#"{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]},"mcp_servers":{"s":{"url":"https://x"}},"condenser":"off"}"#,
        );
        let agent = agent.unwrap();
        assert!(
            agent.contains(r#""stop":[{"matcher":"*""#)
                && agent.contains(r#""mcp_config":{"s":{"url":"https://x"}}"#),
            "{agent}"
        );
        assert!(agent.contains(r#""condenser":{"kind":"NoOpCondenser"}"#), "{agent}");
        assert_eq!(complaints.len(), 3, "{complaints:?}");
    }

    #[test]
    fn a_definition_that_the_sdk_refuses_is_left_out() {
        for fields in [
            r#"{"permission_mode":"never"}"#,
            r#"{"max_iteration_per_run":0}"#,
            r#"{"max_iteration_per_run":"x"}"#,
            r#"{"max_budget_per_run":-1}"#,
            r#"{"mcp_config":[]}"#,
            r#"{"hooks":{"Never":[]}}"#,
            r#"{"condenser":"best"}"#,
            r#"{"profile_store_dir":7}"#,
            r#"{"condenser":7}"#,
        ] {
            let (agent, complaints) = read_one(fields);
            assert!(agent.is_none() && complaints.len() == 1, "{fields} {complaints:?}");
        }
        for fields in [
            r#"{"hooks":"x"}"#,
            r#"{"max_iteration_per_run":[]}"#,
            r#"{"tools":7}"#,
            r#"{"condenser":"default"}"#,
        ] {
            assert!(read_one(fields).0.is_some(), "{fields}");
        }
    }
}
