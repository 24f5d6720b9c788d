//! The schema of a tool, asked for the kinds of values that it allows at a place of the arguments.
//!
//! This validates nothing, as [`crate::tool::Tool::check`] does. What a schema says by other means, such as patterns and `if`,
//! counts as allowed.

use crate::json::{FromJson as _, Object, elements};
use std::cell::Cell;

/// How far references and choices are followed into each other.
const MAX_DEPTH: usize = 64;

/// How many schemas are looked at for one call. References in a circle make as many as one likes.
const MAX_STEPS: usize = 10_000;

/// A JSON Schema.
pub(super) struct Schema<'a> {
    root: &'a str,
    steps: Cell<usize>,
}

/// The schemas of the values at one place.
pub(super) enum Place<'a> {
    One(&'a str),
    /// All of these hold.
    All(Vec<Place<'a>>),
    /// One of these holds.
    Any(Vec<Place<'a>>),
}

/// A kind of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    String,
    Array,
    Object,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// Whether this JSON text is of the kind.
    pub(super) fn is_of(self, json: &str) -> bool {
        json.starts_with(match self {
            Self::Null => 'n',
            Self::String => '"',
            Self::Array => '[',
            Self::Object => '{',
        })
    }
}

/// A schema, and those that it is made of.
struct Parts<'a> {
    own: Object<'a>,
    all: Vec<Place<'a>>,
}

impl<'a> Schema<'a> {
    pub(super) fn new(root: &'a str) -> Self {
        Self { root, steps: Cell::new(0) }
    }

    /// The place of the object of all arguments.
    pub(super) fn arguments(&self) -> Place<'a> {
        Place::One(self.root)
    }

    /// Whether a value of this kind is allowed.
    pub(super) fn allows(&self, place: &Place<'a>, kind: Kind) -> bool {
        self.holds(place, 0, &|schema| self.allows_itself(schema, kind))
    }

    /// Whether the object at this place has to have the member, in each of its forms.
    pub(super) fn requires(&self, place: &Place<'a>, name: &str) -> bool {
        let leaves_out = |schema: &Object<'a>| {
            let required = schema.get("required").and_then(elements).unwrap_or_default();
            !required.into_iter().any(|one| is_text(one, name)) && self.allows_itself(schema, Kind::Object)
        };
        !self.holds(place, 0, &leaves_out)
    }

    /// The place of this member of the object at a place.
    pub(super) fn member(&self, place: &Place<'a>, name: &str) -> Place<'a> {
        self.inner(place, Kind::Object, 0, &|schema| {
            let own = schema.object("properties").get(name);
            let others = || schema.get("additionalProperties");
            // Patterns are not matched.
            own.or_else(|| others().filter(|_| schema.get("patternProperties").is_none()))
        })
    }

    /// The place of this element of the array at a place.
    pub(super) fn element(&self, place: &Place<'a>, number: usize) -> Place<'a> {
        self.inner(place, Kind::Array, 0, &|schema| {
            let first = schema.get("prefixItems").and_then(elements).unwrap_or_default();
            first.get(number).copied().or_else(|| schema.get("items"))
        })
    }

    /// Whether `test` holds for all schemas that have to hold, and for one of each choice.
    fn holds(&self, place: &Place<'a>, depth: usize, test: &dyn Fn(&Object<'a>) -> bool) -> bool {
        match place {
            Place::One(text) => match self.parts(text, depth) {
                Some(Parts { own, all }) => {
                    test(&own) && all.iter().all(|part| self.holds(part, depth + 1, test))
                }
                None => *text != "false",
            },
            Place::All(places) => places.iter().all(|part| self.holds(part, depth, test)),
            Place::Any(places) => places.iter().any(|part| self.holds(part, depth, test)),
        }
    }

    /// The place within a value of this kind that `step` finds in each schema.
    fn inner(
        &self,
        place: &Place<'a>,
        kind: Kind,
        depth: usize,
        step: &dyn Fn(&Object<'a>) -> Option<&'a str>,
    ) -> Place<'a> {
        match place {
            Place::One(text) => match self.parts(text, depth) {
                Some(Parts { own, all }) => {
                    let own = step(&own).map(Place::One);
                    let others = all.iter().map(|part| self.inner(part, kind, depth + 1, step));
                    Place::All(own.into_iter().chain(others).collect())
                }
                None => Place::One(text),
            },
            Place::All(places) => {
                Place::All(places.iter().map(|part| self.inner(part, kind, depth, step)).collect())
            }
            // Alternatives that do not allow this kind of value say nothing about what is inside of it.
            Place::Any(places) => {
                let fitting = places.iter().filter(|part| self.allows(part, kind));
                Place::Any(fitting.map(|part| self.inner(part, kind, depth, step)).collect())
            }
        }
    }

    /// `None` for `true` and `false`, and for what is too deep to be looked at.
    fn parts(&self, text: &'a str, depth: usize) -> Option<Parts<'a>> {
        self.steps.set(self.steps.get() + 1);
        if depth > MAX_DEPTH || self.steps.get() > MAX_STEPS {
            return None;
        }
        let own = Object::parse(text)?;
        let schemas = |name| {
            let schemas: Vec<&'a str> = own.get(name).and_then(elements)?;
            Some(schemas.into_iter().map(Place::One).collect::<Vec<_>>())
        };
        let mut all = schemas("allOf").unwrap_or_default();
        all.extend(["anyOf", "oneOf"].into_iter().filter_map(schemas).map(Place::Any));
        all.extend(own.read::<String>("$ref").and_then(|path| self.referred(&path)).map(Place::One));
        Some(Parts { own, all })
    }

    /// The schema with this path, such as `#/$defs/item`.
    fn referred(&self, path: &str) -> Option<&'a str> {
        let names = path.strip_prefix('#')?;
        names.split('/').skip(1).try_fold(self.root, |schema, name| {
            let name = name.replace("~1", "/").replace("~0", "~");
            match elements(schema) {
                Some(list) => list.get(name.parse::<usize>().ok()?).copied(),
                None => Object::parse(schema)?.get(&name),
            }
        })
    }

    /// Whether the schema itself, without those that it is made of, allows values of this kind.
    fn allows_itself(&self, schema: &Object<'a>, kind: Kind) -> bool {
        let has_type = schema.get("type").is_none_or(|types| match elements(types) {
            Some(types) => types.into_iter().any(|one| is_text(one, kind.name())),
            None => is_text(types, kind.name()),
        });
        let values = schema.get("enum").and_then(elements);
        let is_excluded = || {
            let not = schema.get("not").filter(|_| kind == Kind::Null);
            not.is_some_and(|not| self.allows(&Place::One(not), kind))
        };
        has_type
            && values.is_none_or(|values| values.into_iter().any(|value| kind.is_of(value)))
            && schema.get("const").is_none_or(|value| kind.is_of(value))
            && !is_excluded()
    }
}

fn is_text(json: &str, text: &str) -> bool {
    String::from_json(json).is_some_and(|one| one == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_allowed_where_some_form_of_the_schema_allows_it() {
        let root = |property: &str| {
            format!(
                r##"{{"$defs":{{"a/b":{{"type":"null"}},"loop":{{"anyOf":[{{"$ref":"#/$defs/loop"}},{{"$ref":"#/$defs/loop"}}]}}}},
                "properties":{{"p":{property}}}}}"##
            )
        };
        let allows = |property: &str| {
            let root = root(property);
            let schema = Schema::new(&root);
            schema.allows(&schema.member(&schema.arguments(), "p"), Kind::Null)
        };
        for yes in [
            "true",
            "{}",
            r#"{"type":"null"}"#,
            r#"{"type":["string","null"],"minLength":2}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
            r#"{"oneOf":[{"const":"a"},{"const":null}]}"#,
            r#"{"enum":["a",null]}"#,
            r##"{"$ref":"#/$defs/a~1b"}"##,
            r##"{"$ref":"https://example.com/schema"}"##,
            r##"{"$ref":"#/$defs/loop"}"##,
            r#"{"not":{"type":"string"}}"#,
            r#"{"allOf":[{"minLength":1},{"type":["null","string"]}]}"#,
        ] {
            assert!(allows(yes), "{yes}");
        }
        for no in [
            "false",
            r#"{"type":"string"}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"array"}]}"#,
            r#"{"enum":["a","null"]}"#,
            r#"{"const":"null"}"#,
            r##"{"allOf":[{"$ref":"#/$defs/a~1b"},{"type":"string"}]}"##,
            r#"{"not":{"type":"null"}}"#,
            r#"{"type":["string","null"],"not":{"const":null}}"#,
        ] {
            assert!(!allows(no), "{no}");
        }
    }

    #[test]
    fn a_member_of_an_object_that_may_be_null_is_that_of_the_object() {
        let root = r##"{"properties":{"o":{"anyOf":[{"$ref":"#/$defs/o"},{"type":"null"}]}},
            "$defs":{"o":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]}},
            "required":["b"],"additionalProperties":false}}}"##;
        let schema = Schema::new(root);
        let place = schema.member(&schema.arguments(), "o");
        for (name, is_null_allowed, is_required) in
            [("a", false, false), ("b", true, true), ("c", false, false)]
        {
            assert_eq!(schema.allows(&schema.member(&place, name), Kind::Null), is_null_allowed, "{name}");
            assert_eq!(schema.requires(&place, name), is_required, "{name}");
        }
    }
}
