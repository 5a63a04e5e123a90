//! Reads the sitemaps of a site, one after the other.
//!
//! A sitemap lists URLs; it does not grant permission to fetch them. Sitemaps are fetched like pages, through guard,
//! robots.txt and pace. The next sitemap is fetched only after the caller has read all items of the previous sitemaps.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::io::Cursor;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use comity::robots::RobotsTxt;
use comity::sitemap::{Frontier, Item, Reader, ReaderOptions, SkipReason, Summary, Task};

use futures_util::{Stream, StreamExt};
use url::Url;

use crate::client::{Client, FetchError};
use crate::options::FetchOptions;
use crate::{BoxFuture, Origin, store::StoreError};

/// Paths of sitemaps that are tried if the robots.txt of a site lists no sitemap.
pub const WELL_KNOWN: [&str; 2] = ["/sitemap.xml", "/sitemap_index.xml"];

/// Maximum size of a sitemap file in bytes; [`ReaderOptions`] limit an unpacked `.gz` file. sitemaps.org allows 50 MiB.
const MAX_SITEMAP_BYTES: usize = 64 << 20;

/// A walk over the sitemaps of a site: a stream of its steps.
pub struct Discovery {
    /// The walk between two steps, or the future of the current step, which owns the walk.
    state: WalkState,
}

enum WalkState {
    Idle(Box<Walk>),
    Busy(BoxFuture<'static, (Box<Walk>, Option<DiscoveryStep>)>),
}

/// The state of a walk between two steps.
#[derive(Debug)]
struct Walk {
    client: Client,
    fetch: FetchOptions,
    /// The origins that the caller named. Only they receive the caller's header fields, which may contain a secret.
    named_origins: HashSet<Origin>,
    frontier: Frontier,
    options: ReaderOptions,
    current: Option<CurrentSitemap>,
    /// URLs with well-known paths, which are tried in order until one has a sitemap.
    guesses: VecDeque<String>,
}

#[derive(Debug)]
struct CurrentSitemap {
    task: Task,
    reader: Reader<Cursor<Bytes>>,
}

/// One step of a walk.
#[derive(Debug)]
#[non_exhaustive]
pub enum DiscoveryStep {
    /// A sitemap was fetched. Its entries follow.
    #[non_exhaustive]
    Opened {
        /// The URL of the sitemap.
        sitemap: String,
        /// The number of sitemap indexes that lead to it.
        depth: usize,
    },
    /// An entry of a sitemap, or a finding about the sitemap.
    #[non_exhaustive]
    Item {
        /// The URL of the sitemap.
        sitemap: String,
        /// The entry or finding.
        item: Item,
    },
    /// A listed sitemap is skipped, before the fetch or after a redirect.
    #[non_exhaustive]
    Refused {
        /// The listed text, or the URL before the redirect.
        loc: String,
        /// The reason.
        refusal: SkipReason,
    },
    /// A sitemap could not be fetched: a step refused the request, or the server did not answer.
    #[non_exhaustive]
    Failed {
        /// The URL of the sitemap.
        sitemap: String,
        /// The reason, with the record.
        error: Box<FetchError>,
    },
    /// The URL has no sitemap: the status code is not 2xx, or a [well-known](WELL_KNOWN) path has an HTML page.
    #[non_exhaustive]
    Missing {
        /// The URL of the sitemap.
        sitemap: String,
        /// The status code.
        status: u16,
        /// True if robots.txt, another sitemap or the caller listed the URL; false if it is a guess.
        was_named: bool,
    },
    /// A sitemap was read to its end.
    #[non_exhaustive]
    Ended {
        /// The URL of the sitemap.
        sitemap: String,
        /// A summary of the entries and findings.
        summary: Summary,
    },
}

impl Client {
    /// Walks the sitemaps that the robots.txt of a site lists. If it lists none, tries the [`WELL_KNOWN`] paths until
    /// one has a sitemap. The [header fields](FetchOptions::headers) of the client are sent only to this site, although
    /// its robots.txt may list sitemaps of other sites.
    ///
    /// # Errors
    ///
    /// [`StoreError`] as for [`RobotsCache::policy`](crate::robots_cache::RobotsCache::policy).
    ///
    /// ```no_run
    /// use comity::sitemap::Item;
    /// use comity_client::{Client, DiscoveryStep, Origin};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot").build()?;
    /// let origin = Origin::of(&"https://example.com/".parse()?).ok_or("no origin")?;
    /// let mut discovery = client.discover(&origin).await?;
    /// while let Some(found) = discovery.next().await {
    ///     if let DiscoveryStep::Item { item: Item::Url(url), .. } = found {
    ///         println!("{}", url.loc);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn discover(&self, origin: &Origin) -> Result<Discovery, StoreError> {
        self.robots().policy(origin).await?;
        let body = self.robots().body(origin).await?.unwrap_or_default();
        let robots = RobotsTxt::parse_as(&body[..], self.preset().dialect());
        let base = origin.robots_txt();
        // A sitemap's URL must be absolute, but some files contain a path.
        let named: Vec<String> = robots
            .sitemaps()
            .filter(|url| !url.trim().is_empty())
            .filter_map(|url| Some(base.join(url.trim()).ok()?.to_string()))
            .collect();
        let mut walk = self.walk(&named, [origin.clone()].into());
        if named.is_empty() {
            walk.guesses = WELL_KNOWN.iter().filter_map(|path| Some(origin.join(path)?.into())).collect();
        }
        Ok(Discovery::new(walk))
    }

    /// Walks the sitemaps at the given URLs. The [header fields](FetchOptions::headers) of the client are sent only to
    /// the origins of these URLs.
    pub fn walk_sitemaps<S: AsRef<str>>(&self, urls: &[S]) -> Discovery {
        let origins = urls.iter().filter_map(|url| Origin::of(&Url::parse(url.as_ref()).ok()?));
        Discovery::new(self.walk(urls, origins.collect()))
    }

    fn walk<S: AsRef<str>>(&self, urls: &[S], named_origins: HashSet<Origin>) -> Walk {
        Walk {
            client: self.clone(),
            fetch: self.fetch_options().for_manifest(MAX_SITEMAP_BYTES),
            named_origins,
            frontier: Frontier::new(urls),
            options: ReaderOptions::new(),
            current: None,
            guesses: VecDeque::new(),
        }
    }
}

impl Discovery {
    fn new(walk: Walk) -> Self {
        Discovery { state: WalkState::Idle(Box::new(walk)) }
    }

    /// Sets the options for reading sitemaps. If a step is in progress, the call has no effect.
    #[must_use]
    pub fn options(mut self, options: ReaderOptions) -> Self {
        if let WalkState::Idle(walk) = &mut self.state {
            walk.options = options;
        }
        self
    }

    /// Returns the next step, or `None` at the end. Fetches a sitemap if necessary. The walk is also a [`Stream`].
    ///
    /// If the future is dropped, the next call continues the step.
    pub async fn next(&mut self) -> Option<DiscoveryStep> {
        StreamExt::next(self).await
    }
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Discovery");
        if let WalkState::Idle(walk) = &self.state {
            shown.field("walk", walk);
        }
        shown.finish_non_exhaustive()
    }
}

impl Stream for Discovery {
    type Item = DiscoveryStep;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<DiscoveryStep>> {
        if let WalkState::Idle(walk) = &mut self.state {
            // Items of a sitemap that was fetched need no future.
            if let Some(found) = walk.read() {
                return Poll::Ready(Some(found));
            }
        }
        let step = std::mem::replace(&mut self.state, WalkState::Busy(Box::pin(std::future::pending())));
        let mut step = match step {
            WalkState::Idle(mut walk) => Box::pin(async move {
                let found = walk.next().await;
                (walk, found)
            }),
            WalkState::Busy(step) => step,
        };
        match step.as_mut().poll(cx) {
            Poll::Ready((walk, found)) => {
                self.state = WalkState::Idle(walk);
                Poll::Ready(found)
            }
            Poll::Pending => {
                self.state = WalkState::Busy(step);
                Poll::Pending
            }
        }
    }
}

impl Walk {
    /// Returns the next step, or `None` at the end. Fetches a sitemap if necessary.
    async fn next(&mut self) -> Option<DiscoveryStep> {
        if let Some(task) = self.frontier.next_task() {
            return Some(self.open(task, true).await);
        }
        let guess = self.guesses.pop_front()?;
        self.frontier = Frontier::new([&guess]);
        let task = self.frontier.next_task()?;
        let found = self.open(task, false).await;
        if matches!(found, DiscoveryStep::Opened { .. }) {
            self.guesses.clear();
        }
        Some(found)
    }

    /// Returns the next step in the current sitemap, or `None` if no sitemap is open.
    fn read(&mut self) -> Option<DiscoveryStep> {
        let CurrentSitemap { task, mut reader } = self.current.take()?;
        let sitemap = task.url().to_owned();
        let Some(item) = reader.next() else {
            return Some(DiscoveryStep::Ended { sitemap, summary: reader.summary() });
        };
        let refused = match &item {
            Item::Sitemap(listed) => {
                self.frontier.feed(&task, &listed.loc).err().map(|refusal| (listed.loc.clone(), refusal))
            }
            _ => None,
        };
        self.current = Some(CurrentSitemap { task, reader });
        Some(match refused {
            Some((loc, refusal)) => DiscoveryStep::Refused { loc, refusal },
            None => DiscoveryStep::Item { sitemap, item },
        })
    }

    /// Returns the options for fetching a sitemap.
    fn options_for(&self, sitemap: &str) -> FetchOptions {
        let mut options = self.fetch.clone();
        let origin = Url::parse(sitemap).ok().and_then(|url| Origin::of(&url));
        if !origin.is_some_and(|origin| self.named_origins.contains(&origin)) {
            options.headers.clear();
        }
        options
    }

    /// Fetches a sitemap.
    async fn open(&mut self, task: Task, was_named: bool) -> DiscoveryStep {
        let sitemap = task.url().to_owned();
        let page = match self.client.fetch_with(&sitemap, &self.options_for(&sitemap)).await {
            Ok(page) => page,
            Err(error) => return DiscoveryStep::Failed { sitemap, error: Box::new(error) },
        };
        if !page.status().is_success() {
            return DiscoveryStep::Missing { sitemap, status: page.status().as_u16(), was_named };
        }
        if !was_named && page.is_html() {
            // An HTML page with status 200 is often a "not found" page.
            return DiscoveryStep::Missing { sitemap, status: page.status().as_u16(), was_named };
        }
        let place = page.record().final_url.clone();
        if place != sitemap
            && let Err(refusal) = self.frontier.redirected(&place)
        {
            return DiscoveryStep::Refused { loc: sitemap, refusal };
        }
        // The reader accepts any content. If the content is not a sitemap, the reader returns findings.
        let options = self.options.clone().at(&place).unwrap_or_else(|_| self.options.clone());
        let depth = task.depth();
        let reader = Reader::with_options(Cursor::new(page.body().clone()), options);
        self.current = Some(CurrentSitemap { task, reader });
        DiscoveryStep::Opened { sitemap, depth }
    }
}

impl DiscoveryStep {
    /// Returns true if robots.txt denied the sitemap, or could not be read.
    pub fn is_disallowed(&self) -> bool {
        matches!(self, DiscoveryStep::Failed { error, .. } if error.cause().decision().is_some())
    }
}
