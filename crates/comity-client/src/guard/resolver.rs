//! What turns names into addresses: the system's resolver, or another one.

use std::fmt;
use std::io;
use std::net::IpAddr;

use crate::BoxFuture;

/// Asks for the addresses of a name.
///
/// ```
/// use std::io;
/// use std::net::IpAddr;
///
/// use comity_client::BoxFuture;
/// use comity_client::guard::{Guard, Resolver};
///
/// /// Every name leads to one address.
/// #[derive(Debug)]
/// struct Always(IpAddr);
///
/// impl Resolver for Always {
///     fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
///         Box::pin(async { Ok(vec![self.0]) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guard = Guard::new().with_resolver(Always("93.184.216.34".parse()?));
/// assert_eq!(guard.resolve("example.com", 443).await?, ["93.184.216.34:443".parse()?]);
///
/// let guard = Guard::new().with_resolver(Always("10.0.0.1".parse()?));
/// assert!(guard.resolve("example.com", 443).await.is_err());
/// # Ok(())
/// # }
/// ```
pub trait Resolver: fmt::Debug + Send + Sync + 'static {
    /// All addresses of a name, best first. The name is as the URL standard prints it: lower case, punycode, perhaps
    /// with a dot at the end.
    ///
    /// # Errors
    ///
    /// Of the kind `NotFound` if there is no such name, `TimedOut` if nobody answers, any other for any other failure.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>>;
}

/// The system's resolver (`getaddrinfo`), hosts file and search list included.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "there is nothing in it, and nothing will be")]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
