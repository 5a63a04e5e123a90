//! The matrix for a spreadsheet: RFC 4180, one line per crawler.

use super::words;
use super::words::shown;
use crate::exit::Failure;
use crate::output::Output;
use crate::spreadsheet;
use comity_answers::matrix::{Matrix, Row};

const COLUMNS: [&str; 16] = [
    "file",
    "agent",
    "operator",
    "purpose",
    "access",
    "allowed_urls",
    "disallowed_urls",
    "group",
    "group_line",
    "rule",
    "exception",
    "exceptions",
    "crawl_delay_seconds",
    "robots_txt",
    "status",
    "usage",
];

/// Prints everything.
pub(super) fn print(matrix: &Matrix, with_header: bool, output: &mut Output) -> Result<(), Failure> {
    if with_header {
        spreadsheet::row(COLUMNS, output)?;
    }
    matrix.crawlers.iter().try_for_each(|row| spreadsheet::row(cells(matrix, row), output))
}

fn cells(matrix: &Matrix, row: &Row) -> [String; 16] {
    let number = |line: Option<u32>| line.map(|line| line.to_string()).unwrap_or_default();
    let allowed = row.decisions.iter().filter(|decided| decided.is_allowed()).count();
    let of_urls = |count: usize| if row.decisions.is_empty() { String::new() } else { count.to_string() };
    let rule = row.rule.as_ref().map(shown).unwrap_or_default();
    let exception = row.exception.as_ref().map(shown).unwrap_or_default();
    [
        matrix.file.clone(),
        row.name(),
        row.known.map(|known| known.operator().to_owned()).unwrap_or_default(),
        row.purpose().map(|purpose| purpose.to_string()).unwrap_or_default(),
        row.access.to_string(),
        of_urls(allowed),
        of_urls(row.decisions.len() - allowed),
        crate::render::text(row.group.as_deref().unwrap_or_default().as_bytes()).into_owned(),
        number(row.group_line),
        rule,
        exception,
        row.exceptions.to_string(),
        row.crawl_delay_seconds.map(|delay| delay.to_string()).unwrap_or_default(),
        row.known.map(|known| known.robots_txt().to_string()).unwrap_or_default(),
        row.known.map(|known| known.status().to_string()).unwrap_or_default(),
        words::usage(row).join("; "),
    ]
}
