//! The commands of a plugin (`plugin/types.py`, `CommandDefinition`), and the skill that each one is for a model.

use super::{
    Directory, File, FrontMatter, Named, Part, ReadFrontMatter, list, read_files,
    values::{is_falsy, spelled, spelled_list},
};
use crate::json::{FromJson as _, Object, ObjectWriter, RawJson};

/// The commands, in the order of their files.
pub fn read(
    directory: &Directory,
    front_matter: ReadFrontMatter<'_>,
    complaints: &mut Vec<String>,
) -> Vec<Named> {
    read_files(directory, "commands", front_matter, complaints, &command)
}

fn command(file: &File<'_>, text: &FrontMatter) -> Part<Named> {
    let fields = Object::parse(text.fields.as_str()).unwrap_or_default();
    let either =
        |names: [&str; 2]| names.into_iter().find_map(|name| fields.get(name).filter(|json| !is_falsy(json)));
    let hint = either(["argument-hint", "argumentHint"]);
    let hint = hint.map(|json| spelled_list(json).map_or_else(|| spelled(json), |words| words.join(" ")));
    let tools = either(["allowed-tools", "allowedTools"]).unwrap_or("[]");
    let tools =
        String::from_json(tools).map(|tool| vec![tool]).or_else(|| spelled_list(tools)).unwrap_or_default();
    let name = file.stem().to_owned();
    let mut out = ObjectWriter::new();
    out.field("name", &name);
    out.field("description", &fields.get("description").map(spelled).unwrap_or_default());
    out.optional("argument_hint", &hint);
    out.field("allowed_tools", &tools);
    out.field("content", &text.content);
    out.field("source", &file.source);
    let mut metadata = ObjectWriter::new();
    for (field, value) in fields.iter() {
        let known = ["description", "argument-hint", "argumentHint", "allowed-tools", "allowedTools"];
        if !known.contains(&field) {
            metadata.raw(field, value);
        }
    }
    out.raw("metadata", &metadata.finish());
    Ok(Named { name, json: RawJson::from(out) })
}

/// The skill of a command: a message with `/plugin:command` gets its text.
pub fn to_skill(plugin: &str, command: &Object<'_>) -> Named {
    let text = |field: &str| command.read::<String>(field).unwrap_or_default();
    let (own, description, content) = (text("name"), text("description"), text("content"));
    let name = format!("{plugin}:{own}");
    let mut parts = Vec::new();
    if !description.is_empty() {
        parts.push(format!("## {own}\n\n{description}\n"));
    }
    if let Some(hint) = command.read::<String>("argument_hint").filter(|hint| !hint.is_empty()) {
        parts.push(format!("**Arguments**: `$ARGUMENTS` - {hint}\n"));
    }
    if !content.is_empty() {
        parts.push(format!("\n{content}"));
    }
    let mut trigger = ObjectWriter::new();
    trigger.field("type", "keyword");
    trigger.field("keywords", &list(&[format!("/{name}")]));
    let mut out = ObjectWriter::new();
    out.field("name", &name);
    out.field("content", parts.join("\n").trim());
    out.raw("trigger", &trigger.finish());
    out.optional("source", &command.read::<String>("source"));
    out.raw("inputs", "[]");
    out.field("is_agentskills_format", &false);
    out.field("version", "1.0.0");
    let described = if description.is_empty() { format!("Command {own} from {plugin}") } else { description };
    out.field("description", &described);
    let tools: Vec<String> = command.read("allowed_tools").unwrap_or_default();
    if !tools.is_empty() {
        out.field("allowed_tools", &tools);
    }
    out.field("disable_model_invocation", &false);
    Named { name, json: RawJson::from(out) }
}

#[cfg(test)]
mod tests {
    use super::super::tests_kit::{directory, json_front_matter};
    use super::*;

    fn commands(files: &[(&str, &str)]) -> Vec<String> {
        let mut complaints = Vec::new();
        let found = read(&directory(files), &json_front_matter, &mut complaints);
        assert_eq!(complaints, [""; 0]);
        found.into_iter().map(|command| command.json.as_str().to_owned()).collect()
    }

    #[test]
    fn a_command_has_the_fields_of_the_sdk_and_is_a_skill() {
        let text = r#"---
{"description":"Says when","argument-hint":["city","day"],"allowed-tools":"Bash(date:*)","model":"x"}
---

Say the time in $ARGUMENTS.
"#;
        let found = commands(&[("commands/now.md", text)]);
        assert_eq!(
            found,
            [concat!(
                r#"{"name":"now","description":"Says when","argument_hint":"city day","allowed_tools":["Bash(date:*)"],"#,
                r#""content":"Say the time in $ARGUMENTS.","source":"place/commands/now.md","metadata":{"model":"x"}}"#
            )]
        );
        assert_eq!(
            to_skill("clock", &Object::parse(&found[0]).unwrap()).json.as_str(),
            concat!(
                r###"{"name":"clock:now","content":"## now\n\nSays when\n\n**Arguments**: `$ARGUMENTS` - city day\n\n\n"###,
                r#"Say the time in $ARGUMENTS.","trigger":{"type":"keyword","keywords":["/clock:now"]},"#,
                r#""source":"place/commands/now.md","inputs":[],"is_agentskills_format":false,"version":"1.0.0","#,
                r#""description":"Says when","allowed_tools":["Bash(date:*)"],"disable_model_invocation":false}"#
            )
        );
    }

    #[test]
    fn fields_that_say_nothing_count_as_missing() {
        let found = commands(&[
            (
                "commands/a.md",
                "---\n{\"description\":null,\"argument-hint\":\"\",\"argumentHint\":\"x\",\"allowed-tools\":{}}\n---\n",
            ),
            ("commands/b.MD", "text"),
            ("commands/README.md", ""),
            ("commands/sub/c.md", ""),
            ("commands/d.txt", ""),
            ("commands/.md", ""),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with(
            r#"{"name":"a","description":"None","argument_hint":"x","allowed_tools":[],"content":"","#
        ));
        let skill = to_skill("p", &Object::parse(&found[1]).unwrap()).json.as_str().to_owned();
        assert!(
            skill.contains(r#""content":"text","#) && skill.contains(r#""description":"Command b from p""#),
            "{skill}"
        );
    }
}
