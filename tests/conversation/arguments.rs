//! What a schema allows reaches the tool as the model has sent it, and what it does not is refused by name: with random schemas
//! as zod, valibot and arktype write them, and as the strict mode of providers demands them, and random arguments.

use crate::support::{World, calls, echo, say, text};
use futures_executor::block_on;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Map, Value, json};
use std::{cell::RefCell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    store::MemoryStore,
    tool::{Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput},
};

const SCHEMAS: u64 = 500;
const CALLS: usize = 6;

/// The same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn of(&mut self, values: &[Value]) -> Value {
        values[self.below(values.len() as u64) as usize].clone()
    }
}

/// Who writes the schema.
#[derive(Clone, Copy, PartialEq)]
enum Writer {
    Zod,
    Valibot,
    Arktype,
    Strict,
}

/// A schema that is written, with its definitions.
struct Written<'a> {
    by: Writer,
    random: &'a mut Random,
    definitions: Map<String, Value>,
}

impl Written<'_> {
    fn schema(&mut self, depth: u64) -> Value {
        match self.random.below(if depth < 3 { 9 } else { 6 }) {
            0 | 1 => json!({ "type": "string" }),
            2 => json!({ "type": "integer" }),
            3 => json!({ "type": "boolean" }),
            4 => match self.by {
                Writer::Arktype => json!({ "enum": ["a", "b"] }),
                _ => json!({ "type": "string", "enum": ["a", "b"] }),
            },
            5 => match self.by {
                Writer::Zod => json!({}),
                _ => json!({ "const": "a" }),
            },
            6 => json!({ "type": "array", "items": self.maybe_null(depth + 1) }),
            7 => self.object(depth + 1),
            _ => {
                let name = format!("d/{}", self.definitions.len());
                // The name is taken while what is in it is written.
                self.definitions.insert(name.clone(), json!({}));
                let schema = self.object(depth + 1);
                self.definitions.insert(name.clone(), schema);
                let reference = json!({ "$ref": format!("#/$defs/{}", name.replace('/', "~1")) });
                if self.random.one_in(3) { json!({ "allOf": [reference] }) } else { reference }
            }
        }
    }

    fn maybe_null(&mut self, depth: u64) -> Value {
        let mut schema = self.schema(depth);
        if !self.random.one_in(3) {
            return schema;
        }
        if let (Writer::Strict, Some(kind)) = (self.by, schema.get("type").cloned()) {
            schema["type"] = json!([kind, "null"]);
            if let Some(values) = schema.get_mut("enum") {
                values.as_array_mut().unwrap().push(Value::Null);
            }
            return schema;
        }
        match self.by {
            Writer::Arktype => json!({ "anyOf": [schema, { "const": null }] }),
            _ if self.random.one_in(5) => {
                json!({ "anyOf": [schema, { "type": "array" }, { "type": "null" }] })
            }
            _ => json!({ "anyOf": [schema, { "type": "null" }] }),
        }
    }

    fn object(&mut self, depth: u64) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for name in ["note", "size", "tags", "where"].iter().take(1 + self.random.below(4) as usize) {
            properties.insert((*name).to_owned(), self.maybe_null(depth));
            if self.by == Writer::Strict || !self.random.one_in(2) {
                required.push(*name);
            }
        }
        let mut object = json!({ "type": "object", "properties": properties, "required": required });
        match self.by {
            Writer::Zod | Writer::Strict => object["additionalProperties"] = json!(false),
            Writer::Valibot if self.random.one_in(3) => {
                object["additionalProperties"] = self.maybe_null(3);
            }
            _ => {}
        }
        object
    }
}

/// A value that often fits the schema.
fn value(random: &mut Random, root: &Value, schema: &Value) -> Value {
    let any =
        [json!(null), json!("text"), json!("[1, 2]"), json!(["x", "y"]), json!(3), json!({ "note": null })];
    if random.one_in(12) {
        return random.of(&any);
    }
    if let Some(path) = schema["$ref"].as_str() {
        return value(random, root, root.pointer(&path[1..]).unwrap());
    }
    for choice in ["anyOf", "allOf"] {
        if let Some(schemas) = schema[choice].as_array() {
            let schema = random.of(schemas);
            return value(random, root, &schema);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return random.of(values);
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => random.of(kinds),
        kind => kind.clone(),
    };
    match kind.as_str() {
        Some("string") => random.of(&[json!("text"), json!(""), json!("null"), json!("[null]"), json!("é")]),
        Some("integer") => random.of(&[json!(0), json!(-7), json!(12)]),
        Some("boolean") => random.of(&[json!(true), json!(false)]),
        Some("null") => Value::Null,
        Some("array") => {
            let items = schema.get("items").cloned().unwrap_or(json!({}));
            (0..random.below(3)).map(|_| value(random, root, &items)).collect()
        }
        Some("object") => {
            let mut object = Map::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let is_required = schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
                if random.one_in(6) {
                    object.insert(name.clone(), Value::Null);
                } else if is_required && !random.one_in(20) || random.one_in(2) {
                    object.insert(name.clone(), value(random, root, property));
                }
            }
            if random.one_in(8) {
                object.insert("other".into(), random.of(&any));
            }
            object.into()
        }
        _ => random.of(&any),
    }
}

/// What is wrong with a value, beginning with its path; a validator of the few words of JSON Schema that are written above.
fn check(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{path}: {what}"));
    match schema {
        Value::Bool(true) => return Ok(()),
        Value::Bool(false) => return wrong("is not allowed"),
        _ => {}
    }
    if let Some(target) = schema["$ref"].as_str() {
        check(root, root.pointer(&target[1..]).unwrap(), value, path)?;
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        check(root, part, value, path)?;
    }
    if let Some(choices) = schema["anyOf"].as_array()
        && choices.iter().all(|choice| check(root, choice, value, path).is_err())
    {
        return wrong("fits nothing");
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let has_type = match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.contains(&json!(kind)),
        _ => true,
    };
    let is_listed = schema["enum"].as_array().is_none_or(|values| values.contains(value));
    if !has_type || !is_listed || schema.get("const").is_some_and(|only| only != value) {
        return wrong("has another value");
    }
    if let Value::Array(elements) = value {
        let items = schema.get("items").unwrap_or(&Value::Bool(true));
        elements.iter().try_for_each(|element| check(root, items, element, path))?;
    }
    let Value::Object(members) = value else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !members.contains_key(name.as_str().unwrap()) {
            return Err(format!("{path}/{}: is missing", name.as_str().unwrap()));
        }
    }
    for (name, member) in members {
        let described = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        check(root, described.unwrap_or(&Value::Bool(true)), member, &format!("{path}/{name}"))?;
    }
    Ok(())
}

/// Whether the tool got what the model meant: members that were null may be missing, a list may have come as a text, and a text
/// as a list.
fn is_meant(sent: &Value, got: &Value) -> bool {
    match (sent, got) {
        (Value::Object(sent), Value::Object(got)) => {
            got.keys().all(|name| sent.contains_key(name))
                && sent
                    .iter()
                    .all(|(name, sent)| got.get(name).map_or(sent.is_null(), |got| is_meant(sent, got)))
        }
        (Value::Array(sent), Value::Array(got)) => {
            sent.len() == got.len() && sent.iter().zip(got).all(|(sent, got)| is_meant(sent, got))
        }
        (Value::String(sent), Value::Array(_) | Value::Object(_)) => {
            serde_json::from_str::<Value>(sent).is_ok_and(|sent| is_meant(&sent, got))
        }
        (Value::Array(pieces), Value::String(got)) => {
            pieces.iter().filter_map(Value::as_str).collect::<String>() == *got
        }
        _ => sent == got,
    }
}

/// A tool with any schema.
struct AnyTool {
    definition: ToolDefinition,
    schema: Value,
    given: Rc<RefCell<Vec<(String, Value)>>>,
}

impl Tool for AnyTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, arguments: &str) -> Result<(), String> {
        check(&self.schema, &self.schema, &serde_json::from_str(arguments).unwrap(), "")
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        let arguments = serde_json::from_str(&call.arguments).unwrap();
        self.given.borrow_mut().push((call.tool_call_id, arguments));
        Box::pin(ready(Ok(ToolOutput::text("done"))))
    }
}

/// What became of the calls with these arguments: what the tool got, or the error that the model got.
async fn called(schema: &Value, sent: &[Value]) -> Vec<Result<Value, String>> {
    let given = Rc::new(RefCell::new(Vec::new()));
    let tool = AnyTool {
        definition: ToolDefinition {
            name: "any".into(),
            description: "Any.".into(),
            parameters: schema.to_string().into(),
            annotations: ToolAnnotations::default(),
            replay: Replay::Safe,
            kind: ToolKind::Mcp,
        },
        schema: schema.clone(),
        given: Rc::clone(&given),
    };
    let ids: Vec<String> = (0..sent.len()).map(|number| format!("call-{number}")).collect();
    let texts: Vec<String> = sent.iter().map(Value::to_string).collect();
    let made: Vec<_> = ids.iter().zip(&texts).map(|(id, text)| (&**id, "any", &**text)).collect();
    let world = World::new(Rc::new(MemoryStore::new()), vec![Rc::new(tool)], [calls(&made), text("Done.")]);
    let conversation = world.open().await.unwrap();
    say(&conversation, "Go").await;
    conversation.run(CancelToken::default()).await.unwrap();
    let events = world.events().await;
    ids.iter()
        .map(|id| {
            let error = events
                .iter()
                .find(|event| event["kind"] == "AgentErrorEvent" && event["tool_call_id"] == **id)
                .map(|event| event["error"].as_str().unwrap().to_owned());
            let got = given.borrow().iter().find(|(of, _)| of == id).map(|(_, got)| got.clone());
            assert_eq!(error.is_some(), got.is_none(), "{id} of {schema}");
            got.ok_or_else(|| error.unwrap_or_default())
        })
        .collect()
}

#[test]
fn a_call_whose_arguments_are_nested_too_deep_has_a_result_that_says_so() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500));
    let store = Rc::new(MemoryStore::new());
    let world = World::new(store, vec![echo()], [calls(&[("call-1", "echo", &deep)]), text("Done.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let error = events.iter().find(|event| event["kind"] == "AgentErrorEvent").unwrap();
        let expected = "Invalid call of 'echo': objects and lists may be nested in each other at most 127 times. Arguments given: a";
        assert_eq!(error["error"], expected);
    });
}

/// A tool that says in a sentence what is wrong.
struct Strict(ToolDefinition);

impl Tool for Strict {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn check(&self, _: &str) -> Result<(), String> {
        Err("No number is small enough. ".to_owned())
    }

    fn call(&self, _: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(ready(Ok(ToolOutput::text("never"))))
    }
}

#[test]
fn what_a_tool_says_of_wrong_arguments_has_one_full_stop() {
    let strict = Strict(echo().definition().clone());
    let arguments = ["{}", r#"{"text":"x"}"#, "{"];
    let sent =
        calls(&[("a", "echo", arguments[0]), ("b", "echo", arguments[1]), ("c", "echo", arguments[2])]);
    let world = World::new(Rc::new(MemoryStore::new()), vec![Rc::new(strict)], [sent, text("Done.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let errors: Vec<&str> = events.iter().filter_map(|event| event["error"].as_str()).collect();
        assert_eq!(errors.len(), 3);
        assert_eq!(errors[1], "Invalid call of 'echo': No number is small enough. Arguments given: text");
        assert!(errors.iter().all(|error| !error.contains("..") && !error.contains(". .")), "{errors:?}");
    });
}

#[test]
fn what_a_schema_allows_reaches_the_tool_equal_and_what_it_does_not_is_refused_by_name() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut allowed, mut corrected, mut refused, mut nulls) = (0, 0, 0, 0);
    for number in 0..SCHEMAS {
        let by = [Writer::Zod, Writer::Valibot, Writer::Arktype, Writer::Strict][number as usize % 4];
        let mut written = Written { by, random: &mut random, definitions: Map::new() };
        let mut schema = written.object(0);
        let definitions = written.definitions;
        if !definitions.is_empty() {
            schema["$defs"] = definitions.into();
        }
        let sent: Vec<Value> = std::iter::repeat_with(|| value(&mut random, &schema, &schema))
            .filter(Value::is_object)
            .take(CALLS)
            .collect();
        for (sent, became) in sent.iter().zip(block_on(called(&schema, &sent))) {
            let is_allowed = check(&schema, &schema, sent, "");
            match (&is_allowed, &became) {
                (Ok(()), became) => {
                    assert_eq!(became.as_ref(), Ok(sent), "{schema}");
                    allowed += 1;
                    nulls += usize::from(sent.to_string().contains(":null"));
                }
                (Err(_), Ok(got)) => {
                    assert_eq!(check(&schema, &schema, got, ""), Ok(()), "{sent} became {got} for {schema}");
                    assert!(is_meant(sent, got), "{sent} became {got} for {schema}");
                    corrected += 1;
                }
                (Err(_), Err(error)) => {
                    let names = sent.as_object().unwrap().keys().map(String::as_str);
                    let mut names = names.chain(["note", "size", "tags", "where"]);
                    assert!(error.starts_with("Invalid call of 'any': /"), "{error}");
                    assert!(names.any(|name| error.contains(&format!("/{name}"))), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(
        allowed > 800 && nulls > 300 && corrected > 200 && refused > 400,
        "{allowed} allowed, {nulls} of them with null, {corrected} corrected, {refused} refused"
    );
}
