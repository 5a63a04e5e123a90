//! `comity audit site`: robots.txt, sitemaps and pages of one live site, held against each other.
//!
//! What is found is decided by `comity::site`; the pages that sitemaps list become the rows of an audit, with manifest and
//! report as every audit has them.
//!
//! | file | holds |
//! |---|---|
//! | `visit.rs` | what is asked of the site, in order |
//! | `walk.rs` | its sitemaps |
//! | `pages.rs` | the pages that are fetched |

mod args;
mod pages;
mod visit;
mod walk;

use comity::finding::Severity;
use comity::robots::Agent;
use comity_answers::url::check_cell;
use comity_arrow::Output as Column;
use comity_audit::{
    AuditJob, AuditJobOptions, Manifest, ManifestSite, Moment, PageSignals, RobotsAnswers, SiteRows,
    TdmrepAnswers,
};
use comity_client::settings::Settings;
use comity_formats::TdmrepCapture;
use toml::Value;

pub(crate) use self::args::AuditSiteArgs;
use self::visit::{Visit, Visited};
use super::failures::failed_job;
use super::result::{Destination, arguments, now, program, table_format};
use super::sink::Sink;
use super::store::finished;
use super::text::view;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::settings::Override;
use crate::sites::{self, Network};

/// Audits the site.
pub(super) fn run(args: &AuditSiteArgs, output: &mut Output) -> Result<Exit, Failure> {
    let started = now();
    let mut agents = args.whom.agents()?;
    args.whom.warn(&args.asking.files, output);
    if agents.is_empty() {
        agents.push(Agent::token("*"));
    }
    let destination = Destination {
        output: args.output.as_deref(),
        report: args.report.as_deref(),
        is_json: args.format.is_json(),
        is_quiet: args.quiet,
        is_whole: args.summary,
    };
    destination.check()?;
    let format = args.output.as_deref().map(table_format).transpose()?;
    let (url, origin) = match sites::located(&args.url) {
        Ok(located) => located,
        Err(trouble) => return Ok(trouble.report(output)),
    };
    if url.path() != "/" || url.query().is_some() {
        output.note(&format!("the whole site is looked at: {origin}"));
    }
    let network = Network::of(&args.asking.files, overrides(args), output)?;
    let client = network.client()?;
    network.warn_if_anonymous(output);
    let visit = Visit { args, client: &client, origin: &origin, agents: &agents };
    let visited = network.wait(async {
        tokio::select! {
            visited = visit.run(output) => visited,
            _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
        }
    });
    network.finish();
    let Visited { pages, robots, captures, tdmrep, sitemaps, site } = visited?;

    let mut answers = RobotsAnswers::new();
    answers.add(&finished(captures)?).map_err(failed_job)?;
    let mut tables = answers.into_tables().map_err(failed_job)?;
    let options = AuditJobOptions::new()
        .agents(agents)
        .check_url(check_cell)
        .moments(vec![Moment::Now])
        .preset(client.preset())
        .and_outputs(Column::usage())
        .page_signals(true);
    let mut copies = TdmrepAnswers::new();
    copies.add(tdmrep.into_iter().map(|body| TdmrepCapture::new(origin.as_str(), None, body)).collect());
    let signals = PageSignals::new(&options, copies);
    let mut job = AuditJob::new(options, &tables).map_err(failed_job)?;
    let columns = SiteRows::columns();
    let schema = signals.schema(&SiteRows::schema()).map_err(failed_job)?;
    let decided = job.schema(&schema, &columns).map_err(failed_job)?;
    let mut sink = match format.zip(args.output.as_ref()) {
        Some((format, path)) => Sink::open(path, format, decided)?,
        None => Sink::Nowhere,
    };
    let mut rows = SiteRows::new(&pages);
    while let Some(next) = rows.next_batch() {
        let (batch, statements) = next.map_err(failed_job)?;
        let batch = signals.add(&batch, &columns, &statements).map_err(failed_job)?;
        for decided in job.decide(&batch, &columns).map_err(failed_job)? {
            sink.write(decided)?;
        }
    }
    let written = sink.finish()?;
    let manifest = Manifest {
        program: program(),
        arguments: arguments(),
        started,
        finished: now(),
        inputs: sitemaps,
        robots: vec![robots],
        live: None,
        site: Some(site),
        answers: tables.summary().map_err(failed_job)?.clone(),
        summary: job.summary(),
        output: args.output.as_ref().map(|path| path.to_string_lossy().into_owned()),
        output_digest: written,
    };
    destination.write(&manifest, output)?;
    Ok(exit(args, &manifest, output))
}

/// Returns the settings that were given, and the preset and mode of this audit whatever the files of settings say.
fn overrides(args: &AuditSiteArgs) -> Vec<Override> {
    let named = |path: &str| Settings::all().find(|setting| setting.path() == path);
    let text = |text: &str| Value::String(text.to_owned());
    let mode = named("robots.mode").map(|mode| (mode, text("respect")));
    let preset = args.preset.and_then(|preset| Some((named("robots.preset")?, text(preset.name()))));
    args.asking.overrides().into_iter().chain(mode).chain(preset).collect()
}

/// Status 1 if a condition holds; without conditions, if there is an error or a warning.
fn exit(args: &AuditSiteArgs, manifest: &Manifest, output: &mut Output) -> Exit {
    let site = manifest.site.as_ref();
    if args.fail_if.is_empty() {
        let has = |severity| site.is_some_and(|site: &ManifestSite| site.count(severity) > 0);
        return if has(Severity::Error) || has(Severity::Warning) { Exit::Objection } else { Exit::Success };
    }
    let mut exit = Exit::Success;
    for condition in &args.fail_if {
        let views = manifest.summary.views.iter().filter(|view| condition.holds(&view.shares));
        let whom = views
            .map(view)
            .chain(site.filter(|site| condition.holds_of(site)).map(|site| site.origin.clone()));
        for whom in whom {
            exit = Exit::Objection;
            output.note(&format!("--fail-if {condition} holds for {}", render::text(whom.as_bytes())));
        }
    }
    exit
}
