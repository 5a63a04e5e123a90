//! The context of a job: reporting, cancellation, and network access.

use std::fmt;
use std::fs::File;

use comity_answers::notice::Notice;
use comity_client::Client;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::error::AuditError;

/// A report of a running job.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A problem that does not end the job, and the field of the request that prevents it, if there is one.
    Warning(&'a str, Option<&'static str>),
    /// A remark about the names of crawlers.
    Notice(&'a Notice),
    /// A fact about the job.
    Note(&'a str),
    /// The progress of the current stage.
    Progress(Progress),
}

/// The progress of a stage of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// The number of finished bytes ([`Stage::is_in_bytes`]), or of other finished items.
    pub done: u64,
    /// Their total, if it is known.
    pub total: Option<u64>,
    /// The number of finished rows, in a stage that counts bytes.
    pub rows: u64,
}

comity::words! {
    /// A stage of a job. Its name is that of the counted items.
    #[non_exhaustive]
    pub enum Stage as "stage" {
        /// The sources of robots.txt answers are being read.
        Answers = "robots.txt answers",
        /// The pages are being read to find their sites.
        Sites = "pages read to find their sites",
        /// robots.txt is being requested from sites.
        Asking = "sites requested",
        /// The pages are being read, and decided if all answers fit into memory.
        Pages = "pages",
        /// The pages are being decided.
        Deciding = "pages decided",
        /// The digests of inputs and sources are being computed.
        Digests = "digests",
        /// robots.txt and tdmrep.json are being requested from a site.
        Site = "robots.txt",
        /// The sitemaps of a site are being read.
        Sitemaps = "entries of sitemaps",
        /// The pages of a site are being fetched.
        Fetching = "pages fetched",
    }
}

impl Stage {
    /// Returns true if the stage counts bytes of files.
    pub const fn is_in_bytes(self) -> bool {
        matches!(self, Stage::Answers | Stage::Sites | Stage::Pages | Stage::Digests)
    }
}

/// The context of a job, in addition to its request.
///
/// ```
/// use comity_audit::{CancellationToken, Event, JobContext};
///
/// let cancel = CancellationToken::new();
/// let mut context = JobContext::new(&cancel, |event| {
///     if let Event::Warning(warning, _) = event {
///         eprintln!("{warning}");
///     }
/// });
/// # let _ = context;
/// ```
pub struct JobContext<'a> {
    pub(crate) cancel: &'a CancellationToken,
    report: Box<dyn FnMut(Event<'_>) + 'a>,
    /// The content of standard input.
    pub(crate) stdin: Option<File>,
    pub(crate) client: Option<(Client, Handle)>,
}

impl<'a> JobContext<'a> {
    /// Creates the context of a job that ends when `cancel` is cancelled. The job reports to a function.
    pub fn new(cancel: &'a CancellationToken, report: impl FnMut(Event<'_>) + 'a) -> JobContext<'a> {
        JobContext { cancel, report: Box::new(report), stdin: None, client: None }
    }

    /// Sets the file to read for the path `-`.
    #[must_use]
    pub fn standard_input(self, file: File) -> JobContext<'a> {
        JobContext { stdin: Some(file), ..self }
    }

    /// Sets the client for requests to sites, and the runtime in which it was created.
    #[must_use]
    pub fn client(self, client: Client, runtime: Handle) -> JobContext<'a> {
        JobContext { client: Some((client, runtime)), ..self }
    }

    /// Runs a future to completion, or until the job is cancelled.
    pub(crate) fn run<T>(
        &mut self,
        runtime: &Handle,
        task: impl AsyncFnOnce(&mut JobContext<'a>) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let cancel = self.cancel;
        let done = runtime.block_on(cancel.run_until_cancelled(task(self)));
        done.unwrap_or(Err(AuditError::Cancelled))
    }

    pub(crate) fn warning(&mut self, message: &str) {
        (self.report)(Event::Warning(message, None));
    }

    /// Reports a problem that a field of the request can prevent.
    pub(crate) fn warning_about(&mut self, message: &str, field: &'static str) {
        (self.report)(Event::Warning(message, Some(field)));
    }

    pub(crate) fn notice(&mut self, notice: &Notice) {
        (self.report)(Event::Notice(notice));
    }

    pub(crate) fn note(&mut self, message: &str) {
        (self.report)(Event::Note(message));
    }

    pub(crate) fn progress(&mut self, stage: Stage, done: u64, total: Option<u64>) {
        (self.report)(Event::Progress(Progress { stage, done, total, rows: 0 }));
    }
}

impl fmt::Debug for JobContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

/// Returns an error if the job was cancelled.
pub(crate) fn check(cancel: &CancellationToken) -> Result<(), AuditError> {
    if cancel.is_cancelled() { Err(AuditError::Cancelled) } else { Ok(()) }
}

/// Progress in bytes over several files.
pub(crate) struct BytesProgress {
    stage: Stage,
    total: u64,
    /// Total size of the finished files.
    before: u64,
    rows_before: u64,
    rows: u64,
}

impl BytesProgress {
    pub(crate) fn new(stage: Stage, total: u64) -> BytesProgress {
        BytesProgress { stage, total, before: 0, rows_before: 0, rows: 0 }
    }

    /// Reports the number of bytes and rows read from the current file. Returns an error if the job was cancelled.
    pub(crate) fn at(
        &mut self,
        context: &mut JobContext<'_>,
        bytes: &std::sync::atomic::AtomicU64,
        rows: u64,
    ) -> Result<(), AuditError> {
        self.rows = self.rows_before + rows;
        self.report(context, self.before + bytes.load(std::sync::atomic::Ordering::Relaxed));
        check(context.cancel)
    }

    /// Reports that the current file, with this number of bytes, is finished.
    pub(crate) fn done(&mut self, context: &mut JobContext<'_>, bytes: u64) -> Result<(), AuditError> {
        self.before += bytes;
        self.rows_before = self.rows;
        self.report(context, self.before);
        check(context.cancel)
    }

    fn report(&self, context: &mut JobContext<'_>, done: u64) {
        let BytesProgress { stage, total, rows, .. } = *self;
        (context.report)(Event::Progress(Progress { stage, done, total: Some(total), rows }));
    }
}
