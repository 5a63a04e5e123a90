//! A blocking client for programs without async. It has the same methods as the async client, and its own runtime.

use std::sync::Arc;
use std::time::Duration;

use comity::decision::DecisionRecord;
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};

use crate::client::{Cause, ClientBuilder, FetchError};
use crate::crawl::{Crawl, CrawlOptions, Fetched, Watch};
use crate::discovery::{Discovery, DiscoveryStep};
use crate::options::ClientBuildError;
use crate::retrieval::Page;
use crate::robots_cache::RobotsFile;
use crate::store::StoreError;
use crate::{FetchOptions, Origin};

/// A [`Client`](crate::Client) with blocking methods.
///
/// It must not be used inside an async runtime; use [`Client`](crate::Client) there. Clones share all state.
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
    runtime: Arc<Runtime>,
    client: crate::Client,
}

impl Client {
    /// Builds the client with its runtime.
    ///
    /// # Errors
    ///
    /// [`ClientBuildError`] as for [`ClientBuilder::build`], and if the system cannot start a thread.
    pub fn new(builder: ClientBuilder) -> Result<Self, ClientBuildError> {
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("comity").enable_all().build();
        let runtime = runtime.map_err(|error| ClientBuildError::new(format!("no runtime: {error}")))?;
        let client = {
            let _inside = runtime.enter();
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
        self.runtime.block_on(self.client.fetch(url))
    }

    /// See [`Client::fetch_with`](crate::Client::fetch_with).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn fetch_with(&self, url: impl AsRef<str>, options: &FetchOptions) -> Result<Page, FetchError> {
        self.runtime.block_on(self.client.fetch_with(url, options))
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
        self.runtime.block_on(self.client.decide(url))
    }

    /// See [`Client::crawl_delay`](crate::Client::crawl_delay).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn crawl_delay(&self, url: impl AsRef<str>) -> Result<Option<Duration>, Cause> {
        self.runtime.block_on(self.client.crawl_delay(url))
    }

    /// See [`Client::robots_txt`](crate::Client::robots_txt).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn robots_txt(&self, url: impl AsRef<str>) -> Result<RobotsFile, Cause> {
        self.runtime.block_on(self.client.robots_txt(url))
    }

    /// See [`Client::discover`](crate::Client::discover).
    ///
    /// # Errors
    ///
    /// As for the async method.
    pub fn discover(&self, origin: &Origin) -> Result<DiscoveryIter, StoreError> {
        let discovery = self.runtime.block_on(self.client.discover(origin))?;
        Ok(DiscoveryIter { runtime: self.runtime.clone(), discovery })
    }

    /// Returns the async client.
    pub fn inner(&self) -> &crate::Client {
        &self.client
    }
}

/// An iterator over the results of many URLs. See [`Crawl`].
#[derive(Debug)]
pub struct CrawlIter {
    runtime: Arc<Runtime>,
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

/// An iterator over the entries of a site's sitemaps. See [`Discovery`].
#[derive(Debug)]
pub struct DiscoveryIter {
    runtime: Arc<Runtime>,
    discovery: Discovery,
}

impl Iterator for DiscoveryIter {
    type Item = DiscoveryStep;

    fn next(&mut self) -> Option<DiscoveryStep> {
        self.runtime.block_on(self.discovery.next())
    }
}
