//! The transitions of the status: the tables of `docs/errors.md`.

use crate::place::markdown_region;
use threadkeep::{
    conversation::status::{StatusChange, Transition},
    format::base_state::ExecutionStatus,
};

#[test]
fn the_documentation_has_every_transition() {
    // Calls and events from outside are in front of the transitions of a run.
    let first = Transition::ALL.iter().position(|transition| *transition == Transition::Answered).unwrap();
    let (from_outside, of_a_run) = Transition::ALL.split_at(first);
    markdown_region("docs/errors.md", "transitions from outside", &table(from_outside));
    markdown_region("docs/errors.md", "transitions of a run", &table(of_a_run));
}

fn table(transitions: &[Transition]) -> Vec<String> {
    let mut lines = vec!["| |".to_owned(), "|---|".to_owned()];
    for status in ExecutionStatus::ALL {
        lines[0] += &format!(" `{}` |", status.as_str());
        lines[1] += "---|";
    }
    for transition in transitions {
        let mut line = format!("| {} |", transition.as_str());
        for status in ExecutionStatus::ALL {
            let cell = match transition.change(*status) {
                StatusChange::Becomes(status) => format!("`{}`", status.as_str()),
                StatusChange::Stays => "stays".into(),
                StatusChange::Refused => "refused".into(),
                StatusChange::Never => "–".into(),
            };
            line += &format!(" {cell} |");
        }
        lines.push(line);
    }
    lines
}
