//! Fetches many URLs, each origin at its own pace. A slow origin does not delay other origins.
//!
//! ```text
//! source ─▶ one queue per origin ─▶ origins by next free time ─▶ one task per fetch ─▶ results as fetches end
//!  (read while   (max_queued)                                     (jobs, max_waiting)   (unread: no new fetches)
//!   not full)
//! ```
//!
//! # Guarantees
//!
//! - **A waiting fetch needs no job.** At most [`CrawlOptions::jobs`] fetches are active: they request a robots.txt,
//!   connect, or read. A fetch that waits for its turn, for another fetch's request for the same robots.txt, or for a
//!   retry is not active. So eight origins with a `Crawl-delay` of 10 seconds do not delay a ninth origin without one.
//! - **Fairness.** If a job is free, fewer than [`CrawlOptions::max_waiting`] fetches wait, and an origin may get a
//!   request, its next URL is fetched at once. The origin that has been free for the longest time is next.
//! - **Order.** Fetches of one origin begin in the order of the source. Results are returned in the order in which
//!   fetches end. Each result contains the index of its URL in the source.
//! - **Limits.** [`CrawlOptions::max_queued`] and [`CrawlOptions::max_queued_bytes`] limit the queue. While it is full,
//!   the source is not polled, so it may be endless. The limits also restrict fairness: if all queued URLs belong to
//!   one slow origin, later URLs wait for it. To avoid this, shuffle the source or increase the limits.
//! - **Backpressure.** An unread result counts as a job. So if the caller stops reading results, no new fetches begin,
//!   and the crawl stops when the active fetches have ended.
//! - **Every URL has one result**, a page or a [`FetchError`]. An error does not end the crawl.
//! - **Dropping the crawl** cancels the fetches in flight. Requests for robots.txt continue, since other tasks may wait
//!   for them.
//!
//! [`FetchOptions::max_wait`](crate::FetchOptions::max_wait) applies to each URL separately. The wait of a URL starts
//! when it is the first queued URL of its origin and the origin's limit of concurrent fetches allows another. The time
//! behind other URLs and waits for a job do not count.

mod queue;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use comity::policy::Failure;
use futures_util::stream::{self, FuturesUnordered};
use futures_util::{FutureExt, Stream, StreamExt};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::{JoinError, JoinHandle};
use url::Url;

pub use crate::job::{Progress, Watch};
pub use crate::options::CrawlOptions;
use queue::{Queue, QueuedUrl};

use crate::client::{Cause, Client, FetchError};
use crate::job::{Job, Jobs, Key, OriginEvent, OriginWait};
use crate::options::FetchOptions;
use crate::retrieval::{FetchRecord, Page};
use crate::store::StoreError;
use crate::transport::TransportError;
use crate::{BoxFuture, Moment, Origin, runtime};

/// The result of one URL of a crawl.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The index of the URL in the source, from 0.
    pub index: u64,
    /// The page, or the error.
    pub result: Result<Page, FetchError>,
}

impl Fetched {
    /// Returns the requested URL, without user name and password.
    pub fn url(&self) -> &str {
        &self.record().requested_url
    }

    /// Returns the record of the page or of the error.
    pub fn record(&self) -> &FetchRecord {
        match &self.result {
            Ok(page) => page.record(),
            Err(error) => error.record(),
        }
    }
}

impl Client {
    /// Fetches many URLs, each origin at its own pace. The crawl begins when the stream is polled.
    ///
    /// ```no_run
    /// use comity_client::{Client, CrawlOptions};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot").contact("https://example.com/bot").build()?;
    /// let urls = ["https://example.com/a", "https://example.org/b"];
    /// let mut crawl = client.fetch_many(urls, CrawlOptions::default().jobs(32));
    /// while let Some(fetched) = crawl.next().await {
    ///     match &fetched.result {
    ///         Ok(page) => println!("{}: {}", urls[fetched.index as usize], page.status()),
    ///         Err(error) => println!("{error}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn fetch_many<U: Into<String> + 'static>(
        &self,
        urls: impl IntoIterator<Item = U, IntoIter: Send + 'static>,
        options: CrawlOptions,
    ) -> Crawl {
        self.fetch_stream(stream::iter(urls), options)
    }

    /// Fetches a stream of URLs, as [`fetch_many`](Client::fetch_many) does for an iterator.
    pub fn fetch_stream<U: Into<String> + 'static>(
        &self,
        urls: impl Stream<Item = U> + Send + 'static,
        options: CrawlOptions,
    ) -> Crawl {
        Crawl::new(self.clone(), Box::pin(urls.map(Into::into)), options)
    }
}

type Source = Pin<Box<dyn Stream<Item = String> + Send>>;

/// A stream of the results of many URLs, in the order in which they finish. See the [module](self).
pub struct Crawl {
    client: Client,
    options: CrawlOptions,
    fetch: Arc<FetchOptions>,
    /// `None` after the end of the source.
    source: Option<Source>,
    index: u64,
    queue: Queue,
    jobs: Arc<Jobs>,
    /// Channel on which fetches report events of their origins.
    news_sender: UnboundedSender<(Key, OriginEvent)>,
    news: UnboundedReceiver<(Key, OriginEvent)>,
    running: FuturesUnordered<RunningFetch>,
    began: Moment,
    pace: AvailabilityForecast,
    timer: Option<TurnTimer>,
    /// Completes when the client is drained. Wakes the task that polls the crawl.
    drained: BoxFuture<'static, ()>,
}

impl Crawl {
    /// Maximum number of URLs that one poll reads from the source.
    const PULLED_AT_ONCE: usize = 256;

    fn new(client: Client, source: Source, options: CrawlOptions) -> Self {
        let concurrency = usize::try_from(client.inner.pace_options.concurrency.get()).unwrap_or(usize::MAX);
        let began = client.inner.clock.moment();
        let (news_sender, news) = mpsc::unbounded_channel();
        let fetch = options.fetch.as_ref().unwrap_or_else(|| client.fetch_options()).clone();
        let max_wait = fetch.max_wait.map(|most| client.inner.pace.with_slack(most));
        let pace = AvailabilityForecast { client: client.clone(), max_wait };
        let draining = client.inner.draining.clone();
        Crawl {
            drained: Box::pin(async move { draining.begun().await }),
            fetch: Arc::new(fetch),
            source: Some(source),
            index: 0,
            queue: Queue::new(concurrency),
            jobs: Arc::new(Jobs::new(options.jobs.max(1))),
            news_sender,
            news,
            running: FuturesUnordered::new(),
            began,
            pace,
            timer: None,
            client,
            options,
        }
    }

    /// Returns the next result, or `None` at the end. The crawl is also a [`Stream`].
    pub async fn next(&mut self) -> Option<Fetched> {
        StreamExt::next(self).await
    }

    /// Returns the progress so far.
    pub fn progress(&self) -> Progress {
        self.jobs.progress()
    }

    /// Returns a handle for the progress, for use while another task reads results.
    pub fn watch(&self) -> Watch {
        Watch { jobs: Arc::clone(&self.jobs) }
    }

    /// Returns the time since the crawl began, measured by the monotonic clock.
    fn now(&self) -> Duration {
        self.client.inner.clock.moment().since(self.began)
    }

    /// Returns true if the client is drained. Otherwise, the polling task is woken when that happens.
    fn is_drained(&mut self, cx: &mut Context<'_>) -> bool {
        self.client.inner.draining.is_begun() || self.drained.poll_unpin(cx).is_ready()
    }

    /// Returns the reason why no queued URL can be fetched: the stream is polled outside of a tokio runtime, or the
    /// client is drained. A drained client also reads no more URLs from the source.
    fn obstacle(&mut self, cx: &mut Context<'_>) -> Option<Cause> {
        if let Err(error) = runtime::check() {
            return Some(Cause::Transport(TransportError::new(Failure::Local, error.to_string())));
        }
        self.is_drained(cx).then(|| {
            self.source = None;
            Cause::Drained
        })
    }

    /// Returns the result of a queued URL that is not fetched.
    fn refuse(&mut self, cause: Cause) -> Option<Fetched> {
        let QueuedUrl { index, url } = self.queue.discard(self.now())?;
        self.jobs.count(|progress| {
            progress.queued -= 1;
            progress.failed += 1;
        });
        Some(Fetched { index, result: Err(self.client.refuse(&url, cause)) })
    }

    /// Pulls URLs from the source until the queue is full, at most [`Crawl::PULLED_AT_ONCE`].
    fn pull(&mut self, cx: &mut Context<'_>) {
        for _ in 0..Self::PULLED_AT_ONCE {
            let is_full = self.queue.len() >= self.options.max_queued.max(1)
                || self.queue.bytes() >= self.options.max_queued_bytes;
            let Some(source) = self.source.as_mut().filter(|_| !is_full) else { return };
            let Poll::Ready(url) = source.as_mut().poll_next(cx) else { return };
            let Some(url) = url else {
                self.source = None;
                return;
            };
            self.push(url);
        }
        // The source has more URLs. Return, so that results are processed first, and poll again.
        cx.waker().wake_by_ref();
    }

    fn push(&mut self, url: String) {
        let key = url.parse::<Url>().ok().and_then(|url| Origin::of(&url));
        let now = self.now();
        let queued = QueuedUrl { index: self.index, url };
        self.queue.push(key.clone(), queued, now, || self.pace.rest(&key, Duration::ZERO));
        self.index += 1;
        self.jobs.count(|progress| progress.queued += 1);
    }

    /// Processes the events that fetches have reported.
    fn process_news(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Some((key, news))) = self.news.poll_recv(cx) {
            let now = self.now();
            let of = key.clone();
            let rest = || self.pace.rest(&of, Duration::ZERO);
            match news {
                OriginEvent::Begun => self.queue.begun(key, now, rest),
                OriginEvent::Left => self.queue.left(key, now, rest),
            }
        }
    }

    /// Begins all fetches that may begin now.
    fn begin(&mut self, cx: &mut Context<'_>) {
        while self.has_room() && self.is_due(cx) {
            let now = self.now();
            // Another task may have used the origin in the meantime, so check the pace again.
            let rest = self.queue.next().map(|(_, key)| self.pace.rest(key, self.queue.waited()));
            if let Some(rest) = rest.filter(|rest| !rest.duration.is_zero()) {
                self.queue.postpone(now, rest);
                continue;
            }
            let Some(permit) = self.jobs.permit() else { return };
            let Some(turn) = self.queue.pop() else { return };
            let job = Job::new(&self.jobs, permit, turn.key, turn.waited, self.news_sender.clone());
            let (client, fetch) = (self.client.clone(), Arc::clone(&self.fetch));
            let QueuedUrl { index, url } = turn.queued;
            let asked = url.clone();
            let handle = tokio::spawn(async move {
                let result = client.select_and_fetch(&asked, &fetch, &job).await;
                job.end(result.is_err());
                result
            });
            self.running.push(RunningFetch { index, url, handle });
        }
    }

    /// Returns true if the limits of jobs and of waiting fetches allow another fetch.
    fn has_room(&self) -> bool {
        let progress = self.jobs.progress();
        progress.under_way.saturating_add(progress.ready) < self.options.jobs.max(1)
            && progress.waiting < self.options.max_waiting.max(1)
    }

    /// Returns true if an origin is free. Otherwise, the polling task is woken when an origin becomes free.
    fn is_due(&mut self, cx: &mut Context<'_>) -> bool {
        let now = self.now();
        let Some((due, _)) = self.queue.next() else { return false };
        if due <= now {
            return true;
        }
        if self.timer.as_ref().is_none_or(|timer| timer.due != due) {
            let clock = Arc::clone(&self.client.inner.clock);
            let sleep = async move { clock.sleep(due.saturating_sub(now)).await }.boxed();
            self.timer = Some(TurnTimer { due, sleep });
        }
        if self.timer.as_mut().is_some_and(|timer| timer.sleep.poll_unpin(cx).is_ready()) {
            // The timer may have fired too early, so the next poll checks the clock.
            self.timer = None;
            cx.waker().wake_by_ref();
        }
        false
    }

    /// Returns the result of one fetch.
    fn finish(&self, index: u64, url: &str, ended: Result<Result<Page, FetchError>, JoinError>) -> Fetched {
        self.jobs.count(|progress| progress.ready -= 1);
        let result = match ended {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => {
                Err(self.client.refused(url, Cause::Store(StoreError::of_task("the fetch", error))))
            }
        };
        Fetched { index, result }
    }
}

impl Stream for Crawl {
    type Item = Fetched;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Fetched>> {
        let crawl = self.get_mut();
        crawl.jobs.wake(cx.waker());
        crawl.process_news(cx);
        let obstacle = crawl.obstacle(cx);
        crawl.pull(cx);
        if let Some(refused) = obstacle.and_then(|cause| crawl.refuse(cause)) {
            return Poll::Ready(Some(refused));
        }
        crawl.begin(cx);
        match ready!(crawl.running.poll_next_unpin(cx)) {
            Some((index, url, ended)) => {
                let fetched = crawl.finish(index, &url, ended);
                // Begin the next fetch before the caller processes this result.
                crawl.process_news(cx);
                crawl.begin(cx);
                Poll::Ready(Some(fetched))
            }
            None if crawl.source.is_none() && crawl.queue.len() == 0 => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

impl fmt::Debug for Crawl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crawl")
            .field("options", &self.options)
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

/// A forecast of the times at which origins may get their next request, from the local state of this process.
#[derive(Debug)]
struct AvailabilityForecast {
    client: Client,
    max_wait: Option<Duration>,
}

impl AvailabilityForecast {
    /// Returns the time until an origin may get a request, for a URL that has already waited for `waited`. Returns zero
    /// if the total wait would exceed the maximum wait of the URL. Then its fetch begins, and the pace refuses it.
    fn rest(&self, key: &Key, waited: Duration) -> OriginWait {
        let rest = key.as_ref().map(|origin| self.client.inner.pace.rest(origin)).unwrap_or_default();
        let is_patient = self.max_wait.is_none_or(|most| waited.saturating_add(rest.duration) <= most);
        if is_patient { rest } else { OriginWait::default() }
    }
}

/// A fetch in a separate task. Dropping it cancels the task.
struct RunningFetch {
    index: u64,
    url: String,
    handle: JoinHandle<Result<Page, FetchError>>,
}

impl Future for RunningFetch {
    type Output = (u64, String, Result<Result<Page, FetchError>, JoinError>);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = ready!(self.handle.poll_unpin(cx));
        Poll::Ready((self.index, std::mem::take(&mut self.url), ended))
    }
}

impl Drop for RunningFetch {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

/// The timer for the next turn.
struct TurnTimer {
    due: Duration,
    sleep: BoxFuture<'static, ()>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_fetch_takes_about_ten_kilobytes() {
        let client = Client::builder("ExampleBot").build().unwrap();
        let (fetch, job) = (FetchOptions::default(), Job::default());
        let size = size_of_val(&client.select_and_fetch("https://example.com/", &fetch, &job));
        assert!(size < 12_000, "{size} bytes");
    }
}
