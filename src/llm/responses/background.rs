//! Answers that the provider works on by itself (`background`), and where they are.

use crate::llm::wire_api::{BackgroundResponse, LlmRequest};

/// The answer of a request, as far as the provider keeps it.
#[derive(Default)]
pub(super) struct Background {
    /// Where answers are made; empty where none are kept.
    url: String,
    id: String,
    is_streaming: bool,
    /// The number of the last event that has come.
    last_event: Option<u64>,
    /// It has failed, and nothing more is to be had of it.
    pub(super) is_over: bool,
}

impl Background {
    pub(super) fn of(request: &LlmRequest<'_>, url: &str) -> Self {
        if !request.options.background() {
            return Self::default();
        }
        let mut kept = Self { url: url.to_owned(), is_streaming: request.is_streaming, ..Self::default() };
        kept.is_called(request.options.background_response.as_deref().unwrap_or_default());
        kept
    }

    /// The provider says what it is called. A name that would lead elsewhere in a URL is none.
    pub(super) fn is_called(&mut self, id: &str) {
        if id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            self.id = id.to_owned();
        }
    }

    pub(super) fn has_come(&mut self, event: Option<u64>) {
        self.last_event = self.last_event.max(event);
    }

    pub(super) fn answer(&self) -> Option<BackgroundResponse> {
        if self.url.is_empty() || self.id.is_empty() || self.is_over {
            return None;
        }
        let mut rest = self.url_with("");
        if self.is_streaming {
            rest.push(if rest.contains('?') { '&' } else { '?' });
            rest.push_str("stream=true");
            if let Some(event) = self.last_event {
                rest.push_str("&starting_after=");
                rest.push_str(&event.to_string());
            }
        }
        Some(BackgroundResponse { id: self.id.clone(), rest, cancel: self.url_with("/cancel") })
    }

    /// The answer's own URL and `path`, in front of the query that the user's base URL may have.
    fn url_with(&self, path: &str) -> String {
        let (base, query) = self.url.split_at(self.url.find('?').unwrap_or(self.url.len()));
        format!("{base}/{}{path}{query}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(url: &str, id: &str) -> Background {
        let mut kept = Background { url: url.into(), is_streaming: true, ..Background::default() };
        kept.is_called(id);
        kept
    }

    #[test]
    fn the_rest_begins_behind_what_has_come() {
        let mut answer = kept("http://h/v1/responses?tenant=1", "resp_1");
        assert_eq!(answer.answer().unwrap().rest, "http://h/v1/responses/resp_1?tenant=1&stream=true");
        answer.has_come(Some(7));
        answer.has_come(Some(3));
        answer.has_come(None);
        let expected = BackgroundResponse {
            id: "resp_1".into(),
            rest: "http://h/v1/responses/resp_1?tenant=1&stream=true&starting_after=7".into(),
            cancel: "http://h/v1/responses/resp_1/cancel?tenant=1".into(),
        };
        assert_eq!(answer.answer(), Some(expected));
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_none() {
        for id in ["", "../files", "a?b", "é"] {
            assert_eq!(kept("http://h/v1/responses", id).answer(), None, "{id}");
        }
    }
}
