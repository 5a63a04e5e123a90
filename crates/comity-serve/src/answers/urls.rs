//! Handlers of `/v1/check`, `/v1/explain` and `/v1/usage`: operations that answer for each URL and crawler.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use comity::policy::Mode;
use comity_answers::notice::{Notice, NoticeLog};
use comity_answers::operation::{Prepared, UrlOperation, UrlRow};
use comity_answers::provenance::Provenance;
use comity_answers::sources::{SiteError, Sites};
use comity_answers::url::UrlKind;

use crate::batch::{self, UrlQuestion, line};
use crate::context::Context;
use crate::problem::{Problem, describe};

/// Maximum total size of the documents of a request, in bytes, for parsing on the thread of the connection. Larger ones
/// would delay other requests.
const LIGHT_BYTES: usize = 16 << 10;

/// Maximum number of crawlers for which rows are computed on the thread of the connection.
const LIGHT_AGENTS: usize = 8;

/// A prepared request of an operation about URLs.
pub(crate) struct Urls<O: UrlOperation> {
    context: Context,
    operation: Arc<O>,
    by: RobotsSource<O>,
    /// True if the rows of a URL take microseconds to compute.
    is_light: bool,
    /// Notices about the names of the crawlers.
    notices: Vec<Notice>,
    log: Arc<AnswerLog>,
}

/// Log of the URLs and decisions of an answer, for the notices at its end. The log of a batch stays empty, because no
/// notices follow the rows of a batch.
#[derive(Default)]
struct AnswerLog {
    log: Mutex<NoticeLog>,
    /// True if decisions are added to the log: sites decide outside of a batch, and the mode is not `respect`.
    has_decisions: bool,
}

impl AnswerLog {
    fn lock(&self) -> MutexGuard<'_, NoticeLog> {
        // The log is consistent after a panic: it consists of counters and a set.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, rows: &[impl UrlRow]) {
        if self.has_decisions {
            let mut log = self.lock();
            rows.iter().filter_map(UrlRow::decision).for_each(|decision| log.add_decision(decision));
        }
    }
}

/// The source of robots.txt.
enum RobotsSource<O: UrlOperation> {
    File(Arc<O::File>),
    Sites(Sites),
}

/// Error message for a path, if the request contains no robots.txt.
const NO_SITE: &str = "a path has no site: write a URL with https://, or send `robots`";

impl<O: UrlOperation> UrlQuestion for Urls<O> {
    type Question = O::Request;

    async fn prepare(
        context: &Context,
        request: O::Request,
        is_batch: bool,
    ) -> Result<(Self, Vec<String>), Problem> {
        let prepared = match O::body_bytes(&request) {
            0..=LIGHT_BYTES => O::prepare(request),
            _ => context.run_blocking(move || O::prepare(request)).await?,
        };
        let Prepared { operation, urls, file, mut notices } = prepared?;
        notices.retain(|notice| !notice.is_about(context.client().agent()));
        let has_decisions = file.is_none() && !is_batch && context.client().mode() != Mode::Respect;
        let log = AnswerLog { has_decisions, ..AnswerLog::default() };
        if file.is_some() && !is_batch {
            urls.iter().for_each(|url| log.lock().add_url(url.as_bytes()));
        }
        let is_light = O::IS_LIGHT && operation.agents().len() <= LIGHT_AGENTS;
        let by = match file {
            Some(file) => RobotsSource::File(Arc::new(file)),
            None => {
                let sites = context.sources().sites(operation.agents().into(), O::NEEDS_FILE);
                let sites = sites.map_err(|error| context.source_problem(error))?;
                RobotsSource::Sites(if is_batch { sites.for_stream() } else { sites })
            }
        };
        let (context, operation) = (context.clone(), Arc::new(operation));
        Ok((Urls { context, operation, by, is_light, notices, log: Arc::new(log) }, urls))
    }

    fn rows_each(&self) -> usize {
        self.operation.agents().len()
    }

    fn add_rows(&self, url: &str, rows: &mut Vec<u8>) -> bool {
        if !self.is_light {
            return false;
        }
        match &self.by {
            RobotsSource::File(file) => write(&self.operation.by_file(url.as_bytes(), file), rows),
            RobotsSource::Sites(sites) => {
                if UrlKind::of(url.as_bytes()) != Ok(UrlKind::Web) {
                    return false;
                }
                let Some(site) = sites.known(url) else { return false };
                let decided = self.operation.by_site(url.as_bytes(), &site, SystemTime::now());
                self.log.add(&decided);
                write(&decided, rows);
            }
        }
        true
    }

    async fn rows(&self, url: &str) -> Result<Vec<u8>, Problem> {
        let (text, operation) = (url.to_owned(), Arc::clone(&self.operation));
        match &self.by {
            RobotsSource::File(file) => {
                let file = Arc::clone(file);
                let work = move || written(&operation.by_file(text.as_bytes(), &file));
                self.context.run_blocking(work).await
            }
            RobotsSource::Sites(_) if UrlKind::of(url.as_bytes()) == Ok(UrlKind::Path) => {
                Ok(self.error_rows(url, NO_SITE))
            }
            RobotsSource::Sites(sites) => match sites.site(url.as_bytes()).await {
                Ok(site) if self.is_light => {
                    let rows = operation.by_site(url.as_bytes(), &site, SystemTime::now());
                    self.log.add(&rows);
                    Ok(written(&rows))
                }
                Ok(site) => {
                    let log = Arc::clone(&self.log);
                    let work = move || {
                        let rows = operation.by_site(text.as_bytes(), &site, SystemTime::now());
                        log.add(&rows);
                        written(&rows)
                    };
                    self.context.run_blocking(work).await
                }
                Err(error @ SiteError::TooManyOrigins { .. }) => {
                    Err(self.context.source_problem(error.into()))
                }
                Err(error) => {
                    let robots_txt = error.provenance();
                    let error = match &error {
                        SiteError::Client { cause, .. } => describe(cause),
                        error => error.to_string(),
                    };
                    Ok(written(&operation.error_rows(url.as_bytes(), &robots_txt, &error)))
                }
            },
        }
    }

    fn notices(&self) -> Vec<Notice> {
        let log = std::mem::take(&mut *self.log.lock());
        self.notices.iter().cloned().chain(log.into_notices(Some("robots"))).collect()
    }

    fn error_rows(&self, url: &str, error: &str) -> Vec<u8> {
        written(&self.operation.error_rows(url.as_bytes(), &Provenance::default(), error))
    }
}

/// Returns rows as JSON, one per line.
fn written(rows: &[impl UrlRow]) -> Vec<u8> {
    let mut text = batch::row_buffer(rows.len());
    write(rows, &mut text);
    text
}

/// Appends rows as JSON, one per line.
fn write(rows: &[impl UrlRow], text: &mut Vec<u8>) {
    for row in rows {
        line(text, row);
    }
}
