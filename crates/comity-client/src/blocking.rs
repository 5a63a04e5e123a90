//! A blocking client for programs without async. It has its own runtime, and most of the async client's methods
//! for fetching, checking and discovering URLs.

use std::sync::Arc;
use std::time::Duration;

use comity::decision::DecisionRecord;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::FetchOptions;
use crate::client::{Cause, ClientBuilder, FetchError, PageRequest};
use crate::crawl::{Crawl, CrawlOptions, Fetched, Watch};
use crate::options::ClientBuildError;
use crate::retrieval::Page;
use crate::robots_cache::RobotsFile;

/// A [`Client`](crate::Client) with blocking methods.
///
/// Clones share all state. Inside an async runtime, the methods of this type block the thread of the runtime; use
/// [`Client`](crate::Client) there.
///
/// ```no_run
/// use comity_client::{Client, blocking};
///
/// let client = blocking::Client::new(Client::builder("ExampleBot"))?;
/// let page = client.fetch("https://example.com/")?;
/// println!("{}", page.status());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    runtime: Arc<OwnRuntime>,
    client: crate::Client,
}

/// The runtime of a client. Threads of other runtimes can use and drop it, too.
#[derive(Debug)]
struct OwnRuntime {
    runtime: Option<Runtime>,
    handle: Handle,
}

impl OwnRuntime {
    fn new() -> std::io::Result<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("comity").enable_all().build()?;
        Ok(OwnRuntime { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// Runs a future to its end. Tokio forbids this on a thread of another runtime, so the future then runs on a
    /// separate thread.
    fn block_on<F: Future<Output: Send> + Send>(&self, future: F) -> F::Output {
        if Handle::try_current().is_err() {
            return self.handle.block_on(future);
        }
        let joined = std::thread::scope(|scope| scope.spawn(|| self.handle.block_on(future)).join());
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Stops the runtime without waiting for its tasks: such a wait panics in an async context.
impl Drop for OwnRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Client {
    /// Builds the client with its runtime.
    ///
    /// # Errors
    ///
    /// [`ClientBuildError`] as for [`ClientBuilder::build`], and if the system cannot start a thread.
    pub fn new(builder: ClientBuilder) -> Result<Self, ClientBuildError> {
        let runtime = OwnRuntime::new();
        let runtime =
            runtime.map_err(|error| ClientBuildError::new(format!("cannot start the runtime: {error}")))?;
        let client = {
            let _inside = runtime.handle.enter();
            builder.build()?
        };
        Ok(Client { runtime: Arc::new(runtime), client })
    }

    /// See [`Client::fetch`](crate::Client::fetch).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn fetch(&self, url: impl AsRef<str>) -> Result<Page, FetchError> {
        self.runtime.block_on(self.client.fetch(url.as_ref()))
    }

    /// See [`Client::fetch_with`](crate::Client::fetch_with).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn fetch_with(&self, url: impl AsRef<str>, options: &FetchOptions) -> Result<Page, FetchError> {
        self.runtime.block_on(self.client.fetch_with(url.as_ref(), options))
    }

    /// Sends a request that [`Client::request`](crate::Client::request) created. See [`PageRequest::send`].
    ///
    /// ```no_run
    /// use comity_client::{Client, blocking};
    /// use comity_client::http::Method;
    ///
    /// let client = blocking::Client::new(Client::builder("ExampleBot"))?;
    /// let page = client.send(client.inner().request(Method::HEAD, "https://example.com/"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn send(&self, request: PageRequest) -> Result<Page, FetchError> {
        self.runtime.block_on(request.send())
    }

    /// See [`Client::fetch_many`](crate::Client::fetch_many).
    pub fn fetch_many<U: Into<String> + 'static>(
        &self,
        urls: impl IntoIterator<Item = U, IntoIter: Send + 'static>,
        options: CrawlOptions,
    ) -> CrawlIter {
        CrawlIter { runtime: self.runtime.clone(), crawl: self.client.fetch_many(urls, options) }
    }

    /// See [`Client::decide`](crate::Client::decide).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn decide(&self, url: impl AsRef<str>) -> Result<DecisionRecord, Cause> {
        self.runtime.block_on(self.client.decide(url.as_ref()))
    }

    /// See [`Client::crawl_delay`](crate::Client::crawl_delay).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn crawl_delay(&self, url: impl AsRef<str>) -> Result<Option<Duration>, Cause> {
        self.runtime.block_on(self.client.crawl_delay(url.as_ref()))
    }

    /// See [`Client::robots_txt`](crate::Client::robots_txt).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn robots_txt(&self, url: impl AsRef<str>) -> Result<RobotsFile, Cause> {
        self.runtime.block_on(self.client.robots_txt(url.as_ref()))
    }

    /// Returns the async client.
    pub fn inner(&self) -> &crate::Client {
        &self.client
    }
}

/// An iterator over the results of many URLs. See [`Crawl`].
#[derive(Debug)]
pub struct CrawlIter {
    runtime: Arc<OwnRuntime>,
    crawl: Crawl,
}

impl CrawlIter {
    /// See [`Crawl::watch`].
    pub fn watch(&self) -> Watch {
        self.crawl.watch()
    }
}

impl Iterator for CrawlIter {
    type Item = Fetched;

    fn next(&mut self) -> Option<Fetched> {
        self.runtime.block_on(self.crawl.next())
    }
}

#[cfg(feature = "sitemaps")]
pub use self::sitemaps::DiscoveryIter;

#[cfg(feature = "sitemaps")]
mod sitemaps {
    use std::sync::Arc;

    use super::{Client, OwnRuntime};
    use crate::store::StoreError;
    use crate::{Discovery, DiscoveryStep, Origin};

    /// An iterator over the entries of a site's sitemaps. See [`Discovery`].
    #[derive(Debug)]
    pub struct DiscoveryIter {
        runtime: Arc<OwnRuntime>,
        discovery: Discovery,
    }

    impl Client {
        /// See [`Client::discover`](crate::Client::discover).
        ///
        /// # Errors
        ///
        /// As for the async method.
        pub fn discover(&self, origin: &Origin) -> Result<DiscoveryIter, StoreError> {
            let discovery = self.runtime.block_on(self.client.discover(origin))?;
            Ok(DiscoveryIter { runtime: self.runtime.clone(), discovery })
        }
    }

    impl Iterator for DiscoveryIter {
        type Item = DiscoveryStep;

        fn next(&mut self) -> Option<DiscoveryStep> {
            self.runtime.block_on(self.discovery.next())
        }
    }
}
