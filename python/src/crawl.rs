//! Fetches of many URLs, for `fetch_many` of `comity.Client` and `comity.AsyncClient`.
//!
//! URLs come from a Python iterator, which is called only in the thread that takes results. A crawl with free capacity
//! returns a request for URLs instead of a result. The caller then feeds it and asks for the next result. So any iterator
//! works, even a database cursor that belongs to one thread.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use comity_client::Client;
use comity_client::crawl::{Crawl, CrawlOptions, Fetched, Watch};
use futures_util::{Stream, StreamExt};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use tokio::sync::Notify;

use crate::client::{Held, Page, failed};
use crate::data;
use crate::waiting::Runner;

/// Queue of URLs from Python.
#[derive(Clone, Default)]
struct Feed(Arc<Fed>);

#[derive(Default)]
struct Fed {
    state: Mutex<FedState>,
    /// Notified when the crawl has room for more URLs.
    hungry: Notify,
}

#[derive(Default)]
struct FedState {
    urls: VecDeque<String>,
    is_over: bool,
    is_hungry: bool,
    crawl: Option<Waker>,
}

impl Feed {
    fn lock(&self) -> MutexGuard<'_, FedState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, urls: Vec<String>, is_over: bool) {
        let mut state = self.lock();
        state.is_hungry &= urls.is_empty();
        state.urls.extend(urls);
        state.is_over |= is_over;
        if let Some(crawl) = state.crawl.take() {
            crawl.wake();
        }
    }

    fn is_hungry(&self) -> bool {
        let state = self.lock();
        state.is_hungry && !state.is_over
    }

    /// Waits until the crawl has room for more URLs.
    async fn room(&self) {
        while !self.lock().is_hungry {
            self.0.hungry.notified().await;
        }
    }
}

impl Stream for Feed {
    type Item = String;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        let mut state = self.lock();
        if let Some(url) = state.urls.pop_front() {
            return Poll::Ready(Some(url));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        state.is_hungry = true;
        state.crawl = Some(cx.waker().clone());
        self.0.hungry.notify_one();
        Poll::Pending
    }
}

/// Next result of a crawl.
enum Next {
    Result(Box<Fetched>),
    /// The crawl has room for more URLs.
    Room,
    End,
}

/// A running crawl.
#[pyclass(frozen, module = "comity._comity")]
pub(crate) struct NativeCrawl {
    crawl: Mutex<Held<Arc<tokio::sync::Mutex<Crawl>>>>,
    feed: Feed,
    watch: Watch,
    runner: Runner,
    is_async: bool,
}

#[pymethods]
impl NativeCrawl {
    /// Returns the next result, or None at the end. With `tells_room`, returns True as soon as there is room for more URLs.
    fn next<'py>(&self, py: Python<'py>, tells_room: bool) -> PyResult<Bound<'py, PyAny>> {
        let crawl = self.lock().get()?.clone();
        let feed = self.feed.clone();
        let future = async move {
            let mut crawl = crawl.lock().await;
            std::future::poll_fn(|cx| match crawl.poll_next_unpin(cx) {
                Poll::Ready(Some(fetched)) => Poll::Ready(Next::Result(Box::new(fetched))),
                Poll::Ready(None) => Poll::Ready(Next::End),
                Poll::Pending if tells_room && feed.is_hungry() => Poll::Ready(Next::Room),
                Poll::Pending => Poll::Pending,
            })
            .await
        };
        self.runner.run(py, self.is_async, future, |py, next| match next {
            Next::Result(fetched) => show(py, *fetched),
            Next::Room => Ok(PyBool::new(py, true).to_owned().into_any().unbind()),
            Next::End => Ok(py.None()),
        })
    }

    /// Waits until there is room for more URLs.
    fn room<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let feed = self.feed.clone();
        self.runner.run(py, self.is_async, async move { feed.room().await }, |py, ()| Ok(py.None()))
    }

    /// Adds URLs. `is_over` is true for the last ones.
    fn feed(&self, urls: Vec<String>, is_over: bool) {
        self.feed.put(urls, is_over);
    }

    /// Returns the number of URLs in each state.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data::plain(py, &self.watch.progress())
    }

    /// Cancels the running fetches.
    fn close(&self, py: Python<'_>) {
        let crawl = self.lock().take();
        py.detach(|| drop(crawl));
    }
}

impl NativeCrawl {
    pub(crate) fn new(client: &Client, options: CrawlOptions, runner: &Runner, is_async: bool) -> Self {
        let feed = Feed::default();
        let crawl = client.fetch_stream(feed.clone(), options);
        let watch = crawl.watch();
        let held = Held::new(Arc::new(tokio::sync::Mutex::new(crawl)), runner.clone());
        NativeCrawl { crawl: Mutex::new(held), feed, watch, runner: runner.clone(), is_async }
    }

    fn lock(&self) -> MutexGuard<'_, Held<Arc<tokio::sync::Mutex<Crawl>>>> {
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
        Err(error) => parts.set_item("error", failed(py, &error).into_value(py))?,
    }
    let class = py.import(intern!(py, "comity.client"))?.getattr(intern!(py, "Fetched"))?;
    Ok(class.call((), Some(&parts))?.unbind())
}
