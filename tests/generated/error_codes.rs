//! The codes of errors: `src/error.rs` in TypeScript and in `docs/errors.md`.

use crate::place::{documentation, markdown_region, typescript_file};
use std::{fs, path::Path};
use threadkeep::{conversation::stored_errors, error::ErrorCode};

/// The documentation comment of a code as one sentence in one line.
fn meaning(code: ErrorCode) -> String {
    code.meaning().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn typescript_has_every_error_code() {
    let mut text = String::from(
        "\n/** A stable code that programs can branch on: it never changes its meaning. `docs/errors.md` says what to do about each. */\nexport type ErrorCode =",
    );
    for code in ErrorCode::ALL {
        text += &format!("\n{}  | \"{}\"", documentation(code.meaning(), "  "), code.as_str());
    }
    text +=
        ";\n\n/** The codes after which the same call can succeed later with nothing changed. @internal */\n";
    text += "export const retryableCodes: readonly ErrorCode[] = [\n";
    for code in ErrorCode::ALL.iter().filter(|code| code.is_retryable()) {
        text += &format!("  \"{}\",\n", code.as_str());
    }
    text += "];\n";
    typescript_file("js/input/generated/error-codes.ts", "src/error.rs", &text);
}

#[test]
fn typescript_has_the_names_of_stored_errors() {
    let mut text = String::from(
        "import type { ErrorCode } from \"threadkeep\";\n\n\
         /** The name of a stored failure, its code, and how its text begins where others have the same name. The first that fits counts. */\n\
         export const storedErrors: ReadonlyArray<readonly [name: string, code: ErrorCode, begin?: string]> = [\n",
    );
    for error in stored_errors() {
        let begin = error.begin.map(|begin| format!(", {begin:?}")).unwrap_or_default();
        text += &format!("  [\"{}\", \"{}\"{begin}],\n", error.name, error.code.as_str());
    }
    text += "];\n";
    typescript_file("js/ui/thread/stored-errors.ts", "src/run/stored_errors.rs", &text);
}

#[test]
fn typescript_has_the_codes_of_the_failures_that_a_server_stores() {
    let mut text = String::from(
        "import type { ErrorCode } from \"../../../input/errors.js\";\n\n\
         /** The codes of the failures that the SDK stores under names of its own. */\n\
         export const failures: ReadonlyMap<string, ErrorCode> = new Map([\n",
    );
    for error in stored_errors().iter().filter(|error| error.begin.is_none()) {
        text += &format!("  [\"{}\", \"{}\"],\n", error.name, error.code.as_str());
    }
    text += "]);\n";
    typescript_file("js/conversation/server/generated/failures.ts", "src/run/stored_errors.rs", &text);
}

#[test]
fn the_documentation_has_every_error_code() {
    let mut lines =
        vec!["| code | meaning | what to do | retryable |".to_owned(), "|---|---|---|---|".to_owned()];
    for code in ErrorCode::ALL {
        let retryable = if code.is_retryable() { "yes" } else { "no" };
        lines.push(format!("| `{}` | {} | {} | {retryable} |", code.as_str(), meaning(*code), code.advice()));
    }
    markdown_region("docs/errors.md", "src/error.rs", &lines);
}

/// Appends all sources with this ending in a folder, without the files that declare the codes.
fn sources(folder: &Path, ending: &str, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, ending, text);
        } else if path.to_string_lossy().ends_with(ending)
            && !path.ends_with("src/error.rs")
            && !path.ends_with("generated/error-codes.ts")
        {
            let source = fs::read_to_string(&path).unwrap();
            *text += source.split("#[cfg(test)]").next().unwrap();
        }
    }
}

#[test]
fn every_error_code_is_raised_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut rust, mut typescript) = (String::new(), String::new());
    sources(&root.join("src"), ".rs", &mut rust);
    sources(&root.join("js"), ".ts", &mut typescript);
    for code in ErrorCode::ALL {
        let name = format!("{code:?}");
        let mut identifiers = rust.split(|c: char| !c.is_alphanumeric());
        let is_raised = identifiers.any(|identifier| identifier == name)
            || typescript.contains(&format!("\"{}\"", code.as_str()));
        assert!(is_raised, "nothing raises {}", code.as_str());
    }
}
