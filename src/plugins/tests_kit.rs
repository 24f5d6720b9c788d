//! Parts that the tests of this folder share.

use super::{Directory, FrontMatter, Part};
use crate::json::{RawJson, members};

/// A directory with these texts.
pub fn directory(files: &[(&str, &str)]) -> Directory {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    Directory::new("plugin", "place", files).unwrap()
}

/// Front matter in JSON, which is YAML, too. The page reads all of YAML (`js/agent/skills/front-matter.ts`).
pub fn json_front_matter(_path: &str, text: &str) -> Part<FrontMatter> {
    let (fields, content) = match text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")) {
        Some((fields, content)) if members(fields).is_ok() => (fields, content),
        Some(_) => return Err("its front matter cannot be read".into()),
        None => ("{}", text),
    };
    Ok(FrontMatter { fields: RawJson::parse(fields).unwrap(), content: content.trim().to_owned() })
}
