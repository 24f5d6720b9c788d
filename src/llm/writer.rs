//! Writes JSON from parts that are JSON already, without building a tree.

/// A writer of one JSON object or list from JSON values.
pub(super) struct Writer {
    json: String,
    end: char,
}

impl Writer {
    pub(super) fn object() -> Self {
        Self { json: "{".into(), end: '}' }
    }

    pub(super) fn list() -> Self {
        Self { json: "[".into(), end: ']' }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.json.len() == 1
    }

    pub(super) fn field(&mut self, name: &str, json: &str) {
        self.field_of(name, &[json]);
    }

    /// A field whose JSON is given in pieces.
    pub(super) fn field_of(&mut self, name: &str, pieces: &[&str]) {
        self.comma();
        self.json.push('"');
        self.json.push_str(name);
        self.json.push_str("\":");
        self.json.reserve(pieces.iter().map(|piece| piece.len()).sum());
        pieces.iter().for_each(|piece| self.json.push_str(piece));
    }

    pub(super) fn item(&mut self, json: &str) {
        self.comma();
        self.json.push_str(json);
    }

    pub(super) fn items(&mut self, items: impl IntoIterator<Item = String>) {
        items.into_iter().for_each(|json| self.item(&json));
    }

    fn comma(&mut self) {
        if !self.is_empty() {
            self.json.push(',');
        }
    }

    pub(super) fn end(mut self) -> String {
        self.json.push(self.end);
        self.json
    }
}
