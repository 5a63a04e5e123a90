//! Compares robots.txt, sitemaps and pages of one live site.
//!
//! `comity::site` finds the contradictions. The pages that sitemaps list become the rows of an audit, with a manifest and
//! a report like those of any audit.
//!
//! | file | content |
//! |---|---|
//! | `subject.rs` | the visited site, and the decisions of its robots.txt |
//! | `visit.rs` | the requests to the site, in order |
//! | `walk.rs` | reads the sitemaps |
//! | `pages.rs` | selects and fetches pages |
//! | `rows.rs` | the pages that sitemaps list, as rows |

mod pages;
mod rows;
mod subject;
mod visit;
mod walk;

use std::time::{SystemTime, UNIX_EPOCH};

use comity::robots::Agent;
use comity_answers::notice::Notice;
use comity_answers::url::{check_cell, web_url};
use comity_arrow::Output;
use comity_formats::TdmrepCapture;

use self::rows::SiteRows;
use self::subject::Visit;
use self::visit::VisitResult;
use crate::answers::RobotsAnswers;
use crate::audit::AuditJob;
use crate::condition::Condition;
use crate::context::JobContext;
use crate::error::AuditError;
use crate::live::client;
use crate::manifest::Manifest;
use crate::options::{AuditJobOptions, Moment};
use crate::request::{JobRequest, SiteRequest};
use crate::run::{AuditOutcome, catalogue_digest, finish, program, refuse_same_file, rfc3339, table_format};
use crate::signals::{PageSignals, TdmrepAnswers};
use crate::sink::Sink;

/// Compares robots.txt, sitemaps and pages of a live site, with the [client of the context](JobContext::client).
///
/// # Errors
///
/// Returns [`AuditError`] if the request contradicts itself, if the site cannot be requested, if a file cannot be written, or if
/// the job was cancelled.
pub fn site(request: &SiteRequest, context: &mut JobContext<'_>) -> Result<AuditOutcome, AuditError> {
    let started = SystemTime::now();
    let mut agents = request.whom.resolve()?;
    for notice in Notice::of_agents(&agents, None) {
        context.notice(&notice);
    }
    if agents.is_empty() {
        agents.push(Agent::unchecked_token("*"));
    }
    refuse_same_file(request.output.as_deref(), request.report.as_deref())?;
    let format = request.output.as_deref().map(table_format).transpose()?;
    let (url, origin) = web_url(request.url.as_bytes())?;
    if url.path() != "/" || url.query().is_some() {
        context.note(&format!("the audit is of the whole site: {origin}"));
    }
    let (client, runtime) = client(context)?;
    let visit = Visit { request, client: &client, origin: &origin, agents: &agents };
    let visited = context.run(&runtime, async |context| visit.run(context).await)?;
    let VisitResult { pages, robots, captures, tdmrep, sitemaps, site } = visited;

    let mut answers = RobotsAnswers::new();
    answers.add(&captures.finish()?)?;
    let mut tables = answers.into_tables()?;
    let options = AuditJobOptions::new()
        .agents(agents)
        .check_url(check_cell)
        .now(SystemTime::now())
        .moments(vec![Moment::Now])
        .preset(client.preset())
        .and_outputs(Output::usage())
        .page_signals(true);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let fetched_at = since_1970.ok().and_then(|time| i64::try_from(time.as_micros()).ok());
    let mut copies = TdmrepAnswers::new();
    copies
        .add(tdmrep.into_iter().map(|body| TdmrepCapture::new(origin.as_str(), fetched_at, body)).collect());
    let signals = PageSignals::new(&options, copies);
    let mut job = AuditJob::new(options, &tables)?;
    let columns = SiteRows::columns();
    let schema = signals.schema(&SiteRows::schema())?;
    let decided = job.schema(&schema, &columns)?;
    let mut sink = match format.zip(request.output.as_ref()) {
        Some((format, path)) => Sink::open(path, format, decided)?,
        None => Sink::Nowhere,
    };
    let mut rows = SiteRows::new(&pages);
    while let Some(next) = rows.next_batch() {
        let (batch, statements) = next?;
        let batch = signals.add(&batch, &columns, &statements)?;
        for decided in job.decide(&batch, &columns)? {
            sink.write(decided)?;
        }
    }
    let output_digest = sink.end(context.cancel)?;
    sink.finish()?;
    let manifest = Manifest {
        program: program(),
        catalogue: Some(catalogue_digest()),
        request: JobRequest::Site(request.clone()).for_manifest(),
        started: rfc3339(started),
        finished: String::new(),
        inputs: sitemaps,
        robots: vec![robots],
        live: None,
        site: Some(site),
        answers: tables.summary()?.clone(),
        summary: job.summary(),
        output: request.output.as_ref().map(|path| path.to_string_lossy().into_owned()),
        output_digest,
    };
    let usual = || ["errors>0", "warnings>0"].into_iter().filter_map(|text| text.parse().ok()).collect();
    let conditions: Vec<Condition> =
        if request.fail_if.is_empty() { usual() } else { request.fail_if.clone() };
    finish(manifest, request.output.as_deref(), request.report.as_deref(), &conditions)
}
