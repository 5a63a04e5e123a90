//! `meta` elements and `data-nosnippet`.
//!
//! A `meta` with directives is named `robots` or after a crawler. No list of all crawlers exists. An element therefore
//! counts in two cases: it is named `robots`, or its content has a known directive and its name has no other meaning in
//! HTML. Without the condition on the name, the keywords `index, all` would count as directives.

use super::PageDirectives;
use super::directive::DirectiveKind;
use super::kinds;
use super::list::{self, ListKind};
use super::statement::{Source, SourceKind, Statement};
use crate::finding::{Place, quoted};
use crate::html::{Facts, Meta, Position};

/// Names that are never crawlers: those of the HTML standard, and other common ones.
const OTHER_NAMES: [&str; 12] = [
    "application-name",
    "author",
    "color-scheme",
    "copyright",
    "description",
    "generator",
    "keywords",
    "rating",
    "referrer",
    "theme-color",
    "title",
    "viewport",
];

/// Reads the directives of a page.
pub(super) fn read(page: &mut PageDirectives, facts: &Facts) {
    let mut number = 0;
    for meta in facts.metas() {
        let Some(name) = name(meta) else {
            report_without_name(page, meta);
            continue;
        };
        number += 1;
        let source = Source::element(SourceKind::Meta, name.clone(), number, meta.at());
        if source.is_in_body() {
            page.findings.detail(&kinds::META_IN_BODY, source.place(), || quoted(meta.content()));
        }
        let agent = Some(name).filter(|name| name != "robots");
        list::read(page, meta.content(), &source, agent, ListKind::Content);
    }
    read_nosnippets(page, facts);
    if facts.is_truncated() || facts.left_out() > 0 {
        let source = Source::element(SourceKind::Meta, String::new(), number + 1, facts.end());
        page.findings.detail(&kinds::PAGE_TOO_LONG, source.place(), || "the rest of the page".to_owned());
    }
}

/// Reports a `meta` that names the crawlers in `property` or `http-equiv`.
fn report_without_name(page: &mut PageDirectives, meta: &Meta) {
    let attributes = [("property", meta.property()), ("http-equiv", meta.http_equiv())];
    let misplaced = attributes.into_iter().find_map(|(attribute, value)| Some((attribute, value?.trim())));
    let Some((attribute, value)) = misplaced.filter(|_| meta.name().is_none()) else { return };
    let is_robots = ["robots", "x-robots-tag", "robots-tag", "googlebot", "bingbot"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(value));
    if is_robots && list::has_known(meta.content()) {
        let source = Source::element(SourceKind::Meta, value.to_ascii_lowercase(), 1, meta.at());
        let place = Place { number: None, ..source.place() };
        page.findings.detail(&kinds::META_WITHOUT_NAME, place, || quoted(format!("{attribute}={value}")));
    }
}

/// Returns the name of a `meta` with directives, in lower case.
fn name(meta: &Meta) -> Option<String> {
    let name = meta.name()?.trim().to_ascii_lowercase();
    let is_robots = name == "robots";
    let is_other = name.is_empty() || name.contains([':', '.']) || OTHER_NAMES.contains(&&*name);
    (is_robots || !is_other && list::has_known(meta.content())).then_some(name)
}

fn read_nosnippets(page: &mut PageDirectives, facts: &Facts) {
    for (index, found) in facts.nosnippets().iter().enumerate() {
        let source = |at: Position| {
            Source::element(SourceKind::DataNoSnippet, found.element().to_owned(), index + 1, at)
        };
        if !found.is_valid() {
            let detail = quoted(found.element());
            page.findings.detail(&kinds::BAD_NOSNIPPET_ELEMENT, source(found.at()).place(), || detail);
        }
        if page.is_full() {
            page.findings.detail(&kinds::TOO_MANY_DIRECTIVES, source(found.at()).place(), || {
                "the rest is omitted".to_owned()
            });
            return;
        }
        let kind = DirectiveKind::DataNoSnippet;
        page.push(Statement::new(kind, None, kind.as_str(), None, source(found.at())));
    }
}
