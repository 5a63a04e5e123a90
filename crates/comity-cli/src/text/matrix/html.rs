//! The matrix as one page to hand on: no script, nothing loaded, no `style` attribute.
//!
//! What stands in a robots.txt is written by strangers: the template (`templates/matrix.html`) escapes every text, and the page forbids itself
//! everything but its own style sheet, so that a mistake here would still run nothing. Access is said by a word and a
//! sign, the colour only repeats it. Crawlers that fare alike share a row; what is known of each is behind a fold, which
//! needs no script. On a narrow screen each row becomes a card; `role`s keep it a table for those who hear it.

use askama::Template;
use comity::agents::Purpose;
use comity::robots::Access;

use super::alike::{Alike, alike};
use super::words;
use crate::exit::Failure;
use crate::html::{self, Escaped};
use crate::output::Output;
use crate::render;
use comity_answers::matrix::{Decided, Matrix, Probed, Row, Summary, Word};

const STYLE: &str = include_str!("page.css");

/// URLs have a column each up to this many; then verdicts are counted.
const COLUMNS: usize = 40;

#[derive(Template)]
#[template(path = "matrix.html")]
struct Page<'m> {
    matrix: &'m Matrix,
    today: String,
    /// The number of URLs that have a column.
    columns: usize,
    sections: Vec<Section<'m>>,
    /// Who is meant, and what may be done with the content.
    usage: Vec<(String, Vec<String>)>,
}

/// A table of crawlers: those that fare alike share a row. With several URLs it is a grid, a column for each.
struct Section<'m> {
    title: &'static str,
    about: String,
    crawlers: Vec<Alike<'m>>,
}

/// The site that the file is from; the file's own name if that is not known.
fn site(matrix: &Matrix) -> String {
    let host = matrix.robots_txt.url.as_deref().and_then(|url| url.parse::<url::Url>().ok());
    let file = || matrix.file.rsplit(['/', '\\']).next().unwrap_or(&matrix.file).to_owned();
    host.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(file)
}

/// Prints everything.
pub(super) fn print(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let site = site(matrix);
    html::head(format_args!("{}: which crawlers may come", Escaped(&site)), STYLE, output)?;
    let page = Page {
        matrix,
        today: today(),
        columns: grid(matrix),
        sections: sections(matrix),
        usage: usage(matrix),
    };
    Ok(page.write_into(output)?)
}

/// `22 November 2026`, in UTC.
fn today() -> String {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).strftime("%-d %B %Y").to_string()
}

impl<'m> Section<'m> {
    fn new(matrix: &'m Matrix, title: &'static str, about: &str, rows: Vec<&'m Row>) -> Self {
        Section { title, about: about.to_owned(), crawlers: alike(matrix, rows) }
    }
}

fn sections(matrix: &Matrix) -> Vec<Section<'_>> {
    let everyone = Section::new(
        matrix,
        "Everyone else",
        "Every crawler that no group names.",
        matrix.everyone().into_iter().collect(),
    );
    let of_purpose = |purpose: Purpose| {
        Section::new(matrix, purpose.title(), purpose.summary(), matrix.rows(Some(purpose)).collect())
    };
    let about = match matrix.names_left_out {
        0 => "Nothing is known of these but their names.".to_owned(),
        number => {
            let names = render::count(number, "more name");
            format!("Nothing is known of these but their names; the file has {names}.")
        }
    };
    let strangers = Section::new(matrix, words::STRANGERS, &about, matrix.rows(None).collect());
    let all = [everyone].into_iter().chain(Purpose::ALL.map(of_purpose)).chain([strangers]);
    all.filter(|section| !section.crawlers.is_empty()).collect()
}

fn usage(matrix: &Matrix) -> Vec<(String, Vec<String>)> {
    let groups = matrix.usage_by_group();
    let of_file = groups.first().map(|(_, uses)| ("whole file".to_owned(), words::usage_in_full(uses, true)));
    let of_groups = groups.iter().map(|(name, uses)| (name.clone(), words::usage_in_full(uses, false)));
    of_groups.chain(of_file).filter(|(_, says)| !says.is_empty()).collect()
}

/// Returns the sign beside the word for access, so that nothing is said by colour alone.
fn sign(access: Access) -> char {
    match access {
        Access::Allowed => '\u{2713}',
        Access::Disallowed => '\u{2715}',
        _ => '\u{25D0}',
    }
}

/// Returns the numbers of a line of the summary.
fn cells(line: &Summary) -> impl Iterator<Item = (Access, usize)> {
    Access::ALL.into_iter().zip([line.allowed, line.partly, line.disallowed])
}

fn access(decided: &Decided) -> Access {
    if decided.is_allowed() { Access::Allowed } else { Access::Disallowed }
}

fn rule(decided: &Decided) -> String {
    decided.decision.record.rule.as_ref().map_or_else(String::new, words::shown)
}

/// Returns the class and the sign of the answer that this client got.
fn answer(page: &Probed) -> (&'static str, &'static str) {
    match page.word() {
        Word::Answered => ("allowed", "\u{2713}"),
        Word::Refused => ("partly", "\u{26A0}\u{FE0E}"),
        Word::NotAsked => ("none", "\u{2013}"),
        Word::Failed => ("disallowed", "\u{2715}"),
    }
}

/// Returns how many URLs have a column; 0 if there is one or none, or there are too many.
fn grid(matrix: &Matrix) -> usize {
    Some(matrix.urls.len()).filter(|urls| (2..=COLUMNS).contains(urls)).unwrap_or(0)
}
