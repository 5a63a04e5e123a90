//! Tests of llms.txt: every case in `conformance/llms/`, properties for any bytes, and 147 real files.

use std::fs;

use crate::docs::kinds_table;
use comity::finding::{Finding, LIMIT, Reader as Finder};
use comity::llms::{
    BodyKind, CandidateReason, DEFAULT_MAX_LINKS, Grade, Link, LinkForm, LlmsTxt, MAX_LINE_BYTES,
    MAX_SECTIONS, Passage, Reader, Strategy, candidates, check_strict, first_permitted,
};
use comity::policy::Recommendation;
use proptest::prelude::*;
use serde::Deserialize;
use testkit::conformance::Hex;
use testkit::printed::{assert_printed, table};
use url::Url;

/// Returns the line of a finding.
fn line_of(finding: &Finding) -> u32 {
    finding.place().line.and_then(|line| u32::try_from(line).ok()).expect("a line")
}

/// Returns the number of findings of a kind.
fn count_of(llms: &LlmsTxt, code: &str) -> u64 {
    llms.findings().iter().filter(|finding| finding.code() == code).map(Finding::count).sum()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    case: Vec<Case>,
    #[serde(default)]
    resolve: Vec<Resolve>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[serde(default)]
    #[expect(dead_code, reason = "documents the case")]
    source: Option<String>,
    url: Option<UrlText>,
    charset: Option<String>,
    llms: Option<String>,
    llms_hex: Option<Hex>,
    expect: Expect,
}

/// A URL, parsed from text. The deserializer of the `url` crate needs its feature `serde`, which is not used here.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
struct UrlText(Url);

impl TryFrom<String> for UrlText {
    type Error = url::ParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Url::parse(&text).map(UrlText)
    }
}

/// The expectations of a case. An omitted field is not checked.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    kind: Option<String>,
    grade: Option<u8>,
    title: Option<Maybe>,
    summary: Option<Maybe>,
    details: Option<Maybe>,
    preamble: Option<Maybe>,
    front_matter: Option<Maybe>,
    sections: Option<Vec<String>>,
    links: Option<Vec<ExpectedLink>>,
    findings: Option<Vec<String>>,
    strict: Option<String>,
}

/// A text, or `false` for its absence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Maybe {
    Text(String),
    Absent(bool),
}

impl Maybe {
    fn text(&self) -> Option<&str> {
        match self {
            Maybe::Text(text) => Some(text),
            Maybe::Absent(is_present) => {
                assert!(!is_present, "`false` or a text");
                None
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedLink {
    line: u32,
    place: String,
    form: Option<String>,
    name: String,
    target: String,
    note: Option<String>,
    url: Option<String>,
    external: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resolve {
    id: String,
    why: String,
    url: UrlText,
    llms: String,
    page: UrlText,
    strategy: Option<String>,
    expect: Vec<String>,
}

fn load() -> Vec<File> {
    let files = testkit::conformance::files("llms").unwrap_or_else(|error| panic!("{error}"));
    files.into_iter().map(|(_, file)| file).collect()
}

#[test]
fn every_case_has_the_expected_content_and_findings() {
    let cases: Vec<Case> = load().into_iter().flat_map(|file| file.case).collect();
    assert!(cases.len() >= 49, "only {} cases were found", cases.len());
    let mut ids = std::collections::BTreeSet::new();
    for case in &cases {
        assert!(ids.insert(&case.id) && !case.why.is_empty(), "{} is repeated, or has no reason", case.id);
        check(case);
    }
}

fn check(case: &Case) {
    let id = &case.id;
    let body = match (&case.llms, &case.llms_hex) {
        (Some(text), None) => text.clone().into_bytes(),
        (None, Some(hex)) => hex.0.clone(),
        _ => panic!("{id}: `llms` or `llms_hex`"),
    };
    let mut reader = Reader::new();
    if let Some(url) = &case.url {
        reader = reader.url(url.0.clone());
    }
    if let Some(charset) = &case.charset {
        reader = reader.charset(charset.as_str());
    }
    let llms = reader.read(&body);
    let expect = &case.expect;
    if let Some(kind) = &expect.kind {
        assert_eq!(llms.kind().as_str(), kind, "{id}");
    }
    if let Some(grade) = expect.grade {
        assert_eq!(llms.grade().level(), grade, "{id}: {:?}", llms.findings());
    }
    let passages = [
        (&expect.title, llms.title()),
        (&expect.summary, llms.summary()),
        (&expect.details, llms.details()),
        (&expect.preamble, llms.preamble()),
        (&expect.front_matter, llms.front_matter()),
    ];
    for (expected, passage) in passages {
        if let Some(expected) = expected {
            assert_eq!(passage.map(Passage::text), expected.text(), "{id}");
        }
    }
    if let Some(sections) = &expect.sections {
        let optional = |is_optional| if is_optional { " (optional)" } else { "" };
        let found = llms.sections().iter();
        let found: Vec<_> =
            found.map(|s| format!("{} {}{}", s.level(), s.name(), optional(s.is_optional()))).collect();
        assert_eq!(&found, sections, "{id}");
    }
    if let Some(links) = &expect.links {
        check_links(id, &llms, links);
    }
    if let Some(findings) = &expect.findings {
        let mut found: Vec<_> = llms
            .findings()
            .iter()
            .map(|finding| format!("{} {}", finding.code(), line_of(finding)))
            .collect();
        let mut expected = findings.clone();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{id}");
    }
    if let Some(strict) = &expect.strict {
        let found = match check_strict(&body) {
            None => "accepted".to_owned(),
            Some(broken) => format!("{} {}", broken.code(), line_of(&broken)),
        };
        assert_eq!(&found, strict, "{id}");
    }
}

fn check_links(id: &str, llms: &LlmsTxt, expected: &[ExpectedLink]) {
    let found: Vec<&Link> = llms.links().collect();
    let shown: Vec<_> = found.iter().map(|link| (link.line(), link.name(), link.target())).collect();
    assert_eq!(found.len(), expected.len(), "{id}: {shown:?}");
    for (link, expected) in found.iter().zip(expected) {
        let place = format!("{id}:{}", expected.line);
        assert_eq!(
            (link.line(), link.name(), link.target()),
            (expected.line, &*expected.name, &*expected.target)
        );
        assert_eq!(link.note(), expected.note.as_deref(), "{place}");
        assert_eq!(link.place().as_str(), expected.place, "{place}");
        assert_eq!(link.form().as_str(), expected.form.as_deref().unwrap_or("inline"), "{place}");
        if let Some(url) = &expected.url {
            assert_eq!(link.url().map(Url::as_str), Some(&**url), "{place}");
        }
        if let Some(external) = expected.external {
            assert_eq!(link.is_external(), Some(external), "{place}");
        }
    }
}

#[test]
fn every_page_has_the_expected_candidates() {
    let cases: Vec<Resolve> = load().into_iter().flat_map(|file| file.resolve).collect();
    assert!(cases.len() >= 9, "only {} cases were found", cases.len());
    for case in &cases {
        let llms = Reader::new().url(case.url.0.clone()).read(&case.llms);
        let strategy: Strategy = case.strategy.as_deref().unwrap_or("prefer").parse().expect("a strategy");
        let found: Vec<_> = candidates(&case.page.0, Some(&llms), strategy)
            .iter()
            .map(|c| format!("{} {}{}", c.reason(), c.url(), if c.is_external() { " external" } else { "" }))
            .collect();
        assert_eq!(found, case.expect, "{}: {}", case.id, case.why);
    }
}

#[test]
fn file_with_a_thousand_spellings_of_a_page_adds_two_candidates() {
    let spellings =
        |number: usize| format!("- [a](/p{})\n- [b](//u{number}@a.example/p/)\n", "/".repeat(number));
    let body = format!("# T\n> S\n\n## D\n{}", (0..1000).map(spellings).collect::<String>());
    let home = Url::parse("https://a.example/llms.txt").expect("a URL");
    let llms = Reader::new().url(home.clone()).read(&body);
    let page = home.join("/p/").expect("a URL");
    let found = candidates(&page, Some(&llms), Strategy::Prefer);
    let paths: Vec<_> = found.iter().map(|candidate| candidate.url().path()).collect();
    assert_eq!(paths, ["/p/", "/p", "/p//", "/p/index.html.md", "/p/index.md"]);
}

#[test]
fn first_permitted_candidate_is_chosen() {
    let page = Url::parse("https://example.com/a.html").expect("a URL");
    let found = candidates(&page, None, Strategy::Prefer);
    let answers =
        [Recommendation::NotRecommended, Recommendation::AllowedButWarn, Recommendation::Recommended];
    let mut asked = 0;
    let chosen = first_permitted(&found, |_| {
        asked += 1;
        answers[asked - 1]
    });
    assert_eq!(chosen.map(|(candidate, _)| candidate), Some(&found[1]));
    assert_eq!((chosen.map(|(_, answer)| answer), asked), (Some(Recommendation::AllowedButWarn), 2));
    assert!(first_permitted(&found, |_| Recommendation::UnknownDoNotFetchByDefault).is_none());
}

#[test]
fn page_that_cannot_be_fetched_has_no_candidates() {
    let page = Url::parse("mailto:a@example.com").expect("a URL");
    assert!(candidates(&page, None, Strategy::Prefer).is_empty());
}

#[test]
fn file_with_a_million_links_is_cut() {
    let body = format!("# T\n> S\n\n## D\n{}", "- [a](b)\n".repeat(1_000_000));
    let llms = LlmsTxt::parse(&body);
    assert!(llms.is_truncated());
    assert_eq!(llms.links().count(), DEFAULT_MAX_LINKS);
    for kind in ["llms-too-long", "llms-too-many-links", "llms-duplicate-link"] {
        assert!(count_of(&llms, kind) > 0, "{kind}");
    }
    assert_eq!(count_of(&llms, "llms-duplicate-link"), DEFAULT_MAX_LINKS as u64 - 1);
    let listed = llms.findings().iter().filter(|finding| finding.code() == "llms-duplicate-link").count();
    assert_eq!(listed, LIMIT + 1);
}

#[test]
fn file_with_long_lines_or_many_headings_is_cut() {
    let llms = LlmsTxt::parse(format!("# T\n> S\n\n{}[x](/x)\n\n## D\n- [a](/a)\n", "word ".repeat(20_000)));
    assert_eq!(count_of(&llms, "llms-long-line"), 1);
    assert_eq!(llms.links().map(Link::target).collect::<Vec<_>>(), ["/a"]);
    assert!(llms.details().expect("details").text().len() <= MAX_LINE_BYTES);
    let llms = LlmsTxt::parse(format!("# T\n{}- [a](/a)\n", "## a\n".repeat(MAX_SECTIONS + 5)));
    assert_eq!((llms.sections().len(), count_of(&llms, "llms-too-many-sections")), (MAX_SECTIONS, 5));
    assert_eq!(llms.sections()[MAX_SECTIONS - 1].links().len(), 1);
}

#[test]
fn hostile_file_is_read_in_linear_time() {
    let pieces = [
        "\n", "\r", "#", "# a\n", "[", "](", "`", "<", "> a\n", "- ", "---\n", "&gt;", "<!--", "|", "~~~\n",
        "-[", "a: b\n",
    ];
    for piece in pieces {
        let body = piece.repeat(200_000 / piece.len());
        let llms = LlmsTxt::parse(&body);
        assert!(llms.lines() as usize <= body.len(), "{piece}");
        let _ = check_strict(&body);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_with_lines_in_the_file(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let llms = LlmsTxt::parse(&body);
        let last = llms.lines().max(1);
        for finding in llms.findings() {
            prop_assert!((1..=last).contains(&line_of(finding)), "{}", finding);
        }
        for link in llms.links() {
            prop_assert!((1..=last).contains(&link.line()));
        }
        let _ = check_strict(&body);
    }

    #[test]
    fn strict_file_has_a_title_and_sections_with_links(lines in proptest::collection::vec(
        "(# T|> S|text|## D|## E|- \\[a\\]\\(/a\\)(: n)?|\\* \\[b\\]\\(/b\\)|### x||- c)", 0..10)
    ) {
        let body = lines.join("\n");
        if check_strict(&body).is_none() {
            let llms = LlmsTxt::parse(&body);
            prop_assert!(llms.title().is_some());
            prop_assert!(llms.sections().iter().all(|section| section.level() == 2 && !section.links().is_empty()));
            prop_assert_eq!(count_of(&llms, "llms-multiple-h1"), 0);
        }
    }
}

#[derive(Deserialize)]
struct RealFile {
    content: String,
    #[serde(rename = "WARC-Target-URI")]
    url: String,
}

/// Returns real answers to `/llms.txt`, read from outside the repository.
fn real_files() -> Option<Vec<RealFile>> {
    let path = testkit::data::shared_data()?.join("corpus/llms/cc_llms_147.jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a file")).collect())
}

/// Returns the lines outside code and comments, by a simpler rule than the reader's.
fn lines_outside_code(text: &str) -> impl Iterator<Item = &str> {
    let (mut in_code, mut in_comment) = (false, false);
    text.trim_start_matches('\u{feff}').lines().filter(move |line| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= is_fence;
        in_comment |= line.starts_with("<!--");
        let is_outside = !in_code && !is_fence && !in_comment;
        in_comment &= !line.contains("-->");
        is_outside
    })
}

#[test]
fn real_file_with_any_structure_is_read() {
    let Some(files) = real_files() else { return };
    assert_eq!(files.len(), 147);
    let mut grades = [0; 5];
    for file in &files {
        let url = Url::parse(&file.url).expect("a URL");
        let llms = Reader::new().url(url).read(&file.content);
        grades[usize::from(llms.grade().level())] += 1;
        check_real(file, &llms);
    }
    // The 28 files of grade 0 were checked one by one: 10 are empty, 3 HTML, 2 JSON, 4 robots.txt and 9 plain text.
    assert_eq!(grades[0], 28, "{grades:?}");
    assert_eq!(grades[4], 38, "{grades:?}");
}

/// Checks that the result contains the title, the links, the summary and the sections that a simple search finds.
fn check_real(file: &RealFile, llms: &LlmsTxt) {
    let url = &file.url;
    let lines: Vec<&str> = lines_outside_code(&file.content).collect();
    let is_heading = |line: &&&str| line.starts_with("# ") && line.contains(char::is_alphanumeric);
    let is_html = file.content.trim_start().starts_with("<script");
    if let (Some(first), false) = (lines.iter().find(is_heading), is_html) {
        let title = llms.title().unwrap_or_else(|| panic!("{url}: no title, but {first}")).text();
        let plain = |text: &str| {
            ["\\", "&#038;", "&amp;", "&quot;", "&", "\""]
                .iter()
                .fold(text.to_owned(), |text, part| text.replace(part, ""))
        };
        assert_eq!(plain(title), plain(first[2..].trim()), "{url}");
    }
    let listed: Vec<_> =
        lines.iter().filter(|line| line.starts_with("- [") && line.contains("](http")).collect();
    let read = llms.links().filter(|link| link.form() == LinkForm::Inline && link.is_fetchable()).count();
    assert!(read >= listed.len(), "{url}: {read} links, but {} items", listed.len());
    if lines.iter().any(|line| line.starts_with("> ")) && llms.title().is_some() {
        let is_early = lines.iter().position(|line| line.starts_with("> "))
            < lines.iter().position(|line| line.starts_with("## "));
        assert!(!is_early || llms.summary().is_some(), "{url}: no summary");
    }
    let sections =
        lines.iter().filter(|line| line.starts_with("## ") && line.contains(char::is_alphanumeric)).count();
    let read = llms.sections().iter().filter(|section| section.level() == 2).count();
    assert!(read >= sections.min(MAX_SECTIONS), "{url}: {read} sections of {sections}");
    let has_text = file.content.trim().len() > 60;
    if llms.kind() == BodyKind::PlainText && has_text {
        assert!(llms.preamble().is_some(), "{url}: the text is lost");
    }
    if llms.grade() == Grade::NotMarkdown {
        assert!(llms.title().is_none());
    }
}

/// Checks the tables of `docs/reference/llms.md`; `UPDATE_DOCS=1` rewrites them.
#[test]
fn tables_of_the_documentation_equal_the_code() {
    let kinds = BodyKind::ALL.map(|kind| {
        let what = match kind {
            BodyKind::Markdown => "Markdown",
            BodyKind::PlainText => "text without Markdown; bare URLs are read",
            BodyKind::Empty => "nothing, or only white space",
            BodyKind::Html => "an HTML or XML document",
            BodyKind::Json => "JSON",
            BodyKind::RobotsTxt => "a robots.txt file",
            BodyKind::Yaml => "a YAML document",
            _ => "not text",
        };
        [format!("`{kind}`"), what.to_owned()]
    });
    let grades = Grade::ALL.map(|grade| [grade.level().to_string(), grade.as_str().to_owned()]);
    let candidates = (1..).zip(CandidateReason::ALL).map(|(order, reason)| {
        let which = match reason {
            CandidateReason::LlmsTxtExactMatch => "the page, if the llms.txt lists it",
            CandidateReason::LlmsTxtCanonicalMatch => {
                "a URL in the llms.txt that differs from the page's URL only by one slash at its end"
            }
            CandidateReason::SameUrlMarkdownVariant => {
                "the page's Markdown form: `/a.html.md`, then `/a.md`; `/docs/index.html.md`, then `/docs/index.md`"
            }
            _ => "the page",
        };
        [order.to_string(), format!("`{reason}`"), which.to_owned()]
    });
    assert_printed(
        "docs/reference/llms.md",
        &[
            ("kinds", table(["kind", "description"], kinds)),
            ("grades", table(["grade", "content of the file"], grades)),
            ("candidates", table(["order", "reason", "URL"], candidates)),
            ("findings", kinds_table(Finder::Llms.kinds(), "docs/reference/")),
        ],
    );
}
