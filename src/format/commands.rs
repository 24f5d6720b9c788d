//! The record of the commands that other handles have asked for: `commands/<client>.json`, one file for each handle.
//!
//! It lists the commands that are carried out and whose answers the client may not have got. It is no part of an export or a
//! copy.

use super::layout::COMMANDS;
use crate::{
    error::Result,
    id::{EventId, StorePath},
    json::{EditableObject, ListWriter, Object, object},
};

/// A command that is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedOut {
    /// Its number. Each client counts its own.
    pub number: u64,
    /// The event that it has resulted in, if it has one.
    pub event: Option<EventId>,
}

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandRecord {
    /// When it was stored, in milliseconds since the Unix epoch.
    pub at: f64,
    /// The commands, in the order in which they were carried out.
    pub carried_out: Vec<CarriedOut>,
}

impl CommandRecord {
    /// The content of the file.
    pub fn json(&self) -> Vec<u8> {
        let carried_out = self.carried_out.iter().map(
            |command| object! { "number": command.number, "event"?: command.event.as_ref().map(EventId::as_str) },
        );
        object! { "at": self.at, "carried_out": carried_out.collect::<ListWriter>() }.finish().into_bytes()
    }

    /// Reads the content of a file; `None` if it is of another form.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let record = Object::parse(std::str::from_utf8(json).ok()?)?;
        let command = |command: EditableObject| {
            let event = command.read::<String>("event").and_then(|id| id.parse().ok());
            Some(CarriedOut { number: command.read("number")?, event })
        };
        let commands: Vec<EditableObject> = record.read("carried_out")?;
        let carried_out = commands.into_iter().map(command).collect::<Option<_>>()?;
        Some(Self { at: record.read("at")?, carried_out })
    }
}

/// The path of a client's file.
///
/// # Errors
/// `invalid_options` for a client whose id is no file name.
pub fn path_of(client: &str) -> Result<StorePath> {
    format!("{COMMANDS}/{client}.json").parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let event = Some("0f8fad5b-d9cb".parse().unwrap());
        let carried_out = vec![CarriedOut { number: 3, event }, CarriedOut { number: 9, event: None }];
        let record = CommandRecord { at: 1_790_000_000_000.5, carried_out };
        assert_eq!(CommandRecord::parse(&record.json()), Some(record));
        for other in [&b"[]"[..], b"{}", b"\xff", br#"{"at":1,"carried_out":[{"number":"1"}]}"#] {
            assert_eq!(CommandRecord::parse(other), None);
        }
    }

    #[test]
    fn a_client_cannot_name_a_file_of_another_folder() {
        assert_eq!(path_of("0f8fad5b").unwrap().as_str(), "commands/0f8fad5b.json");
        assert!(path_of("../inbox/x").is_err());
    }
}
