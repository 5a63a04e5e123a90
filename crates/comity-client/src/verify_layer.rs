//! A `tower` layer that verifies the signatures of requests to a server.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use comity_identity::{Invalid, Outcome};
use http::request::Parts;
use http::uri::Scheme;
use http::{HeaderName, Request};
use tower_layer::Layer;
use tower_service::Service;

use crate::directories::FetchingVerifier;

/// A `tower` layer that verifies the signature of each request and adds the [`Outcome`] to the extensions of the
/// request. A verified outcome contains the identity of the sender. An invalid or unverified outcome contains the
/// reason. The layer passes on all requests, also those with an invalid signature and those without a signature.
///
/// ```no_run
/// use comity_client::Client;
/// use comity_client::comity_identity::Outcome;
/// use comity_client::http::uri::Scheme;
/// use comity_client::http::{Request, Response};
/// use comity_client::identity::{DirectoryFetcher, FetchingVerifier, VerifyLayer};
///
/// # fn example() -> Result<(), comity_client::ClientBuildError> {
/// let client = Client::builder("ExampleVerifier").build()?;
/// let verifier = FetchingVerifier::new(DirectoryFetcher::new(client));
/// // The proxy in front of this server terminates TLS and sends the client's address in `x-real-ip`.
/// let layer = VerifyLayer::new(verifier, Scheme::HTTPS).caller(|parts| {
///     let address = parts.headers.get("x-real-ip").and_then(|address| address.to_str().ok());
///     address.unwrap_or_default().to_owned()
/// });
///
/// // A handler behind the layer.
/// async fn answer(request: Request<()>) -> Response<String> {
///     let outcome = request.extensions().get::<Outcome>();
///     Response::new(outcome.map(ToString::to_string).unwrap_or_default())
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct VerifyLayer {
    verifier: FetchingVerifier,
    scheme: Scheme,
    caller: Arc<dyn Fn(&Parts) -> String + Send + Sync>,
}

impl VerifyLayer {
    /// Creates a layer. `scheme` is the scheme that the client used: `https` if this server or a proxy in front of it
    /// terminates TLS.
    pub fn new(verifier: FetchingVerifier, scheme: Scheme) -> Self {
        VerifyLayer { verifier, scheme, caller: Arc::new(|_| String::new()) }
    }

    /// Sets the function that identifies the sender of a request, for example by its address. Each sender has a
    /// [limit](crate::identity::DirectoryFetcher::per_caller) of directory fetches. Without this function, all senders
    /// share one limit.
    #[must_use]
    pub fn caller(self, caller: impl Fn(&Parts) -> String + Send + Sync + 'static) -> Self {
        VerifyLayer { caller: Arc::new(caller), ..self }
    }

    async fn outcome(&self, parts: &Parts) -> Outcome {
        if !parts.headers.contains_key(SIGNATURE_INPUT) {
            return Outcome::NotSigned;
        }
        let caller = (self.caller)(parts);
        match self.verifier.verify_parts(parts, self.scheme.as_str(), &caller).await {
            Ok(report) => report.outcome().clone(),
            Err(_) => Outcome::Invalid(Invalid::MalformedRequest),
        }
    }
}

const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");

impl fmt::Debug for VerifyLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verifier, scheme) = (&self.verifier, &self.scheme);
        let mut shown = f.debug_struct("VerifyLayer");
        shown.field("verifier", verifier).field("scheme", scheme).finish_non_exhaustive()
    }
}

impl<S> Layer<S> for VerifyLayer {
    type Service = VerifyService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        VerifyService { inner, layer: self.clone() }
    }
}

/// A service behind a [`VerifyLayer`].
#[derive(Clone, Debug)]
pub struct VerifyService<S> {
    inner: S,
    layer: VerifyLayer,
}

impl<S, B> Service<Request<B>> for VerifyService<S>
where
    S: Service<Request<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // Only the service that was polled may be called. So call it, and keep its clone for the next request.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let layer = self.layer.clone();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let outcome = layer.outcome(&parts).await;
            parts.extensions.insert(outcome);
            inner.call(Request::from_parts(parts, body)).await
        })
    }
}
