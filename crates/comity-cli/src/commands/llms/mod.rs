//! `comity llms`: what an llms.txt holds, how good it is, what it suggests.
//!
//! The library reads and grades; here the outcome is printed, as one JSON object or as a view of the same for people.

mod args;
mod context;
#[cfg(feature = "live")]
mod site;
mod text;

#[cfg(feature = "schema")]
use comity_answers::schema::RowSchema;
use std::collections::BTreeMap;
use std::io::Write;

use comity::finding::{Finding, Severity};
use comity::llms::{Candidate, Grade, LlmsTxt, Reader, Strategy, candidates, check_strict};
use serde::Serialize;
use url::Url;

pub(crate) use self::args::LlmsArgs;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::location;
use crate::output::Output;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;

/// Reads one file.
pub(crate) fn run(args: &LlmsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let file = if location::is_url(&args.file) {
        match site::run(args, output)? {
            Ok(file) => file,
            Err(exit) => return Ok(exit),
        }
    } else {
        let source = Source::new(&args.file);
        File { name: source.name(), body: source.read()?, url: None, charset: None }
    };
    let File { name, body, .. } = file;
    let mut reader = Reader::new();
    if let Some(url) = args.url.clone().or(file.url) {
        reader = reader.url(url);
    }
    if let Some(charset) = args.charset.clone().or(file.charset) {
        reader = reader.charset(charset);
    }
    let llms = reader.read(&body);
    if let (Some(folder), Some(url)) = (&args.context, &args.url) {
        return context::run(&name, &llms, url, folder, args.optional, output);
    }
    let report = Report::new(name, &body, &llms, args);
    if args.document.format.is_json() {
        output.json_pretty(&report)?;
    } else {
        text::print(&report, args.all, output)?;
    }
    Ok(report.exit(args))
}

/// The file that is read.
struct File {
    name: String,
    body: Vec<u8>,
    /// The file's URL, if it was fetched.
    url: Option<Url>,
    /// The charset of the answer it came with.
    charset: Option<String>,
}

/// Everything about a file, as `--json` prints it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Report<'a> {
    /// The name of the file.
    file: String,
    /// The number of bytes.
    bytes: usize,
    #[serde(flatten)]
    llms: &'a LlmsTxt,
    /// The grade in a few words.
    grade_name: &'static str,
    /// The number of findings of each kind, including places that are not listed.
    finding_counts: BTreeMap<&'static str, u64>,
    /// The answer of the strict reader, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<Strict>,
    /// The candidates for the pages that were named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resolved: Vec<Resolved<'a>>,
}

#[cfg(feature = "schema")]
pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Report<'static>>("llms", "what `comity llms` prints");

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Strict {
    /// True if the file keeps to the proposal.
    is_accepted: bool,
    /// The first violation.
    violation: Option<Finding>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Resolved<'a> {
    /// The URL of the page.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    page: &'a Url,
    /// The extent to which the llms.txt is followed.
    strategy: Strategy,
    /// The candidates, best first.
    candidates: Vec<Candidate>,
}

impl<'a> Report<'a> {
    fn new(file: String, body: &[u8], llms: &'a LlmsTxt, args: &'a LlmsArgs) -> Self {
        let mut finding_counts = BTreeMap::new();
        for finding in llms.findings() {
            *finding_counts.entry(finding.code()).or_default() += finding.repeats().max(1);
        }
        let resolve = |page: &'a Url| Resolved {
            page,
            strategy: args.strategy,
            candidates: candidates(page, Some(llms), args.strategy),
        };
        Report {
            file,
            bytes: body.len(),
            llms,
            grade_name: llms.grade().as_str(),
            finding_counts,
            strict: args.strict.then(|| {
                let violation = check_strict(body);
                Strict { is_accepted: violation.is_none(), violation }
            }),
            resolved: args.resolve.iter().map(resolve).collect(),
        }
    }

    fn exit(&self, args: &LlmsArgs) -> Exit {
        let has_errors = self.llms.findings().iter().any(|finding| finding.severity() == Severity::Error);
        let fails_check = args.check && (self.llms.grade() < Grade::LinkSections || has_errors);
        let fails_strict = self.strict.as_ref().is_some_and(|strict| !strict.is_accepted);
        if fails_check || fails_strict { Exit::Objection } else { Exit::Success }
    }
}

/// A line of text in a style, if it has one.
fn heading(text: &str, output: &mut Output) -> Result<(), Failure> {
    let strong = output.palette.strong;
    Ok(writeln!(output, "\n{strong}{text}{strong:#}")?)
}
