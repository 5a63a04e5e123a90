//! Renders the matrix as one self-contained page: no script, no external resources, no `style` attribute.
//!
//! Text from robots.txt is escaped. The content security policy of the page allows only its own style sheet, so that a
//! script in unescaped text would not run. Access is shown by a word and a sign, so that colour is not needed. Crawlers
//! with equal rules share a row; the entries of the catalogue are in a `details` element, which needs no script. On a
//! narrow screen each row becomes a card; `role` attributes declare the cards as rows of a table for screen readers.

use std::fmt;

use askama::Template;
use comity::agents::Purpose;
use comity::robots::Access;
use comity::shown;
use comity_answers::matrix::{Matrix, Use, Word};

use super::crawler_group::{CrawlerGroup, group_equal};
use super::phrases;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

const STYLE: &str = include_str!("page.css");

/// Maximum number of URLs with their own column; with more URLs, verdicts are counted.
const COLUMNS: usize = 40;

/// Maximum number of URLs that the page lists.
const LISTED: usize = 100;

#[derive(Template)]
#[template(path = "matrix.html")]
struct Page<'m> {
    matrix: &'m Matrix,
    site: String,
    /// `22 November 2026`, in UTC.
    today: String,
    accesses: [(Access, &'static str); 3],
    /// The numbers of crawlers by purpose and access.
    summary: Vec<(&'static str, [(Access, usize); 3])>,
    /// Number of URLs with a column; 0 if there are too few or too many.
    urls: usize,
    sections: Vec<Section<'m>>,
    usage: Vec<(String, &'m [Use])>,
}

/// A table of crawlers.
struct Section<'m> {
    title: &'static str,
    about: String,
    crawlers: Vec<CrawlerGroup<'m>>,
}

/// Prints the page.
pub(super) fn print(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let [allowed, partly, disallowed] = Access::ALL;
    let page = Page {
        matrix,
        site: site(matrix),
        today: now.strftime("%-d %B %Y").to_string(),
        accesses: Access::ALL.map(|access| (access, phrases::meaning(access, !matrix.urls.is_empty()))),
        summary: matrix
            .summary
            .iter()
            .map(|line| {
                let title = line.purpose.map_or(phrases::NOT_IN_CATALOGUE, Purpose::title);
                (title, [(allowed, line.allowed), (partly, line.partly), (disallowed, line.disallowed)])
            })
            .collect(),
        urls: Some(matrix.urls.len()).filter(|urls| (2..=COLUMNS).contains(urls)).unwrap_or(0),
        sections: sections(matrix),
        usage: matrix.usage_by_group(),
    };
    Ok(page.write_into(output)?)
}

/// Returns the site of the file, or the name of the file if the site is unknown.
fn site(matrix: &Matrix) -> String {
    let host = matrix.robots_txt.url.as_deref().and_then(|url| url.parse::<url::Url>().ok());
    let file = || matrix.file.rsplit(['/', '\\']).next().unwrap_or(&matrix.file).to_owned();
    host.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(file)
}

fn sections(matrix: &Matrix) -> Vec<Section<'_>> {
    let section = |title, about: &str, crawlers| Section { title, about: about.to_owned(), crawlers };
    let everyone = group_equal(matrix, matrix.everyone());
    let mut sections = vec![section("Everyone else", "Every crawler that no group names.", everyone)];
    sections.extend(Purpose::ALL.map(|purpose| {
        section(purpose.title(), purpose.summary(), group_equal(matrix, matrix.rows(Some(purpose))))
    }));
    let about = match matrix.names_left_out {
        0 => "The catalogue has no entry for these crawlers.".to_owned(),
        number => {
            let names = render::count(number, "more name");
            format!("The catalogue has no entry for these crawlers; the file has {names}.")
        }
    };
    sections.push(section(phrases::NOT_IN_CATALOGUE, &about, group_equal(matrix, matrix.rows(None))));
    sections.retain(|section| !section.crawlers.is_empty());
    sections
}

/// Returns the sign that shows an access without colour.
fn sign(access: &Access) -> &'static str {
    match access {
        Access::Allowed => "\u{2713}",
        Access::Disallowed => "\u{2715}",
        _ => "\u{25D0}",
    }
}

/// The escaper of the template. Replaces characters that are unsafe to print, then escapes the text for HTML.
#[derive(Clone, Copy)]
pub(crate) struct Escaper;

impl askama::filters::Escaper for Escaper {
    fn write_escaped_str<W: fmt::Write>(&self, page: W, text: &str) -> fmt::Result {
        askama::filters::Html.write_escaped_str(page, &shown::text(text))
    }
}
