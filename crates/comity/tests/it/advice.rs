//! Applies the advice of lint and compares decisions. Deleting the lines that lint reports as deletable changes no
//! decision, neither one by one nor all at once. A pattern that lint suggests decides every URL like the replaced
//! pattern.

use std::collections::BTreeSet;
use std::path::PathBuf;

use comity::finding::Finding;
use comity::robots::lint::lint;
use comity::robots::{Agent, RobotsTxt, Rules};

/// Returns the line number of a finding.
fn line_of(finding: &Finding) -> u32 {
    finding.place().line.and_then(|line| u32::try_from(line).ok()).expect("a line")
}

/// Returns the bytes of each line of a file, including the terminator, without a byte order mark.
fn lines(body: &[u8]) -> Vec<&[u8]> {
    let common = |mark: &[u8]| body.iter().zip(mark).take_while(|(byte, mark)| byte == mark).count();
    let encoded_twice = common("\u{ef}\u{bb}\u{bf}".as_bytes()) & !1;
    let mut rest = &body[common(b"\xEF\xBB\xBF").max(encoded_twice)..];
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let end = if rest[end..].starts_with(b"\r\n") { end + 2 } else { (end + 1).min(rest.len()) };
        let (line, after) = rest.split_at(end);
        lines.push(line);
        rest = after;
    }
    lines
}

/// Returns the file without the lines with these numbers.
fn without(lines: &[&[u8]], numbers: &BTreeSet<u32>) -> Vec<u8> {
    let kept = lines.iter().enumerate().filter(|(index, _)| !numbers.contains(&(*index as u32 + 1)));
    kept.flat_map(|(_, line)| line.iter().copied()).collect()
}

/// Returns the crawlers for tests of a file: every name in the file, the first part of each name, and a name that is
/// not in the file.
pub(crate) fn crawlers(body: &[u8]) -> Vec<Agent> {
    let robots = RobotsTxt::parse(body);
    let mut tokens = BTreeSet::from(["a-name-that-no-file-has".to_owned()]);
    for group in robots.groups() {
        for name in group.agents() {
            let name = String::from_utf8_lossy(name.value()).to_lowercase();
            tokens.extend(name.split(['/', ' ', '\t']).next().map(str::to_owned));
            tokens.insert(name.trim_end_matches('*').to_owned());
        }
    }
    tokens.into_iter().map(Agent::unchecked_token).collect()
}

/// Returns URLs for a pattern, with and without text in place of its wildcards, and with and without text after its
/// end.
pub(crate) fn urls_of(value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let anchored = value.ends_with(b"$");
    let body = value.strip_suffix(b"$").unwrap_or(value).to_vec();
    [("", ""), ("", "zqx"), ("zqx", ""), ("zqx/", "/zqx?q")].into_iter().map(move |(star, tail)| {
        let slash = if body.first() == Some(&b'/') { "" } else { "/" };
        let mut url = format!("http://h.example{slash}").into_bytes();
        for byte in &body {
            match byte {
                b'*' => url.extend_from_slice(star.as_bytes()),
                byte => url.push(*byte),
            }
        }
        if !anchored || tail == "zqx" {
            url.extend_from_slice(tail.as_bytes());
        }
        url
    })
}

/// Returns at most `most` items, at equal distances.
pub(crate) fn sample<T>(things: Vec<T>, most: usize) -> Vec<T> {
    let step = things.len().div_ceil(most).max(1);
    things.into_iter().step_by(step).collect()
}

/// A file, with the crawlers and URLs whose decisions are compared.
struct TestFile<'b> {
    body: &'b [u8],
    lines: Vec<&'b [u8]>,
    agents: Vec<Agent>,
    before: Vec<Rules>,
    urls: Vec<Vec<u8>>,
}

impl<'b> TestFile<'b> {
    fn new(body: &'b [u8]) -> Self {
        let robots = RobotsTxt::parse(body);
        let values = robots.records().filter(|record| record.kind().is_rule());
        let values: Vec<Vec<u8>> = values.map(|record| record.value().to_vec()).collect();
        let mut urls: Vec<_> = sample(values, 40).iter().flat_map(|value| urls_of(value)).collect();
        urls.extend(
            ["http://h.example/", "http://h.example/robots.txt?x", "http://h.example/robots.txtx"]
                .map(Into::into),
        );
        let agents = sample(crawlers(body), 24);
        let before = agents.iter().map(|agent| robots.rules_for(agent)).collect();
        TestFile { body, lines: lines(body), agents, before, urls }
    }

    /// Returns the first crawler and URL with a different decision, or `None` if all decisions are unchanged.
    fn difference(&self, after: &[u8], further: &[Vec<u8>]) -> Option<String> {
        let robots = RobotsTxt::parse(after);
        for (agent, before) in self.agents.iter().zip(&self.before) {
            let rules = robots.rules_for(agent);
            for url in self.urls.iter().chain(further) {
                if before.is_allowed(url) != rules.is_allowed(url) {
                    return Some(format!("{agent:?} {}", url.escape_ascii()));
                }
            }
        }
        None
    }

    /// Returns URLs for the line of a finding.
    fn urls_at(&self, finding: &Finding) -> Vec<Vec<u8>> {
        let line = self.lines.get(line_of(finding) as usize - 1).copied().unwrap_or_default();
        let value = line.splitn(2, |byte| *byte == b':').nth(1).unwrap_or_default();
        let value = value.split(|byte| *byte == b'#').next().unwrap_or_default();
        urls_of(value.trim_ascii()).collect()
    }

    /// Applies the advice about the file. Returns the number of findings whose advice was applied.
    #[track_caller]
    fn follow(&self, most: usize) -> usize {
        let findings = lint(self.body);
        for finding in findings.iter().filter(|finding| finding.repeats() == 0) {
            let advises_deletion = ["drop it", "drop the line", "drop the rule"]
                .iter()
                .any(|advice| finding.help().contains(advice));
            let warns = finding.help().contains("moves ignored lines");
            assert!(!advises_deletion || finding.is_droppable() || warns, "{finding:?}");
        }
        let droppable: Vec<_> = findings.iter().filter(|finding| finding.is_droppable()).collect();
        let all = droppable.iter().copied().map(line_of).collect();
        let about: Vec<_> =
            sample(droppable.clone(), 30).iter().flat_map(|finding| self.urls_at(finding)).collect();
        let difference = self.difference(&without(&self.lines, &all), &about);
        assert_eq!(difference, None, "without lines {all:?} of\n{}", self.body.escape_ascii());
        let mut followed = droppable.len();
        for finding in sample(droppable, most) {
            let after = without(&self.lines, &BTreeSet::from([line_of(finding)]));
            let difference = self.difference(&after, &self.urls_at(finding));
            assert_eq!(difference, None, "{finding:?} in\n{}", self.body.escape_ascii());
        }
        let shorter = findings.iter().filter(|f| f.code() == "wildcard-noop" && f.repeats() == 0);
        for finding in sample(shorter.collect(), most) {
            let Some(value) = finding.help().strip_prefix("write `").and_then(|help| help.strip_suffix('`'))
            else {
                continue;
            };
            let number = line_of(finding) as usize - 1;
            // The suggestion is cut and escaped for display, so only plain ASCII can be applied.
            if !value.is_ascii() || !self.lines[number].is_ascii() || value.contains('\'') {
                continue;
            }
            let key = self.lines[number].splitn(2, |byte| *byte == b':').next().unwrap_or_default();
            let line = [key, b": ", value.as_bytes(), b"\n"].concat();
            let mut lines = self.lines.clone();
            lines[number] = &line;
            let difference = self.difference(&without(&lines, &BTreeSet::new()), &self.urls_at(finding));
            assert_eq!(difference, None, "{finding:?} in\n{}", self.body.escape_ascii());
            followed += 1;
        }
        followed
    }
}

/// Checks every finding `star-rules-dropped`: the crawler may fetch a URL that the rules for `*` disallow. Returns the
/// number of findings.
#[track_caller]
fn check_dropped_rules(body: &[u8]) -> usize {
    let robots = RobotsTxt::parse(body);
    let found: Vec<_> = lint(body).into_iter().filter(|f| f.code() == "star-rules-dropped").collect();
    if found.is_empty() {
        return 0;
    }
    let others = robots.rules_for(&Agent::unchecked_token("a-name-that-no-file-has"));
    let forbidden: Vec<Vec<u8>> = others
        .iter()
        .filter(|rule| !rule.allows())
        .flat_map(|rule| urls_of(rule.pattern()).collect::<Vec<_>>())
        .collect();
    for finding in found.iter().filter(|finding| finding.repeats() == 0) {
        let name = String::from_utf8_lossy(&body[finding.place().span().expect("a span")]).into_owned();
        let name = name.split_once(':').map_or(name.as_str(), |(_, name)| name).trim().trim_end_matches('*');
        let own = robots.rules_for(&Agent::unchecked_token(name));
        let is_lost =
            |url: &&Vec<u8>| others.is_allowed(*url) == Ok(false) && own.is_allowed(*url) == Ok(true);
        assert!(
            forbidden.iter().any(|url| is_lost(&url)),
            "no URL is lost: {finding:?}\n{}",
            body.escape_ascii()
        );
    }
    found.len()
}

/// Generates files of a few lines that cover most of the advice on deletable lines.
pub(crate) fn short_files(count: usize) -> impl Iterator<Item = String> {
    const LINES: [&str; 36] = [
        "User-agent: *",
        "User-agent: a",
        "User-agent: A",
        "User-agent: b c",
        "User-agent: b d",
        "User-agent: b",
        "User-agent: b/2",
        "User-agent: Googlebot",
        "User-agent: a",
        "User-agent: *",
        "Allow:",
        "Disallow:",
        "Disallow: /robots.txt$",
        "Disallow: /robots.txt",
        "Disallow: /a",
        "Disallow: /a/b",
        "Disallow: /a/b/c",
        "Disallow: /a",
        "Disallow: /a*",
        "Disallow: /a**",
        "Disallow: /a/b*",
        "Disallow: /*b",
        "Disallow: /a$*",
        "Allow: /a",
        "Allow: /a/",
        "Allow: /a/b",
        "Allow: /*b",
        "Allow: /a*",
        "Allow: /**",
        "Disallow: /",
        "Crawl-delay: 2",
        "Sitemap: https://www.shop.example/s.xml",
        "Foo: bar",
        "just words here",
        "",
        "Content-Usage: train-ai=n",
    ];
    let mut state = 7_u64;
    let mut below = move |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    (0..count).map(move |_| (0..2 + below(9)).map(|_| format!("{}\n", LINES[below(LINES.len())])).collect())
}

#[test]
fn droppable_line_of_a_short_file_changes_no_decision() {
    let followed: usize = short_files(3_000).map(|file| TestFile::new(file.as_bytes()).follow(20)).sum();
    assert!(followed > 4_000, "{followed}");
}

#[test]
fn droppable_line_of_a_generated_file_changes_no_decision() {
    let mut generator = testkit::generate::Generator::new(20_261_122);
    let followed: usize = (0..1_000).map(|_| TestFile::new(&generator.next_file()).follow(20)).sum();
    assert!(followed > 200, "{followed}");
}

#[test]
fn droppable_line_of_a_difficult_file_changes_no_decision() {
    let droppable = |body: &str| {
        TestFile::new(body.as_bytes()).follow(100);
        let findings = lint(body.as_bytes());
        findings.iter().filter(|f| f.is_droppable()).map(|f| (f.code(), line_of(f))).collect::<Vec<_>>()
    };
    // The only rule of a group separates it from the next group.
    assert_eq!(droppable("User-agent: a\nAllow:\n\nUser-agent: b\nDisallow: /\n"), []);
    assert_eq!(droppable("User-agent: a\nDisallow: /robots.txt$\n\nUser-agent: b\nDisallow: /\n"), []);
    assert_eq!(
        droppable("User-agent: a\nAllow:\nDisallow:\n\nUser-agent: b\nDisallow: /\n"),
        [("empty-rule", 2)]
    );
    let two = "User-agent: a\nDisallow:\nDisallow: /robots.txt$\n\nUser-agent: b\nDisallow: /\n";
    assert_eq!(droppable(two), [("robots-txt-rule", 3)]);
    // The rule disallows more than `/robots.txt`.
    assert_eq!(droppable("User-agent: a\nDisallow: /robots.txt\nDisallow: /x\n"), []);
    // Both groups apply to `sogou`.
    let shared =
        "User-agent: Sogou inst\nDisallow: /a\nDisallow: /a/b\n\nUser-agent: Sogou web\nAllow: /a/\n";
    assert_eq!(droppable(shared), []);
    // In a file above the size limit, deleting a line would move an unread line below the limit.
    let long = ["User-agent: *\nFoo: x\n", &"Disallow: /a\n".repeat(40_000), "Disallow: /b\n"].concat();
    assert!(droppable(&long).is_empty());
}

#[test]
fn shorter_pattern_is_advised_if_decisions_are_equal() {
    let help = |rules: &str| {
        let body = format!("User-agent: *\n{rules}");
        let found = lint(body.as_bytes()).into_iter().find(|f| f.code() == "wildcard-noop");
        found.map(|finding| finding.help().to_owned()).unwrap_or_default()
    };
    assert_eq!(help("Disallow: /fish*\n"), "write `/fish`");
    assert_eq!(help("Disallow: /fish*\nAllow: /bird\n"), "write `/fish`");
    let rival = "write `/fish`, unless it should outrank `Allow: /*ish` on line 3";
    assert_eq!(help("Disallow: /fish*\nAllow: /*ish\n"), rival);
    assert_eq!(help("Disallow: /fish*$\n"), "write `/fish`");
    assert_eq!(help("Disallow: /fi**sh\n"), "write `/fi*sh`");
    // Without the star, the `$` would be the end anchor.
    assert_eq!(help("Disallow: /fish$*\n"), "");
}

/// Returns real files, or none with a message if `COMITY_DATA` is not set.
pub(crate) fn real_files(every: usize) -> Vec<PathBuf> {
    let Some(data) = testkit::data::shared_data() else { return Vec::new() };
    let folder = std::fs::read_dir(data.join("corpus/robots")).expect("the real files");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() > 7_000, "{}", files.len());
    files.into_iter().step_by(every).collect()
}

fn follow_real_files(every: usize, most: usize) -> (usize, usize) {
    let (mut followed, mut count) = (0, 0);
    for file in real_files(every) {
        let body = std::fs::read(&file).expect("a real file");
        followed += TestFile::new(&body).follow(most);
        check_dropped_rules(&body);
        count += 1;
    }
    (followed, count)
}

#[test]
fn droppable_line_of_some_real_files_changes_no_decision() {
    let (followed, count) = follow_real_files(100, 10);
    assert!(count == 0 || followed > 50, "{followed} in {count} files");
}

#[test]
#[ignore = "takes minutes and requires COMITY_DATA: every finding of every real file; run it with --release"]
fn droppable_line_of_any_real_file_changes_no_decision() {
    let (followed, count) = follow_real_files(1, usize::MAX);
    let message = format!("{followed} findings followed in {count} files\n");
    std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes()).expect("standard error");
    assert!(count > 7_000 && followed > 10_000);
}
