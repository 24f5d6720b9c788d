//! The HTTP client of a page. What sends a request and reads its answer is in the chunk that asks models, which is there by then.

use super::chunks;
use crate::{
    llm::{
        Requests,
        transport::{HttpClient, HttpError, HttpRequest, HttpResponse, Wait},
    },
    web::fetch::FetchClient,
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// The answer to a request.
pub type Sent = LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;

/// The interface of the chunk.
pub trait PageRequests {
    /// The code that asks models.
    fn requests(&self) -> Rc<dyn Requests>;

    /// See [`HttpClient::send`].
    fn send(&self, client: FetchClient, request: HttpRequest) -> Sent;
}

/// The object that the chunk exports.
pub struct RequestsChunk;

impl PageRequests for RequestsChunk {
    fn requests(&self) -> Rc<dyn Requests> {
        Rc::new(crate::llm::HttpRequests)
    }

    fn send(&self, client: FetchClient, request: HttpRequest) -> Sent {
        client.send(request)
    }
}

/// A [`FetchClient`] whose code is loaded when it sends something.
pub struct PageHttp(pub FetchClient);

impl HttpClient for PageHttp {
    fn send(&self, request: HttpRequest) -> Sent {
        let client = self.0.clone();
        Box::pin(async move {
            let chunk =
                chunks::requests().await.map_err(|error| HttpError::Network(error.message().to_owned()))?;
            chunk.send(client, request).await
        })
    }

    fn wait(&self, wait: &Wait<'_>) -> Option<LocalBoxFuture<'static, bool>> {
        self.0.wait(wait)
    }

    fn refused_origin(&self, url: &str) -> LocalBoxFuture<'static, String> {
        self.0.refused_origin(url)
    }
}
