//! Chooses the URL to fetch for a page, which may be a Markdown form of the page.
//!
//! An llms.txt may contain a better URL for a page, but it never permits a fetch. [`candidates`] therefore returns a
//! list of candidates in order of preference, each with the origin whose robots.txt must be consulted.
//! [`first_permitted`] returns the first candidate that its robots.txt permits.

use std::collections::HashSet;

use url::{Position, Url};

use super::file::LlmsTxt;
use super::file::is_web;
use crate::verdict::Recommendation;
use crate::words::words;

words! {
    /// The reason why a URL is a candidate.
    CandidateReason as "reason" {
        /// The llms.txt lists the URL.
        LlmsTxtExactMatch = "llms_txt_exact_match",
        /// The llms.txt lists a URL that differs only by one slash at the end of the path.
        LlmsTxtCanonicalMatch = "llms_txt_canonical_match",
        /// The proposal defines this URL for the page's Markdown form. It may not exist.
        SameUrlMarkdownVariant = "same_url_markdown_variant",
        /// The candidate is the requested URL.
        OriginalHtml = "original_html",
    }
}

words! {
    /// The use of an llms.txt in the choice of candidates.
    #[derive(Default)]
    Strategy as "strategy" {
        /// The llms.txt is ignored: the requested URL is the only candidate.
        Disabled = "disabled",
        /// Listed URLs and Markdown forms come first, the requested URL last.
        #[default]
        Prefer = "prefer",
        /// Only listed URLs and Markdown forms are candidates. If none of them may be fetched, no candidate remains.
        Force = "force",
    }
}

/// A URL that may be fetched in place of a page, if the robots.txt of its origin permits it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// The URL of the candidate.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    url: Url,
    /// The reason why the URL is a candidate.
    reason: CandidateReason,
    /// The origin whose robots.txt decides about the URL: scheme, host, and port unless it is the default.
    origin: String,
    /// True if the origin differs from the origin of the llms.txt or, if the URL of the llms.txt is unknown, from the
    /// origin of the requested page.
    is_external: bool,
    /// The 1-based line of the llms.txt that lists the URL.
    line: Option<u32>,
}

impl Candidate {
    /// Returns the URL of the candidate.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the reason why the URL is a candidate.
    pub fn reason(&self) -> CandidateReason {
        self.reason
    }

    /// Returns the origin whose robots.txt decides about the URL: scheme, host, and port unless it is the default.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns true if the origin differs from the origin of the llms.txt or, if the URL of the llms.txt is unknown,
    /// from the origin of the requested page.
    pub fn is_external(&self) -> bool {
        self.is_external
    }

    /// Returns the 1-based line of the llms.txt that lists the URL.
    pub fn line(&self) -> Option<u32> {
        self.line
    }
}

/// Returns the candidates for a page in order of preference: an exact entry of the llms.txt, an entry that differs only
/// by one slash at the end of the path, the Markdown forms, the page itself. There are at most five.
///
/// Fragments are ignored, since requests do not contain them. Queries are compared: `/a?x=1` is a different page from
/// `/a`, and its Markdown form is `/a.md?x=1`. Each URL is returned once, with the most preferred reason. Only http and
/// https URLs are returned.
///
/// ```
/// use comity::llms::{CandidateReason, LlmsTxt, Strategy, candidates};
/// use url::Url;
///
/// let llms = LlmsTxt::parse("# Reed\n\n> Tools.\n\n## Docs\n\n- [Start](https://example.com/start/)\n");
/// let found = candidates(&Url::parse("https://example.com/start")?, Some(&llms), Strategy::Prefer);
/// let found: Vec<_> = found.iter().map(|candidate| (candidate.url().path(), candidate.reason())).collect();
/// assert_eq!(found, [
///     ("/start/", CandidateReason::LlmsTxtCanonicalMatch),
///     ("/start.md", CandidateReason::SameUrlMarkdownVariant),
///     ("/start", CandidateReason::OriginalHtml),
/// ]);
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn candidates(page: &Url, llms: Option<&LlmsTxt>, strategy: Strategy) -> Vec<Candidate> {
    let page = without_fragment(page);
    let home = llms.and_then(LlmsTxt::url).unwrap_or(&page).origin();
    let mut list = List { home, seen: HashSet::new(), candidates: Vec::new() };
    if strategy != Strategy::Disabled {
        let listed: Vec<_> = llms.into_iter().flat_map(|llms| listed(llms, &page)).collect();
        for wanted in [CandidateReason::LlmsTxtExactMatch, CandidateReason::LlmsTxtCanonicalMatch] {
            for (url, reason, line) in listed.iter().filter(|(_, reason, _)| *reason == wanted) {
                list.add(url.clone(), *reason, Some(*line));
            }
        }
        for url in markdown_variants(&page) {
            list.add(url, CandidateReason::SameUrlMarkdownVariant, None);
        }
    }
    if strategy != Strategy::Force {
        list.add(page, CandidateReason::OriginalHtml, None);
    }
    list.candidates
}

struct List {
    home: url::Origin,
    seen: HashSet<Url>,
    candidates: Vec<Candidate>,
}

impl List {
    fn add(&mut self, url: Url, reason: CandidateReason, line: Option<u32>) {
        if is_web(&url) && self.seen.insert(url.clone()) {
            let origin = url.origin();
            let is_external = origin != self.home;
            self.candidates.push(Candidate {
                url,
                reason,
                origin: origin.ascii_serialization(),
                is_external,
                line,
            });
        }
    }
}

/// Returns the links of an llms.txt that are equal to the page, or differ only by one slash at the end of the path. A
/// file may contain thousands of links that differ by more slashes.
fn listed(llms: &LlmsTxt, page: &Url) -> impl Iterator<Item = (Url, CandidateReason, u32)> {
    llms.links().filter_map(|link| {
        let url = without_fragment(link.url()?);
        let reason = if url == *page {
            CandidateReason::LlmsTxtExactMatch
        } else if differs_by_one_slash(&url, page) {
            CandidateReason::LlmsTxtCanonicalMatch
        } else {
            return None;
        };
        Some((url, reason, link.line()))
    })
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

fn differs_by_one_slash(a: &Url, b: &Url) -> bool {
    let (shorter, longer) = if a.path().len() < b.path().len() { (a, b) } else { (b, a) };
    a[..Position::BeforePath] == b[..Position::BeforePath]
        && a.query() == b.query()
        && longer.path().strip_suffix('/') == Some(shorter.path())
}

/// File extensions of pages, which the second version of the proposal replaces by `.md`.
const PAGE_EXTENSIONS: [&str; 8] = ["html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "shtml"];

/// Returns the URLs that the proposal defines for the Markdown form of a page. The first version defines `.md` after
/// the path, and `index.html.md` for folders. The second version of August 2026 adds `.md` in place of the extension,
/// and `index.md`.
///
/// The query is kept, and the fragment is removed. A page that is Markdown or plain text has no Markdown form.
///
/// ```
/// use comity::llms::markdown_variants;
/// use url::Url;
///
/// let paths = |url| Url::parse(url).map(|url| markdown_variants(&url).iter().map(|url| url[url::Position::BeforePath..].to_owned()).collect::<Vec<_>>());
/// assert_eq!(paths("https://example.com/a?x=1#top")?, ["/a.md?x=1"]);
/// assert_eq!(paths("https://example.com/a.html")?, ["/a.html.md", "/a.md"]);
/// assert_eq!(paths("https://example.com/docs/")?, ["/docs/index.html.md", "/docs/index.md"]);
/// assert!(paths("https://example.com/a.md")?.is_empty());
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn markdown_variants(page: &Url) -> Vec<Url> {
    if page.cannot_be_a_base() {
        return Vec::new();
    }
    let path = page.path();
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = file.rsplit_once('.').map(|(stem, extension)| (stem, extension.to_ascii_lowercase()));
    let files = match extension {
        _ if file.is_empty() => vec!["index.html.md".to_owned(), "index.md".to_owned()],
        Some((_, extension)) if matches!(extension.as_str(), "md" | "markdown" | "txt") => Vec::new(),
        Some((stem, extension)) if PAGE_EXTENSIONS.contains(&extension.as_str()) && !stem.is_empty() => {
            vec![format!("{file}.md"), format!("{stem}.md")]
        }
        _ => vec![format!("{file}.md")],
    };
    let variant = |file: String| {
        let mut url = without_fragment(page);
        url.set_path(&format!("{folder}/{file}"));
        url
    };
    files.into_iter().map(variant).collect()
}

/// Returns the first candidate that may be fetched: recommended, or allowed with a warning.
///
/// `ask` returns the recommendation of the robots.txt of a candidate's origin. It is called for the candidates in
/// order, up to the first one that may be fetched. The recommendation is returned with the candidate, since it may be a
/// warning.
///
/// ```
/// use comity::llms::{Strategy, candidates, first_permitted};
/// use comity::policy::Recommendation;
/// use url::Url;
///
/// let found = candidates(&Url::parse("https://example.com/a")?, None, Strategy::Prefer);
/// let ask = |candidate: &comity::llms::Candidate| match candidate.url().path() {
///     "/a.md" => Recommendation::NotRecommended,
///     _ => Recommendation::Recommended,
/// };
/// let (chosen, _) = first_permitted(&found, ask).expect("a candidate");
/// assert_eq!(chosen.url().path(), "/a");
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn first_permitted(
    candidates: &[Candidate],
    mut ask: impl FnMut(&Candidate) -> Recommendation,
) -> Option<(&Candidate, Recommendation)> {
    candidates.iter().find_map(|candidate| {
        let recommendation = ask(candidate);
        recommendation.allows().then_some((candidate, recommendation))
    })
}
