//! `comity.testing`: a web without sockets, and its clock, for tests of programs that use the client.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use comity::policy::Failure;
use comity_client::guard::{Guard, GuardOptions};
use comity_client::testing::{FakeReplies, FakeReply, FakeResolver, FakeTransport};
use comity_client::transport::{Request, Response, Transport, TransportError};
use comity_client::{BoxFuture, ClientBuilder, Clock, Moment};
use futures_util::future::{Either, select};
use http::StatusCode;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use url::Url;

use crate::client::seconds;
use crate::errors;
use crate::input::Fields;
use crate::waiting::Runner;

/// Real time without activity after which a wait of the clock passes.
const IDLE: Duration = Duration::from_millis(2);

/// Waits longer than this pass only after [`LONG_IDLE`]. Most of them are timeouts, which must not pass while a test
/// holds a response and works in another thread.
const LONG_WAIT: Duration = Duration::from_secs(30);

/// Real time without activity after which a long wait passes.
const LONG_IDLE: Duration = Duration::from_secs(1);

/// The status code or the failure, the header fields and the body of a reply.
type Reply = (Option<u16>, Option<String>, Fields, Vec<u8>);

/// A request that the web received: method, URL, header fields, and time in seconds since 1970.
type LoggedRequest = (String, String, Vec<(String, String)>, f64);

/// The web behind `comity.testing.FakeWeb`: replies by URL, and a log of requests.
#[pyclass(frozen, module = "comity._comity", skip_from_py_object)]
#[derive(Clone, Debug)]
pub(crate) struct NativeWeb {
    transport: LoggingTransport,
    resolver: FakeResolver,
    runner: Runner,
}

#[pymethods]
impl NativeWeb {
    #[new]
    fn new(start: f64) -> PyResult<Self> {
        let time = SystemTime::UNIX_EPOCH.checked_add(seconds("start", start)?);
        let start = time.ok_or_else(|| too_late("start", start))?;
        let runner = Runner::of_process()?;
        let clock = FakeClock::starting_at(start, &runner);
        let transport =
            LoggingTransport { inner: runner.inside(FakeTransport::new), clock, log: Arc::default() };
        Ok(NativeWeb { transport, resolver: FakeResolver::new(), runner })
    }

    /// Sets the replies for a URL. The last one repeats.
    fn on(&self, url: &str, replies: Vec<Reply>) -> PyResult<()> {
        let url = Url::parse(url).map_err(|error| errors::bad_url(url, error))?;
        let replies = replies.into_iter().map(reply_of).collect::<PyResult<Vec<_>>>()?;
        let replies = replies.into_iter().map(FakeReplies::from).reduce(FakeReplies::then);
        let replies =
            replies.ok_or_else(|| errors::setting(format!("{url}: the list of replies is empty")))?;
        self.transport.inner.on(url.as_str(), replies);
        Ok(())
    }

    /// Sets the addresses of a host name. An empty list makes the name nonexistent.
    fn resolve(&self, host: &str, addresses: Vec<String>) -> PyResult<()> {
        for address in &addresses {
            address
                .parse::<std::net::IpAddr>()
                .map_err(|error| errors::setting(format!("`{address}` is not an IP address: {error}")))?;
        }
        self.resolver.on(host, addresses.iter().map(String::as_str));
        Ok(())
    }

    /// Replies to a request of another HTTP stack. Returns the status code or the failure, the header and the body.
    #[allow(clippy::type_complexity, reason = "a tuple for Python")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        url: &str,
        headers: Fields,
    ) -> PyResult<(Option<u16>, Option<&'static str>, Vec<(String, Bound<'py, PyBytes>)>, Bound<'py, PyBytes>)>
    {
        let url = Url::parse(url).map_err(|error| errors::bad_url(url, error))?;
        let mut request = Request::get(url, headers.to_map()?, Duration::MAX);
        request.method =
            method.parse().map_err(|_| errors::setting(format!("`{method}` is not a method")))?;
        let transport = self.transport.clone();
        let sent = py.detach(|| {
            self.runner.handle().block_on(async move {
                let mut response = transport.send(request).await?;
                let mut body = Vec::new();
                while let Some(chunk) = response.body.chunk().await {
                    body.extend_from_slice(&chunk?);
                }
                Ok::<_, TransportError>((response.status, response.headers, body))
            })
        });
        match sent {
            Ok((status, headers, body)) => {
                let fields = headers.iter();
                let fields = fields
                    .map(|(name, value)| (name.as_str().to_owned(), PyBytes::new(py, value.as_bytes())));
                Ok((Some(status.as_u16()), None, fields.collect(), PyBytes::new(py, &body)))
            }
            Err(error) => Ok((None, Some(error.failure().as_str()), Vec::new(), PyBytes::new(py, b""))),
        }
    }

    /// Returns the requests so far.
    fn requests(&self) -> Vec<LoggedRequest> {
        self.transport.log().clone()
    }

    /// Returns the time of the clock, in seconds since 1970.
    fn time(&self) -> f64 {
        since_1970(self.transport.clock.now())
    }

    /// Advances the clock.
    fn advance(&self, by: f64) -> PyResult<()> {
        let duration = seconds("seconds", by)?;
        let clock = &self.transport.clock.state;
        let is_advanced = clock.time.send_if_modified(|now| {
            let next = now.saturating_add(duration);
            let is_possible = clock.can_reach(next);
            if is_possible {
                *now = next;
            }
            is_possible
        });
        if is_advanced { Ok(()) } else { Err(too_late("seconds", by)) }
    }
}

impl NativeWeb {
    /// Connects a client to the web and its clock. `guard` has the guard options from the client's settings.
    pub(crate) fn connect(&self, builder: ClientBuilder, guard: &GuardOptions) -> ClientBuilder {
        builder
            .guard(Guard::with_options(guard).with_resolver(self.resolver.clone()))
            .transport(self.transport.clone())
            .clock(self.transport.clock.clone())
    }
}

fn reply_of((status, failure, headers, body): Reply) -> PyResult<FakeReply> {
    let reply = match (status, failure) {
        (_, Some(failure)) => {
            return Ok(FakeReply::failure(failure.parse::<Failure>().map_err(errors::unknown)?));
        }
        (Some(status), None) if StatusCode::from_u16(status).is_ok() => FakeReply::status(status),
        (status, None) => {
            let status = status.map_or_else(|| "None".to_owned(), |status| status.to_string());
            return Err(errors::setting(format!("status: `{status}` is not an HTTP status code")));
        }
    };
    Ok(reply.headers(headers.to_map()?).body(body))
}

/// Returns the error for a number of seconds that no time of the system can represent.
fn too_late(name: &str, seconds: f64) -> PyErr {
    errors::setting(format!("{name}: `{seconds}` is later than the last time of the system's clock"))
}

fn since_1970(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// A transport that logs the requests with the time of the clock.
#[derive(Clone, Debug)]
struct LoggingTransport {
    inner: FakeTransport,
    clock: FakeClock,
    log: Arc<Mutex<Vec<LoggedRequest>>>,
}

impl LoggingTransport {
    fn log(&self) -> MutexGuard<'_, Vec<LoggedRequest>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for LoggingTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        let headers = request.headers.iter();
        let headers = headers.map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let (method, url) = (request.method.to_string(), request.url.to_string());
        self.log().push((method, url, headers.collect(), since_1970(self.clock.now())));
        self.inner.send(request)
    }
}

/// A clock whose waits pass as soon as the client has nothing else to do.
#[derive(Clone, Debug)]
struct FakeClock {
    state: Arc<ClockState>,
    _driver: Arc<Driver>,
}

#[derive(Debug)]
struct ClockState {
    start: SystemTime,
    /// The time since the start.
    time: watch::Sender<Duration>,
    sleepers: Mutex<Sleepers>,
    /// Notifies the driver of a new wait.
    added: Notify,
    /// Number of calls of the clock.
    calls: AtomicU64,
}

/// The waits of a clock.
#[derive(Debug, Default)]
struct Sleepers {
    /// The end of each wait, with a number that makes it unique.
    deadlines: BTreeSet<(Duration, u64)>,
    next: u64,
}

/// The task that advances a clock. It ends with the last clone of the clock.
#[derive(Debug)]
struct Driver(AbortHandle);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl FakeClock {
    fn starting_at(start: SystemTime, runner: &Runner) -> Self {
        let state = Arc::new(ClockState {
            start,
            time: watch::Sender::new(Duration::ZERO),
            sleepers: Mutex::default(),
            added: Notify::new(),
            calls: AtomicU64::new(0),
        });
        let driver = runner.handle().spawn(Arc::clone(&state).drive());
        FakeClock { state, _driver: Arc::new(Driver(driver.abort_handle())) }
    }
}

impl ClockState {
    fn elapsed(&self) -> Duration {
        self.calls.fetch_add(1, Ordering::Relaxed);
        *self.time.borrow()
    }

    fn sleepers(&self) -> MutexGuard<'_, Sleepers> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances the time to the end of the next wait whenever the clock was not called for a while.
    async fn drive(self: Arc<Self>) {
        loop {
            let Some(next) = self.next_deadline() else {
                self.added.notified().await;
                continue;
            };
            let left = next.saturating_sub(*self.time.borrow());
            let calls = self.calls.load(Ordering::Relaxed);
            let idle = tokio::time::sleep(if left > LONG_WAIT { LONG_IDLE } else { IDLE });
            let is_idle = matches!(select(pin!(idle), pin!(self.added.notified())).await, Either::Left(_));
            if is_idle && calls == self.calls.load(Ordering::Relaxed) && self.next_deadline() == Some(next) {
                self.time.send_modify(|now| *now = next.max(*now));
            }
        }
    }

    /// Returns true if the system can represent the time after this duration.
    fn can_reach(&self, elapsed: Duration) -> bool {
        self.start.checked_add(elapsed).is_some()
    }

    /// Returns the end of the wait that ends next. Omits endless waits and waits that have ended.
    fn next_deadline(&self) -> Option<Duration> {
        let now = *self.time.borrow();
        let sleepers = self.sleepers();
        let next = sleepers.deadlines.range((now, u64::MAX)..).next().map(|(deadline, _)| *deadline);
        next.filter(|deadline| self.can_reach(*deadline))
    }
}

impl Clock for FakeClock {
    fn now(&self) -> SystemTime {
        self.state.start + self.state.elapsed()
    }

    fn moment(&self) -> Moment {
        let start = self.state.start.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Moment::after(start) + self.state.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        let deadline = self.state.elapsed().saturating_add(duration);
        let sleeper = Sleeper::new(&self.state, deadline);
        let mut time = self.state.time.subscribe();
        Box::pin(async move {
            // The sender exists as long as the sleeper.
            let _ = time.wait_for(|now| *now >= deadline).await;
            drop(sleeper);
        })
    }
}

/// A wait in the list of a clock. Dropping it ends the wait.
struct Sleeper<'a> {
    clock: &'a ClockState,
    entry: (Duration, u64),
}

impl<'a> Sleeper<'a> {
    fn new(clock: &'a ClockState, deadline: Duration) -> Self {
        let mut sleepers = clock.sleepers();
        let entry = (deadline, sleepers.next);
        sleepers.next += 1;
        sleepers.deadlines.insert(entry);
        drop(sleepers);
        clock.added.notify_one();
        Sleeper { clock, entry }
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.clock.calls.fetch_add(1, Ordering::Relaxed);
        self.clock.sleepers().deadlines.remove(&self.entry);
    }
}
