//! The text of statements in headers and pages, as written, up to a maximum length.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field};
use comity::html::Facts;
use comity::page::{PageDirectives, SourceKind};
use comity_formats::PageStatements;

use crate::cut::cut;

/// A column, and the function that returns its text.
type TextColumn = (&'static str, fn(&PageStatements) -> Option<String>);

/// The columns. If a field occurs several times, each value is on a separate line.
const TEXT_COLUMNS: [TextColumn; 8] = [
    ("page_x_robots_tag", |page| field(page, "X-Robots-Tag")),
    ("page_robots_tag", |page| field(page, "Robots-Tag")),
    ("page_meta_robots", meta_robots),
    ("page_content_usage", |page| field(page, "Content-Usage")),
    ("page_content_signal", |page| field(page, "Content-Signal")),
    ("page_tdm_reservation", |page| field(page, "TDM-Reservation")),
    ("page_meta_tdm_reservation", |page| meta(page.facts()?, "tdm-reservation")),
    ("page_license_links", license_links),
];

/// Maximum length of a text in a column, in bytes.
const MOST: usize = 2_000;

/// Returns the fields of the columns.
pub(crate) fn text_fields(prefix: &str) -> impl Iterator<Item = Field> {
    TEXT_COLUMNS.iter().map(move |(name, _)| Field::new(format!("{prefix}{name}"), DataType::Utf8, true))
}

/// Returns the columns of a batch. Without statements they are null.
pub(crate) fn text_columns(statements: &[PageStatements], rows: usize) -> Vec<ArrayRef> {
    let column = |(_, text): &TextColumn| -> ArrayRef {
        if statements.len() != rows {
            return Arc::new(StringArray::new_null(rows));
        }
        let mut column = StringBuilder::new();
        for page in statements {
            column.append_option(text(page).as_deref().map(|text| cut(text, MOST)));
        }
        Arc::new(column.finish())
    };
    TEXT_COLUMNS.iter().map(column).collect()
}

/// Joins texts, one per line. Returns `None` if there are no texts.
fn lines(texts: impl Iterator<Item = String>) -> Option<String> {
    let mut whole = String::new();
    for text in texts {
        if !whole.is_empty() {
            whole.push('\n');
        }
        whole.push_str(&text);
        if whole.len() > MOST {
            break;
        }
    }
    (!whole.is_empty()).then_some(whole)
}

fn field(page: &PageStatements, name: &str) -> Option<String> {
    lines(page.headers().get_all(name).map(|value| String::from_utf8_lossy(value).into_owned()))
}

fn meta(facts: &Facts, name: &str) -> Option<String> {
    let is_it = |known: Option<&str>| known.is_some_and(|known| known.eq_ignore_ascii_case(name));
    lines(facts.metas().iter().filter(|meta| is_it(meta.name())).map(|meta| meta.content().to_owned()))
}

/// Returns `robots: noindex, noai` for each name in a `meta` element.
fn meta_robots(page: &PageStatements) -> Option<String> {
    let directives = PageDirectives::default().and_page(page.facts()?);
    let mut texts: Vec<(&str, String)> = Vec::new();
    for statement in directives.statements() {
        if statement.source().kind() != SourceKind::Meta {
            continue;
        }
        let name = statement.source().name();
        match texts.last_mut() {
            Some((last, text)) if *last == name => {
                text.push_str(", ");
                text.push_str(statement.text());
            }
            _ => texts.push((name, statement.text().to_owned())),
        }
    }
    lines(texts.into_iter().map(|(name, text)| format!("{name}: {text}")))
}

/// Returns the `Link` fields with the word `license`, and the targets of `link` elements for licenses.
fn license_links(page: &PageStatements) -> Option<String> {
    let names_license = |value: &str| {
        value.to_ascii_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "license")
    };
    let headers = page.headers();
    let of_header = headers.get_all("Link").map(|value| String::from_utf8_lossy(value).into_owned());
    let of_header: Vec<String> = of_header.filter(|value| names_license(value)).collect();
    let elements = page.facts().map(Facts::links).unwrap_or_default().iter();
    let of_page = elements.filter(|link| link.is("license")).map(|link| link.href().to_owned());
    lines(of_header.into_iter().chain(of_page))
}
