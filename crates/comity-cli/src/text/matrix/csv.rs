//! Renders the matrix for a spreadsheet: one line per crawler.

use comity::agents::{Compliance, KnownAgent, Purpose, Status};
use comity::robots::Access;
use comity_answers::matrix::{Matrix, Row};
use schemars::JsonSchema;
use serde::Serialize;

use super::phrases;
use crate::exit::Failure;
use crate::output::Output;
use crate::spreadsheet::Table;

/// A crawler with a cell per fact.
#[derive(Serialize, JsonSchema)]
struct Line<'m> {
    file: &'m str,
    agent: String,
    operator: Option<&'m str>,
    purpose: Option<Purpose>,
    access: Access,
    allowed_urls: Option<usize>,
    disallowed_urls: Option<usize>,
    group: Option<String>,
    group_line: Option<u32>,
    rule: Option<String>,
    exception: Option<String>,
    exceptions: usize,
    crawl_delay_seconds: Option<f64>,
    robots_txt: Option<Compliance>,
    status: Option<Status>,
    usage: String,
}

/// Returns the columns.
pub(super) fn table() -> Table {
    Table::of::<Line<'static>>()
}

/// Prints one line per crawler.
pub(super) fn print(matrix: &Matrix, table: &Table, output: &mut Output) -> Result<(), Failure> {
    matrix.crawlers.iter().try_for_each(|row| table.row(&Line::new(matrix, row), output))
}

impl<'m> Line<'m> {
    fn new(matrix: &'m Matrix, row: &'m Row) -> Line<'m> {
        let allowed = row.decisions.iter().filter(|decided| decided.is_allowed()).count();
        let of_urls = |count: usize| (!row.decisions.is_empty()).then_some(count);
        Line {
            file: &matrix.file,
            agent: row.name(),
            operator: row.known.map(KnownAgent::operator),
            purpose: row.purpose(),
            access: row.access,
            allowed_urls: of_urls(allowed),
            disallowed_urls: of_urls(row.decisions.len() - allowed),
            group: row.group.as_ref().map(|group| crate::render::text(group.as_bytes()).into_owned()),
            group_line: row.group_line,
            rule: row.rule.as_ref().map(phrases::shown),
            exception: row.exception.as_ref().map(phrases::shown),
            exceptions: row.exceptions,
            crawl_delay_seconds: row.crawl_delay_seconds,
            robots_txt: row.known.map(KnownAgent::robots_txt),
            status: row.known.map(KnownAgent::status),
            usage: phrases::usage(row).join("; "),
        }
    }
}
