//! Renders a directory of keys, with its findings.

use std::io::Write;

use comity::finding::Severity;
use comity::rfc3339;
use comity_answers::schema::RowSchema;
use comity_client::identity::FetchedDirectory;
use comity_identity::Discovery;
use serde::Serialize;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// The schema of a directory.
pub(crate) const SCHEMA: RowSchema =
    RowSchema::new::<Directory<'static>>("key-directory", "the output of `comity identity check`");

/// A directory of keys, and its findings.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Directory<'r> {
    /// The URL of the directory.
    url: &'r str,
    /// The name of the signer in signatures.
    identifier: &'r str,
    /// The status code.
    status: u16,
    /// The keys.
    keys: Vec<Key>,
    /// The findings about the directory and its keys.
    pub(crate) findings: Vec<Found>,
}

/// A key of the directory.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "DirectoryKey")]
struct Key {
    /// The thumbprint of the key (RFC 7638).
    name: String,
    /// The start of its validity.
    not_before: Option<String>,
    /// The end of its validity.
    expires: Option<String>,
    /// True if the key is valid now.
    counts: bool,
    /// True if the holder of the key signed the directory.
    proven: bool,
}

/// A finding about a directory.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "DirectoryFinding")]
pub(crate) struct Found {
    /// The code of the kind of finding.
    code: &'static str,
    /// The severity.
    pub(crate) severity: Severity,
    /// The description of the problem.
    message: String,
    /// The advice on how to resolve it.
    help: &'static str,
}

impl<'r> Directory<'r> {
    pub(crate) fn of(discovery: &'r Discovery, fetched: &FetchedDirectory) -> Self {
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
        Directory {
            url: discovery.url().as_str(),
            identifier: discovery.identifier(),
            status: fetched.status().as_u16(),
            keys: keys.collect(),
            findings: findings.collect(),
        }
    }
}

impl Render for Directory<'_> {
    type View<'v> = ();

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        let url = render::text(self.url.as_bytes());
        writeln!(output, "{strong}{url}{strong:#}  {faint}status {}{faint:#}", self.status)?;
        for key in &self.keys {
            let style = output.palette.verdict(key.counts);
            let word = if key.counts { "valid" } else { "not valid" };
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
            writeln!(output, "verifiers accept the directory")?;
        }
        Ok(())
    }
}
