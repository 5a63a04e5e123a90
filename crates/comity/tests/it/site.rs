//! Contradictions within sites: the cases in `conformance/site/`, and properties for any site.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::finding::{Kind, Reader};
use comity::html::Facts;
use comity::http::Headers;
use comity::policy::{Answer, Decision, Policy, Preset};
use comity::robots::{Agent, RobotsTxt};
use comity::site::{ReadPage, SiteFinding, SiteReview};
use comity::usage::Tdmrep;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    robots: String,
    #[serde(default = "ok")]
    status: u16,
    tdmrep: Option<String>,
    agents: Vec<String>,
    #[serde(default)]
    has_no_sitemap: bool,
    #[serde(default)]
    sitemaps: Vec<String>,
    #[serde(default)]
    missing_sitemaps: Vec<String>,
    pages: Vec<Page>,
    findings: Vec<Expected>,
}

/// A listed page. It is fetched if the case defines an answer or a failure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    path: String,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    redirected: bool,
    headers: Option<String>,
    html: Option<String>,
    failure: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    what: String,
    #[serde(default, rename = "for")]
    agents: Vec<String>,
    urls: Vec<String>,
    message: Option<String>,
}

fn ok() -> u16 {
    200
}

fn url(path: &str) -> String {
    format!("https://example.com{path}")
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

/// Returns the policies of a robots.txt for some crawlers.
fn policies(body: &[u8], status: u16, agents: &[Agent]) -> Vec<Policy> {
    let answer = Answer::status(status, now()).with_body(body);
    let policy = |agent| {
        let mut policy = Policy::without_answer(Preset::Rfc9309);
        policy.update(&Preset::Rfc9309.read(&answer), agent);
        policy
    };
    agents.iter().map(policy).collect()
}

fn decisions<'p>(policies: &'p [Policy], url: &str) -> Vec<Decision<'p>> {
    policies.iter().map(|policy| policy.decide(url, now()).expect("a URL")).collect()
}

/// Returns the findings of a review, and the codes that the calls for pages returned.
fn review(case: &Case) -> (Vec<SiteFinding>, Vec<&'static str>) {
    let agents: Vec<Agent> = case.agents.iter().map(Agent::unchecked_token).collect();
    let policies = policies(case.robots.as_bytes(), case.status, &agents);
    let robots = RobotsTxt::parse(case.robots.as_bytes());
    let mut review = SiteReview::new(&agents, (case.status == 200).then_some(&robots));
    if let Some(tdmrep) = &case.tdmrep {
        review = review.tdmrep(Tdmrep::parse(tdmrep.as_bytes()).expect("rules"));
    }
    let mut kinds: Vec<&'static Kind> = Vec::new();
    let root = url("/");
    review.site(&root, &decisions(&policies, &root));
    if case.has_no_sitemap {
        review.no_sitemap(&root);
    }
    for path in &case.sitemaps {
        review.sitemap(&url(path), &decisions(&policies, &url(path)));
    }
    for path in &case.missing_sitemaps {
        review.sitemap_unreachable(&url(path), "it answers 404");
    }
    for page in &case.pages {
        let url = url(&page.path);
        let decided = decisions(&policies, &url);
        kinds.extend(review.listed(&url, &decided));
        if let Some(why) = &page.failure {
            kinds.extend(review.page_failed(&url, why));
        } else if page.html.is_some() || page.headers.is_some() || page.status != 200 {
            let headers = Headers::parse(page.headers.as_deref().unwrap_or_default().as_bytes());
            let facts = page.html.as_ref().map(|html| Facts::read(html.as_bytes()));
            let read = ReadPage {
                status: page.status,
                is_redirected: page.redirected,
                headers: &headers.expect("a header"),
                facts: facts.as_ref(),
                at: now(),
            };
            kinds.extend(review.page(&url, &decided, &read));
        }
    }
    (review.finish(), kinds.into_iter().map(Kind::code).collect())
}

fn cases() -> Vec<Case> {
    let files = testkit::conformance::files::<File>("site").unwrap_or_else(|error| panic!("{error}"));
    files.into_iter().flat_map(|(_, file)| file.case).collect()
}

#[test]
fn every_case_has_the_expected_findings() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (found, kinds) = review(&case);
        let shown = |found: &SiteFinding| {
            let line = found.line.map(|line| format!(" {line}")).unwrap_or_default();
            let what = format!("{} {}{line}", found.severity, found.code);
            (what, found.agents.clone(), found.urls.clone())
        };
        let expected = |one: &Expected| {
            let urls: Vec<String> = one.urls.iter().map(|path| url(path)).collect();
            (one.what.clone(), one.agents.clone(), urls)
        };
        let is: BTreeSet<_> = found.iter().map(shown).collect();
        let wanted: BTreeSet<_> = case.findings.iter().map(expected).collect();
        let messages = case.findings.iter().filter_map(|one| one.message.as_ref());
        let has = |message: &&String| found.iter().any(|found| found.message == **message);
        let missing: Vec<_> = messages.filter(|message| !has(message)).collect();
        if is != wanted || found.len() != case.findings.len() || !missing.is_empty() {
            wrong.push(format!("{} ({}): {found:#?}\nmissing: {missing:?}", case.id, case.why));
        }
        // The calls for pages returned the codes of all findings about pages.
        let of_pages: BTreeSet<&str> = kinds.into_iter().collect();
        let about_pages =
            found.iter().filter(|found| found.code.contains("listed") || found.code.contains("unseen"));
        let about_pages: BTreeSet<&str> = about_pages.map(|found| found.code.as_str()).collect();
        assert!(about_pages.is_subset(&of_pages), "{}: {about_pages:?} {of_pages:?}", case.id);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_kind_has_a_case() {
    let found: BTreeSet<String> =
        cases().iter().flat_map(|case| review(case).0).map(|found| found.code).collect();
    let missing: Vec<_> = Reader::Site.kinds().iter().filter(|kind| !found.contains(kind.code())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn memory_of_a_review_does_not_grow_with_the_site() {
    let agents = [Agent::unchecked_token("*")];
    let rules: String = (0..3_000).map(|number| format!("Disallow: /{number}/\n")).collect();
    let policies = policies(format!("User-agent: *\n{rules}").as_bytes(), 200, &agents);
    let mut review = SiteReview::new(&agents, None);
    for number in 0..3_000 {
        for page in ["a", "b"] {
            let url = url(&format!("/{number}/{page}"));
            review.listed(&url, &decisions(&policies, &url));
        }
    }
    let found = review.finish();
    assert_eq!(found.len(), 1_001);
    assert_eq!(found.iter().map(|found| found.count).sum::<u64>(), 6_000);
    assert!(found.iter().all(|found| found.urls.len() <= 20));
}

#[cfg(feature = "serde")]
#[test]
fn finding_is_read_back_from_json_unchanged() {
    for case in cases() {
        let (found, _) = review(&case);
        let json = serde_json::to_string(&found).expect("JSON");
        assert_eq!(serde_json::from_str::<Vec<SiteFinding>>(&json).expect("findings"), found);
    }
}
