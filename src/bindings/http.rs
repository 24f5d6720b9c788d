//! The HTTP client of a page. What sends a request and reads its answer is in the file that asks models, which is there by then.

use crate::{
    error::Result,
    llm::transport::{HttpClient, HttpError, HttpRequest, HttpResponse, Wait},
    web::fetch::FetchClient,
};
use futures_util::future::LocalBoxFuture;
use wasm_file::wasm_file;

/// The answer to a request.
type Sent = std::result::Result<HttpResponse, HttpError>;

/// A [`FetchClient`] whose code is loaded when it sends something.
pub struct PageHttp(pub FetchClient);

impl HttpClient for PageHttp {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Sent> {
        let sent = send(self.0.clone(), request);
        Box::pin(async { sent.await.map_err(|error| HttpError::Network(error.message().to_owned()))? })
    }

    fn wait(&self, wait: &Wait<'_>) -> Option<LocalBoxFuture<'static, bool>> {
        self.0.wait(wait)
    }

    fn refused_origin(&self, url: &str) -> LocalBoxFuture<'static, String> {
        self.0.refused_origin(url)
    }
}

#[wasm_file(run)]
async fn send(client: FetchClient, request: HttpRequest) -> Result<Sent> {
    Ok(client.send(request).await)
}
