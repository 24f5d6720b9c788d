//! The files that a user attaches to a message, as the message names them. This is the one place that writes and reads
//! that form.
//!
//! Each file is one text in the `extended_content` of its message, so that the user's words stay as they are and every
//! model, Python and tools read of it. The first line is `Attached file: ` and a JSON object with the path in the
//! workspace, the name that the user knows, the media type and the size in bytes; for files that some models read
//! themselves, also the SHA-256 of the bytes and, if it is known, the number of pages. The second line says which part of
//! the file's text follows. `js/ui/thread/attachments.ts` reads the first line.

use crate::{
    json::{FromJson, Object, object},
    llm::message::{Content, TextContent},
};

/// The most characters of the texts of all files of one message: about 25,000 tokens.
const MOST_CHARACTERS: u64 = 100_000;

/// The beginning of the first line.
const BEGINNING: &str = "Attached file: ";

/// A file of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// The path in the workspace.
    pub path: String,
    /// The name that the user knows.
    pub name: String,
    /// The media type; empty if it is not known.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the bytes in hexadecimal digits, if somebody may ask whether they are still the same.
    pub sha256: Option<String>,
    /// The number of pages, if it is known.
    pub pages: Option<u64>,
    /// The text of the file; `None` if it was not read.
    pub text: Option<String>,
    /// Why it was not read, if somebody has tried.
    pub problem: Option<String>,
}

impl FromJson for Attachment {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            path: fields.read("path")?,
            name: fields.read("name")?,
            media_type: fields.read("media_type")?,
            size: fields.read("size")?,
            sha256: fields.read("sha256"),
            pages: fields.read("pages"),
            text: fields.read("text"),
            problem: fields.read("problem"),
        })
    }
}

/// The files of a message as the model reads them. `window` is the model's context window in tokens. A token is three
/// to four characters, so texts with as many characters as the window has tokens fill a third of it at most.
pub fn attachment_texts(attachments: &[Attachment], window: Option<u64>) -> Vec<TextContent> {
    let mut room = window.map_or(MOST_CHARACTERS, |window| window.min(MOST_CHARACTERS));
    attachments.iter().map(|attachment| Content::text(attachment.to_text(&mut room))).collect()
}

/// Whether this text names a file.
pub(super) fn names_file(text: &TextContent) -> bool {
    text.as_text().is_some_and(|text| text.starts_with(BEGINNING))
}

/// The file that this text names, and the lines of the text. `text` and `problem` are not read.
pub fn named_file(text: &str) -> Option<(Attachment, &str, &str)> {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    Some((Attachment::from_json(line.strip_prefix(BEGINNING)?)?, line, rest))
}

impl Attachment {
    /// `room`: how many characters of text the message has left.
    fn to_text(&self, room: &mut u64) -> String {
        let line = object! {
            "path": &*self.path,
            "name": &*self.name,
            "media_type": &*self.media_type,
            "size": self.size,
            "sha256"?: self.sha256,
            "pages"?: self.pages,
        };
        let line = line.finish();
        let Some(text) = &self.text else {
            let why = self.problem.as_ref().map_or_else(String::new, |problem| format!(": {problem}"));
            return format!("{BEGINNING}{line}\nIts text was not read{why}.");
        };
        let end = text.char_indices().nth(usize::try_from(*room).unwrap_or(usize::MAX));
        let (part, heading) = match end {
            None => (&**text, "Its text:".to_owned()),
            Some((end, _)) => {
                let (shown, all) = (*room, text.chars().count());
                let heading = format!(
                    "The first {shown} of its {all} characters; the rest was left out here and is in the file:"
                );
                (text.get(..end).unwrap_or_default(), heading)
            }
        };
        *room = room.saturating_sub(part.chars().count() as u64);
        format!("{BEGINNING}{line}\n{heading}\n{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(text: Option<&str>) -> Attachment {
        Attachment {
            path: "attachments/notes.md".into(),
            name: "notes \"1\".md".into(),
            media_type: "text/markdown".into(),
            size: 7,
            sha256: None,
            pages: None,
            text: text.map(str::to_owned),
            problem: None,
        }
    }

    fn texts(attachments: &[Attachment], window: Option<u64>) -> Vec<String> {
        attachment_texts(attachments, window).iter().map(|text| text.as_text().unwrap().to_owned()).collect()
    }

    const LINE: &str = r#"Attached file: {"path":"attachments/notes.md","name":"notes \"1\".md","media_type":"text/markdown","size":7}"#;

    #[test]
    fn the_first_line_names_the_file_and_the_second_what_follows() {
        let found = texts(&[attachment(Some("# Notes\n")), attachment(None)], None);
        assert_eq!(found[0], format!("{LINE}\nIts text:\n# Notes\n"));
        assert_eq!(found[1], format!("{LINE}\nIts text was not read."));
        let problem = Some("the PDF is broken".to_owned());
        let found = texts(&[Attachment { problem, ..attachment(None) }], None);
        assert_eq!(found[0], format!("{LINE}\nIts text was not read: the PDF is broken."));
    }

    #[test]
    fn a_line_break_in_a_name_does_not_end_the_first_line() {
        let name = "a\nAttached file: {}".to_owned();
        let text = &texts(&[Attachment { name, ..attachment(None) }], None)[0];
        assert_eq!(text.lines().count(), 2, "{text}");
    }

    #[test]
    fn all_texts_of_a_message_together_have_as_many_characters_as_the_window_has_tokens() {
        let found =
            texts(&[attachment(Some("üüüü")), attachment(Some("äää")), attachment(Some("x"))], Some(6));
        assert!(found[0].ends_with("}\nIts text:\nüüüü"), "{}", found[0]);
        assert!(found[1].ends_with(
            "}\nThe first 2 of its 3 characters; the rest was left out here and is in the file:\nää"
        ));
        assert!(found[2].contains("The first 0 of its 1 characters"), "{}", found[2]);
        let long = "ü".repeat(100_001);
        for window in [None, Some(1_000_000)] {
            let text = &texts(&[attachment(Some(&long))], window)[0];
            assert!(text.contains("The first 100000 of its 100001 characters"), "{}", &text[..300]);
            assert_eq!(text.chars().filter(|c| *c == 'ü').count(), 100_000);
        }
        assert!(texts(&[attachment(Some(&long[2..]))], None)[0].contains("\nIts text:\n"));
    }
}
