//! A push parser for server-sent events by the grammar of the HTML standard, independent of how the bytes are divided.
//!
//! A line end may be split between CR and LF, and a character or the byte order mark between its bytes. `id` and
//! `retry` are ignored, because a completion cannot be resumed. Memory is bounded by a limit for the size of an event, and
//! every byte is read once.

use crate::bytes::{equal, first};

/// One dispatched event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseMessage {
    /// The event's type; empty if the server sent none.
    pub event: String,
    /// The data lines, joined by line breaks.
    pub data: String,
}

/// An event that grew beyond the limit. The parser refuses everything after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// Collects bytes until an event is complete.
pub struct SseParser {
    limit: usize,
    /// The beginning of an incomplete line.
    line: Vec<u8>,
    event: String,
    data: String,
    has_data: bool,
    /// The last byte was a CR, so that an LF now is part of the same line end.
    is_after_cr: bool,
    is_first_line: bool,
    is_refusing: bool,
    stray: String,
}

/// How much is kept of lines that are no events, in bytes.
const MAX_STRAY: usize = 4096;

impl SseParser {
    /// A parser that refuses events of more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: String::new(),
            data: String::new(),
            has_data: false,
            is_after_cr: false,
            is_first_line: true,
            is_refusing: false,
            stray: String::new(),
        }
    }

    /// The lines so far that are no part of any event, and the one that is not complete.
    pub fn stray(&self) -> String {
        let rest = if self.has_data { &[][..] } else { &self.line };
        let rest = rest.get(..rest.len().min(MAX_STRAY)).unwrap_or_default();
        [self.stray.as_str(), &String::from_utf8_lossy(rest)].concat()
    }

    /// Parses the next bytes and appends the events that they complete to `out`.
    ///
    /// # Errors
    /// `TooLong` once an event exceeds the limit, and for all later bytes. Events before it are in `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<SseMessage>) -> Result<(), TooLong> {
        let mut rest = bytes;
        while let Some((&next, tail)) = rest.split_first() {
            if std::mem::take(&mut self.is_after_cr) && next == b'\n' {
                rest = tail;
                continue;
            }
            let end = first(rest, |word| equal(word, b'\r') | equal(word, b'\n'));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.is_refusing || self.line.len() + part.len() + self.data.len() > self.limit {
                self.refuse();
                return Err(TooLong { limit: self.limit });
            }
            let Some((&line_end, after)) = after.split_first() else {
                self.line.extend_from_slice(part);
                return Ok(());
            };
            self.is_after_cr = line_end == b'\r';
            if self.line.is_empty() {
                self.end_line(part, out);
            } else {
                self.line.extend_from_slice(part);
                let mut line = std::mem::take(&mut self.line);
                self.end_line(&line, out);
                line.clear();
                self.line = line;
            }
            rest = after;
        }
        Ok(())
    }

    /// Ends the stream, and returns an event without its closing blank line. The standard drops it, but some servers end
    /// this way. It may be incomplete.
    pub fn finish(mut self) -> Option<SseMessage> {
        if self.is_refusing {
            return None;
        }
        let mut out = Vec::new();
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.end_line(&line, &mut out);
        }
        self.dispatch(&mut out);
        out.pop()
    }

    fn refuse(&mut self) {
        self.is_refusing = true;
        self.line = Vec::new();
        self.data = String::new();
        self.has_data = false;
    }

    fn end_line(&mut self, line: &[u8], out: &mut Vec<SseMessage>) {
        let line = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if self.is_first_line => rest,
            _ => line,
        };
        self.is_first_line = false;
        if line.is_empty() {
            self.dispatch(out);
            return;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                match std::str::from_utf8(value) {
                    Ok(text) => self.data.push_str(text),
                    Err(_) => self.data.push_str(&String::from_utf8_lossy(value)),
                }
            }
            b"event" => self.event = String::from_utf8_lossy(value).into_owned(),
            // Some servers report an error as a field of its own (vLLM's and llama.cpp's `error: {…}`) or as a bare line of
            // JSON, which the standard ignores.
            b"error" if !value.is_empty() => out.push(SseMessage {
                event: "error".into(),
                data: String::from_utf8_lossy(value).into_owned(),
            }),
            _ if line.starts_with(b"{") => {
                out.push(SseMessage {
                    event: String::new(),
                    data: String::from_utf8_lossy(line).into_owned(),
                });
            }
            b"id" | b"retry" | b"" => {}
            // Other text is no part of the grammar. What a server says in place of events is kept for its error.
            _ if self.stray.len() < MAX_STRAY => {
                self.stray.push_str(&String::from_utf8_lossy(line));
                self.stray.push('\n');
            }
            // A comment has an empty name.
            _ => {}
        }
    }

    fn dispatch(&mut self, out: &mut Vec<SseMessage>) {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.has_data) {
            out.push(SseMessage { event, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(pieces: &[&[u8]]) -> Vec<SseMessage> {
        let mut parser = SseParser::new(1 << 20);
        let mut out = Vec::new();
        for piece in pieces {
            parser.push(piece, &mut out).unwrap();
        }
        out.extend(parser.finish());
        out
    }

    fn data_of(text: &str) -> Vec<String> {
        parse(&[text.as_bytes()]).into_iter().map(|message| message.data).collect()
    }

    #[test]
    fn events_are_parsed_by_the_grammar_of_the_standard() {
        assert_eq!(data_of("data: a\n\ndata:b\n\ndata:  c\n\n"), ["a", "b", " c"]);
        assert_eq!(data_of("data: a\r\n\r\ndata: b\r\rdata: c\n\r\n"), ["a", "b", "c"]);
        assert_eq!(data_of("data: a\ndata: b\ndata\n\n"), ["a\nb\n"]);
        assert_eq!(data_of(": keep-alive\n\nid: 1\nretry: 5\ndata: a\n\nevent: x\n\n"), ["a"]);
        assert_eq!(data_of("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
        assert_eq!(data_of("data: a: b\nDATA: no\n\n"), ["a: b"]);
        assert_eq!(data_of("data:\n\n"), [""]);
    }

    #[test]
    fn a_type_applies_to_one_event_only() {
        let messages = parse(&[b"event: error\ndata: a\n\ndata: b\n\n"]);
        assert_eq!(messages[0], SseMessage { event: "error".into(), data: "a".into() });
        assert_eq!(messages[1], SseMessage { event: String::new(), data: "b".into() });
    }

    #[test]
    fn an_unfinished_event_is_returned_at_the_end() {
        assert_eq!(data_of("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
        assert_eq!(data_of("data: a\n\ndata: [DONE]\n"), ["a", "[DONE]"]);
    }

    #[test]
    fn after_an_event_beyond_the_limit_everything_is_refused() {
        let mut parser = SseParser::new(10);
        let mut out = Vec::new();
        assert_eq!(parser.push(b"data: a\n\n", &mut out), Ok(()));
        assert_eq!(parser.push(b"data: 1234567", &mut out), Err(TooLong { limit: 10 }));
        assert_eq!(parser.push(b"\n\ndata: b\n\n", &mut out), Err(TooLong { limit: 10 }));
        assert_eq!(out.len(), 1);
        assert_eq!(parser.finish(), None);

        let mut parser = SseParser::new(10);
        let lines = b"data: 1234\n".repeat(3);
        assert_eq!(parser.push(&lines, &mut out), Err(TooLong { limit: 10 }));
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_messages(
            lines in prop::collection::vec(
                prop_oneof![
                    Just("data: héllo 😀"), Just("data"), Just(""), Just(": c"), Just("event: e"), Just("\u{feff}data: b"),
                ],
                0..20,
            ),
            ends in prop::collection::vec(prop_oneof![Just("\n"), Just("\r\n"), Just("\r")], 20),
            cuts in prop::collection::vec(0usize..400, 0..30),
        ) {
            let text: String = lines.iter().zip(&ends).flat_map(|(line, end)| [*line, *end]).collect();
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= bytes.len()).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let in_one_piece = parse(&[bytes]);
            prop_assert_eq!(&parse(&pieces), &in_one_piece);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(&parse(&single), &in_one_piece);
        }

        #[test]
        fn any_bytes_are_accepted(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..200) {
            let at = at.min(bytes.len());
            let (head, tail) = bytes.split_at(at);
            prop_assert_eq!(parse(&[head, tail]), parse(&[&bytes]));
        }
    }
}
