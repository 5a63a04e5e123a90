//! `comity identity check`: a directory as it is served, judged as a verifier would.

use std::io::Write;

use comity::finding::Severity;
use comity::rfc3339;
use comity_client::identity::{DirectoryFetchError, DirectoryFetcher, FetchedDirectory};
use comity_identity::Discovery;
use serde::Serialize;

use super::args::CheckDirectoryArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::sites::Network;
use crate::sites::trouble::hint_of;

/// Asks for the directory, and says what is wrong with it.
pub(super) fn run(args: &CheckDirectoryArgs, output: &mut Output) -> Result<Exit, Failure> {
    let discovery = super::discovery(&args.url)?;
    let live = Network::new(&args.network, Vec::new(), output)?;
    let fetcher = DirectoryFetcher::new(live.client()?);
    let fetched = {
        let _waiting = output.waiting("asking for the directory");
        live.wait(fetcher.fetch(&discovery, ""))
    };
    live.finish();
    let fetched = fetched.map_err(|error| unfetched(&discovery, &error))?;
    let report = Report::of(&discovery, &fetched);
    if args.format.is_json() {
        output.json_pretty(&report)?;
    } else {
        report.print(output)?;
    }
    let objects = |finding: &Found| finding.severity != Severity::Note;
    Ok(if report.findings.iter().any(objects) { Exit::Objection } else { Exit::Success })
}

fn unfetched(discovery: &Discovery, error: &DirectoryFetchError) -> Failure {
    let failure = Failure::new(format!("{} cannot be had: {error}", discovery.url()));
    let hint = match error {
        DirectoryFetchError::Refused(cause) => hint_of(cause),
        _ => None,
    };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A directory and what is wrong with it, as `--json` prints it.
#[derive(Serialize)]
struct Report<'r> {
    url: &'r str,
    /// The name that verifiers know the signer by.
    identifier: &'r str,
    status: u16,
    keys: Vec<Key>,
    findings: Vec<Found>,
}

/// A key that verifiers read.
#[derive(Serialize)]
struct Key {
    name: String,
    not_before: Option<String>,
    expires: Option<String>,
    /// True if its signatures count now.
    counts: bool,
    /// True if its holder signed the directory.
    proven: bool,
}

/// A finding.
#[derive(Serialize)]
struct Found {
    code: &'static str,
    severity: Severity,
    message: String,
    help: &'static str,
}

impl<'r> Report<'r> {
    fn of(discovery: &'r Discovery, fetched: &FetchedDirectory) -> Self {
        let review = fetched.review();
        let keys = review.keys().iter().map(|key| {
            let validity = key.validity();
            Key {
                name: key.thumbprint().to_string(),
                not_before: validity.not_before().and_then(rfc3339::seconds),
                expires: validity.expires().and_then(rfc3339::seconds),
                counts: validity.holds(fetched.at()),
                proven: review.is_proven(key),
            }
        });
        let findings = review.findings().iter().map(|finding| Found {
            code: finding.flaw().code(),
            severity: finding.flaw().severity(),
            message: finding.message().to_owned(),
            help: finding.flaw().help(),
        });
        Report {
            url: discovery.url().as_str(),
            identifier: discovery.identifier(),
            status: fetched.status().as_u16(),
            keys: keys.collect(),
            findings: findings.collect(),
        }
    }

    /// For people.
    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        let url = render::text(self.url.as_bytes());
        writeln!(output, "{strong}{url}{strong:#}  {faint}status {}{faint:#}", self.status)?;
        for key in &self.keys {
            let style = output.palette.verdict(key.counts);
            let word = if key.counts { "counts" } else { "does not count" };
            let mut times = String::new();
            for (name, time) in [("from", &key.not_before), ("until", &key.expires)] {
                times.extend(time.iter().map(|time| format!(" {name} {time}")));
            }
            let proven = if key.proven { ", its holder signed the directory" } else { "" };
            writeln!(output, "  {}  {style}{word}{style:#}{faint}{times}{proven}{faint:#}", key.name)?;
        }
        for finding in &self.findings {
            let style = output.palette.severity(finding.severity);
            let message = render::text(finding.message.as_bytes());
            writeln!(output, "{style}{}[{}]{style:#}: {message}", finding.severity, finding.code)?;
            let help = render::wrap(&format!("help: {}", finding.help), output.width, 4);
            writeln!(output, "  {faint}{help}{faint:#}")?;
        }
        if self.findings.is_empty() {
            writeln!(output, "verifiers take it as it is")?;
        }
        Ok(())
    }
}
