//! Applies the fixes of lint and compares decisions. Safe fixes preserve every decision of the default dialect. Fixes
//! marked [`Decisions::Kept`] preserve every decision of every dialect. Other fixes change decisions only as their
//! finding describes, in every dialect. After all fixes, no finding has a fix, and all other text is unchanged.

use std::collections::BTreeSet;

use comity::finding::{Decisions, Finding, Fix, Reader, Severity};
use comity::robots::lint::{FixedFile, apply_fixes, lint};
use comity::robots::{Agent, Dialect, RobotsTxt};

use crate::advice::{crawlers, real_files, sample, short_files, urls_of};

/// Returns the effects of a file in one dialect: the delay and rate of each agent, the decisions on URLs, and the
/// sitemaps.
fn effects(body: &[u8], dialect: Dialect, agents: &[Agent], urls: &[Vec<u8>]) -> Vec<String> {
    let robots = RobotsTxt::parse_as(body, dialect);
    let of_agent = |agent: &Agent| {
        let rules = robots.rules_for(agent);
        let first = format!("{dialect} {agent:?} waits {:?} {:?}", rules.crawl_delay(), rules.request_rate());
        let decided = urls.iter().map(move |url| {
            format!("{dialect} {agent:?} {}: {:?}", url.escape_ascii(), rules.is_allowed(url))
        });
        std::iter::once(first).chain(decided).collect::<Vec<_>>()
    };
    let sitemaps: BTreeSet<_> = robots.sitemaps().map(|sitemap| sitemap.into_owned()).collect();
    agents.iter().flat_map(of_agent).chain([format!("{dialect} {sitemaps:?}")]).collect()
}

/// Returns URLs that rules of the file may match.
fn urls(body: &[u8], most: usize) -> Vec<Vec<u8>> {
    let robots = RobotsTxt::parse(body);
    let values = robots.records().filter(|record| record.kind().is_rule());
    let values: Vec<Vec<u8>> = values.map(|record| record.value().to_vec()).collect();
    let mut urls: Vec<_> = sample(values, most).iter().flat_map(|value| urls_of(value)).collect();
    urls.push(b"http://h.example/".to_vec());
    urls
}

#[track_caller]
fn fix_all(body: &[u8], accept: impl Fn(&Finding, &Fix) -> bool) -> FixedFile {
    let once = apply_fixes(body, &accept).expect("a file that is short enough");
    let twice = apply_fixes(&once.body, &accept).expect("a file that is short enough");
    let left: Vec<_> = twice.fixed.iter().map(Finding::to_string).collect();
    assert!(left.is_empty() && twice.body == once.body, "{left:?} is left of\n{}", body.escape_ascii());
    once
}

/// A function that returns true for fixes to apply.
type Accept = fn(&Finding, &Fix) -> bool;

/// Checks the promises of fixes for a file. Returns the number of fixes that were applied.
#[track_caller]
fn check(body: &[u8]) -> usize {
    // Crawlers do not use an empty name, or a name with a version.
    let is_name = |agent: &Agent| !agent.as_str().is_empty() && !agent.as_str().contains('/');
    let agents = crawlers(body).into_iter().filter(is_name);
    let (agents, all_urls) = (sample(agents.collect(), 12), urls(body, 24));
    let promises: [(&[Dialect], Accept); 2] = [
        (&Dialect::ALL, |_, fix| fix.decisions() == Decisions::Kept),
        (&[Dialect::Rfc9309], |_, fix| fix.is_safe()),
    ];
    for (dialects, accept) in promises {
        let after = fix_all(body, accept);
        if after.fixed.is_empty() {
            assert_eq!(after.body, body);
            continue;
        }
        let all_urls: Vec<_> = all_urls.iter().cloned().chain(urls(&after.body, 24)).collect();
        for &dialect in dialects {
            let before = effects(body, dialect, &agents, &all_urls);
            let after_it = effects(&after.body, dialect, &agents, &all_urls);
            let changed = before.iter().zip(&after_it).find(|(before, after)| before != after);
            let codes: BTreeSet<_> = after.fixed.iter().map(Finding::code).collect();
            assert!(
                changed.is_none(),
                "{changed:?} by {codes:?} in\n{}\nafter\n{}",
                body.escape_ascii(),
                after.body.escape_ascii()
            );
        }
    }
    fix_all(body, |_, _| true).fixed.len()
}

#[test]
fn fix_of_a_short_file_has_its_promised_effect() {
    let made: usize = short_files(1_500).map(|file| check(file.as_bytes())).sum();
    assert!(made > 1_000, "{made}");
}

/// The effect of a fix marked [`Decisions::Changed`] on decisions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    /// No decision about a URL changes.
    None,
    /// Allowed URLs may become disallowed.
    Closes,
    /// Disallowed URLs may become allowed.
    Opens,
}

/// Returns the effect of a finding's fix. Returns `None` for kinds whose fixes may have both effects, such as those that
/// correct a name.
fn effect(finding: &Finding, body: &[u8]) -> Option<Effect> {
    let line = finding.place().line.and_then(|line| usize::try_from(line).ok())?;
    let text = body.split(|byte| *byte == b'\n').nth(line - 1)?;
    match finding.code() {
        "crawl-delay-not-a-number"
        | "content-usage-term"
        | "content-signal-term"
        | "relative-sitemap"
        | "malformed-sitemap" => Some(Effect::None),
        "star-rules-dropped" => Some(Effect::Closes),
        "pattern-start" | "pattern-url" if text.starts_with(b"Allow") => Some(Effect::Opens),
        "pattern-start" | "pattern-url" => Some(Effect::Closes),
        _ => None,
    }
}

/// Generates short files of lines with one mistake each, whose fixes change decisions, and of lines without a mistake.
fn files_with_mistakes(count: usize) -> impl Iterator<Item = String> {
    const LINES: [&str; 53] = [
        "User-agent: *",
        "User-agent: *",
        "User-agent: Googlebot",
        "User-agent: Googlebot",
        "User-agent: bingbot",
        "User-agent: GPTBot",
        "User-agent: Mediapartners-Google",
        "User-agent: Googlebot, bingbot",
        "User-agent: Gogglebot",
        "User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "User-agent: all",
        "User-agent: Gemini",
        "Allow: /",
        "Allow: /",
        "Allow: /*",
        "Allow: /admin/help",
        "Disallow:",
        "Disallow: /",
        "Disallow: /admin",
        "Disallow: /admin/",
        "Disallow: /a*",
        "Disallow: /*.pdf$",
        "Disallow: \"/cart/\"",
        "Allow: '/admin/a'",
        "Disallow: \u{201c}/cart\u{201d}",
        "Disallow: www.shop.example/cart",
        "Disallow: https://shop.example/cart*",
        "Allow: https://www.shop.example/admin/a",
        "Disallow: https://other.example/cart",
        "Disallow: cdn.other.com",
        "Disallow: ^/cart/.*$",
        "Disallow: /blog/.*\\?.*",
        "Disallow: /a/(.*)/b\\.html$",
        "Disallow: /page/[0-9]+/print",
        "Disallow: cart/",
        "Allow: admin/a",
        "Disallow: .pdf$",
        "Disallow: ?sort=",
        "Disallow: utm_source=",
        "Disallow: /b Allow: /b/c",
        "Disallow: //cart",
        "Disallow: /cart,",
        "Disallow: /list?a=1&amp;b=2",
        "Crawl-delay: 5s",
        "Crawl-delay: 1,5",
        "Crawl-delay: 2",
        "Sitemap: https://www.shop.example/s.xml",
        "Sitemap: www.shop.example/t.xml",
        "Sitemap: https://www.shop.example/a.xml, https://www.shop.example/b.xml",
        "Content-Usage: train-ai=n;search=y",
        "Content-Usage: train-ai=no, ai-train=n",
        "Content-Signal: search=y, train-ai=no",
        "",
    ];
    let mut state = 11_u64;
    let mut below = move |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    (0..count).map(move |_| {
        let lines = (0..3 + below(9)).map(|_| format!("{}\n", LINES[below(LINES.len())]));
        ["User-agent: *\n".to_owned()].into_iter().chain(lines).collect()
    })
}

/// Checks each fix that changes decisions, by itself and in every dialect. Returns the codes of the findings with such
/// fixes.
#[track_caller]
fn check_changes(body: &[u8]) -> BTreeSet<&'static str> {
    let agents = sample(crawlers(body), 4);
    let mut codes = BTreeSet::new();
    for finding in lint(body) {
        let Some(fix) = finding.fix().filter(|fix| fix.decisions() == Decisions::Changed) else { continue };
        codes.insert(finding.code());
        let Some(effect) = effect(&finding, body) else { continue };
        let is_same =
            |other: &Finding, _: &Fix| other.code() == finding.code() && other.place() == finding.place();
        let after = apply_fixes(body, is_same).expect("a short file").body;
        let urls: Vec<_> = urls(body, 8).into_iter().chain(urls(&after, 8)).collect();
        // This dialect adds a missing slash, so the pattern of the mistake can match.
        let is_read = |dialect: &Dialect| {
            *dialect == Dialect::Protego && ["pattern-start", "pattern-url"].contains(&finding.code())
        };
        for dialect in Dialect::ALL.into_iter().filter(|dialect| !is_read(dialect)) {
            let allowed = |body: &[u8]| {
                let robots = RobotsTxt::parse_as(body, dialect);
                let rules: Vec<_> = agents.iter().map(|agent| robots.rules_for(agent)).collect();
                let decide =
                    |url: &Vec<u8>| rules.iter().map(|rules| rules.is_allowed(url)).collect::<Vec<_>>();
                urls.iter().flat_map(decide).collect::<Vec<_>>()
            };
            for (index, pair) in allowed(body).into_iter().zip(allowed(&after)).enumerate() {
                let is_right = match (effect, pair) {
                    (_, (before, after)) if before == after => true,
                    (Effect::Closes, (before, _)) => before == Ok(true),
                    (Effect::Opens, (before, _)) => before == Ok(false),
                    (Effect::None, _) => false,
                };
                let url = urls[index / agents.len()].escape_ascii();
                let agent = &agents[index % agents.len()];
                assert!(
                    is_right,
                    "{dialect} {agent:?} {url}: {effect:?} by {fix:?} of {finding} in\n{}",
                    body.escape_ascii()
                );
            }
        }
    }
    codes
}

#[test]
fn fix_that_changes_decisions_changes_them_as_described() {
    let mut codes = BTreeSet::new();
    let mut made = 0;
    let files = files_with_mistakes(1_000).map(String::into_bytes).chain(crate::lint::bodies());
    for body in files {
        codes.append(&mut check_changes(&body));
        made += check(&body);
    }
    assert!(made > 3_000, "{made}");
    let all: BTreeSet<_> = [
        "agent-is-header",
        "agent-list",
        "agent-not-a-token",
        "content-signal-term",
        "content-usage-term",
        "crawl-delay-ignored",
        "crawl-delay-not-a-number",
        "double-slash",
        "html-entity",
        "malformed-sitemap",
        "misspelt-agent",
        "pattern-start",
        "pattern-url",
        "regex-in-pattern",
        "relative-sitemap",
        "several-directives",
        "star-rules-dropped",
        "trailing-separator",
    ]
    .into();
    assert_eq!(all.difference(&codes).collect::<Vec<_>>(), [&""; 0], "kinds without a generated fix");
}

/// A pattern that a fix writes matches a URL in every dialect.
#[test]
fn pattern_that_a_fix_writes_can_match() {
    let mut written = BTreeSet::new();
    for body in files_with_mistakes(1_000).map(String::into_bytes).chain(crate::lint::bodies()) {
        let found = lint(&body);
        let is_pattern = |finding: &&Finding| {
            ["pattern-start", "pattern-url", "regex-in-pattern"].contains(&finding.code())
        };
        let fixes = found.iter().filter(is_pattern).filter_map(Finding::fix);
        written.extend(fixes.flat_map(|fix| fix.edits()).map(|edit| edit.text().to_owned()));
    }
    assert!(written.len() > 10, "{written:?}");
    for pattern in written {
        // In dialects without wildcards, `*` and `$` match themselves.
        let literals = [pattern.trim_end_matches('$'), &pattern];
        let literals = literals.map(|path| format!("http://h.example{path}").into_bytes());
        let urls: Vec<_> = urls_of(pattern.as_bytes()).chain(literals).collect();
        for dialect in Dialect::ALL {
            let body = format!("User-agent: *\nDisallow: {pattern}\n");
            let rules = RobotsTxt::parse_as(&body, dialect).rules_for(&Agent::unchecked_token("a"));
            let is_matched = urls.iter().any(|url| rules.is_allowed(url) == Ok(false));
            assert!(is_matched, "{dialect}: {pattern}");
        }
    }
}

/// Files in which a fix once changed a decision.
#[test]
fn fix_of_a_difficult_file_has_its_promised_effect() {
    for body in [
        "User-agent: *\nDisallow: *\nDisallow: /%:%e3%83%84\n",
        "User-agent: *\nDisallow: /a*\nDisallow: /ab\n",
        "User-agent: *\nDisallow: /a/index.htm\nDisallow: /a/index.htm[\nDisallow: /a/i%6Edex.htm[\n",
        "User-agent: *\nDisallow :/a\nDisallow: /a\n",
        "User-agent: *\nDisallow : /a\nDisallow: /a/b\n",
        "User-agent: *\n Disallow: /a\nDisallow: /a\n",
        "User-agent: *\nDis\u{1c}allow: /a\nDisallow: /a\nHost: h\nDisallow: /a/b\n",
        "User-agent: *\nDisallow: /a%\nDisallow: /a%2Fb\n",
        "User-agent: *\nDisallow: /a%2\nDisallow: /a%2Fb\n",
    ] {
        check(body.as_bytes());
    }
    // These lines are cut at the limit of a line. If a fix deletes text, unread text would move below the limit.
    let spaces = " ".repeat(16_700);
    for value in ["/* ?***,", "/a**", "/caf\u{e9}"] {
        check(format!("User-agent: *\nDisallow: {value}{spaces}/private\nAllow: /p\n").as_bytes());
    }
}

#[test]
fn fix_of_a_generated_file_has_its_promised_effect() {
    let mut generator = testkit::generate::Generator::new(20_261_123);
    let made: usize = (0..400).map(|_| check(&generator.next_file())).sum();
    assert!(made > 200, "{made}");
}

#[test]
#[ignore = "a long run of the test above, for changes to fixes: cargo test --release -p comity --all-features --test it fixes -- --ignored"]
fn fix_of_many_generated_files_has_its_promised_effect() {
    let mut generator = testkit::generate::Generator::new(20_261_124);
    let files = (0..40_000).map(|_| generator.next_file());
    // Panics are caught, so that every failing file is reported.
    let made: Vec<_> = files.map(|file| std::panic::catch_unwind(|| check(&file))).collect();
    let failed = made.iter().filter(|made| made.is_err()).count();
    assert_eq!(failed, 0, "files in which a fix changes a decision");
    let made: usize = made.into_iter().flatten().sum();
    assert!(made > 20_000, "{made}");
}

fn check_real_files(every: usize) -> (usize, usize) {
    let bodies = real_files(every).into_iter().map(|file| std::fs::read(file).expect("a real file"));
    bodies
        .filter(|body| body.len() <= 512_000)
        .fold((0, 0), |(made, count), body| (made + check(&body), count + 1))
}

#[test]
fn fix_of_some_real_files_has_its_promised_effect() {
    let (made, count) = check_real_files(150);
    assert!(count == 0 || made > 100, "{made} in {count} files");
}

#[test]
#[ignore = "a long run of the test above over every real file; requires COMITY_DATA; the command is that of fix_of_many_generated_files_has_its_promised_effect"]
fn fix_of_any_real_file_has_its_promised_effect() {
    let (made, count) = check_real_files(1);
    let message = format!("{made} fixes made in {count} files\n");
    std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes()).expect("standard error");
    assert!(count > 7_000 && made > 10_000);
}

/// A fix resolves its finding: afterwards the bad example of a kind has neither the finding nor an error.
#[test]
fn fixed_example_no_longer_has_the_finding() {
    let mut fixed = Vec::new();
    for kind in Reader::RobotsTxt.kinds() {
        let Some(bad) = kind.bad().bytes() else { continue };
        let has_fix = |finding: &Finding| finding.kind() == *kind && finding.fix().is_some();
        if !lint(&bad).iter().any(has_fix) {
            continue;
        }
        fixed.push(kind.code());
        let after = fix_all(&bad, |finding, _| finding.kind() == *kind).body;
        let left: Vec<_> = lint(&after)
            .iter()
            .filter(|finding| finding.kind() == *kind || finding.severity() == Severity::Error)
            .map(Finding::to_string)
            .collect();
        assert!(left.is_empty(), "{kind}: {left:?} in\n{}", after.escape_ascii());
    }
    assert!(fixed.len() > 24, "{fixed:?}");
}

#[test]
fn text_outside_of_fixes_is_unchanged() {
    let cases: [(&[u8], &[u8]); 7] = [
        // A byte order mark, line ends of each kind, a comment after a rule, and a last line without an end remain.
        (
            b"\xef\xbb\xbfuser-agent :*\r\nDisallow /a # why\rDisallow: /b*\nDisallow: /b",
            b"\xef\xbb\xbfuser-agent :*\r\nDisallow: /a # why\rDisallow: /b\n",
        ),
        // The comment of a deleted rule remains.
        (
            b"User-agent: *\nDisallow: /a\nDisallow: /a # for the old shop\n",
            b"User-agent: *\nDisallow: /a\n# for the old shop\n",
        ),
        // A new line has the line end of the lines around it.
        (
            b"User-agent: Googlebot, bingbot\r\nDisallow: /a\r\n",
            b"User-agent: Googlebot\r\nUser-agent: bingbot\r\nDisallow: /a\r\n",
        ),
        (b"User-agent: * Disallow: /a", b"User-agent: *\nDisallow: /a"),
        (
            b"User-agent: *\n\n\nDisallow: /a\n\nDisallow: /b\n",
            b"User-agent: *\nDisallow: /a\n\nDisallow: /b\n",
        ),
        (b"User-agent: *\nDisallow: //a//b/,\n", b"User-agent: *\nDisallow: /a//b/,\n"),
        // Neither finding has a fix, since neither has a single solution.
        (b"User-agent: *\nDisallow: /a b\nfree words\n", b"User-agent: *\nDisallow: /a b\nfree words\n"),
    ];
    for (before, after) in cases {
        let output = fix_all(before, |_, _| true).body;
        assert_eq!(output.escape_ascii().to_string(), after.escape_ascii().to_string());
    }
}

#[test]
fn file_above_the_limit_is_not_fixed() {
    let long = ["User-agent: *\n", &"Disallow: /a\n".repeat(40_000)].concat();
    assert!(apply_fixes(long.as_bytes(), |_, _| true).is_err());
    assert!(lint(long.as_bytes()).iter().all(|finding| finding.fix().is_none()));
    // A fix must not move lines beyond the limit.
    let filler = "# \u{e9}\n".repeat(10).len();
    let full = ["User-agent: *\nDisallow: /\u{e9}/*b\n", &"#\n".repeat((512_000 - 28 - filler) / 2)].concat();
    let body = [full.as_bytes(), &vec![b'#'; 512_000 - full.len()]].concat();
    assert_eq!(fix_all(&body, |_, _| true).body, body);
}

#[test]
fn every_repeat_of_a_finding_is_fixed() {
    let many = ["User-agent: *\n", &"Disallow: /caf%c3%a9\n".repeat(500)].concat();
    assert_eq!(fix_all(many.as_bytes(), |_, _| true).body, b"User-agent: *\nDisallow: /caf%C3%A9\n");
}
