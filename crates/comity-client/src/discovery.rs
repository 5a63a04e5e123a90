//! Discovery: what the sitemaps of a site list, walked lazily and politely.
//!
//! A sitemap grants no permission: it says that URLs exist. Sitemaps themselves are fetched like pages, through guard,
//! robots.txt and pace; the next one only when somebody asks for more than the ones before had to give.

use std::collections::VecDeque;
use std::io::Cursor;

use bytes::Bytes;
use comity::robots::RobotsTxt;
use comity::sitemap::{Frontier, Item, Options, Reader, Refusal, Summary, Task};

use crate::client::{Cause, Client, FetchError};
use crate::options::FetchOptions;
use crate::{Origin, store::StoreError};

/// Where a site is expected to have a sitemap if its robots.txt names none.
pub const WELL_KNOWN: [&str; 2] = ["/sitemap.xml", "/sitemap_index.xml"];

/// No sitemap is longer, compressed or not (sitemaps.org: 50 MiB, and some grace for those that count differently).
const MAX_SITEMAP_BYTES: usize = 64 << 20;

/// A walk over the sitemaps of a site. Ask for the [next](Discovery::next) step until there is none.
#[derive(Debug)]
pub struct Discovery {
    client: Client,
    fetch: FetchOptions,
    frontier: Frontier,
    options: Options,
    current: Option<Current>,
    /// Well-known places, tried in order as long as none had anything.
    guesses: VecDeque<String>,
}

#[derive(Debug)]
struct Current {
    task: Task,
    reader: Reader<Cursor<Bytes>>,
}

/// What happens on a walk.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// A sitemap was fetched and will be read.
    #[non_exhaustive]
    Opened {
        /// Its URL.
        sitemap: String,
        /// How many indexes lead to it.
        depth: usize,
    },
    /// An entry of a sitemap, or a finding about it.
    #[non_exhaustive]
    Item {
        /// The sitemap's URL.
        sitemap: String,
        /// The entry or finding.
        item: Item,
    },
    /// A sitemap that is listed will not be fetched.
    #[non_exhaustive]
    Refused {
        /// What is listed.
        loc: String,
        /// Why not.
        refusal: Refusal,
    },
    /// A sitemap could not be fetched: refused by a step of the pipeline, or no answer.
    #[non_exhaustive]
    Failed {
        /// Its URL.
        sitemap: String,
        /// Why, with the record.
        error: Box<FetchError>,
    },
    /// There is no sitemap at this URL: an answer that is not 2xx.
    #[non_exhaustive]
    Missing {
        /// Its URL.
        sitemap: String,
        /// The status code.
        status: u16,
        /// Whether robots.txt, another sitemap or the caller named it; if not, it was a guess.
        was_named: bool,
    },
    /// A sitemap was read.
    #[non_exhaustive]
    Ended {
        /// Its URL.
        sitemap: String,
        /// What is known about it.
        summary: Summary,
    },
}

impl Client {
    /// Walks the sitemaps of a site: those that its robots.txt names; if it names none, those at [`WELL_KNOWN`] places,
    /// until there is one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if robots.txt cannot be looked at for want of a store.
    ///
    /// ```no_run
    /// use comity::sitemap::Item;
    /// use comity_client::{Client, Found, Origin};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot").build()?;
    /// let origin = Origin::of(&"https://example.com/".parse()?).ok_or("no origin")?;
    /// let mut discovery = client.discover(&origin).await?;
    /// while let Some(found) = discovery.next().await {
    ///     if let Found::Item { item: Item::Url(url), .. } = found {
    ///         println!("{}", url.loc);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn discover(&self, origin: &Origin) -> Result<Discovery, StoreError> {
        self.robots().policy(origin).await?;
        let body = self.robots().body(origin).await?.unwrap_or_default();
        let robots = RobotsTxt::parse_as(&body, self.preset().dialect());
        let base = origin.robots_txt();
        // A sitemap's URL has to be absolute; some write a path all the same.
        let named: Vec<String> = robots
            .sitemaps()
            .filter(|url| !url.trim().is_empty())
            .filter_map(|url| Some(base.join(url.trim()).ok()?.to_string()))
            .collect();
        let mut discovery = self.walk_sitemaps(&named);
        if named.is_empty() {
            discovery.guesses =
                WELL_KNOWN.iter().filter_map(|path| Some(origin.join(path)?.into())).collect();
        }
        Ok(discovery)
    }

    /// Walks sitemaps that the caller names.
    pub fn walk_sitemaps<S: AsRef<str>>(&self, urls: &[S]) -> Discovery {
        Discovery {
            client: self.clone(),
            fetch: self.fetch_options().for_manifest(MAX_SITEMAP_BYTES),
            frontier: Frontier::new(urls),
            options: Options::new(),
            current: None,
            guesses: VecDeque::new(),
        }
    }
}

impl Discovery {
    /// How sitemaps are read.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Discovery { options, ..self }
    }

    /// The next step; fetches a sitemap if need be. `None`: there is no more.
    pub async fn next(&mut self) -> Option<Found> {
        if let Some(found) = self.read() {
            return Some(found);
        }
        if let Some(task) = self.frontier.next_task() {
            return Some(self.open(task, true).await);
        }
        let guess = self.guesses.pop_front()?;
        self.frontier = Frontier::new([&guess]);
        let task = self.frontier.next_task()?;
        let found = self.open(task, false).await;
        if matches!(found, Found::Opened { .. }) {
            self.guesses.clear();
        }
        Some(found)
    }

    /// The next item of the sitemap at hand.
    fn read(&mut self) -> Option<Found> {
        let Current { task, mut reader } = self.current.take()?;
        let sitemap = task.url().to_owned();
        let Some(item) = reader.next() else {
            return Some(Found::Ended { sitemap, summary: reader.summary() });
        };
        let refused = match &item {
            Item::Sitemap(listed) => {
                self.frontier.feed(&task, &listed.loc).err().map(|refusal| (listed.loc.clone(), refusal))
            }
            _ => None,
        };
        self.current = Some(Current { task, reader });
        Some(match refused {
            Some((loc, refusal)) => Found::Refused { loc, refusal },
            None => Found::Item { sitemap, item },
        })
    }

    /// Fetches a sitemap.
    async fn open(&mut self, task: Task, was_named: bool) -> Found {
        let sitemap = task.url().to_owned();
        let page = match self.client.fetch_with(&sitemap, &self.fetch).await {
            Ok(page) => page,
            Err(error) => return Found::Failed { sitemap, error: Box::new(error) },
        };
        if !page.status().is_success() {
            return Found::Missing { sitemap, status: page.status().as_u16(), was_named };
        }
        if !was_named && page.is_html() {
            // A page that says "not found" with status 200.
            return Found::Missing { sitemap, status: page.status().as_u16(), was_named };
        }
        let place = page.record().final_url.clone();
        if place != sitemap
            && let Err(refusal) = self.frontier.redirected(&place)
        {
            return Found::Refused { loc: sitemap, refusal };
        }
        // Whatever it is, it could be fetched.
        let options = self.options.clone().at(&place).unwrap_or_else(|_| self.options.clone());
        let depth = task.depth();
        let reader = Reader::with_options(Cursor::new(page.body().clone()), options);
        self.current = Some(Current { task, reader });
        Found::Opened { sitemap, depth }
    }
}

impl Found {
    /// Whether it is a refusal by robots.txt.
    pub fn is_disallowed(&self) -> bool {
        matches!(self, Found::Failed { error, .. } if matches!(error.cause(), Cause::Robots(_)))
    }
}
