//! The trait for resolvers of host names, and the resolver of the system.

use std::fmt;
use std::io;
use std::net::IpAddr;

use crate::BoxFuture;
use crate::descriptors;

/// A resolver of host names.
///
/// ```
/// use std::io;
/// use std::net::IpAddr;
///
/// use comity_client::BoxFuture;
/// use comity_client::guard::{Guard, Resolver};
///
/// /// Resolves every name to one address.
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
    /// Returns all addresses of a name, the preferred address first. The name is in the form that the URL standard
    /// serializes: lower case, punycode, with an optional final dot.
    ///
    /// # Errors
    ///
    /// The caller distinguishes errors by their kind. `NotFound`: the name does not exist. `InvalidData`: a name server
    /// answered with an error (`SERVFAIL`). `TimedOut`: no name server answered in time. Any other kind: no name server
    /// could be queried.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>>;
}

/// The system's resolver (`getaddrinfo`), including hosts file and search list.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "the type will never have fields")]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async move {
            // Names under `.invalid` have no addresses and are not sent to a resolver (RFC 6761 §6.4).
            if host.trim_end_matches('.').rsplit('.').next() == Some("invalid") {
                return Err(io::ErrorKind::NotFound.into());
            }
            // The lookup opens a socket, which needs a descriptor.
            let _descriptor = descriptors::acquire().await;
            let found = tokio::net::lookup_host((host, 0)).await.map_err(classify)?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Messages of the operating systems for a name that does not exist or has no address. The standard library does not
/// return the error codes of `getaddrinfo`.
const NO_SUCH_NAME: [&str; 6] = [
    // glibc: EAI_NONAME, EAI_NODATA.
    "Name or service not known",
    "No address associated with hostname",
    // musl.
    "Name does not resolve",
    "Name has no usable address",
    // macOS and the BSDs.
    "nodename nor servname provided",
    // Windows.
    "No such host is known",
];

/// Messages for `EAI_FAIL`: the name server answered with an error.
const SERVER_ERROR: [&str; 2] = ["Non-recoverable failure in name resolution", "Unrecoverable error"];

/// Sets the kind of an error by its message, to distinguish a missing name from a failed query.
fn classify(error: io::Error) -> io::Error {
    let text = error.to_string();
    let says = |words: &[&str]| words.iter().any(|words| text.contains(words));
    if says(&NO_SUCH_NAME) {
        io::Error::new(io::ErrorKind::NotFound, error)
    } else if says(&SERVER_ERROR) {
        io::Error::new(io::ErrorKind::InvalidData, error)
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_name_and_failed_query_have_different_kinds() {
        let kind = |words: &str| {
            classify(io::Error::other(format!("failed to lookup address information: {words}"))).kind()
        };
        assert_eq!(kind("Name or service not known"), io::ErrorKind::NotFound);
        assert_eq!(kind("nodename nor servname provided, or not known"), io::ErrorKind::NotFound);
        assert_eq!(kind("Non-recoverable failure in name resolution"), io::ErrorKind::InvalidData);
        assert_eq!(kind("Temporary failure in name resolution"), io::ErrorKind::Other);
    }
}
