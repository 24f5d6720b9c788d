//! The files of a plugin's directory: which are taken, and how they are found.
//!
//! A path stays inside, a symbolic link is no file, and there are limits on number, size and depth. A path that does not stay
//! inside refuses the whole plugin: nobody writes one by mistake.

use super::{Part, invalid, too_large};
use crate::{
    error::{Result, shown},
    json::{Object, objects},
};
use std::collections::{BTreeMap, BTreeSet};

/// The most files of a plugin.
const MAX_FILES: usize = 1000;
/// The most bytes of all files of a plugin.
const MAX_BYTES: u64 = 16 << 20;
/// The most bytes of a file that is read as text.
const MAX_TEXT: usize = 1 << 20;
/// The most bytes of a path, and the most names in it.
const MAX_PATH: (usize, usize) = (1024, 16);
/// Folders that are no part of a plugin.
const SKIPPED: [&str; 2] = [".git", "node_modules"];
/// Names at the top of a plugin.
const KNOWN: [&str; 9] = [
    ".plugin",
    ".claude-plugin",
    "skills",
    "commands",
    "agents",
    "hooks",
    ".mcp.json",
    "plugin.json",
    "skill.md",
];

/// The entries in a list of `{ path, size, is_link }`; `None` for any other JSON.
pub fn entries(json: &str) -> Option<Vec<Entry>> {
    let entry = |fields: Object<'_>| {
        Some(Entry {
            path: fields.required("path")?,
            size: fields.required("size")?,
            is_link: fields.required("is_link")?,
        })
    };
    objects(json)?.into_iter().map(entry).collect()
}

/// An entry of a list of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path, from the top of the list.
    pub path: String,
    /// The bytes of the file, as far as the list says.
    pub size: u64,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

/// A file that is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The entry's place in the list.
    pub place: usize,
    /// The path in the plugin.
    pub path: String,
}

/// The files of a plugin among these entries, in the order of their paths. `folder` is the plugin's folder in the list. A list
/// with nothing but one folder at its top, as archives have it, is taken as the list of that folder.
///
/// # Errors
/// `invalid_options` for a path that is not allowed or a folder that does not exist, `too_large` beyond a limit.
pub fn chosen<'a>(entries: &'a [Entry], folder: Option<&'a str>) -> Result<Vec<Chosen>> {
    let mut found = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let names = names_of(&entry.path)?;
        if !entry.is_link && !names.iter().any(|name| SKIPPED.contains(name)) {
            found.push((place, names));
        }
    }
    let folder = match folder.unwrap_or_default().trim_matches('/') {
        "" => Vec::new(),
        folder => names_of(folder)?,
    };
    if folder.is_empty() {
        if let Some(only) = only_folder(&found) {
            found = below(found, &[only]);
        }
    } else {
        found = below(found, &folder);
        if found.is_empty() {
            return Err(invalid(format!("there is no folder {} in this source", folder.join("/"))));
        }
    }
    if found.len() > MAX_FILES {
        let count = found.len();
        return Err(too_large(format!("the plugin has {count} files, and the most is {MAX_FILES}")));
    }
    let size = |place: usize| entries.get(place).map_or(0, |entry| entry.size);
    let bytes = found.iter().fold(0_u64, |sum, (place, _)| sum.saturating_add(size(*place)));
    check_bytes(bytes)?;
    let mut chosen: Vec<Chosen> =
        found.into_iter().map(|(place, names)| Chosen { place, path: names.join("/") }).collect();
    chosen.sort_by(|one, other| one.path.cmp(&other.path));
    check_places(chosen.iter().map(|each| each.path.as_str()))?;
    Ok(chosen)
}

fn check_bytes(bytes: u64) -> Result<()> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(too_large(format!("the plugin has {bytes} bytes, and the most is {MAX_BYTES}")))
}

/// No path twice, and no file in the place of a folder.
fn check_places<'a>(paths: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut files = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for path in paths {
        let is_new = files.insert(path);
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            folders.insert(above);
            folder = above;
        }
        if !is_new {
            return Err(invalid(format!("the plugin has {} twice", shown(path))));
        }
    }
    match files.intersection(&folders).next() {
        Some(path) => Err(invalid(format!("{} of the plugin is a file and a folder", shown(path)))),
        None => Ok(()),
    }
}

/// The names in a path that stays inside.
fn names_of(path: &str) -> Result<Vec<&str>> {
    let names: Vec<&str> = path.split('/').collect();
    let is_name =
        |name: &&str| !matches!(*name, "" | "." | "..") && !name.chars().any(|c| c == '\\' || c.is_control());
    let has_drive = names.first().is_some_and(|name| name.as_bytes().get(1) == Some(&b':'));
    if has_drive || !names.iter().all(is_name) {
        return Err(invalid(format!("a plugin must not have the path {}", shown(path))));
    }
    let (longest, deepest) = MAX_PATH;
    if path.len() > longest || names.len() > deepest {
        return Err(too_large(format!(
            "the path {} of a plugin is longer than {longest} bytes or {deepest} names",
            shown(path)
        )));
    }
    Ok(names)
}

fn only_folder<'a>(found: &[(usize, Vec<&'a str>)]) -> Option<&'a str> {
    let mut tops = found.iter().map(|(_, names)| names.first().filter(|_| names.len() > 1).copied());
    let first = tops.next()??;
    let is_known = KNOWN.contains(&first);
    (!is_known && tops.all(|top| top == Some(first))).then_some(first)
}

fn below<'a>(found: Vec<(usize, Vec<&'a str>)>, folder: &[&'a str]) -> Vec<(usize, Vec<&'a str>)> {
    let inside = |(place, names): (usize, Vec<&'a str>)| {
        let rest = names.strip_prefix(folder)?;
        (!rest.is_empty()).then(|| (place, rest.to_vec()))
    };
    found.into_iter().filter_map(inside).collect()
}

/// A plugin's directory.
#[derive(Clone, Debug)]
pub struct Directory {
    name: String,
    /// The text in front of stored paths.
    place: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Directory {
    /// The directory with this name, with its files by path. `place` is where it is, without credentials.
    ///
    /// # Errors
    /// Those of [`chosen`].
    pub fn new(name: &str, place: &str, files: Vec<(String, Vec<u8>)>) -> Result<Self> {
        for (path, _) in &files {
            names_of(path)?;
        }
        check_bytes(files.iter().fold(0, |sum, (_, bytes)| sum + bytes.len() as u64))?;
        check_places(files.iter().map(|(path, _)| path.as_str()))?;
        let place = place.trim_end_matches('/').to_owned();
        Ok(Self { name: name.to_owned(), place, files: files.into_iter().collect() })
    }

    /// The directory's own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A path in the plugin as it is stored: behind the plugin's place. The plugin's own directory without a path.
    pub(super) fn source_of(&self, path: &str) -> String {
        [self.place.as_str(), path]
            .iter()
            .filter(|part| !part.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("/")
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Whether there is a file below this folder.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        self.below(folder).next().is_some()
    }

    /// The text of a file, with the ends of lines as Python reads them.
    pub(super) fn text(&self, path: &str) -> Part<String> {
        let bytes = self.files.get(path).ok_or("there is no such file")?;
        if bytes.len() > MAX_TEXT {
            return Err(format!("it has {} bytes, and the most is {MAX_TEXT}", bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
        Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
    }

    /// The names of the files directly in a folder, in order; `""` is the plugin's directory.
    pub(super) fn files_in(&self, folder: &str) -> Vec<&str> {
        self.below(folder).filter(|path| !path.contains('/')).collect()
    }

    /// The names of the folders directly in a folder, in order.
    pub(super) fn folders_in(&self, folder: &str) -> Vec<&str> {
        let names = self.below(folder).filter_map(|path| Some(path.split_once('/')?.0));
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The paths of the files below a folder, relative to it, in order.
    pub(super) fn below(&self, folder: &str) -> impl Iterator<Item = &str> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.files.keys().filter_map(move |path| path.strip_prefix(&*prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    fn list(paths: &[&str]) -> Vec<Entry> {
        paths.iter().map(|path| Entry { path: (*path).to_owned(), size: 1, is_link: false }).collect()
    }

    fn taken(paths: &[&str], folder: Option<&str>) -> Vec<String> {
        chosen(&list(paths), folder).unwrap().into_iter().map(|each| each.path).collect()
    }

    #[test]
    fn a_path_that_does_not_stay_inside_refuses_the_plugin() {
        for path in [
            "../a",
            "a/../b",
            "a/..",
            "/etc/passwd",
            "a//b",
            "./a",
            "",
            "a/",
            "a\\b",
            "C:/a",
            "a\0b",
            "a\nb",
            "c:x",
        ] {
            let error = chosen(&list(&["skills/a/SKILL.md", path]), None).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOptions, "{path:?}");
            assert!(Directory::new("p", "", vec![(path.to_owned(), Vec::new())]).is_err(), "{path:?}");
        }
        assert_eq!(taken(&["a..b/c", "..."], None), ["...", "a..b/c"]);
    }

    #[test]
    fn there_are_limits_on_number_size_length_and_depth() {
        let many: Vec<String> = (0..=MAX_FILES).map(|number| format!("f{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let big = [Entry { path: "a".into(), size: MAX_BYTES + 1, is_link: false }];
        let huge = [Entry { size: u64::MAX, ..big[0].clone() }, Entry { path: "b".into(), ..big[0].clone() }];
        let long = "x".repeat(MAX_PATH.0 + 1);
        let deep = ["x"; MAX_PATH.1 + 1].join("/");
        for entries in [&list(&many), &big[..], &huge, &list(&[&long]), &list(&[&deep])] {
            assert_eq!(chosen(entries, None).unwrap_err().code(), ErrorCode::TooLarge);
        }
        assert_eq!(taken(&many[1..], None).len(), MAX_FILES);
        let text = vec![b'x'; MAX_TEXT + 1];
        let directory = Directory::new("p", "", vec![("a.md".into(), text)]).unwrap();
        assert_eq!(directory.text("a.md").unwrap_err(), "it has 1048577 bytes, and the most is 1048576");
    }

    #[test]
    fn links_and_what_belongs_to_git_are_no_files() {
        let mut listed = list(&["a.md", ".git/config", "x/node_modules/y/z.md", "passwd"]);
        listed[3].is_link = true;
        let paths: Vec<String> = chosen(&listed, None).unwrap().into_iter().map(|each| each.path).collect();
        assert_eq!(paths, ["a.md"]);
    }

    #[test]
    fn no_path_is_there_twice_or_a_file_and_a_folder() {
        for paths in [["a", "a"], ["a", "a/b"]] {
            assert_eq!(chosen(&list(&paths), None).unwrap_err().code(), ErrorCode::InvalidOptions);
        }
    }

    #[test]
    fn a_folder_is_the_plugin_and_so_is_the_only_one_of_an_archive() {
        let paths =
            ["repo-main/README.md", "repo-main/plugins/one/skills/a/SKILL.md", "repo-main/plugins/two/x"];
        assert_eq!(taken(&paths, Some("repo-main/plugins/one")), ["skills/a/SKILL.md"]);
        assert_eq!(taken(&paths, Some("/repo-main/plugins/two/")), ["x"]);
        assert_eq!(taken(&paths, None)[0], "README.md");
        assert_eq!(taken(&["skills/a/SKILL.md", "skills/b/SKILL.md"], None)[0], "skills/a/SKILL.md");
        assert_eq!(taken(&["a/x", "b"], None), ["a/x", "b"]);
        assert!(chosen(&list(&paths), Some("nowhere")).is_err());
        assert!(chosen(&list(&paths), Some("../x")).is_err());
    }

    #[test]
    fn a_file_is_found_by_its_folder() {
        let files = ["b/x.md", "b/c/y.md", "a.md"].map(|path| (path.to_owned(), b"a\r\nb\rc".to_vec()));
        let directory = Directory::new("p", "github:o/p/", files.to_vec()).unwrap();
        assert_eq!((directory.files_in(""), directory.files_in("b")), (vec!["a.md"], vec!["x.md"]));
        assert_eq!((directory.folders_in(""), directory.folders_in("b")), (vec!["b"], vec!["c"]));
        assert!(directory.has_folder("b/c") && !directory.has_folder("a.md") && directory.has("a.md"));
        assert_eq!(directory.text("a.md").unwrap(), "a\nb\nc");
        assert_eq!(directory.source_of("a.md"), "github:o/p/a.md");
    }
}
