//! Checks every kind of finding: its examples, its code, its documentation.

use std::collections::HashSet;

use crate::docs::{kinds_table, link_to};
use comity::finding::{Channel, Decisions, Example, Finding, Kind, Reader, Severity};
use comity::html::Facts;
use comity::http::Headers;
use comity::llms::{self, LlmsTxt};
use comity::page::PageDirectives;
use comity::robots::lint::lint;
use comity::robots::{Agent, RobotsTxt};
use comity::sitemap::{self, Item, ReaderOptions, Scope};
use comity::usage::{LicenseDocument, Tdmrep, Usage};
use testkit::printed::{assert_pages, assert_printed, table};

const LINTS: &str = "docs/reference/lints/";
const PRINTED: &str =
    "<!-- Printed from the code: UPDATE_DOCS=1 cargo test -p comity --all-features --test it -->";

/// Returns the findings of a kind's reader in an example, or `None` if the example is only described.
fn findings_in(kind: &Kind, example: Example<'_>) -> Option<Vec<Finding>> {
    let body = example.bytes()?;
    Some(match kind.reader() {
        Reader::RobotsTxt => lint(&body),
        Reader::Page if kind.bad().channel() == Channel::Html => {
            PageDirectives::default().and_page(&Facts::read(&body)).findings()
        }
        Reader::Page => PageDirectives::of_header(&Headers::parse(&body).expect("a header")).findings(),
        Reader::Usage => usage_findings(kind.bad().channel(), &body),
        Reader::Sitemap => {
            let options = ReaderOptions::new().at("https://example.com/shop/sitemap.xml").expect("a URL");
            let options = options.find_duplicates(true).scope(Scope::Report);
            let items = sitemap::Reader::with_options(&body[..], options);
            items
                .filter_map(|item| if let Item::Finding(found) = item { Some(found) } else { None })
                .collect()
        }
        _ if kind.code().starts_with("llms-strict-") => llms::check_strict(&body).into_iter().collect(),
        _ => LlmsTxt::parse(&body).findings().to_vec(),
    })
}

fn usage_findings(channel: Channel, body: &[u8]) -> Vec<Finding> {
    let agent = Agent::unchecked_token("heron");
    let usage = Usage::for_agent(&agent);
    let (robots, facts, document, tdmrep);
    let usage = match channel {
        Channel::RobotsTxt => {
            robots = RobotsTxt::parse(body);
            usage.robots(&robots)
        }
        Channel::HttpHeader => usage.headers(&Headers::parse(body).expect("a header")),
        Channel::Html => {
            facts = Facts::read(body);
            usage.html(&facts)
        }
        Channel::TdmrepJson => {
            tdmrep = Tdmrep::parse(body).expect("rules");
            usage.tdmrep(&tdmrep)
        }
        _ => {
            document = LicenseDocument::parse(body).expect("a document");
            usage.rsl(&document)
        }
    };
    usage.report("https://example.com/").expect("a URL").findings().to_vec()
}

#[test]
fn bad_example_of_each_kind_has_the_finding() {
    let mut wrong = Vec::new();
    for kind in Kind::all() {
        let Some(found) = findings_in(kind, kind.bad()) else { continue };
        let gravest = found.iter().filter(|finding| finding.kind() == kind).map(Finding::severity).max();
        if gravest != Some(kind.severity()) {
            let codes: Vec<_> = found.iter().map(Finding::code).collect();
            wrong.push(format!("{kind}: its bad example has {codes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn good_example_of_each_kind_has_no_warning() {
    let mut wrong = Vec::new();
    for kind in Kind::all() {
        let found = findings_in(kind, kind.good()).unwrap_or_default();
        let is_left = |found: &&Finding| found.severity() > Severity::Note || found.kind() == kind;
        let left: Vec<_> = found.iter().filter(is_left).map(Finding::to_string).collect();
        if !left.is_empty() {
            wrong.push(format!("{kind}: its good example has {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn finding_has_the_usual_form_and_a_valid_place() {
    for kind in Kind::all() {
        let Some(found) = findings_in(kind, kind.bad()) else { continue };
        let length = kind.bad().bytes().expect("an example").len();
        for finding in found {
            for text in [finding.message(), finding.help()] {
                assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'), "{finding:?}");
                let is_capital = text.starts_with(|c: char| c.is_ascii_uppercase());
                let is_word = text.chars().nth(1).is_some_and(|c| c.is_ascii_lowercase());
                assert!(!(is_capital && is_word) || starts_with_a_name(text), "{finding:?}");
            }
            if kind.reader() == Reader::RobotsTxt {
                let span = finding.place().span().expect("lint points at bytes");
                assert!(span.start <= span.end && span.end <= length, "{finding:?}");
            }
        }
    }
}

/// Returns true if a message starts with the name of a company, which is permitted.
fn starts_with_a_name(text: &str) -> bool {
    ["Google", "Yandex"].iter().any(|name| text.starts_with(name))
}

#[test]
fn code_is_unique_over_all_readers() {
    let mut codes = HashSet::new();
    for reader in Reader::ALL {
        assert!(!reader.kinds().is_empty(), "{reader:?}");
        for kind in reader.kinds() {
            let code = kind.code();
            assert!(codes.insert(code), "{code} is the code of two kinds");
            assert!(
                code.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-'),
                "{code}"
            );
            assert_eq!(Kind::of(code), Ok(*kind));
            assert_eq!(kind.reader(), reader, "{code}");
            let prefix = format!("{}-", reader.as_str());
            assert_eq!(code.starts_with(&prefix), reader != Reader::RobotsTxt, "{code}");
            for sentence in [kind.summary(), kind.why()] {
                assert!(sentence.ends_with('.') && !sentence.contains('\n'), "{code}: {sentence}");
            }
            assert!(!kind.help().is_empty() && !kind.help().ends_with('.'), "{code}: {}", kind.help());
        }
    }
}

#[test]
fn unknown_code_is_reported_with_the_most_similar_code() {
    let message = |code: &str| Kind::of(code).expect_err("no such code").to_string();
    assert_eq!(message("missing-colons"), "unknown code `missing-colons`; did you mean `missing-colon`?");
    assert_eq!(message("Missing_Colon"), "unknown code `Missing_Colon`; did you mean `missing-colon`?");
    assert!(message("x").contains("`comity lint --list`"), "{}", message("x"));
    assert!(message(&"y".repeat(10_000)).len() < 300);
}

/// Returns a page of `docs/reference` with a section for each kind of finding.
fn page(title: &str, kinds: &[&Kind]) -> String {
    let sections: String = kinds.iter().map(|kind| format!("\n{}", kind.documentation())).collect();
    format!("# {title}\n\n{PRINTED}\n{sections}")
}

/// Returns the lints of each subject, which is the name of their page.
fn subjects() -> Vec<(String, Vec<&'static Kind>)> {
    let mut subjects: Vec<(String, Vec<&Kind>)> = Vec::new();
    for kind in Reader::RobotsTxt.kinds() {
        let page = kind.page();
        let file = page.strip_prefix(LINTS).expect("a page about lints").split(".md").next();
        let subject = file.unwrap_or_default().to_owned();
        match subjects.last_mut() {
            Some((last, kinds)) if *last == subject => kinds.push(kind),
            _ => subjects.push((subject, vec![kind])),
        }
    }
    subjects
}

/// Returns a table of the lints whose bad example has a fix, by the effect of the fix on decisions.
fn fixes() -> String {
    let fix_of = |kind: &Kind| {
        let found = lint(&kind.bad().bytes()?);
        found.iter().find(|found| found.kind() == kind)?.fix().map(comity::finding::Fix::decisions)
    };
    let row = |decisions: Decisions| {
        let kinds = Reader::RobotsTxt.kinds().iter().filter(|kind| fix_of(kind) == Some(decisions));
        let links: Vec<_> = kinds.map(|kind| link_to(kind, LINTS)).collect();
        [format!("`{decisions}`"), links.join(", ")]
    };
    table(["decisions", "lints"], Decisions::ALL.map(row))
}

#[test]
fn documentation_of_lints_matches_the_code() {
    let subjects = subjects();
    let pages = subjects.iter().map(|(name, kinds)| (name.clone(), page(&format!("Lints: {name}"), kinds)));
    assert_pages("docs/reference/lints", &pages.collect::<Vec<_>>());
    let list = subjects.iter().map(|(name, kinds)| {
        format!("\n## {name}\n\n[Lints: {name}]({name}.md)\n\n{}", kinds_table(kinds, LINTS))
    });
    assert_printed("docs/reference/lints/README.md", &[("fixes", fixes()), ("lints", list.collect())]);
}

#[test]
fn documentation_of_other_findings_matches_the_code() {
    let pages = [
        ("Findings about pages", Reader::Page),
        ("Findings about usage preferences", Reader::Usage),
        ("Findings about sitemaps", Reader::Sitemap),
        ("Findings about llms.txt", Reader::Llms),
        ("Findings about sites", Reader::Site),
    ];
    assert_eq!(pages.len() + 1, Reader::ALL.len(), "a reader has no page");
    let pages = pages.map(|(title, reader)| (reader.to_string(), page(title, reader.kinds())));
    assert_pages("docs/reference/findings", &pages);
}
