//! A `tower` layer that runs the steps of this crate before each request of another HTTP client.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use comity::shown::without_credentials;
use tower_layer::Layer;
use tower_service::Service;

use crate::client::{Admission, Cause, Client};

/// A `tower` layer that runs guard, circuit breaker, robots.txt and pace before a service.
///
/// A refused request never reaches the service. An admitted one reaches it with exactly the decided URL, as the URL
/// standard serializes it. Follow redirects *outside* of this layer, so that every hop passes it. The checked addresses
/// are in the request's extension [`Addresses`](crate::Addresses); a connector that resolves names again bypasses the
/// guard. The admission is in the response's extensions (`Arc<Admission>`): the request counts as in flight until the
/// response is dropped.
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
}

impl PolicyLayer {
    /// Creates a layer that uses this client.
    pub fn new(client: Client) -> Self {
        PolicyLayer { client, max_wait: None }
    }

    /// Sets the longest wait for a turn.
    #[must_use]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        PolicyLayer { max_wait: Some(max_wait), ..self }
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
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum LayerError<E> {
    /// A step refused the request, and the service was not called.
    Refused(Box<Cause>),
    /// The service failed.
    Service(E),
}

impl<S, B, R> Service<http::Request<B>> for PolicyService<S>
where
    S: Service<http::Request<B>, Response = http::Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
    R: Send,
{
    type Response = http::Response<R>;
    type Error = LayerError<S::Error>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context).map_err(LayerError::Service)
    }

    fn call(&mut self, mut request: http::Request<B>) -> Self::Future {
        // Only the service that was polled may be called. So call it, and keep its clone for the next request.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let layer = self.layer.clone();
        Box::pin(async move {
            let url = request.uri().to_string();
            let mut admission = layer.client.admit(&url, layer.max_wait).await.map_err(refused)?;
            // Send the decided URL, not another spelling of it.
            *request.uri_mut() = uri_of(&admission).map_err(refused)?;
            request.extensions_mut().insert(Addresses(admission.addresses().into()));
            let mut response = match inner.call(request).await {
                Ok(response) => response,
                Err(error) => {
                    admission.failed();
                    return Err(LayerError::Service(error));
                }
            };
            let (status, headers) = (response.status(), response.headers().clone());
            admission.answered(status, &headers).await.map_err(refused)?;
            response.extensions_mut().insert::<Arc<Admission>>(Arc::new(admission));
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

fn refused<E>(cause: Cause) -> LayerError<E> {
    LayerError::Refused(Box::new(cause))
}

/// The addresses that the guard checked. A [`PolicyLayer`] adds them to the request's extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addresses(pub Arc<[std::net::SocketAddr]>);
