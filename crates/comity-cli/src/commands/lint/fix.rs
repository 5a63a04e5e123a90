//! Mending: what a finding's way out does to the file, where that is mechanical.
//!
//! A fix is *safe* if every crawler is told the same afterwards, in every dialect: not because the finding promises it, but
//! because the rules of the file before and after are compared ([`same_meaning`]). What passes no comparison is applied with
//! `--unsafe-fixes` alone: it changes what some dialect makes of the file, as the finding says.
//!
//! Fixes are applied in passes until none is left, so that fixing twice changes nothing. Line ends, the byte order mark and
//! every byte that no fix is about stay as they are.

use std::collections::BTreeSet;
use std::ops::Range;

use comity::finding::{Finding, Kind};
use comity::robots::lint::lint;
use comity::robots::{Agent, Dialect, RecordKind, RobotsTxt, Rules};

/// What lies behind this many bytes is not read, and would be if lines before it were deleted.
pub(super) const LIMIT: usize = 512_000;

/// The largest number of passes, and of fixes that are tried one by one in a pass.
const PASSES: usize = 20;
const TRIED: usize = 64;

/// A file after mending.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    pub(super) body: Vec<u8>,
    /// The kinds of the findings that were mended, one for each fix.
    pub(super) kinds: Vec<&'static Kind>,
}

/// One change of a file.
#[derive(Clone, Debug)]
struct Edit {
    kind: &'static Kind,
    span: Range<usize>,
    with: Vec<u8>,
    /// It may be tried as a safe fix.
    may_be_safe: bool,
}

/// Mends a file. `is_wanted` says which findings are to be mended.
pub(super) fn fix(body: &[u8], with_unsafe: bool, is_wanted: impl Fn(&Finding) -> bool) -> Fixed {
    let mut fixed = Fixed { body: body.to_vec(), kinds: Vec::new() };
    for _ in 0..PASSES {
        let edits: Vec<Edit> = lint(&fixed.body)
            .iter()
            .filter(|finding| finding.repeats() == 0 && is_wanted(finding))
            .filter_map(|finding| edit(&fixed.body, finding))
            .collect();
        let edits = apart(edits);
        let (safe, others): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(|edit| edit.may_be_safe);
        let (mut accepted, refused) = proven(&fixed.body, safe);
        if with_unsafe && accepted.is_empty() {
            accepted = refused.into_iter().chain(others).collect();
            accepted.sort_by_key(|edit| edit.span.start);
        }
        if accepted.is_empty() {
            break;
        }
        fixed.body = applied(&fixed.body, &accepted);
        fixed.kinds.extend(accepted.iter().map(|edit| edit.kind));
    }
    fixed
}

/// The edits that change the meaning in no dialect, and the others.
fn proven(body: &[u8], edits: Vec<Edit>) -> (Vec<Edit>, Vec<Edit>) {
    if edits.is_empty() || same_meaning(body, &applied(body, &edits)) {
        return (edits, Vec::new());
    }
    let (mut accepted, mut refused): (Vec<Edit>, Vec<Edit>) = (Vec::new(), Vec::new());
    for (index, edit) in edits.into_iter().enumerate() {
        let mut tried = accepted.clone();
        tried.push(edit.clone());
        match index < TRIED && same_meaning(body, &applied(body, &tried)) {
            true => accepted = tried,
            false => refused.push(edit),
        }
    }
    (accepted, refused)
}

/// Edits in the order of the file, none of which touches another.
fn apart(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut end = 0;
    edits.retain(|edit| {
        let is_free = edit.span.start >= end;
        if is_free {
            end = edit.span.end.max(edit.span.start + 1);
        }
        is_free
    });
    edits
}

fn applied(body: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(&body[at..edit.span.start]);
        out.extend_from_slice(&edit.with);
        at = edit.span.end;
    }
    out.extend_from_slice(&body[at..]);
    out
}

/// The way out of a finding as a change of the file; `None` if a person has to choose.
fn edit(body: &[u8], finding: &Finding) -> Option<Edit> {
    let span = finding.place().span().filter(|span| span.end <= body.len())?;
    let kind = finding.kind();
    let change = |span: Range<usize>, with: &[u8], may_be_safe| {
        Some(Edit { kind, span, with: with.to_vec(), may_be_safe })
    };
    match finding.code() {
        // A person's note to other people: kept, as a comment.
        "not-a-directive" | "unknown-directive" => change(span.start..span.start, b"# ", true),
        "missing-colon" => {
            let name = canonical_name(body, finding)?;
            let end =
                span.end + body[span.end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            (end > span.end).then_some(())?;
            change(span.start..end, format!("{name}: ").as_bytes(), false)
        }
        "misspelt-directive" => {
            let name = canonical_name(body, finding).or_else(|| name_in_help(finding))?;
            change(span, name.as_bytes(), false)
        }
        "wildcard-noop" if body.get(span.clone()) == Some(b"*") => change(span, b"", false),
        "lower-case-hex" => change(span.clone(), &body[span].to_ascii_uppercase(), false),
        _ if finding.is_droppable() => change(whole_line(body, span.start), b"", true),
        _ => None,
    }
}

/// How the directive of a finding's line is spelt, if it is read.
fn canonical_name(body: &[u8], finding: &Finding) -> Option<&'static str> {
    let line = u32::try_from(finding.place().line?).ok()?;
    let robots = RobotsTxt::parse(body);
    let record = robots.records().find(|record| record.line() == line)?;
    (record.kind() != RecordKind::Unknown).then(|| record.kind().canonical_name())
}

/// The directive that a finding's way out names: ``write `Disallow` ``.
fn name_in_help(finding: &Finding) -> Option<&'static str> {
    let (_, rest) = finding.help().split_once('`')?;
    let (name, _) = rest.split_once('`')?;
    let known = [
        RecordKind::UserAgent,
        RecordKind::Allow,
        RecordKind::Disallow,
        RecordKind::Sitemap,
        RecordKind::CrawlDelay,
    ];
    known.into_iter().map(RecordKind::canonical_name).find(|known| known.eq_ignore_ascii_case(name))
}

/// A line with its end. A byte order mark before the first one stays.
fn whole_line(body: &[u8], at: usize) -> Range<usize> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut start = body[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
    if start == 0 && body.starts_with(b"\xEF\xBB\xBF") {
        start = 3;
    }
    let end = body[at..].iter().position(is_end).map_or(body.len(), |end| at + end);
    let terminator = match &body[end..] {
        [b'\r', b'\n', ..] => 2,
        [] => 0,
        _ => 1,
    };
    start..end + terminator
}

/// Returns true if two files tell every crawler the same, in every dialect.
///
/// Crawlers are told apart by the names in the files. Rules are the same if they are the same patterns with the same effect,
/// in the same order where the first that matches decides; one that stands twice counts once, where it stands first.
pub(super) fn same_meaning(before: &[u8], after: &[u8]) -> bool {
    Dialect::ALL.into_iter().all(|dialect| {
        let (before, after) = (RobotsTxt::parse_as(before, dialect), RobotsTxt::parse_as(after, dialect));
        let mut names: BTreeSet<String> = ["*", "comity-nobody"].map(str::to_owned).into();
        for robots in [&before, &after] {
            let agents = robots.records().filter(|record| record.kind() == RecordKind::UserAgent);
            names.extend(agents.map(|record| record.value_text().to_lowercase()));
        }
        let sitemaps = |robots: &RobotsTxt<'_>| -> BTreeSet<String> {
            robots.sitemaps().map(|url| url.into_owned()).collect()
        };
        sitemaps(&before) == sitemaps(&after)
            && names.iter().all(|name| {
                let agent = Agent::token(name.as_str());
                told(&before.rules_for(&agent)) == told(&after.rules_for(&agent))
            })
    })
}

/// A rule as far as it decides: its effect, its pattern, its length.
type Told = (bool, Vec<u8>, u32);

/// What a crawler is told.
#[derive(PartialEq)]
struct Telling {
    group: Option<String>,
    rules: Vec<Told>,
    pacing: String,
}

fn told(rules: &Rules) -> Telling {
    let mut seen = BTreeSet::new();
    let mut list: Vec<Told> =
        rules.iter().map(|rule| (rule.allows(), rule.normalized_pattern(), rule.length())).collect();
    list.retain(|rule| seen.insert(rule.clone()));
    if !rules.dialect().is_first_match() {
        list.sort();
    }
    let pacing = format!("{:?} {:?} {:?}", rules.crawl_delay(), rules.request_rate(), rules.visit_time());
    Telling { group: rules.group().map(str::to_lowercase), rules: list, pacing }
}

/// The change as a unified diff.
pub(super) fn diff(name: &str, before: &[u8], after: &[u8]) -> String {
    let shown =
        |body: &[u8]| -> String {
            String::from_utf8_lossy(body)
                .chars()
                .map(|c| {
                    if matches!(c, '\n' | '\r' | '\t') || !comity::shown::is_unsafe(c) {
                        c
                    } else {
                        '\u{fffd}'
                    }
                })
                .collect()
        };
    let (before, after, name) = (shown(before), shown(after), crate::render::text(name.as_bytes()));
    similar::TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(body: &[u8], with_unsafe: bool) -> String {
        String::from_utf8_lossy(&fix(body, with_unsafe, |_| true).body).into_owned()
    }

    #[test]
    fn what_changes_nothing_is_mended_and_the_rest_only_when_asked() {
        for (body, safe, with_unsafe) in [
            (
                "User-agent: *\nDisallow: /a\nDisallow: /a\n",
                "User-agent: *\nDisallow: /a\n",
                "User-agent: *\nDisallow: /a\n",
            ),
            (
                "User-agent: *\nhello there\nDisallow: /a\n",
                "User-agent: *\n# hello there\nDisallow: /a\n",
                "User-agent: *\n# hello there\nDisallow: /a\n",
            ),
            ("User-agent: *\nDisalow: /a\n", "User-agent: *\nDisalow: /a\n", "User-agent: *\nDisallow: /a\n"),
            ("User-agent: *\nDisallow /a\n", "User-agent: *\nDisallow /a\n", "User-agent: *\nDisallow: /a\n"),
            (
                "\u{feff}User-agent: *\r\nDisallow: /a\r\nDisallow: /a\r\n",
                "\u{feff}User-agent: *\r\nDisallow: /a\r\n",
                "\u{feff}User-agent: *\r\nDisallow: /a\r\n",
            ),
        ] {
            assert_eq!(all(body.as_bytes(), false), safe);
            assert_eq!(all(body.as_bytes(), true), with_unsafe);
        }
    }

    /// URLs that the rules of a file may be about.
    fn urls(body: &[u8]) -> Vec<Vec<u8>> {
        let mut urls: Vec<Vec<u8>> =
            ["/", "/a", "/a/b", "/robots.txt", "/index.html", "/x?y=1"].map(|url| url.into()).into();
        let robots = RobotsTxt::parse(body);
        for record in robots.records().filter(|record| record.kind().is_rule()).take(40) {
            let is_plain = |byte: &&u8| !matches!(byte, b'*' | b'$');
            let plain: Vec<u8> = record.value().iter().filter(is_plain).copied().collect();
            let path = [b"/", plain.strip_prefix(b"/").unwrap_or(&plain)].concat();
            urls.push([path.as_slice(), b"x"].concat());
            urls.push(path);
        }
        urls
    }

    /// What every dialect says of each URL to some crawlers.
    fn decisions(body: &[u8], urls: &[Vec<u8>]) -> Vec<bool> {
        let agents = ["*", "GPTBot", "Googlebot", "a", "b", "heron", "osprey"];
        let mut found = Vec::new();
        for dialect in Dialect::ALL {
            let robots = RobotsTxt::parse_as(body, dialect);
            for agent in agents {
                let rules = robots.rules_for(&Agent::token(agent));
                let is_allowed =
                    |url: &Vec<u8>| rules.decide(url).is_ok_and(|decision| decision.is_allowed());
                found.extend(urls.iter().map(is_allowed));
            }
        }
        found
    }

    fn hold(body: &[u8]) {
        for with_unsafe in [false, true] {
            let once = fix(body, with_unsafe, |_| true).body;
            let twice = fix(&once, with_unsafe, |_| true).body;
            assert!(once == twice, "fixing twice changes {:?}", String::from_utf8_lossy(body));
            if !with_unsafe {
                assert!(same_meaning(body, &once), "{:?}", String::from_utf8_lossy(body));
                let urls = urls(body);
                assert_eq!(
                    decisions(body, &urls),
                    decisions(&once, &urls),
                    "{:?}",
                    String::from_utf8_lossy(body)
                );
            }
        }
    }

    #[test]
    fn fixed_files_decide_as_before_and_fixing_twice_changes_nothing() {
        const LINES: [&str; 22] = [
            "User-agent: *",
            "User-agent: a",
            "User-agent: b",
            "user-agent: heron",
            "Disallow: /a",
            "Allow: /a/b",
            "Disallow: /a/b",
            "Disallow:",
            "Disallow: /a",
            "",
            "hello there",
            "Disalow: /x",
            "Disallow /y",
            "Noindex: /z",
            "Sitemap: https://example.com/s.xml",
            "Crawl-delay: 2",
            "# note",
            "Disallow: /a*",
            "Allow: /%c3%a9",
            "Host: x",
            "Disallow: a",
            "Foo: bar",
        ];
        // A generator of its own, so that a failure shows its file again.
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        for _ in 0..400 {
            let end = ["\n", "\r\n", "\r"][next(3)];
            let lines: Vec<&str> = (0..next(14)).map(|_| LINES[next(LINES.len())]).collect();
            hold(lines.join(end).as_bytes());
        }
        let mut generator = testkit::generate::Generator::new(18);
        for _ in 0..200 {
            hold(&generator.next_file());
        }
    }

    #[test]
    fn real_files_decide_as_before() {
        let Some(data) = testkit::data::shared_data() else { return };
        for number in (0..7_881).step_by(61) {
            let path = data.join("corpus/robots").join(format!("{number:05}.txt"));
            let Ok(body) = std::fs::read(&path) else { continue };
            if body.len() <= 20_000 {
                hold(&body);
            }
        }
    }
}
