//! The guard as a resolver for other HTTP clients, which then dial only checked addresses.

#[cfg(feature = "tower")]
use std::task::{Context, Poll};

use super::{Guard, ResolveError};
#[cfg(feature = "tower")]
use crate::BoxFuture;

/// Resolver that checks addresses with a [`Guard`]. If any address of a name is not allowed, the name is refused.
/// Otherwise, the resolver returns only the checked addresses.
///
/// With this resolver, the connector of another HTTP stack dials the addresses that the guard checked. Without it, the
/// stack resolves the name again after [`Client::admit`](crate::Client::admit). Then a name that changes its addresses
/// in between (DNS rebinding) bypasses the guard. The resolver does not cover three cases, which the program must
/// handle:
///
/// - An address as the host of a URL never reaches a resolver: check URLs by [`Guard::check_url`]. `Client::admit` and
///   [`PolicyLayer`](crate::PolicyLayer) do so.
/// - A redirect that the stack follows is never admitted: disable redirects, and admit each hop.
/// - A proxy resolves names itself: disable proxies, including those set by the environment.
///
/// With reqwest (feature `reqwest`):
///
/// ```no_run
/// # #[cfg(feature = "reqwest")]
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// use comity_client::Client;
/// use reqwest::redirect::Policy;
///
/// let polite = Client::builder("ExampleBot").build()?;
/// let stack = reqwest::Client::builder()
///     .dns_resolver(Arc::new(polite.guard().resolver()))
///     .redirect(Policy::none())
///     .no_proxy()
///     .user_agent(polite.user_agent())
///     .build()?;
///
/// let mut admission = polite.admit("https://example.com/page", None).await?;
/// let response = stack.get(admission.url().as_str()).send().await?;
/// admission.answered(response.status(), response.headers()).await?;
/// # Ok(())
/// # }
/// ```
///
/// With hyper (feature `tower`):
///
/// ```
/// # #[cfg(feature = "tower")]
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use comity_client::guard::Guard;
/// use hyper_util::client::legacy::connect::HttpConnector;
///
/// let connector = HttpConnector::new_with_resolver(Guard::new().resolver());
/// # let _ = connector;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GuardedResolver {
    guard: Guard,
}

impl Guard {
    /// Returns the guard as a resolver for another HTTP stack.
    pub fn resolver(&self) -> GuardedResolver {
        GuardedResolver { guard: self.clone() }
    }
}

impl GuardedResolver {
    /// Returns the addresses of a host, each of them checked, with port 0.
    ///
    /// # Errors
    ///
    /// As for [`Guard::resolve`].
    pub async fn resolve(
        &self,
        host: &str,
    ) -> Result<std::vec::IntoIter<std::net::SocketAddr>, ResolveError> {
        Ok(self.guard.resolve(host, 0).await?.into_iter())
    }
}

#[cfg(feature = "reqwest")]
impl reqwest::dns::Resolve for GuardedResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = GuardedResolver::resolve(&resolver, name.as_str()).await?;
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}

#[cfg(feature = "tower")]
impl tower_service::Service<hyper_util::client::legacy::connect::dns::Name> for GuardedResolver {
    type Response = std::vec::IntoIter<std::net::SocketAddr>;
    type Error = ResolveError;
    type Future = BoxFuture<'static, Result<Self::Response, ResolveError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ResolveError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: hyper_util::client::legacy::connect::dns::Name) -> Self::Future {
        let resolver = self.clone();
        Box::pin(async move { resolver.resolve(name.as_str()).await })
    }
}
