//! `hooks/hooks.json` (`hooks/config.py`): which lines of shell belong to which occasion. Nothing is run here.

use super::{
    Directory, Part, list,
    programs::missing,
    values::{kind, truth, whole},
};
use crate::json::{ListWriter, Object, ObjectWriter, RawJson, elements};

const FILE: &str = "hooks/hooks.json";
/// The occasions, in the order in which the SDK stores them.
const EVENTS: [&str; 6] =
    ["pre_tool_use", "post_tool_use", "user_prompt_submit", "session_start", "session_end", "stop"];
const TYPES: [&str; 3] = ["command", "prompt", "agent"];
/// Characters that make a pattern of a matcher.
const MARKS: &[char] = &['|', '.', '*', '+', '?', '[', ']', '(', ')', '^', '$', '\\'];

/// The hooks of the plugin, if it has a file of them that can be read.
pub fn read(directory: &Directory, complaints: &mut Vec<String>) -> Option<RawJson> {
    if !directory.has(FILE) {
        return None;
    }
    match directory.text(FILE).and_then(|text| normalized(&text)) {
        Ok(hooks) => {
            complaints.extend(unusable(&hooks));
            Some(hooks)
        }
        Err(why) => {
            complaints.push(format!("{FILE} is left out, with all of its hooks: {why}"));
            None
        }
    }
}

/// A sentence for each hook that cannot do its work in a page.
fn unusable(hooks: &RawJson) -> Vec<String> {
    let mut found = Vec::new();
    let fields = Object::parse(hooks.as_str()).unwrap_or_default();
    for event in EVENTS {
        for hook in matchers_in(&fields, event).into_iter().flat_map(|matcher| matcher.hooks) {
            let command = hook.field::<String>("command").unwrap_or_default();
            let missing = missing(&command);
            if hook.field::<String>("type").as_deref() == Some("agent") {
                found.push(format!("a hook of {event} asks an agent, which hooks do not do here"));
            } else if !missing.is_empty() {
                let programs = missing.join(", ");
                found.push(format!(
                    "a hook of {event} needs {programs}, which a page does not have: {command}"
                ));
            }
        }
    }
    found
}

/// The six lists of a configuration, with the SDK's defaults. Names of occasions may be written as `PreToolUse`, and the lists
/// may be in a field `hooks`.
pub fn normalized(text: &str) -> Part<RawJson> {
    let mut given = Object::parse(text).ok_or("it is not a JSON object")?;
    if let Some(inner) = given.get("hooks") {
        given =
            Object::parse(inner).ok_or_else(|| format!("hooks must be an object, and is {}", kind(inner)))?;
    }
    let mut found: Vec<(String, &str)> = Vec::new();
    for (name, value) in given.iter() {
        let snake = in_snake_case(name);
        if !EVENTS.contains(&snake.as_str()) {
            return Err(format!("there is no occasion {name}; those of the SDK are {}", EVENTS.join(", ")));
        }
        match found.iter_mut().find(|(known, _)| *known == snake) {
            // A name that is written twice in the same way is JSON, where the last counts.
            Some(known)
                if given
                    .iter()
                    .filter(|(other, _)| in_snake_case(other) == snake)
                    .all(|(other, _)| other == name) =>
            {
                known.1 = value;
            }
            Some(_) => return Err(format!("{name} is there in both spellings")),
            None => found.push((snake, value)),
        }
    }
    let mut out = ObjectWriter::new();
    for event in EVENTS {
        let matchers = found.iter().find(|(name, _)| name == event).map_or("[]", |(_, value)| value);
        out.raw(event, &list_of(event, matchers, &matcher)?);
    }
    Ok(RawJson::from(out))
}

fn list_of(what: &str, json: &str, read: &dyn Fn(&Object<'_>) -> Part<String>) -> Part<String> {
    let mut out = ListWriter::new();
    for item in elements(json).ok_or_else(|| format!("{what} must be a list, and is {}", kind(json)))? {
        let item = Object::parse(item)
            .ok_or_else(|| format!("{what} must be a list of objects, and has {}", kind(item)))?;
        out.item(&read(&item)?);
    }
    Ok(out.finish())
}

fn matcher(given: &Object<'_>) -> Part<String> {
    let mut out = ObjectWriter::new();
    let matcher = given.defaulted("matcher", || "*".to_owned()).ok_or("a matcher must be a text")?;
    out.field("matcher", &matcher);
    out.raw("hooks", &list_of("hooks", given.get("hooks").unwrap_or("[]"), &definition)?);
    Ok(out.finish())
}

fn definition(given: &Object<'_>) -> Part<String> {
    let text =
        |name: &str| given.optional::<String>(name).ok_or_else(|| format!("{name} of a hook must be a text"));
    let number = |name: &str, default: i64| match given.get(name) {
        None => Ok(default),
        Some(json) => {
            whole(json).ok_or_else(|| format!("{name} of a hook must be a whole number, and is {json}"))
        }
    };
    let type_ =
        given.defaulted("type", || "command".to_owned()).filter(|given| TYPES.contains(&given.as_str()));
    let type_ = type_.ok_or_else(|| format!("the type of a hook must be one of {}", TYPES.join(", ")))?;
    let command = given.defaulted("command", String::new).ok_or("command of a hook must be a text")?;
    let (prompt, system_prompt) = (text("prompt")?, text("system_prompt")?);
    // Both spellings are the SDK's: the first is that of files.
    let is_async = match given.get("async").or_else(|| given.get("async_")) {
        None => false,
        Some(json) => truth(json).ok_or("async of a hook must be true or false")?,
    };
    let has_prompt = prompt.as_ref().is_some_and(|prompt| !prompt.is_empty());
    match type_.as_str() {
        "command" if command.is_empty() => return Err("a hook of the type command needs a command".into()),
        "prompt" if !has_prompt => return Err("a hook of the type prompt needs a prompt".into()),
        "prompt" | "agent" if !command.is_empty() => {
            return Err(format!("a hook of the type {type_} has no command"));
        }
        "prompt" | "agent" if is_async => return Err(format!("a hook of the type {type_} cannot be async")),
        _ => {}
    }
    let mut out = ObjectWriter::new();
    out.field("type", &type_);
    out.optional("name", &text("name")?);
    out.field("command", &command);
    out.optional("prompt", &prompt);
    out.optional("system_prompt", &system_prompt);
    let tools =
        given.defaulted("tools", Vec::<String>::new).ok_or("tools of a hook must be a list of texts")?;
    out.field("tools", &list(&tools));
    out.raw("timeout", &number("timeout", 60)?.to_string());
    out.raw("max_iterations", &number("max_iterations", 3)?.to_string());
    out.field("async_", &is_async);
    Ok(out.finish())
}

/// `pre_tool_use` for `PreToolUse`, as the SDK makes it.
fn in_snake_case(name: &str) -> String {
    let mut out = String::new();
    for (place, c) in name.char_indices() {
        if c.is_ascii_uppercase() && place > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The words by which logs name a hook.
pub fn shown(hook: &RawJson) -> String {
    let text = |name: &str| hook.field::<String>(name).filter(|text| !text.is_empty());
    if let Some(command) = text("command") {
        return command;
    }
    let type_ = text("type").unwrap_or_default();
    let asks = if type_ == "prompt" { "prompt" } else { "system_prompt" };
    let beginning = || text(asks).map(|text| text.chars().take(20).collect());
    let named = hook.field::<String>("name").or_else(beginning).unwrap_or_else(|| type_.clone());
    format!("{type_}-hook:{named}")
}

/// Several configurations as one: their hooks one after the other; `None` without any.
pub fn merged<'a>(configs: impl IntoIterator<Item = &'a RawJson>) -> Option<RawJson> {
    let configs: Vec<Object<'_>> =
        configs.into_iter().filter_map(|config| Object::parse(config.as_str())).collect();
    let mut out = ObjectWriter::new();
    let mut is_empty = true;
    for event in EVENTS {
        let mut matchers = ListWriter::new();
        for config in &configs {
            config
                .get(event)
                .and_then(elements)
                .unwrap_or_default()
                .into_iter()
                .for_each(|each| matchers.item(each));
        }
        is_empty &= matchers.is_empty();
        out.raw(event, &matchers.finish());
    }
    (!is_empty).then(|| RawJson::from(out))
}

/// Whether a whole text matches a pattern in Python's syntax; `None` if it is no pattern.
pub type FullMatch<'a> = &'a dyn Fn(&str, &str) -> Option<bool>;

/// The names of tools that a list of hooks is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    /// As it is written.
    pub matcher: String,
    /// The definitions, JSON objects.
    pub hooks: Vec<RawJson>,
}

impl Matcher {
    /// Whether these hooks are for an occasion with this tool, or without one.
    pub fn matches(&self, tool: Option<&str>, full_match: FullMatch<'_>) -> bool {
        let matcher = self.matcher.as_str();
        if matcher == "*" || matcher.is_empty() {
            return true;
        }
        let Some(tool) = tool else { return false };
        let inner = matcher.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        if let Some(pattern) = inner.filter(|pattern| !pattern.is_empty()) {
            return full_match(pattern, tool).unwrap_or(false);
        }
        let as_pattern = if matcher.contains(MARKS) { full_match(matcher, tool) } else { None };
        as_pattern.unwrap_or(matcher == tool)
    }
}

/// The matchers of an occasion, such as `PreToolUse`, in a normalized configuration.
pub fn matchers(config: &RawJson, event_type: &str) -> Vec<Matcher> {
    matchers_in(&Object::parse(config.as_str()).unwrap_or_default(), &in_snake_case(event_type))
}

fn matchers_in(config: &Object<'_>, event: &str) -> Vec<Matcher> {
    let read = |given: Object<'_>| {
        let hooks = given.get("hooks").and_then(elements)?.into_iter().filter_map(RawJson::parse).collect();
        Some(Matcher { matcher: given.required("matcher")?, hooks })
    };
    config.objects(event).unwrap_or_default().into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(fields: &str) -> Part<String> {
        let text = format!(r#"{{"Stop":[{{"hooks":[{fields}]}}]}}"#);
        let hooks = matchers(&normalized(&text)?, "Stop");
        Ok(hooks[0].hooks[0].as_str().to_owned())
    }

    #[test]
    fn a_configuration_has_the_defaults_of_the_sdk() {
        let text = r#"{"description":"d","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x","timeout":"5"}]}],"stop":[{}]}}"#;
        assert_eq!(
            normalized(text).unwrap().as_str(),
            concat!(
                r#"{"pre_tool_use":[{"matcher":"Bash","hooks":[{"type":"command","command":"x","tools":[],"timeout":5,"max_iterations":3,"async_":false}]}],"#,
                r#""post_tool_use":[],"user_prompt_submit":[],"session_start":[],"session_end":[],"stop":[{"matcher":"*","hooks":[]}]}"#
            )
        );
    }

    #[test]
    fn a_configuration_that_the_sdk_refuses_is_refused() {
        for text in [
            "",
            "[]",
            r#"{"hooks":[]}"#,
            r#"{"Notification":[]}"#,
            r#"{"stop":[],"Stop":[]}"#,
            r#"{"stop":null}"#,
            r#"{"stop":[7]}"#,
            r#"{"stop":[{"matcher":null}]}"#,
            r#"{"stop":[{"hooks":{}}]}"#,
            r#"{"description":"d"}"#,
        ] {
            assert!(normalized(text).is_err(), "{text}");
        }
        for fields in [
            "{}",
            r#"{"command":""}"#,
            r#"{"command":7}"#,
            r#"{"type":"http","command":"x"}"#,
            r#"{"type":"prompt"}"#,
            r#"{"type":"prompt","prompt":"p","command":"x"}"#,
            r#"{"type":"prompt","prompt":"p","async":true}"#,
            r#"{"type":"agent","command":"x"}"#,
            r#"{"type":"agent","async":true}"#,
            r#"{"command":"x","timeout":1.5}"#,
            r#"{"command":"x","timeout":null}"#,
            r#"{"command":"x","async":"perhaps"}"#,
            r#"{"command":"x","tools":"t"}"#,
        ] {
            assert!(hook(fields).is_err(), "{fields}");
        }
        assert!(
            hook(r#"{"type":"prompt","prompt":"p","name":"n"}"#)
                .unwrap()
                .contains(r#""name":"n","command":"","prompt":"p""#)
        );
        assert!(
            hook(r#"{"command":"x","async":true,"statusMessage":"m"}"#)
                .unwrap()
                .ends_with(r#""async_":true}"#)
        );
    }

    #[test]
    fn a_hook_that_cannot_do_its_work_here_is_named() {
        let text = r#"{"Stop":[{"hooks":[{"command":"python3 x.py"},{"type":"prompt","prompt":"p"},{"type":"agent"},{"command":"cat"}]}]}"#;
        let mut complaints = Vec::new();
        let directory = super::super::tests_kit::directory(&[(FILE, text)]);
        assert!(read(&directory, &mut complaints).is_some());
        assert_eq!(
            complaints,
            [
                "a hook of stop needs python3, which a page does not have: python3 x.py",
                "a hook of stop asks an agent, which hooks do not do here",
            ]
        );
    }

    #[test]
    fn logs_name_a_hook_as_the_sdk_does() {
        for (fields, name) in [
            (r#"{"command":"x y"}"#, "x y"),
            (r#"{"type":"prompt","prompt":"Nothing is ever deleted.","name":"keep"}"#, "prompt-hook:keep"),
            (r#"{"type":"prompt","prompt":"Nothing is ever deleted."}"#, "prompt-hook:Nothing is ever dele"),
            (r#"{"type":"agent","system_prompt":"Look."}"#, "agent-hook:Look."),
            (r#"{"type":"agent"}"#, "agent-hook:agent"),
        ] {
            assert_eq!(shown(&RawJson::parse(&hook(fields).unwrap()).unwrap()), name);
        }
    }

    #[test]
    fn hooks_of_several_plugins_run_one_after_the_other() {
        let of = |command: &str| {
            normalized(&format!(r#"{{"Stop":[{{"hooks":[{{"command":"{command}"}}]}}]}}"#)).unwrap()
        };
        let both = merged([&of("a"), &of("b")]).unwrap();
        let commands: Vec<String> =
            matchers(&both, "Stop").iter().map(|each| each.hooks[0].field("command").unwrap()).collect();
        assert_eq!(commands, ["a", "b"]);
        assert_eq!(matchers(&both, "PreToolUse"), []);
        assert!(merged([]).is_none() && merged([&normalized("{}").unwrap()]).is_none());
    }

    #[test]
    fn a_matcher_is_a_name_a_pattern_or_everything() {
        // A pattern of this test is a list of words with bars between them.
        let full = |pattern: &str, text: &str| {
            (!pattern.contains('(')).then(|| pattern.split('|').any(|word| word == text || word == ".*"))
        };
        let is = |matcher: &str, tool: Option<&str>| {
            Matcher { matcher: matcher.to_owned(), hooks: Vec::new() }.matches(tool, &full)
        };
        assert!(is("*", None) && is("", None) && is("*", Some("terminal")) && !is("terminal", None));
        assert!(is("terminal", Some("terminal")) && !is("term", Some("terminal")));
        assert!(
            is("a|terminal", Some("terminal")) && is(".*", Some("terminal")) && !is("a|b", Some("terminal"))
        );
        assert!(
            is("/terminal/", Some("terminal"))
                && !is("/(/", Some("("))
                && is("a(", Some("a("))
                && is("//", Some("//"))
        );
    }
}
