//! The sources of plugins (`plugin/types.py`, `extensions/fetch.py`), and the part of them that is stored.

use super::invalid;
use crate::{
    error::{self, Result},
    json::{Object, ObjectWriter, elements},
};

/// A source as the host gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// `github:owner/repo`, a URL, or the name of what the host gave.
    pub source: String,
    /// A branch, a tag or a commit.
    pub reference: Option<String>,
    /// The plugin's folder in the repository.
    pub repo_path: Option<String>,
}

/// A repository of GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The owner's name.
    pub owner: String,
    /// The repository's name.
    pub name: String,
}

impl Source {
    /// Checks a source. A path in `github:owner/repo/path` becomes the folder.
    ///
    /// # Errors
    /// `invalid_options` for a folder that is absolute or leaves the repository, and for two folders.
    pub fn checked(mut self) -> Result<Self> {
        if let Some(path) = self.source.strip_prefix("github:") {
            let mut names = path.splitn(3, '/');
            let (owner, name) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
            let below = names.next().unwrap_or_default().trim_matches('/').to_owned();
            if owner.is_empty() || name.is_empty() {
                return Err(invalid(format!("{} is not github:owner/repo", shown(&self.source))));
            }
            if !below.is_empty() && self.repo_path.is_some() {
                return Err(invalid(format!(
                    "{} names a folder, and so does repo_path",
                    shown(&self.source)
                )));
            }
        }
        let folder = self.folder();
        if folder.starts_with('/') || folder.split('/').any(|name| name == "..") {
            return Err(invalid(format!("repo_path {} does not stay in the repository", shown(&folder))));
        }
        // A folder that is empty is none.
        self.repo_path = self.repo_path.filter(|path| !path.is_empty());
        Ok(self)
    }

    /// The plugin's folder; `""` is the top.
    pub fn folder(&self) -> String {
        if let Some(folder) = &self.repo_path {
            return folder.clone();
        }
        let below = self.source.strip_prefix("github:").and_then(|path| path.splitn(3, '/').nth(2));
        below.unwrap_or_default().trim_matches('/').to_owned()
    }

    /// The repository of GitHub that this is, if it is one.
    pub fn repository(&self) -> Option<Repository> {
        let path = match self.source.strip_prefix("github:") {
            Some(path) => path,
            None => {
                let rest = self.source.strip_prefix("https://")?;
                let rest = rest
                    .split_once('@')
                    .filter(|(user, _)| !user.contains('/'))
                    .map_or(rest, |(_, rest)| rest);
                rest.strip_prefix("github.com/").or_else(|| rest.strip_prefix("www.github.com/"))?
            }
        };
        let is_short = self.source.starts_with("github:");
        let mut names = path.trim_end_matches('/').split('/');
        let (owner, name) = (names.next()?, names.next()?);
        let name = name.strip_suffix(".git").unwrap_or(name);
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.bytes().all(|byte| byte == b'.')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        if !is_name(owner) || !is_name(name) || (!is_short && names.next().is_some()) {
            return None;
        }
        Some(Repository { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// The name of the plugin's directory, which an unnamed plugin gets.
    pub fn directory_name(&self) -> String {
        let folder = self.folder();
        let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let name = match (folder.as_str(), self.repository()) {
            ("", Some(repository)) => repository.name,
            ("", None) => last(self.source.split(['?', '#']).next().unwrap_or_default()),
            (folder, _) => last(folder),
        };
        let name = name.strip_suffix(".zip").unwrap_or(&name).to_owned();
        if name.is_empty() { "plugin".to_owned() } else { name }
    }
}

/// A source for a message, without credentials.
fn shown(source: &str) -> String {
    error::shown(&without_credentials(source))
}

/// A URL in which `****` is in the place of a user name and password.
pub fn without_credentials(url: &str) -> String {
    let hidden = || {
        let (scheme, rest) = url.split_once("://")?;
        let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // Behind the last one is the host.
        let (_, behind) = host.rsplit_once('@').filter(|_| is_web)?;
        let after = rest.get(host.len()..)?;
        Some(format!("{scheme}://****@{behind}{after}"))
    };
    hidden().unwrap_or_else(|| url.to_owned())
}

/// A source that was loaded, in the SDK's form `ResolvedPluginSource`. It has no credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The source.
    pub source: String,
    /// The commit that was loaded.
    pub resolved_ref: Option<String>,
    /// The folder in the repository.
    pub repo_path: Option<String>,
    /// The branch, tag or commit that the host had asked for.
    pub original_ref: Option<String>,
}

impl Resolved {
    /// The source, loaded at this commit.
    pub fn of(source: &Source, resolved_ref: Option<String>) -> Self {
        Self {
            source: without_credentials(&source.source),
            resolved_ref,
            repo_path: source.repo_path.clone(),
            original_ref: source.reference.clone(),
        }
    }

    /// Those in a list as the SDK writes them; anything else in it is left out.
    pub fn list(json: &str) -> Vec<Self> {
        elements(json).unwrap_or_default().into_iter().filter_map(Self::read).collect()
    }

    /// Reads what the SDK has written; `None` for anything else.
    pub fn read(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            source: without_credentials(&fields.required::<String>("source")?),
            resolved_ref: fields.optional("resolved_ref")?,
            repo_path: fields.optional("repo_path")?,
            original_ref: fields.optional("original_ref")?,
        })
    }

    /// Whether this is what the host asks for again.
    pub fn is_of(&self, source: &Source) -> bool {
        *self == Self::of(source, self.resolved_ref.clone())
    }

    /// As the SDK writes it, with nulls.
    pub fn to_json(&self) -> String {
        let mut out = ObjectWriter::new();
        out.field("source", &self.source);
        for (name, value) in [
            ("resolved_ref", &self.resolved_ref),
            ("repo_path", &self.repo_path),
            ("original_ref", &self.original_ref),
        ] {
            match value {
                Some(text) => out.field(name, text),
                None => out.raw(name, "null"),
            }
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { source: text.to_owned(), ..Source::default() }
    }

    #[test]
    fn credentials_are_hidden_wherever_they_are() {
        for (url, hidden) in [
            ("https://user:token@github.com/o/r", "https://****@github.com/o/r"),
            ("https://token@host/x@y", "https://****@host/x@y"),
            ("HTTP://a:b@c@host", "HTTP://****@host"),
            ("https://host/a@b", "https://host/a@b"),
            ("https://host?x=a@b", "https://host?x=a@b"),
            ("git@github.com:o/r", "git@github.com:o/r"),
            ("github:o/r", "github:o/r"),
        ] {
            assert_eq!(without_credentials(url), hidden);
            assert_eq!(Resolved::of(&source(url), None).source, hidden);
        }
        let error = Source { repo_path: Some("../x".into()), ..source("https://u:secret@h/x") }
            .checked()
            .unwrap_err();
        assert!(!error.message().contains("secret"));
    }

    #[test]
    fn repositories_of_github_are_known_in_every_spelling() {
        for text in [
            "github:o/r",
            "github:o/r/a/b",
            "https://github.com/o/r",
            "https://github.com/o/r.git",
            "https://github.com/o/r/",
            "https://token@github.com/o/r.git",
        ] {
            let repository = source(text).repository().unwrap();
            assert_eq!((repository.owner.as_str(), repository.name.as_str()), ("o", "r"), "{text}");
        }
        for text in [
            "https://github.com/o",
            "https://github.com.evil/o/r",
            "https://evil/@github.com/o/r",
            "http://github.com/o/r",
            "github:../r",
            "github:o/..",
            "github:o/r?x",
            "https://github.com/o/r/archive/x.zip",
            "https://gitlab.com/o/r",
        ] {
            assert_eq!(source(text).repository(), None, "{text}");
        }
    }

    #[test]
    fn a_folder_stays_in_the_repository() {
        assert_eq!(source("github:o/r/a/b/").folder(), "a/b");
        for (text, folder) in
            [("github:o/r", "/a"), ("github:o/r", "a/../../b"), ("github:o/r/x", "y"), ("github:o", "")]
        {
            let source = Source { repo_path: Some(folder.to_owned()), ..source(text) };
            assert!(source.checked().is_err(), "{text} {folder}");
        }
        assert!(source("github:o/r/../x").checked().is_err());
        assert_eq!(
            Source { repo_path: Some(String::new()), ..source("github:o/r") }.checked().unwrap().repo_path,
            None
        );
    }

    #[test]
    fn an_unnamed_plugin_has_the_name_of_its_directory() {
        for (text, name) in [
            ("github:o/r", "r"),
            ("github:o/r/plugins/one", "one"),
            ("https://x/a/b.zip?c=d/e", "b"),
            ("https://x/a/", "a"),
            ("", "plugin"),
        ] {
            assert_eq!(source(text).directory_name(), name);
        }
    }

    #[test]
    fn what_was_loaded_is_stored_in_the_form_of_the_sdk_and_recognised() {
        let asked = Source {
            source: "https://u:p@github.com/o/r".into(),
            reference: Some("main".into()),
            repo_path: Some("a".into()),
        };
        let resolved = Resolved::of(&asked, Some("c0ffee".into()));
        let json = resolved.to_json();
        assert_eq!(
            json,
            r#"{"source":"https://****@github.com/o/r","resolved_ref":"c0ffee","repo_path":"a","original_ref":"main"}"#
        );
        assert_eq!(Resolved::read(&json), Some(resolved.clone()));
        assert!(resolved.is_of(&asked) && !resolved.is_of(&Source { reference: None, ..asked }));
        assert_eq!(Resolved::read(r#"{"source":"https://u:p@h/x"}"#).unwrap().source, "https://****@h/x");
        assert!(Resolved::read("{}").is_none() && Resolved::read(r#"{"source":7}"#).is_none());
    }
}
