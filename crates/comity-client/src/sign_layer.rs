//! A `tower` layer that signs the requests of another HTTP client.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use comity_identity::Identity;
use futures_util::TryFutureExt as _;
use futures_util::future::{Either, MapErr, Ready, ready};
use http::Request;
use http::uri::{Authority, PathAndQuery};
use tower_layer::Layer;
use tower_service::Service;

use crate::client::Cause;
use crate::clock::{Clock, SystemClock};
use crate::layer::LayerError;
use crate::signing::{Sign, Signer};
use crate::transport::TransportError;

/// A `tower` layer that signs each `https` request with a new nonce and the current time.
///
/// This layer must be inside [`PolicyLayer`](crate::PolicyLayer), which may rewrite the URL. It must also be inside
/// layers that follow redirects or repeat requests, so that each request gets its own signature. If no key is valid,
/// the request fails and the service is not called.
///
/// ```
/// use comity_client::comity_identity::{Discovery, Identity, PrivateKey, Validity};
/// use comity_client::identity::SignLayer;
/// use tower_layer::Layer;
///
/// # struct MyHttpClient;
/// # let random = [7; 32];
/// let key = PrivateKey::from_random(&random);
/// let identity = Identity::new(Discovery::directory("https://bot.example")?).with_key(key, Validity::unbounded());
/// let service = SignLayer::new(identity).layer(MyHttpClient);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SignLayer {
    signer: Arc<Signer>,
}

impl SignLayer {
    /// Creates a layer that signs with this identity and the system's clock.
    pub fn new(identity: Identity) -> Self {
        SignLayer::with_clock(identity, SystemClock)
    }

    /// Creates a layer that signs with another clock.
    pub fn with_clock(identity: Identity, clock: impl Clock) -> Self {
        SignLayer { signer: Arc::new(Signer::new(identity, Sign::Always, Arc::new(clock))) }
    }
}

impl<S> Layer<S> for SignLayer {
    type Service = SignService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        SignService { inner, signer: Arc::clone(&self.signer) }
    }
}

/// A service behind a [`SignLayer`].
#[derive(Clone)]
pub struct SignService<S> {
    inner: S,
    signer: Arc<Signer>,
}

impl<S: fmt::Debug> fmt::Debug for SignService<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignService").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<S, B> Service<Request<B>> for SignService<S>
where
    S: Service<Request<B>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = S::Response;
    type Error = LayerError;
    type Future =
        Either<Ready<Result<S::Response, LayerError>>, MapErr<S::Future, fn(S::Error) -> LayerError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context).map_err(LayerError::service)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let failed: fn(S::Error) -> LayerError = LayerError::service;
        match sign(&self.signer, &mut request) {
            Ok(()) => Either::Right(self.inner.call(request).map_err(failed)),
            Err(error) => Either::Left(ready(Err(LayerError::refused(Cause::Transport(error))))),
        }
    }
}

fn sign<B>(signer: &Signer, request: &mut Request<B>) -> Result<(), TransportError> {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let scheme = uri.scheme_str().unwrap_or_default();
    let authority = uri.authority().map_or("", Authority::as_str);
    let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    signer.sign(&method, (scheme, authority, path), request.headers_mut(), None)?;
    Ok(())
}
