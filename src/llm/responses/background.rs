//! Background responses (`background`): their ids and URLs.

use crate::llm::wire_api::{BackgroundResponse, LlmRequest};

/// The background response of a request, if it is one.
#[derive(Default)]
pub(super) struct Background {
    /// The URL of the API; empty if the request is not a background one.
    url: String,
    id: String,
    is_streaming: bool,
    /// The sequence number of the last event.
    last_event: Option<u64>,
    /// Whether it has failed or was cancelled, so that it cannot be continued.
    pub(super) is_over: bool,
}

impl Background {
    pub(super) fn of(request: &LlmRequest<'_>, url: &str) -> Self {
        if !request.options.background() {
            return Self::default();
        }
        let mut background =
            Self { url: url.to_owned(), is_streaming: request.is_streaming, ..Self::default() };
        if let Some(id) = &request.options.background_response {
            background.set_id(id);
        }
        background
    }

    /// Sets the provider's id. An id that would change the path of a URL is ignored.
    pub(super) fn set_id(&mut self, id: &str) {
        if id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            self.id = id.to_owned();
        }
    }

    pub(super) fn received(&mut self, event: Option<u64>) {
        self.last_event = self.last_event.max(event);
    }

    pub(super) fn response(&self) -> Option<BackgroundResponse> {
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

    /// The URL of the response with `path` appended, before the query that the user's base URL may have.
    fn url_with(&self, path: &str) -> String {
        let (base, query) = self.url.split_at(self.url.find('?').unwrap_or(self.url.len()));
        format!("{base}/{}{path}{query}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn background(url: &str, id: &str) -> Background {
        let mut background = Background { url: url.into(), is_streaming: true, ..Background::default() };
        background.set_id(id);
        background
    }

    #[test]
    fn the_rest_begins_after_the_last_received_event() {
        let mut background = background("http://h/v1/responses?tenant=1", "resp_1");
        assert_eq!(background.response().unwrap().rest, "http://h/v1/responses/resp_1?tenant=1&stream=true");
        background.received(Some(7));
        background.received(Some(3));
        background.received(None);
        let expected = BackgroundResponse {
            id: "resp_1".into(),
            rest: "http://h/v1/responses/resp_1?tenant=1&stream=true&starting_after=7".into(),
            cancel: "http://h/v1/responses/resp_1/cancel?tenant=1".into(),
        };
        assert_eq!(background.response(), Some(expected));
    }

    #[test]
    fn an_id_that_would_change_the_url_is_ignored() {
        for id in ["", "../files", "a?b", "é"] {
            assert_eq!(background("http://h/v1/responses", id).response(), None, "{id}");
        }
    }
}
