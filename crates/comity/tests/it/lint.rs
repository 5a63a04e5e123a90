//! Lint: the cases in `conformance/lint/`, findings in constructed files, and a line-by-line comparison with Google's
//! reporter.

use comity::finding::{Finding, LIMIT, Severity};
#[cfg(feature = "__plain-matcher")]
use comity::robots::RecordKind;
use comity::robots::RobotsTxt;
#[cfg(feature = "__plain-matcher")]
use comity::robots::lint::line_report::{self, LineReport};
use comity::robots::lint::{apply_fixes, lint};
use serde::Deserialize;
use testkit::conformance::Hex;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// One case; `conformance/README.md` explains the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    why: String,
    #[expect(dead_code, reason = "documents the case")]
    source: Option<String>,
    #[serde(default)]
    robots: String,
    #[serde(default)]
    robots_hex: Hex,
    findings: Vec<String>,
    fixed: Option<String>,
}

impl Case {
    fn body(&self) -> Vec<u8> {
        [self.robots.as_bytes(), &self.robots_hex.0].concat()
    }
}

fn cases() -> Vec<Case> {
    let files = testkit::conformance::files::<File>("lint").unwrap_or_else(|error| panic!("{error}"));
    files.into_iter().flat_map(|(_, file)| file.case).collect()
}

/// Returns the bodies of all cases.
pub(crate) fn bodies() -> Vec<Vec<u8>> {
    cases().iter().map(Case::body).collect()
}

#[test]
fn file_of_every_case_has_the_expected_findings_and_fixes() {
    let cases = cases();
    assert!(cases.len() > 25, "only {} cases", cases.len());
    for case in cases {
        let body = case.body();
        let found = lint(&body)
            .into_iter()
            .map(|finding| format!("{} {} {}", finding.severity(), finding.code(), line_of(&finding)));
        assert_eq!(found.collect::<Vec<_>>(), case.findings, "{}: {}", case.id, case.why);
        let fixed = apply_fixes(&body, |_, _| true).expect("a short file").body;
        let expected = case.fixed.map_or(body, String::into_bytes);
        let (fixed, expected) = (String::from_utf8_lossy(&fixed), String::from_utf8_lossy(&expected));
        assert_eq!(fixed, expected, "{}: {}", case.id, case.why);
    }
}

/// Returns the codes of the findings, in order.
fn codes(body: &[u8]) -> Vec<&'static str> {
    lint(body).iter().map(|finding| finding.code()).collect()
}

fn find(body: &[u8], code: &str) -> Vec<Finding> {
    lint(body).into_iter().filter(|finding| finding.code() == code).collect()
}

#[track_caller]
fn one(body: &[u8], code: &str) -> Finding {
    let found = find(body, code);
    assert_eq!(found.len(), 1, "{code} in {}: {:?}", body.escape_ascii(), lint(body));
    found.into_iter().next().expect("one finding")
}

/// Returns the line of a finding.
fn line_of(finding: &Finding) -> u64 {
    finding.place().line.expect("a line")
}

/// Returns the byte range of a finding.
fn span_of(finding: &Finding) -> std::ops::Range<usize> {
    finding.place().span().expect("a span")
}

/// Returns the text of a finding's range.
fn marked<'b>(body: &'b [u8], finding: &Finding) -> &'b str {
    std::str::from_utf8(&body[span_of(finding)]).expect("UTF-8")
}

#[test]
fn valid_file_has_no_findings() {
    let body = b"# A comment\nUser-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*.pdf$\nCrawl-delay: 2\n\n\
        User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\nSitemap: https://www.shop.example/sitemap.xml\n";
    assert_eq!(codes(body), [""; 0]);
    assert_eq!(codes(b""), [""; 0]);
    assert_eq!(codes(b"User-agent: *\nDisallow:\n"), [""; 0]);
    assert_eq!(codes(b"User-agent: *\r\nAllow: /\r\n"), [""; 0]);
}

#[test]
fn span_and_column_count_bytes_of_the_body() {
    let body = b"\xEF\xBB\xBFUser-agent: *\r\n  Disallow: /a$*\r\n";
    let finding = one(body, "dollar-inside");
    assert_eq!((line_of(&finding), finding.place().column, marked(body, &finding)), (2, Some(15), "$"));
    assert_eq!(span_of(&one(body, "byte-order-mark")), 0..3);
}

#[test]
fn misspelt_directive_has_the_finding_of_its_mistake() {
    let spelling = |line: &str| {
        let body = format!("User-agent: *\nDisallow: /x\n{line}\n");
        let found: Vec<_> = lint(body.as_bytes()).into_iter().filter(|f| line_of(f) == 3).collect();
        found.first().map(|finding| (finding.code(), finding.severity()))
    };
    use Severity::{Error, Note, Warning};
    assert_eq!(spelling("Dissallow: /y"), Some(("misspelt-directive", Warning)));
    assert_eq!(spelling("Disallop: /y"), Some(("misspelt-directive", Error)));
    assert_eq!(spelling("user_agent: y"), Some(("misspelt-directive", Error)));
    assert_eq!(spelling("Site map: https://example.com/y"), Some(("misspelt-directive", Error)));
    assert_eq!(spelling("Crawldelay: 2"), Some(("misspelt-directive", Warning)));
    assert_eq!(spelling("Content-Signals: search=yes"), Some(("misspelt-directive", Error)));
    assert_eq!(spelling("DisallowAITraining: /y"), Some(("directive-suffix", Warning)));
    assert_eq!(spelling("Disallow /y"), Some(("missing-colon", Warning)));
    assert_eq!(spelling("Disallow= /y"), Some(("missing-colon", Warning)));
    assert_eq!(spelling("Disallow /y /z"), Some(("missing-colon", Error)));
    assert_eq!(spelling("Disallow /y:z"), Some(("missing-colon", Error)));
    assert_eq!(spelling("Sitemap https://example.com/y"), Some(("missing-colon", Error)));
    assert_eq!(spelling("Disallow\u{ff1a} /y"), Some(("missing-colon", Warning)));
    assert_eq!(spelling("Disallow\u{ff1a}/y"), Some(("missing-colon", Error)));
    assert_eq!(spelling("LLM-Policy: x"), Some(("unknown-directive", Note)));
    assert_eq!(spelling("https://example.com/sitemap.xml"), Some(("not-a-directive", Warning)));
    assert_eq!(spelling("// a comment"), Some(("not-a-directive", Warning)));
    assert_eq!(spelling("<meta name=\"a\" content=\"b: c\">"), Some(("not-a-directive", Warning)));
    assert_eq!(spelling("Noarchive: /y"), Some(("obsolete-directive", Warning)));
    assert_eq!(spelling("Disallow : /y"), None);
    assert_eq!(spelling("ALLOW: /y"), None);
}

#[test]
fn consecutive_rules_before_any_group_have_one_finding() {
    let body = b"Disallow: /a\nDisallow: /b\nCrawl-delay: 1\nUser-agent: *\nDisallow: /c\n";
    let found = find(body, "rule-outside-group");
    assert_eq!(found.iter().map(line_of).collect::<Vec<_>>(), [1, 3]);
    assert!(found[0].message().starts_with("2 rules"), "{:?}", found[0]);
    assert_eq!(found[1].severity(), Severity::Warning);
}

#[test]
fn rule_that_never_decides_is_reported() {
    let effects = |rules: &str| {
        let body = format!("User-agent: *\n{rules}");
        let wanted = ["shadowed-rule", "duplicate-rule", "redundant-rule"];
        let found = lint(body.as_bytes()).into_iter().filter(|f| wanted.contains(&f.code()));
        found.map(|f| (f.code(), line_of(&f))).collect::<Vec<_>>()
    };
    assert_eq!(effects("Disallow: /a\nAllow: /a\n"), [("shadowed-rule", 2)]);
    // The final star makes the other rule longer.
    assert_eq!(effects("Allow: /\nDisallow: /*\n"), [("shadowed-rule", 2)]);
    assert_eq!(
        effects("Disallow: *\nAllow: /\nDisallow: /**\n"),
        [("duplicate-rule", 2), ("shadowed-rule", 3)]
    );
    assert_eq!(effects("Disallow: /a%7eb\nDisallow: /a~b\n"), [("duplicate-rule", 3)]);
    assert_eq!(effects("Disallow: /a*$\nDisallow: /a\n"), [("duplicate-rule", 3)]);
    assert_eq!(effects("Disallow: /a$\nDisallow: /a\n"), []);
    assert_eq!(effects("Disallow: /a%2Fb\nDisallow: /a/b\n"), []);
    assert_eq!(effects("Disallow: /a\nDisallow: /a/b\n"), [("redundant-rule", 3)]);
    assert_eq!(effects("Disallow: /a/b\nDisallow: /a\n"), [("redundant-rule", 2)]);
    assert_eq!(effects("Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n"), []);
    assert_eq!(effects("Disallow: /a\nAllow: /*b\nDisallow: /a/b/c\n"), []);
    // The `Allow` rule is too short or too long to take precedence between the two.
    assert_eq!(effects("Disallow: /aaa\nAllow: *$\nDisallow: /aaa/b\n"), [("redundant-rule", 4)]);
    assert_eq!(effects("Disallow: /a\nAllow: /*/long-name.html\nDisallow: /a/b\n"), [("redundant-rule", 4)]);
    assert_eq!(effects("Allow: /a\nDisallow: /a/b\nAllow: /a/b/c\n"), []);
    // The rule between the two may be in another group for the same crawlers.
    assert_eq!(effects("Disallow: /a\nDisallow: /a/b\n\nUser-agent: *\nAllow: /a/\n"), []);
}

#[test]
fn deleting_a_reported_rule_changes_no_decision() {
    let paths = ["/", "/a", "/ab", "/a/b", "/a/b/c", "/a/bc", "/b", "/a?b", "/a.b"];
    let patterns = ["/", "/a", "/a*", "/a/", "/a/b", "/a/b$", "/*b", "*", "/a*b", "/ab**"];
    let agent = comity::robots::Agent::unchecked_token("examplebot");
    for code in 0..(2 * patterns.len()).pow(3) {
        let line = |index: usize| {
            let kind = if index.is_multiple_of(2) { "Disallow" } else { "Allow" };
            format!("{kind}: {}\n", patterns[index / 2])
        };
        let size = 2 * patterns.len();
        let lines = [line(code % size), line(code / size % size), line(code / size / size)];
        let body = format!("User-agent: *\n{}", lines.concat());
        let verdicts = |body: &str| {
            let robots = RobotsTxt::parse(body);
            let rules = robots.rules_for(&agent);
            paths.map(|path| rules.is_allowed(path).expect("a path"))
        };
        let before = verdicts(&body);
        for finding in lint(body.as_bytes()) {
            if matches!(finding.code(), "shadowed-rule" | "duplicate-rule" | "redundant-rule") {
                let mut fewer = body.clone();
                let start = span_of(&finding).start;
                let end = start + body[start..].find('\n').expect("a line end");
                fewer.replace_range(start..=end, "");
                assert_eq!(verdicts(&fewer), before, "{finding:?} in\n{body}");
            }
        }
    }
}

#[test]
fn blocked_assets_name_the_search_engines_that_follow_the_group() {
    let messages = |body: &str| -> Vec<(Option<u64>, String)> {
        let found = find(body.as_bytes(), "blocks-assets");
        found.into_iter().map(|finding| (finding.place().line, finding.message().to_owned())).collect()
    };
    let message = |engines: &str| format!("`/*.css$` forbids style sheets to {engines} them to render pages");
    let both = message("Googlebot and bingbot, which need");
    let everyone = "User-agent: *\nDisallow: /*.css$\n";
    assert_eq!(messages(everyone), [(Some(2), both)]);
    let google = format!("{everyone}\nUser-agent: Googlebot\nDisallow: /cgi\n");
    assert_eq!(messages(&google), [(Some(2), message("bingbot, which needs"))]);
    assert!(messages(&format!("{google}\nUser-agent: bingbot/2.0\nDisallow: /cgi\n")).is_empty());
    let blocked = "User-agent: *\nDisallow: /cgi\n\nUser-agent: Googlebot\nDisallow: /*.css$\n";
    assert_eq!(messages(blocked), [(Some(5), message("Googlebot, which needs"))]);
}

#[test]
fn wildcard_in_a_name_is_reported_with_the_name_that_google_reads() {
    let message = |value: &str| {
        one(format!("User-agent: {value}\nDisallow: /x\n").as_bytes(), "agent-wildcard").message().to_owned()
    };
    let start = "`*` is not a wildcard in a name, so";
    assert_eq!(message("*bot*"), format!("{start} `*bot*` applies to no crawler"));
    assert_eq!(
        message("Google*bot"),
        format!("{start} `Google*bot` names no crawler; only Google's parser reads `Google`")
    );
    assert_eq!(
        message("MJ12*bot"),
        format!("{start} `MJ12*bot` names no crawler; only Google's parser reads `MJ`")
    );
}

#[test]
fn invalid_agent_has_the_finding_of_its_mistake() {
    let name = |value: &str| {
        let body = format!("User-agent: {value}\nDisallow: /x\n");
        lint(body.as_bytes()).first().map(|finding| (finding.code(), finding.severity()))
    };
    use Severity::{Error, Note, Warning};
    assert_eq!(name("Googlebot, Bingbot"), Some(("agent-list", Error)));
    assert_eq!(name("Googlebot Bingbot"), Some(("agent-list", Error)));
    assert_eq!(name("*, Googlebot"), Some(("agent-list", Error)));
    assert_eq!(name("Sogou web spider"), Some(("agent-alphabet", Note)));
    assert_eq!(name("Mozilla/4.0 (compatible; MSIE 6.0)"), Some(("agent-is-header", Warning)));
    assert_eq!(name("Mediapartners-Google*"), Some(("agent-wildcard", Note)));
    assert_eq!(name("* # everybody"), None);
    assert_eq!(name("* everybody"), Some(("agent-wildcard", Note)));
    assert_eq!(name("Googlebot/2.1"), Some(("agent-version", Note)));
    assert_eq!(name("Gogglebot"), Some(("misspelt-agent", Warning)));
    assert_eq!(name("googelbot"), Some(("misspelt-agent", Warning)));
    for nobody in ["ChatGPT", "Semrush", "OpenAI", "Google", "all", "Everyone", "Bing/2.0"] {
        let found = find(format!("User-agent: {nobody}\nDisallow: /x\n").as_bytes(), "agent-not-a-token");
        assert_eq!(found.len(), 1, "{nobody}");
    }
    assert_eq!(name("Googlebot,"), Some(("agent-alphabet", Note)));
    let comma = one(b"User-agent: Googlebot,\nDisallow: /x\n", "trailing-separator");
    assert_eq!(comma.help(), "write `User-agent: Googlebot`");
    assert_eq!(name("ExampleBot"), None);
    assert_eq!(name(""), Some(("agent-empty", Error)));
    let header =
        "User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)\nDisallow: /x\n";
    assert_eq!(one(header.as_bytes(), "agent-is-header").help(), "write `User-agent: bingbot`");
}

#[test]
fn group_without_rules_of_the_star_group_is_reported() {
    let star = "User-agent: *\nDisallow: /a\nDisallow: /b\n\n";
    let dropped = |group: &str| find(format!("{star}{group}").as_bytes(), "star-rules-dropped").len();
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /c\n"), 1);
    assert_eq!(dropped("User-agent: Googlebot\nCrawl-delay: 2\n"), 1);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /b\nDisallow: /c\nDisallow: /a\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow:\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\n"), 0);
    // A wider rule of the group covers a rule for `*`, unless an `Allow` of the group makes an exception to it.
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /a\nDisallow: /*b\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /a\nDisallow: /b$\n"), 1);
    let below = "User-agent: *\nDisallow: /a/x\nAllow: /a/x/y\n\nUser-agent: Googlebot\nDisallow: /a/\n";
    assert_eq!(find(below.as_bytes(), "star-rules-dropped"), []);
    assert_eq!(find(format!("{below}Allow: /a/x/y\n").as_bytes(), "star-rules-dropped"), []);
    assert_eq!(find(format!("{below}Allow: /a/x/z\n").as_bytes(), "star-rules-dropped").len(), 1);
    let finding =
        one(format!("{star}User-agent: Googlebot\nDisallow: /b\n").as_bytes(), "star-rules-dropped");
    assert_eq!(finding.message(), "1 of the 2 `Disallow` rules for `*` do not apply to `Googlebot`");
    let single = "User-agent: *\nDisallow: /a\n\nUser-agent: Googlebot\nDisallow: /b\n";
    let finding = one(single.as_bytes(), "star-rules-dropped");
    assert_eq!(finding.message(), "the only `Disallow` rule for `*` does not apply to `Googlebot`");
}

#[test]
fn fix_of_equal_length_is_made_at_the_limit_of_the_file() {
    let start = "User-agent: *\nDisalow: /a\nDisallow: /b\n#";
    let body = format!("{start}{}\n", "x".repeat(511_998 - start.len()));
    let growing = body.replace("Disalow: /a", "Disallow /ab");
    // One more byte is the limit; two more are beyond it.
    for (body, expected, count) in [(body, "Disallow: /a\n", 1), (growing, "Disallow: /ab\n", 0)] {
        assert_eq!(fixed(&body).matches(expected).count(), count, "{expected}");
    }
}

/// Returns the file with all fixes, including those that change decisions.
fn fixed(body: &str) -> String {
    let fixed = apply_fixes(body.as_bytes(), |_, _| true).expect("a short file");
    String::from_utf8(fixed.body).expect("UTF-8")
}

#[test]
fn group_that_only_allows_everything_opens_the_paths_of_the_star_group() {
    let star = "User-agent: *\nDisallow: /admin\nAllow: /admin/help\nDisallow: /cart\n\n";
    let file = |group: &str| format!("{star}{group}");
    let opened = file("User-agent: Googlebot\nAllow: /\n");
    let finding = one(opened.as_bytes(), "star-rules-dropped");
    assert_eq!(finding.severity(), Severity::Warning);
    let message = "`Googlebot` may fetch `/admin` and `/cart`, which the rules for `*` forbid: a crawler follows only the group that names it";
    assert_eq!((finding.message(), finding.place().line), (message, Some(6)));
    let copied = "User-agent: Googlebot\nDisallow: /admin\nAllow: /admin/help\nDisallow: /cart\nAllow: /\n";
    assert_eq!(fixed(&opened), file(copied));
    for open in ["Allow: *", "Allow: /*", "Crawl-delay: 2\nAllow: /", "Allow: /public\nAllow: /"] {
        let group = file(&format!("User-agent: GPTBot/1.2\n{open}\n"));
        assert_eq!(one(group.as_bytes(), "star-rules-dropped").severity(), Severity::Warning, "{open}");
    }
    // Such groups are usual for crawlers of advertisements, for previews and for the site's own tools. They are also
    // usual if `*` may fetch nothing.
    for fine in ["Mediapartners-Google", "Twitterbot", "Google-Extended", "ExampleBot"] {
        let group = file(&format!("User-agent: {fine}\nAllow: /\n"));
        assert_eq!(find(group.as_bytes(), "star-rules-dropped"), [], "{fine}");
    }
    let listed = b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n";
    assert_eq!(find(listed, "star-rules-dropped"), []);
}

#[test]
fn exclusion_of_a_search_engine_is_an_error() {
    let found = |body: &str| {
        let found = find(body.as_bytes(), "blocks-everything");
        found.iter().map(|finding| (finding.severity(), finding.place().line)).collect::<Vec<_>>()
    };
    assert_eq!(found("User-agent: *\nDisallow: /\n"), [(Severity::Error, Some(2))]);
    assert_eq!(found("User-agent: Googlebot\nDisallow: /\n"), [(Severity::Error, Some(2))]);
    assert_eq!(
        found("User-agent: *\nDisallow:\n\nUser-agent: BINGBOT\nDisallow: /*\n"),
        [(Severity::Error, Some(5))]
    );
    let both =
        "User-agent: *\nDisallow: /\n\nUser-agent: bingbot\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n";
    assert_eq!(found(both), [(Severity::Note, Some(2)), (Severity::Error, Some(5))]);
    assert_eq!(found("User-agent: Googlebot\nDisallow: /\nAllow: /public\n"), []);
    let partly = "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /\nAllow: /public\n";
    assert_eq!(found(partly), [(Severity::Note, Some(2))]);
    assert_eq!(found("User-agent: Baiduspider\nUser-agent: GPTBot\nDisallow: /\n"), []);
}

#[test]
fn exclusion_by_a_joined_group_names_the_other_crawler() {
    let found = |body: &str| {
        let finding = one(body.as_bytes(), "blocks-everything");
        (finding.severity(), finding.message().to_owned(), finding.help().to_owned())
    };
    let message = |whom: &str, name: &str| {
        format!("the whole site is forbidden to {whom}: `{name}` shares the rules of `CCBot`")
    };
    let help = |name: &str| {
        format!(
            "end the group for `{name}` with a rule, such as an empty `Disallow:`, if it should not share these rules"
        )
    };
    let everyone = "User-agent: *\nCrawl-delay: 2\nUser-agent: a\nUser-agent: CCBot\nDisallow: /\n";
    assert_eq!(found(everyone), (Severity::Error, message("every crawler", "*"), help("*")));
    let google = everyone
        .replace('*', "Googlebot")
        .replace("Crawl-delay: 2", "Sitemap: https://www.shop.example/s.xml");
    assert_eq!(found(&google), (Severity::Error, message("`Googlebot`", "Googlebot"), help("Googlebot")));
    let bing = everyone.replace('*', "BingBot");
    assert_eq!(found(&bing), (Severity::Warning, message("`bingbot`", "bingbot"), help("bingbot")));
    // A list of names without other directives is intended.
    let listed = "User-agent: Googlebot\nUser-agent: CCBot\nDisallow: /\n";
    let message = "the whole site is forbidden to `Googlebot`";
    assert_eq!((found(listed).0, found(listed).1.as_str()), (Severity::Error, message));
    let repeated =
        "User-agent: Googlebot\nCrawl-delay: 2\nUser-agent: CCBot\nUser-agent: Googlebot\nDisallow: /\n";
    assert_eq!(found(repeated).1, message);
}

#[test]
fn rule_that_another_group_for_the_crawler_outranks_is_shadowed() {
    let found = |body: &str| {
        let found = find(body.as_bytes(), "shadowed-rule");
        found.iter().map(|f| (f.place().line, f.message().to_owned())).collect::<Vec<_>>()
    };
    let managed =
        "User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /\n";
    let message = "`Disallow: /` never decides for crawlers that no group names: the groups for `*` count as one, \
                   `Allow: /` on line 2 matches the same URLs, and `Allow` wins a tie";
    assert_eq!(found(managed), [(Some(8), message.to_owned())]);
    let longer = "User-agent: gptbot\nUser-agent: CCBot\nAllow: /a\n\nUser-agent: GPTBot\nDisallow: /a*\n";
    assert_eq!(found(longer).len(), 1);
    assert_eq!(found(longer)[0].0, Some(3));
    assert_eq!(found("User-agent: a\nAllow: /a\n\nUser-agent: b\nDisallow: /a\n"), []);
    assert_eq!(found("User-agent: a\nDisallow: /a\n\nUser-agent: a\nDisallow: /a\n"), []);
    // Within one group, the rule is reported once.
    assert_eq!(found("User-agent: a\nAllow: /a\nDisallow: /a\n\nUser-agent: a\nAllow: /a\n").len(), 1);
}

#[test]
fn unreadable_pattern_is_fixed_only_if_the_intention_is_clear() {
    let head = "Sitemap: https://www.shop.example/sitemap.xml\nUser-agent: *\nAllow: /x\n";
    for (written, intended) in [
        ("\"/private\"", "/private"),
        ("'/a b'", "/a b"),
        ("\u{201c}/private/\u{201d}", "/private/"),
        ("https://shop.example/cart", "/cart"),
        ("\"https://www.shop.example/cart?x\"", "/cart?x"),
        ("www.shop.example/cart", "/cart"),
        ("shop.example/cart", "/cart"),
        ("^/private/.*$", "/private/"),
        ("^/private", "/private"),
        ("^private/", "/private/"),
        ("/a/(.*)/b\\.html$", "/a/*/b.html$"),
        ("private/", "/private/"),
        (".pdf$", "/*.pdf$"),
        ("?sort=", "/*?sort="),
        ("utm_source=*&x", "/*utm_source=*&x"),
        ("index.php/cart", "/index.php/cart"),
        ("CVS", "/CVS"),
    ] {
        let file = fixed(&format!("{head}Disallow: {written}\n"));
        assert!(file.ends_with(&format!("\nDisallow: {intended}\n")), "{written}: {file}");
    }
    for unclear in [
        "www.other.example/cart",
        "pay.other.example/cart",
        "http: //www.",
        "robots.txt",
        "https://other.example/cart",
        "https://shop.example/",
        "www.shop.example",
        "\"\"",
        "\"/\"",
        "/page/[0-9]+/print",
        "^(/a|/b)$",
        "(.*)",
        "<path>",
    ] {
        let file = format!("{head}Disallow: {unclear}\n");
        assert_eq!(fixed(&file), file, "{unclear}");
        assert!(!lint(file.as_bytes()).is_empty(), "{unclear}");
    }
}

#[test]
fn sitemap_without_scheme_and_list_of_sitemaps_are_fixed() {
    let both = |value: &str| {
        let body = format!("User-agent: *\nDisallow: /x\nSitemap: {value}\n");
        (body.clone(), fixed(&body))
    };
    let of = |lines: &str| format!("User-agent: *\nDisallow: /x\n{lines}");
    assert_eq!(both("www.shop.example/s.xml").1, of("Sitemap: https://www.shop.example/s.xml\n"));
    assert_eq!(both("//shop.example/s.xml").1, of("Sitemap: https://shop.example/s.xml\n"));
    let list = "https://a.example/1.xml, https://a.example/2.xml\thttps://a.example/3.xml";
    let lines = [1, 2, 3].map(|number| format!("Sitemap: https://a.example/{number}.xml\n"));
    assert_eq!(both(list).1, of(&lines.concat()));
    for unclear in
        ["/sitemap.xml", "sitemap.xml", "https://a.example/1.xml and 2.xml", "https:/a.example/s.xml"]
    {
        let (body, fixed) = both(unclear);
        assert_eq!(fixed, body, "{unclear}");
        assert!(!lint(body.as_bytes()).is_empty(), "{unclear}");
    }
}

#[test]
fn delay_with_two_readings_has_no_fix() {
    let help = |value: &str| {
        let body = format!("User-agent: bingbot\nCrawl-delay: {value}\nDisallow: /x\n");
        let finding = one(body.as_bytes(), "crawl-delay-not-a-number");
        (finding.help().to_owned(), finding.fix().is_some())
    };
    let write = |delay: &str| format!("write `Crawl-delay: {delay}` if you mean {delay} seconds");
    assert_eq!(help("5 s"), (write("5"), true));
    assert_eq!(help("1,5"), (write("1.5"), false));
    assert_eq!(help("1,5 sec"), (write("1.5"), false));
    for unclear in ["5 min", "10-20", "1,5,7", "500ms", "1.000,5", "1,"] {
        let general = "write a number of seconds, such as `Crawl-delay: 5`";
        assert_eq!(help(unclear), (general.to_owned(), false), "{unclear}");
    }
}

#[test]
fn name_of_a_product_leads_to_its_crawlers() {
    let finding = |name: &str| {
        one(format!("User-agent: {name}\nDisallow: /x\n").as_bytes(), "agent-not-a-token")
            .message()
            .to_owned()
    };
    let gemini = "no crawler is named `Gemini`, so the group does not apply to `Google-Extended`";
    assert_eq!(finding("Gemini"), gemini);
    assert!(
        finding("chatgpt").ends_with("`GPTBot` or `OAI-SearchBot` or `ChatGPT-User`"),
        "{}",
        finding("chatgpt")
    );
    assert_eq!(
        finding("Grok"),
        "no crawler is named `Grok`, and the operator of the product names no crawler"
    );
}

#[test]
fn content_signal_before_any_group_applies_to_no_crawler() {
    let body = b"Content-Signal: ai-train=no\nUser-agent: *\nDisallow: /x\n";
    let finding = one(body, "rule-outside-group");
    assert_eq!((finding.severity(), finding.place().line), (Severity::Warning, Some(1)));
}

#[test]
fn invalid_content_usage_is_reported_with_the_correction() {
    let usage = |value: &str| {
        let body = format!("User-agent: *\nDisallow: /x\nContent-Usage: {value}\n");
        let found = lint(body.as_bytes());
        found.first().map(|finding| (finding.code(), finding.help().to_owned()))
    };
    let syntax = |help: &str| Some(("content-usage-syntax", help.to_owned()));
    let term = |help: &str| Some(("content-usage-term", help.to_owned()));
    for fine in [
        "train-ai=n",
        "train-ai=y, search=n",
        "/a/ train-ai=n",
        "/a\ttrain-ai=n",
        "train-ai=n;x=1",
        "train-ai=n\t,\tsearch=y",
    ] {
        assert_eq!(usage(fine), None, "{fine}");
    }
    assert_eq!(usage("Train-AI=n"), syntax("write `train-ai`"));
    assert_eq!(usage("train-ai=n,"), syntax("delete it"));
    assert_eq!(usage("train-ai = n"), syntax("delete it"));
    assert_eq!(usage("train-ai= n"), syntax("delete it"));
    assert_eq!(usage("train-ai=n search=n"), syntax("separate preferences with a comma"));
    assert_eq!(usage("train-ai=n; search=n"), term("separate preferences with a comma, not with `;`"));
    assert_eq!(usage("train-ai=n;"), syntax("delete it"));
    assert_eq!(usage("*/a/ train-ai=n"), syntax("start the path with `/`"));
    assert_eq!(usage("/a/"), syntax("write `train-ai=n` or `train-ai=y`"));
    assert_eq!(usage("train-ai=\"n"), syntax("write `y` or `n`"));
    for value in ["?5", "1.", "@1.5", "%\"%E9\"", "\"\\a\"", "(a\tb)"] {
        assert_eq!(usage(&format!("train-ai={value}")), syntax("write `y` or `n`"), "{value}");
    }
    for value in ["%\"x\"", "\"a\\\"b\"", "(\")\" 1.5;a=?0)", "@-1", ":YQ==:"] {
        let found = usage(&format!("train-ai={value}"));
        assert_eq!(found, term("write `train-ai=y` or `train-ai=n`"), "{value}");
    }
    assert_eq!(usage("train-ai=no"), term("write `train-ai=n`"));
    assert_eq!(usage("train-ai=\"n\""), term("write `train-ai=n`"));
    assert_eq!(usage("train-ai"), term("write `train-ai=y` or `train-ai=n`"));
    assert_eq!(usage("ai-train=n"), term("write `train-ai`"));
    assert_eq!(usage("genai=n"), term("write `train-ai`, `ai-use` or `search`"));
}

#[test]
fn invalid_content_signal_is_reported_with_the_correction() {
    let signal = |value: &str| {
        let body = format!("User-agent: *\nContent-Signal: {value}\nAllow: /\n");
        lint(body.as_bytes()).first().map(|finding| (finding.code(), finding.help().to_owned()))
    };
    let term = |help: &str| Some(("content-signal-term", help.to_owned()));
    assert_eq!(signal("search=yes, ai-input=no,ai-train=no,use=reference"), None);
    assert_eq!(signal("search=y"), term("write `yes` or `no`"));
    assert_eq!(signal("train-ai=no"), term("write `ai-train`"));
    assert_eq!(signal("search=yes ai-train=no"), term("separate signals with commas"));
    assert_eq!(signal("search"), term("write a signal as `ai-train=no`"));
    assert_eq!(signal("search=yes,"), term("delete the comma"));
    assert_eq!(signal("use=partly"), term("write `immediate` or `reference` or `full`"));
}

#[test]
fn invalid_sitemap_address_is_reported() {
    let address = |value: &str| {
        let body = format!("User-agent: *\nDisallow: /x\nSitemap: {value}\n");
        lint(body.as_bytes()).first().map(Finding::code)
    };
    assert_eq!(address("HTTPS://shop.example/s.xml?a=b"), None);
    assert_eq!(address("/s.xml"), Some("relative-sitemap"));
    assert_eq!(address("//shop.example/s.xml"), Some("relative-sitemap"));
    assert_eq!(address("www.shop.example/s.xml"), Some("relative-sitemap"));
    assert_eq!(address("ftp://shop.example/s.xml"), Some("malformed-sitemap"));
    assert_eq!(address("https//shop.example/s.xml"), Some("malformed-sitemap"));
    assert_eq!(address("https:///s.xml"), Some("malformed-sitemap"));
    assert_eq!(address("<https://shop.example/s.xml>"), Some("malformed-sitemap"));
    assert_eq!(address("https://shop.example/a.xml https://shop.example/b.xml"), Some("malformed-sitemap"));
    assert_eq!(address(""), Some("malformed-sitemap"));
    assert_eq!(address("https://shop.example/s.xml # all"), None);
}

#[test]
fn placeholder_in_a_sitemap_address_is_reported() {
    let address = |value: &str| {
        let body = format!("User-agent: *\nDisallow: /x\nSitemap: {value}\n");
        lint(body.as_bytes()).iter().map(|finding| finding.code()).collect::<Vec<_>>()
    };
    let placeholder = ["placeholder-sitemap"];
    for value in [
        "https://example.com/s.xml",
        "https://WWW.EXAMPLE.ORG/s.xml",
        "http://localhost:3000/s.xml",
        "http://127.0.0.1/s.xml",
        "http://10.60.6.111/s.xml",
        "http://[::1]:80/s.xml",
        "http://shop.local/s.xml",
        "https://yourdomain.com/s.xml",
        "https://staging.shop.example/s.xml",
        "https://www-dev.shop.example/s.xml",
        "https://{{ host }}/s.xml",
    ] {
        assert!(address(value).contains(&"placeholder-sitemap"), "{value}: {:?}", address(value));
    }
    assert_eq!(address("https://user@localhost/s.xml"), placeholder);
    for value in [
        "https://dev.to/s.xml",
        "https://test.de/s.xml",
        "https://8.8.8.8/s.xml",
        "https://latest.shop.example/",
    ] {
        assert_eq!(address(value), [""; 0], "{value}");
    }
    assert_eq!(address("https://www.shop.example/s?a=b&amp;c=d"), ["html-entity"]);
    assert_eq!(address("https://www.shop.example/s.xml;"), ["trailing-separator"]);
}

#[test]
fn disallowed_sitemap_is_reported() {
    let forbidden = |body: &str| {
        let body = format!("{body}\nSitemap: https://www.shop.example/s.xml\n");
        find(body.as_bytes(), "sitemap-disallowed").iter().map(|f| f.message().to_owned()).collect::<Vec<_>>()
    };
    let everyone = "crawlers that no group names may not fetch the sitemap, because of `Disallow: /*.xml`";
    assert_eq!(forbidden("User-agent: *\nDisallow: /*.xml\n"), [everyone]);
    assert_eq!(forbidden("User-agent: *\nDisallow: /*.xml\nAllow: /s.xml\n"), [""; 0]);
    let google = "Googlebot may not fetch the sitemap, because of `Disallow: /s`";
    assert_eq!(forbidden("User-agent: *\nDisallow:\n\nUser-agent: Googlebot\nDisallow: /s\n"), [google]);
    // A complete exclusion is a different finding.
    assert_eq!(forbidden("User-agent: *\nDisallow: /\n"), [""; 0]);
    assert_eq!(forbidden("User-agent: *\nDisallow: /\n\nUser-agent: bingbot\nDisallow:\n"), [""; 0]);
    assert_eq!(forbidden("User-agent: a\nDisallow: /s\n"), [""; 0]);
}

#[test]
fn file_of_another_format_has_one_finding() {
    let jpeg: Vec<u8> =
        [b"\xFF\xD8\xFF\xE0\0\x10JFIF\0".to_vec(), (0..60_000_u32).map(|n| (n * n / 7) as u8).collect()]
            .concat();
    let css = format!(
        "/* theme */\nbody {{ margin: 0 }}\n{}",
        "a:hover { color: red; }\n.b { top: 1px }\n".repeat(200)
    );
    let json = format!("{{\n{}\"end\": 1}}\n", "\"error\": \"not found\",\n".repeat(200));
    let s3 = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
    for (body, what) in [
        (&jpeg[..], "a JPEG image"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (
            b"\x1F\x8B\x08\0\0\0\0\0\0\x03KLJ\x06",
            "compressed with gzip, but served without `Content-Encoding`",
        ),
        (b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n", "a PDF document"),
        (css.as_bytes(), "a style sheet"),
        (json.as_bytes(), "JSON"),
        (b"[]", "JSON"),
        (s3.as_bytes(), "an XML error message, as storage services send them"),
        (b"\xEF\xBB\xBF\n<!DOCTYPE html><html></html>", "an HTML page"),
        (b"<meta name=\"a\" content=\"b: c\">\n<style>a: b</style>", "a piece of HTML"),
        (b"<?xml version=\"1.0\"?><urlset></urlset>", "an XML sitemap"),
        (b"<?php\necho 'User: agent';\n", "the source of a PHP program"),
        (b"(function(){var a=1;window.b=a;})();\nhost: x\n", "a script in JavaScript"),
        (b"#!/bin/sh\necho x\n", "a script"),
        (&[0, 1, 2, 3, 4, 5, 6, 7, 200, 201, 202, 203, 255, 254, 253, 252][..], "a binary file"),
    ] {
        let found = lint(body);
        let message = format!("the file is {what}; crawlers read it as a robots.txt without rules");
        let seen: Vec<_> = found.iter().map(|finding| (finding.code(), finding.message())).collect();
        assert_eq!(seen, [("not-robots-txt", message.as_str())], "{}", body.escape_ascii());
    }
    for body in [
        &b"<html>\nUser-agent: *\nDisallow: /x\n</html>"[..],
        b"<p>\nSitemap: https://www.shop.example/s.xml\n",
        b"{\nDisallow: /x\n",
        b"",
        b"# comment\n",
        b"hello\n",
        b"[see https://www.shop.example/robots]\n",
        b"Host: shop.example\n",
    ] {
        assert!(!codes(body).contains(&"not-robots-txt"), "{}: {:?}", body.escape_ascii(), codes(body));
    }
}

#[test]
fn byte_order_mark_is_more_severe_before_a_record() {
    let mark = |body: &[u8]| {
        let found = lint(body);
        found.iter().map(|finding| (finding.code(), finding.severity(), line_of(finding))).collect::<Vec<_>>()
    };
    use Severity::{Error, Note, Warning};
    let rules = b"User-agent: *\nDisallow: /x\n";
    let with = |start: &[u8]| mark(&[start, rules].concat());
    assert_eq!(with(b"\xEF\xBB\xBF"), [("byte-order-mark", Warning, 1)]);
    assert_eq!(with(b"\xEF\xBB\xBF# a\n"), [("byte-order-mark", Note, 1)]);
    assert_eq!(with(b"\xEF\xBB\xBF\n"), [("byte-order-mark", Note, 1)]);
    assert_eq!(with(b"\xC3\xAF\xC2\xBB\xC2\xBF"), [("byte-order-mark", Error, 1)]);
    assert_eq!(with(b"\xC3\xAF\xC2\xBB"), [("byte-order-mark", Error, 1)]);
    let outside = ("rule-outside-group", Error, 2);
    assert_eq!(with(b"\xC3\xAF\xC2\xBB\xC2\xBF\xEF\xBB\xBF"), [("byte-order-mark", Error, 1), outside]);
    assert_eq!(with(b"\xEF\xBB\xBF\xEF\xBB\xBF"), [("byte-order-mark", Error, 1), outside]);
    assert_eq!(with(b"\xC3\xAF\xC2\xBB\xC2\xBF# a\n"), [("byte-order-mark", Note, 1)]);
}

#[test]
fn span_after_a_byte_order_mark_includes_the_mark() {
    for mark in [&b"\xEF\xBB\xBF"[..], b"\xC3\xAF\xC2\xBB\xC2\xBF"] {
        let body = [mark, b"Useragent: *\nDisalow: /a\n"].concat();
        let at = |code| {
            let finding = one(&body, code);
            (line_of(&finding), finding.place().column, span_of(&finding))
        };
        let start = mark.len();
        assert_eq!(at("byte-order-mark"), (1, Some(1), 0..start));
        let keys: Vec<_> =
            find(&body, "misspelt-directive").iter().map(|found| (line_of(found), span_of(found))).collect();
        assert_eq!(keys, [(1, start..start + 9), (2, start + 13..start + 20)]);
    }
}

#[test]
fn byte_order_mark_that_was_encoded_twice_has_a_safe_fix() {
    let body = b"\xC3\xAF\xC2\xBB\xC2\xBFUser-agent: *\nDisallow: /a\n";
    let fixed = comity::robots::lint::apply_fixes(body, |_, fix| fix.is_safe()).expect("a short file");
    assert_eq!(fixed.body, b"User-agent: *\nDisallow: /a\n");
}

#[test]
fn suspicious_pattern_is_reported_with_the_intended_pattern() {
    let pattern = |rules: &str| {
        let body = format!("User-agent: *\n{rules}");
        let found = lint(body.as_bytes());
        found.iter().map(|f| (f.code(), f.severity(), f.help().to_owned())).collect::<Vec<_>>()
    };
    let one = |code, severity, help: &str| vec![(code, severity, help.to_owned())];
    use Severity::{Note, Warning};
    assert_eq!(
        pattern("Disallow: //admin\n"),
        one("double-slash", Warning, "write `/admin` for an ordinary path")
    );
    assert_eq!(pattern("Disallow: //\nDisallow: //;x\n"), one("redundant-rule", Note, "drop it"));
    assert_eq!(pattern("Disallow: /a?x=1&amp;y\n"), one("html-entity", Warning, "write `&`"));
    assert_eq!(pattern("Disallow: /a?x=1&ampere=2\n"), []);
    assert_eq!(
        pattern("Disallow: /a,\n"),
        one("trailing-separator", Warning, "write `/a` if the `,` only ends the line")
    );
    assert_eq!(
        pattern("Disallow: /*;\n"),
        one("trailing-separator", Note, "write `/*` if the `;` only ends the line")
    );
    assert_eq!(pattern("Disallow: /a;\nDisallow: /a?\n"), []);
    let twin = "write both in the spelling of the site's URLs";
    assert_eq!(pattern("Disallow: /Private/\nDisallow: /private/a\n"), one("case-twin", Note, twin));
    assert_eq!(pattern("Disallow: /Private/\nDisallow: /private/\nDisallow: /PRIVATE/\n"), []);
    assert_eq!(pattern("Disallow: /Private/\nDisallow: /private/\nDisallow: /private2/\n"), []);
    assert_eq!(pattern("Disallow: /Private/\nAllow: /private/a\n"), []);
}

#[test]
fn full_exclusion_with_ineffective_exceptions_is_reported() {
    let blocked =
        |rules: &str| !find(format!("User-agent: *\n{rules}").as_bytes(), "blocks-everything").is_empty();
    assert!(blocked("Disallow: /\n"));
    assert!(blocked("Disallow: /\nAllow: /robots.txt\n"));
    assert!(blocked("Disallow: /\nAllow: /robots.txt$\n"));
    assert!(blocked("Disallow: /*\nAllow: /\n"));
    assert!(!blocked("Disallow: /\nAllow: /\n"));
    assert!(!blocked("Disallow: /\nAllow: /a\n"));
    assert!(!blocked("Disallow: /a\n"));
}

#[test]
fn invalid_crawl_delay_is_reported_with_the_intended_line() {
    let help = |value: &str| {
        one(
            format!("User-agent: *\nDisallow: /x\nCrawl-delay: {value}\n").as_bytes(),
            "crawl-delay-not-a-number",
        )
        .help()
        .to_owned()
    };
    assert_eq!(help("0100-0800"), "write `Visit-time: 0100-0800` if you mean visiting hours");
    assert_eq!(help("5s"), "write `Crawl-delay: 5` if you mean 5 seconds");
}

#[test]
fn line_between_user_agent_lines_is_reported() {
    let found = |between: &str| {
        let body = format!("User-agent: a\n{between}User-agent: b\nDisallow: /x\n");
        lint(body.as_bytes()).iter().map(Finding::code).collect::<Vec<_>>()
    };
    assert_eq!(found(""), [""; 0]);
    assert_eq!(found("Content-Usage: train-ai=n\n"), ["content-usage-among-agents"]);
    assert_eq!(found("Content-Usage: train-ai=n\nCrawl-delay: 1\n"), ["content-usage-among-agents"]);
    assert_eq!(found("Content-Signal: ai-train=no\n"), ["joined-groups"]);
    assert_eq!(found("Content-Usage: train-ai=n\nDisallow:\n"), [""; 0]);
}

#[test]
fn blank_line_in_a_group_is_reported() {
    let blank = |body: &str| {
        find(body.as_bytes(), "blank-line-in-group")
            .iter()
            .map(|f| (line_of(f), f.severity()))
            .collect::<Vec<_>>()
    };
    assert_eq!(blank("User-agent: *\n\nDisallow: /x\n"), [(3, Severity::Warning)]);
    assert_eq!(blank("User-agent: *\nDisallow: /x\n\nDisallow: /y\n\nDisallow: /z\n"), [(4, Severity::Note)]);
    assert_eq!(blank("User-agent: *\n# note\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n"), []);
    assert_eq!(blank("User-agent: *\nDisallow: /x\n\nSitemap: https://example.com/s.xml\n"), []);
}

#[test]
fn comment_has_no_findings() {
    let body = "# Disallow /x \u{a0} \u{7} <html> *bot*\n#User-agent: Gogglebot\nUser-agent: *\nDisallow: /x # caf\u{e9} $ **\n";
    assert_eq!(codes(body.as_bytes()), [""; 0]);
}

#[test]
fn repeated_finding_is_listed_up_to_the_limit() {
    let body = ["User-agent: *\n", &"Disallow: x\n".repeat(1_000)].concat();
    let found = find(body.as_bytes(), "pattern-start");
    assert_eq!(found.len(), LIMIT + 1);
    let last = &found[LIMIT];
    assert_eq!((last.repeats(), line_of(last)), (900, 102));
    assert_eq!(last.message(), "900 more like this, up to line 1001");
    assert!(found[..LIMIT].iter().all(|finding| finding.repeats() == 0));
}

#[cfg(feature = "__plain-matcher")]
#[test]
fn line_report_agrees_with_the_engine() {
    let bodies = [
        &b"\xEF\xBBUser-agent: *\rDisallow /x\n\r\nSitemap: y\0z\n#"[..],
        b"Useragent a\nDissallow: /x\r\r\nNoindex: /\nhello\n : x\n\n",
    ];
    for body in bodies {
        let robots = RobotsTxt::parse(body);
        let reports: Vec<_> = line_report::lines(body).filter(LineReport::has_directive).collect();
        assert_eq!(reports.len(), robots.records().count());
        for (report, record) in reports.iter().zip(robots.records()) {
            assert_eq!(report.line(), record.line());
            assert_eq!(
                report.tag().is_used(),
                matches!(
                    record.kind(),
                    RecordKind::UserAgent | RecordKind::Allow | RecordKind::Disallow | RecordKind::Sitemap
                )
            );
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn finding_is_serialized_with_stable_names() {
    let finding = one(b"User-agent: *\nAllow: /a\nDisallow: /a\n", "shadowed-rule");
    let json = serde_json::to_value(&finding).expect("JSON");
    assert_eq!(json["code"], "shadowed-rule");
    assert_eq!(json["severity"], "warning");
    let place = |line: u32, start: u32, end: u32| {
        serde_json::json!({
            "channel": "robots_txt", "part": null, "number": null,
            "line": line, "column": 1, "start": start, "end": end,
        })
    };
    assert_eq!(json["place"], place(3, 24, 36));
    assert_eq!(json["related"][0]["place"], place(2, 14, 23));
    assert_eq!(json["documentation"], "docs/reference/lints/rules.md#shadowed-rule");
    assert_eq!(json["repeats"], 0);
}

/// Compares every line of other projects' cases and of real files with Google's reporter.
#[cfg(feature = "__plain-matcher")]
#[test]
fn line_report_equals_the_report_of_google() {
    let Some(data) = testkit::data::shared_data() else { return };
    let text =
        std::fs::read_to_string(data.join("conformance/google_reporting.extra.jsonl")).expect("the rows");
    let mut rows = 0;
    for row in text.lines() {
        let row: serde_json::Value = serde_json::from_str(row).expect("a row");
        let body = match row["robots_txt"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64(row["robots_b64"].as_str().expect("a body")),
        };
        let reports: Vec<_> = line_report::lines(&body).collect();
        let expected: Vec<_> = row["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .map(|line| {
                let text = |index: usize| line[index].as_str().expect("text").to_owned();
                (line[0].as_u64().expect("a number"), text(1), text(2))
            })
            .collect();
        let found: Vec<_> =
            reports.iter().map(|r| (u64::from(r.line()), r.tag().to_string(), flags(r))).collect();
        assert_eq!(found, expected, "{}", row["id"]);
        let used = reports.iter().filter(|r| r.tag().is_used()).count();
        let unused = reports.iter().filter(|r| r.has_directive() && !r.tag().is_used()).count();
        assert_eq!(row["last_line_seen"], reports.len(), "{}", row["id"]);
        assert_eq!(row["valid_directives"], used, "{}", row["id"]);
        assert_eq!(row["unused_directives"], unused, "{}", row["id"]);
        rows += 1;
    }
    assert_eq!(rows, 1_063);
}

/// Returns the flags of a line as the letters that the rows use.
#[cfg(feature = "__plain-matcher")]
fn flags(report: &LineReport) -> String {
    let flags = [
        (report.is_too_long(), 'L'),
        (report.is_empty(), 'E'),
        (report.is_accepted_typo(), 'T'),
        (report.has_comment(), 'c'),
        (report.is_comment(), 'C'),
        (report.has_directive(), 'D'),
        (report.is_missing_colon(), 'M'),
    ];
    flags.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| *letter).collect()
}

#[cfg(feature = "__plain-matcher")]
fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|byte| *byte != b'=') {
        let value = LETTERS.iter().position(|known| *known == letter).expect("base64") as u32;
        bits = bits << 6 | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
