//! A `tower` layer that runs the steps of this crate before each request of another HTTP client.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use comity::shown::without_credentials;
use http::header::{HeaderMap, USER_AGENT};
use http_body::{Body, Frame, SizeHint};
use tower_layer::Layer;
use tower_service::Service;

use crate::client::{Admission, Cause, Client};

/// A `tower` layer that runs guard, circuit breaker, robots.txt and pace before a service.
///
/// - A refused request never reaches the service.
/// - An admitted request reaches the service with exactly the decided URL, as the URL standard serializes it, and with
///   the client's `User-Agent` if it has none. A request with the name of another crawler is refused.
/// - Follow redirects *outside* of this layer, so that every hop passes it.
/// - The checked addresses are in the request's extension [`Addresses`](crate::Addresses). A connector that resolves
///   names without [`Guard::resolver`](crate::guard::Guard::resolver) bypasses the guard.
/// - The request counts as in flight until the [`PolicyBody`] of its response was read or dropped, and no longer than
///   [`Admission`] allows. The admission is in the response's extensions (`Arc<Admission>`).
///
/// ```
/// use comity_client::{Client, PolicyLayer};
/// use tower_layer::Layer;
///
/// let client = Client::builder("ExampleBot").build()?;
/// # struct MyHttpClient;
/// let service = PolicyLayer::new(client).layer(MyHttpClient);
/// # Ok::<(), comity_client::ClientBuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolicyLayer {
    client: Client,
    max_wait: Option<Duration>,
    allows_other_names: bool,
}

impl PolicyLayer {
    /// Creates a layer that uses this client.
    pub fn new(client: Client) -> Self {
        PolicyLayer { client, max_wait: None, allows_other_names: false }
    }

    /// Sets the longest wait for a turn. The default is the client's
    /// [`FetchOptions::max_wait`](crate::FetchOptions::max_wait).
    #[must_use]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        PolicyLayer { max_wait: Some(max_wait), ..self }
    }

    /// Permits requests whose `User-Agent` does not contain the client's product token. The rules of robots.txt for the
    /// client's token decide nevertheless.
    #[must_use]
    pub fn allow_other_user_agents(self) -> Self {
        PolicyLayer { allows_other_names: true, ..self }
    }

    /// Adds the client's `User-Agent` to a request without one, or checks the request's own.
    fn name(&self, headers: &mut HeaderMap) -> Result<(), LayerError> {
        match headers.get(USER_AGENT) {
            None => {
                headers.insert(USER_AGENT, self.client.user_agent().clone());
                Ok(())
            }
            Some(_) if self.allows_other_names => Ok(()),
            Some(sent) if self.client.is_named_in(sent) => Ok(()),
            Some(sent) => Err(LayerError::UserAgent {
                sent: String::from_utf8_lossy(sent.as_bytes()).into_owned(),
                agent: self.client.agent().as_str().to_owned(),
            }),
        }
    }
}

impl<S> Layer<S> for PolicyLayer {
    type Service = PolicyService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        PolicyService { inner, layer: self.clone() }
    }
}

/// A service behind a [`PolicyLayer`].
#[derive(Clone, Debug)]
pub struct PolicyService<S> {
    inner: S,
    layer: PolicyLayer,
}

/// The reason why there is no response.
///
/// The error of the service is boxed, as in the layers of `tower`, so that stacks of layers compile. `downcast_ref`
/// finds the original type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// A step refused the request before the call of the service.
    #[error(transparent)]
    Refused(Box<Cause>),
    /// The request has the name of another crawler, and the service was not called.
    #[error(
        "the User-Agent `{sent}` of the request does not contain `{agent}`, for which robots.txt is read; remove the \
         field, or call `PolicyLayer::allow_other_user_agents`"
    )]
    UserAgent {
        /// The `User-Agent` of the request.
        sent: String,
        /// The crawler of the client.
        agent: String,
    },
    /// The service failed.
    #[error(transparent)]
    Service(Box<dyn std::error::Error + Send + Sync>),
}

impl LayerError {
    pub(crate) fn refused(cause: Cause) -> Self {
        LayerError::Refused(Box::new(cause))
    }

    pub(crate) fn service(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        LayerError::Service(error.into())
    }
}

impl<S, B, R> Service<http::Request<B>> for PolicyService<S>
where
    S: Service<http::Request<B>, Response = http::Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: Send + 'static,
    R: Send,
{
    type Response = http::Response<PolicyBody<R>>;
    type Error = LayerError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, LayerError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), LayerError>> {
        self.inner.poll_ready(context).map_err(LayerError::service)
    }

    fn call(&mut self, mut request: http::Request<B>) -> Self::Future {
        // Only the service that was polled may be called. So call it, and keep its clone for the next request.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let layer = self.layer.clone();
        Box::pin(async move {
            layer.name(request.headers_mut())?;
            let url = request.uri().to_string();
            let mut admission =
                layer.client.admit(&url, layer.max_wait).await.map_err(LayerError::refused)?;
            // Send the decided URL, not another spelling of it.
            *request.uri_mut() = uri_of(&admission).map_err(LayerError::refused)?;
            request.extensions_mut().insert(Addresses(admission.addresses().into()));
            let response = match inner.call(request).await {
                Ok(response) => response,
                Err(error) => {
                    admission.failed();
                    return Err(LayerError::service(error));
                }
            };
            let (status, headers) = (response.status(), response.headers());
            // If the store fails, the response is returned nevertheless. Other processes then ignore its `Retry-After`.
            if let Err(error) = admission.answered(status, headers).await {
                tracing::warn!(url = %without_credentials(admission.url()), %error, "a `Retry-After` could not be stored");
            }
            let admission = Arc::new(admission);
            let mut response =
                response.map(|body| PolicyBody { body, release: Release(Arc::clone(&admission)) });
            response.extensions_mut().insert::<Arc<Admission>>(admission);
            Ok(response)
        })
    }
}

fn uri_of(admission: &Admission) -> Result<http::Uri, Cause> {
    let url = admission.url();
    url.as_str().parse().map_err(|error: http::uri::InvalidUri| {
        Cause::of_url(format!("`{}`", without_credentials(url)), error)
    })
}

pin_project_lite::pin_project! {
    /// The body of a response behind a [`PolicyLayer`]. The next request to the origin may begin when the body was read
    /// to its end or dropped.
    #[derive(Debug)]
    pub struct PolicyBody<B> {
        #[pin]
        body: B,
        release: Release,
    }
}

impl<B> PolicyBody<B> {
    /// Returns the body of the service. The next request to the origin may then begin.
    pub fn into_inner(self) -> B {
        self.body
    }
}

/// A guard that releases the permit of an admission when it is dropped.
#[derive(Debug)]
struct Release(Arc<Admission>);

impl Drop for Release {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl<B: Body> Body for PolicyBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let mut body = self.project();
        let frame = ready!(body.body.as_mut().poll_frame(context));
        if !matches!(frame, Some(Ok(_))) || body.body.is_end_stream() {
            body.release.0.release();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The addresses that the guard checked. A [`PolicyLayer`] adds them to the request's extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addresses(pub Arc<[std::net::SocketAddr]>);
