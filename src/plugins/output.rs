//! The meaning of a hook's output (`hooks/executor.py`, `hooks/manager.py`).

use super::values::{is_falsy, spelled};
use crate::json::{FromJson as _, Object, ObjectWriter};

/// The exit code of a hook that denies.
const DENIES: i64 = 2;
/// The exit codes of a shell that cannot run a file, and that does not have a program.
const MISSING: [i64; 2] = [126, 127];
/// The words of a shell that does not have a program, also where the line goes on without it.
const NOT_FOUND: &str = ": command not found";

/// The end of a line of shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The exit code.
    pub exit_code: i64,
    /// Its output.
    pub stdout: String,
    /// Its errors.
    pub stderr: String,
    /// Whether it has called a program that a page does not have.
    pub calls_missing: bool,
}

/// The meaning of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// Whether it denies the operation.
    pub denies: bool,
    /// Whether it needs a program that the shell does not have, so that it has decided nothing.
    pub is_missing: bool,
    /// The reason that it gives.
    pub reason: Option<String>,
    /// The reason for a denial: where it gives none, its errors.
    pub denial: Option<String>,
    /// A text for the model.
    pub additional_context: Option<String>,
    /// Why nothing was decided.
    pub undecided: Option<String>,
}

impl Output {
    /// A JSON object in the output counts before the exit code; any other output says nothing.
    pub fn meaning(&self) -> Meaning {
        let mut meaning = Meaning { denies: self.exit_code == DENIES, ..Meaning::default() };
        let fields = Object::parse(self.stdout.trim()).unwrap_or_default();
        if let Some(decision) = fields.get("decision").and_then(String::from_json) {
            meaning.denies |= decision.eq_ignore_ascii_case("deny");
        }
        meaning.reason = fields.get("reason").map(spelled);
        meaning.additional_context = fields.get("additionalContext").map(spelled);
        meaning.denies |= fields.get("continue").is_some_and(is_falsy);
        let is_missing =
            self.calls_missing || MISSING.contains(&self.exit_code) || self.stderr.contains(NOT_FOUND);
        meaning.is_missing = is_missing && !meaning.denies;
        if meaning.denies {
            let errors = Some(self.stderr.trim().to_owned());
            let said = meaning.reason.clone().filter(|reason| !reason.is_empty());
            meaning.denial = said.or(errors).filter(|said| !said.is_empty());
        }
        meaning
    }
}

impl Meaning {
    /// As JSON.
    pub fn to_json(&self) -> String {
        let mut out = ObjectWriter::new();
        out.field("denies", &self.denies);
        out.field("isMissing", &self.is_missing);
        out.optional("reason", &self.reason);
        out.optional("denial", &self.denial);
        out.optional("additionalContext", &self.additional_context);
        out.optional("undecided", &self.undecided);
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(exit_code: i64, stdout: &str, stderr: &str) -> Meaning {
        Output { exit_code, stdout: stdout.into(), stderr: stderr.into(), calls_missing: false }.meaning()
    }

    #[test]
    fn the_exit_code_two_denies_and_no_other() {
        for code in [-1, 0, 1, 3, 127, 255] {
            assert!(!meaning(code, "", "no").denies, "{code}");
        }
        let denied = meaning(2, "", " no\n");
        assert!(denied.denies);
        assert_eq!((denied.denial.as_deref(), denied.reason), (Some("no"), None));
        assert_eq!(meaning(2, "", "").denial, None);
    }

    #[test]
    fn a_hook_without_its_program_has_decided_nothing() {
        assert!(meaning(127, "", "").is_missing && meaning(126, "", "").is_missing);
        assert!(meaning(0, "", "bash: jqx: command not found\n").is_missing);
        assert!(Output { calls_missing: true, ..Output::default() }.meaning().is_missing);
        assert!(!meaning(1, "", "not found").is_missing && !meaning(128, "", "").is_missing);
        let denied = Output { exit_code: 2, calls_missing: true, ..Output::default() }.meaning();
        assert!(denied.denies && !denied.is_missing);
    }

    #[test]
    fn an_object_in_the_output_is_read_as_the_sdk_reads_it() {
        let deny = meaning(0, "{\"decision\":\"DENY\",\"reason\":7,\"additionalContext\":[\"a\"]}\n", "x");
        assert!(deny.denies);
        assert_eq!((deny.reason.as_deref(), deny.additional_context.as_deref()), (Some("7"), Some("['a']")));
        assert!(meaning(2, r#"{"decision":"allow"}"#, "").denies);
        for stops in [r#"{"continue":false}"#, r#"{"continue":null}"#, r#"{"continue":""}"#] {
            assert!(meaning(0, stops, "").denies, "{stops}");
        }
        for nonsense in
            ["", "no", "[1]", "{", "{\"decision\":7}", "{\"decision\":\"ask\"}", "{\"continue\":1}", "{} {}"]
        {
            assert_eq!(meaning(0, nonsense, "said"), Meaning::default(), "{nonsense}");
        }
        assert_eq!(meaning(2, r#"{"reason":""}"#, "said").denial.as_deref(), Some("said"));
        assert_eq!(meaning(2, r#"{"reason":"why"}"#, "said").denial.as_deref(), Some("why"));
    }
}
