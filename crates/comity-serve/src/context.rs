//! The state that all requests share, and the context of one request: its caller, memory and timer.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use comity_answers::sources::{Admission, SourceError, Sources};
use comity_client::{Cause, Client, Origin};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::access_control::{AccessControl, Caller};
use crate::deadline_timer::DeadlineTimer;
use crate::fair::{Memory, Shares};
use crate::log::LogQueue;
use crate::metrics::Metrics;
use crate::options::ServiceOptions;
use crate::page_cache::PageCache;
use crate::problem::{Kind, Problem};
use crate::quotas::Quotas;
use crate::signatures::Signatures;

/// Maximum number of concurrent page fetches for assistants.
const MAX_PAGE_FETCHES: usize = 16;

/// Maximum number of concurrent readiness checks, which do not count against the limit of requests.
const MAX_READINESS_CHECKS: usize = 16;

/// State that all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    setup: RwLock<Arc<Setup>>,
    /// Limits and modes. [`Setup`] has the tokens, names and clients that are in use.
    pub(crate) options: ServiceOptions,
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) metrics: Metrics,
    /// Permits for CPU-bound work.
    heavy: Arc<Semaphore>,
    /// Permits for page fetches of assistants. They bound the memory for pages.
    pages: Semaphore,
    /// Permits for readiness checks.
    pub(crate) checks: Semaphore,
    pub(crate) shares: Arc<Shares>,
    pub(crate) page_cache: PageCache,
    pub(crate) log: Option<LogQueue>,
}

/// The parts of the service that a reload replaces. A request uses the same setup from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) client: Client,
    pub(crate) gateway_clients: Vec<Client>,
    pub(crate) user_client: Option<Client>,
    pub(crate) access_control: AccessControl,
    /// The verifier of request signatures, with its keys.
    pub(crate) signatures: Signatures,
}

impl Setup {
    fn new(client: Client, options: &mut ServiceOptions) -> Arc<Setup> {
        Arc::new(Setup {
            access_control: AccessControl::new(options),
            signatures: Signatures::new(&client),
            client,
            gateway_clients: std::mem::take(&mut options.gateway_clients),
            user_client: options.user_client.take(),
        })
    }
}

impl Shared {
    pub(crate) fn new(client: Client, mut options: ServiceOptions) -> Shared {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Shared {
            setup: RwLock::new(Setup::new(client, &mut options)),
            quotas: Quotas::new(options.new_origins, options.open_slots),
            metrics: Metrics::default(),
            heavy: Arc::new(Semaphore::new(processors)),
            pages: Semaphore::new(MAX_PAGE_FETCHES),
            checks: Semaphore::new(MAX_READINESS_CHECKS),
            shares: Shares::new(&options, processors),
            page_cache: PageCache::default(),
            log: options.log.clone().map(LogQueue::start),
            options,
        }
    }

    /// Returns the current setup.
    pub(crate) fn setup(&self) -> Arc<Setup> {
        Arc::clone(&self.setup.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the setup for later requests.
    pub(crate) fn reload(&self, client: Client, mut options: ServiceOptions) {
        let setup = Setup::new(client, &mut options);
        *self.setup.write().unwrap_or_else(PoisonError::into_inner) = setup;
    }
}

/// The context of one request, which its handler receives.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) shared: Arc<Shared>,
    pub(crate) setup: Arc<Setup>,
    pub(crate) caller: Caller,
    /// Memory that the request has reserved.
    pub(crate) memory: Arc<Memory>,
    /// The timer of the task that answers the request.
    pub(crate) deadline_timer: DeadlineTimer,
}

impl Context {
    pub(crate) fn new(
        shared: Arc<Shared>,
        setup: Arc<Setup>,
        caller: Caller,
        deadline_timer: DeadlineTimer,
    ) -> Context {
        let memory = Memory::new(&shared.shares, caller);
        Context { shared, setup, caller, memory, deadline_timer }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.setup.client
    }

    /// Runs CPU-bound work on a blocking thread, so that it does not delay other requests.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let lost = |_| Problem::new(Kind::Internal, "the computation of the answer failed");
        // The semaphores are never closed. The first prevents one caller from filling the queue of the second.
        let own = Arc::clone(&self.memory.usage().heavy).acquire_owned().await;
        let turn = Arc::clone(&self.shared.heavy).acquire_owned().await;
        let work = move || {
            // The work continues even if the request is cancelled, so the closure owns the permits.
            let _turns = (own, turn);
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(lost)
    }

    /// Waits for two permits to fetch a page for an assistant: a permit of the caller, then a permit of the service.
    /// The first prevents one caller from using all permits of the service.
    pub(crate) async fn page_turn(&self) -> (Option<SemaphorePermit<'_>>, Option<SemaphorePermit<'_>>) {
        async fn turn(semaphore: &Semaphore) -> Option<SemaphorePermit<'_>> {
            // The semaphore is never closed.
            semaphore.acquire().await.ok()
        }
        let own = turn(&self.memory.usage().pages).await;
        (own, turn(&self.shared.pages).await)
    }

    /// Returns the sources of robots.txt, limited by the quota of the caller.
    pub(crate) fn sources(&self) -> Sources {
        Sources::live(self.client().clone()).admitting(Arc::new(CallerQuota(self.clone())))
    }

    /// Returns the problem for a source that provides no robots.txt or page.
    pub(crate) fn source_problem(&self, error: SourceError) -> Problem {
        match error {
            SourceError::TooManyOrigins { retry_in } => self.too_many_origins(retry_in),
            SourceError::Client { cause, .. } => Problem::of_cause(&cause),
            SourceError::Unreadable(unreadable) => {
                Problem::of_cause(&Cause::of_decision(unreadable.decision)).about(&unreadable.name)
            }
            SourceError::Request(error) => error.into(),
            error => Problem::new(Kind::BadQuestion, error.to_string()),
        }
    }

    /// Counts an origin against the caller's limit of new origins, unless its robots.txt is cached. Returns the time to
    /// wait as the error if the limit is reached.
    pub(crate) fn check_quota(&self, origin: &Origin) -> Result<(), Duration> {
        self.check_quota_as(self.client(), origin)
    }

    fn check_quota_as(&self, client: &Client, origin: &Origin) -> Result<(), Duration> {
        match client.robots().known_for(origin, client.agent(), SystemTime::now()) {
            Some(_) => Ok(()),
            None => self.shared.quotas.origin(self.caller, origin),
        }
    }

    /// Counts an origin against the caller's limit of new origins, unless its robots.txt is cached. Returns a problem
    /// if the limit is reached.
    pub(crate) fn admit(&self, origin: &Origin) -> Result<(), Problem> {
        self.admit_as(self.client(), origin)
    }

    /// Counts an origin as [`Context::admit`] does, for a request that `client` sends.
    pub(crate) fn admit_as(&self, client: &Client, origin: &Origin) -> Result<(), Problem> {
        self.check_quota_as(client, origin).map_err(|retry_in| self.too_many_origins(retry_in))
    }

    pub(crate) fn too_many_origins(&self, retry_in: Duration) -> Problem {
        let most = self.shared.options.new_origins;
        let detail = format!(
            "at most {most} new origins per minute are requested for a caller; retry in the next minute"
        );
        Problem::new(Kind::TooManyOrigins, detail).after(retry_in)
    }
}

/// The limit of new origins of a caller, as [`Sources`] check it.
#[derive(Debug)]
struct CallerQuota(Context);

impl Admission for CallerQuota {
    fn admit(&self, origin: &Origin) -> Result<(), Duration> {
        self.0.check_quota(origin)
    }
}
