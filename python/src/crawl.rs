//! Fetches of many URLs, for `fetch_many` of `comity.Client` and `comity.AsyncClient`.
//!
//! A Python iterator provides the URLs. Only the thread that reads results calls the iterator. So any iterator works, even a
//! database cursor that must not be used in other threads. A crawl with free capacity returns `Next::Room` instead of a
//! result. The caller then adds URLs and requests the next result.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use comity_client::Client;
use comity_client::crawl::{Crawl, CrawlOptions, Fetched, Watch};
use futures_util::future::{Either, select};
use futures_util::{Stream, StreamExt};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use tokio::sync::{Notify, watch};

use crate::client::{Page, ProcessBound, fetch_error};
use crate::waiting::Runner;
use crate::{data, errors};

/// Queue of URLs from Python.
#[derive(Clone, Default)]
struct UrlQueue(Arc<SharedQueue>);

#[derive(Default)]
struct SharedQueue {
    state: Mutex<QueueState>,
    /// Notification that the crawl has room for more URLs.
    room: Notify,
}

#[derive(Default)]
struct QueueState {
    urls: VecDeque<String>,
    /// True if no more URLs will be added.
    is_over: bool,
    /// True if the crawl has room for more URLs.
    has_room: bool,
    /// Waker of the crawl; `None` unless the crawl waits for URLs.
    crawl: Option<Waker>,
}

impl UrlQueue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, urls: Vec<String>, is_over: bool) {
        let mut state = self.lock();
        state.has_room &= urls.is_empty();
        state.urls.extend(urls);
        state.is_over |= is_over;
        if let Some(crawl) = state.crawl.take() {
            crawl.wake();
        }
    }

    /// Returns true if the caller should add URLs.
    fn has_room(&self) -> bool {
        let state = self.lock();
        state.has_room && !state.is_over
    }

    /// Waits until the crawl has room for more URLs.
    async fn wait_for_room(&self) {
        while !self.lock().has_room {
            self.0.room.notified().await;
        }
    }
}

impl Stream for UrlQueue {
    type Item = String;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        let mut state = self.lock();
        if let Some(url) = state.urls.pop_front() {
            return Poll::Ready(Some(url));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        state.has_room = true;
        state.crawl = Some(cx.waker().clone());
        self.0.room.notify_one();
        Poll::Pending
    }
}

/// Next result of a crawl.
enum Next {
    Result(Box<Fetched>),
    /// The crawl has room for more URLs.
    Room,
    End,
    Closed,
}

/// A running crawl.
#[pyclass(frozen, module = "comity._comity")]
pub(crate) struct NativeCrawl {
    crawl: Mutex<ProcessBound<Arc<tokio::sync::Mutex<Crawl>>>>,
    /// True once the crawl is closed. A change ends the calls of `next` that still wait for a result.
    is_closed: watch::Sender<bool>,
    queue: UrlQueue,
    watch: Watch,
    runner: Runner,
    is_async: bool,
}

#[pymethods]
impl NativeCrawl {
    /// Returns the next result, or None at the end. With `returns_room`, returns True as soon as there is room for more
    /// URLs. Raises `ComityError` if the crawl is closed before there is a result.
    fn next<'py>(&self, py: Python<'py>, returns_room: bool) -> PyResult<Bound<'py, PyAny>> {
        let crawl = self.lock().get()?.clone();
        let queue = self.queue.clone();
        let mut is_closed = self.is_closed.subscribe();
        let future = async move {
            let closed = async {
                // An error means that the crawl object no longer exists.
                let _ = is_closed.wait_for(|is_closed| *is_closed).await;
            };
            let next = async {
                let mut crawl = crawl.lock().await;
                std::future::poll_fn(|cx| match crawl.poll_next_unpin(cx) {
                    Poll::Ready(Some(fetched)) => Poll::Ready(Next::Result(Box::new(fetched))),
                    Poll::Ready(None) => Poll::Ready(Next::End),
                    Poll::Pending if returns_room && queue.has_room() => Poll::Ready(Next::Room),
                    Poll::Pending => Poll::Pending,
                })
                .await
            };
            match select(pin!(closed), pin!(next)).await {
                Either::Left(_) => Next::Closed,
                Either::Right((next, _)) => next,
            }
        };
        self.runner.run(py, self.is_async, future, |py, next| match next {
            Next::Result(fetched) => show(py, *fetched),
            Next::Room => Ok(PyBool::new(py, true).to_owned().into_any().unbind()),
            Next::End => Ok(py.None()),
            Next::Closed => Err(errors::closed()),
        })
    }

    /// Waits until there is room for more URLs.
    fn room<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let queue = self.queue.clone();
        self.runner.run(py, self.is_async, async move { queue.wait_for_room().await }, |py, ()| Ok(py.None()))
    }

    /// Adds URLs. `is_over` is true if no more URLs will follow.
    fn feed(&self, urls: Vec<String>, is_over: bool) {
        self.queue.put(urls, is_over);
    }

    /// Returns the number of URLs in each state.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data::plain(py, &self.watch.progress())
    }

    /// Cancels the running fetches, also while another thread or task waits for a result.
    fn close(&self, py: Python<'_>) {
        self.is_closed.send_replace(true);
        let crawl = self.lock().take();
        py.detach(|| drop(crawl));
    }
}

impl NativeCrawl {
    pub(crate) fn new(client: &Client, options: CrawlOptions, runner: &Runner, is_async: bool) -> Self {
        let queue = UrlQueue::default();
        let crawl = client.fetch_stream(queue.clone(), options);
        let watch = crawl.watch();
        let crawl = ProcessBound::new(Arc::new(tokio::sync::Mutex::new(crawl)), runner.clone());
        NativeCrawl {
            crawl: Mutex::new(crawl),
            is_closed: watch::Sender::new(false),
            queue,
            watch,
            runner: runner.clone(),
            is_async,
        }
    }

    fn lock(&self) -> MutexGuard<'_, ProcessBound<Arc<tokio::sync::Mutex<Crawl>>>> {
        self.crawl.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts a result to `comity.client.Fetched`.
fn show(py: Python<'_>, fetched: Fetched) -> PyResult<Py<PyAny>> {
    let parts = PyDict::new(py);
    parts.set_item("index", fetched.index)?;
    parts.set_item("url", &fetched.record().requested_url)?;
    match fetched.result {
        Ok(page) => parts.set_item("page", Py::new(py, Page::new(page))?)?,
        Err(error) => parts.set_item("error", fetch_error(py, &error).into_value(py))?,
    }
    let class = py.import(intern!(py, "comity.client"))?.getattr(intern!(py, "Fetched"))?;
    Ok(class.call((), Some(&parts))?.unbind())
}
