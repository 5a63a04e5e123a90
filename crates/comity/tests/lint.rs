//! Lint: the catalogue keeps its promises, its page is up to date, and Google's reporter agrees line by line.

use std::path::Path;
use std::time::{Duration, Instant};

use comity::robots::lint::{self, Finding, LIMIT, LineReport, Lint, Severity, lint};
use comity::robots::{DirectiveKind, RobotsTxt};

/// The codes found, in order.
fn codes(body: &[u8]) -> Vec<&'static str> {
    lint(body).iter().map(|finding| finding.lint().code()).collect()
}

fn find(body: &[u8], code: Lint) -> Vec<Finding> {
    lint(body).into_iter().filter(|finding| finding.lint() == code).collect()
}

#[track_caller]
fn one(body: &[u8], code: Lint) -> Finding {
    let found = find(body, code);
    assert_eq!(found.len(), 1, "{code} in {}: {:?}", body.escape_ascii(), lint(body));
    found.into_iter().next().expect("one finding")
}

/// The text a finding is about.
fn marked<'b>(body: &'b [u8], finding: &Finding) -> &'b str {
    std::str::from_utf8(&body[finding.span()]).expect("UTF-8")
}

#[test]
fn lint_finds_every_bad_example() {
    for &code in Lint::ALL {
        let found = find(&code.bad(), code);
        assert!(!found.is_empty(), "{code}: its bad example is not found; only {:?}", codes(&code.bad()));
        let gravest = found.iter().map(Finding::severity).max();
        assert_eq!(gravest, Some(code.severity()), "{code}: its bad example is not of its own severity");
    }
}

#[test]
fn lint_is_content_with_every_good_example() {
    for &code in Lint::ALL {
        let left: Vec<_> = lint(&code.good())
            .into_iter()
            .filter(|finding| finding.severity() > Severity::Note || finding.lint() == code)
            .collect();
        assert!(left.is_empty(), "{code}: its good example has {left:?}");
    }
}

#[test]
fn lint_codes_are_unique_and_parse() {
    for &code in Lint::ALL {
        assert_eq!(code.code().parse(), Ok(code));
        assert!(
            code.code()
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        );
        assert!(code.summary().ends_with('.'), "{code}: {}", code.summary());
    }
    let error = "missing-colons".parse::<Lint>().expect_err("no such lint");
    assert_eq!(error.to_string(), "unknown lint `missing-colons`; is `missing-colon` meant?");
}

/// `docs/lints.md` is printed from the catalogue; `UPDATE_DOCS=1` writes it anew.
#[test]
fn lint_page_is_up_to_date() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints.md");
    let expected = lint::documentation();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&page, &expected).expect("docs/lints.md can be written");
    }
    let found = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(
        found == expected,
        "docs/lints.md is out of date; UPDATE_DOCS=1 cargo test -p comity --test lint writes it anew"
    );
}

#[test]
fn lint_findings_point_into_the_file() {
    for &code in Lint::ALL {
        let body = code.bad();
        for finding in lint(&body) {
            let span = finding.span();
            assert!(span.start <= span.end && span.end <= body.len(), "{finding:?}");
            assert!(!finding.message().is_empty() && !finding.help().is_empty(), "{finding:?}");
            for text in [finding.message(), finding.help()] {
                assert!(!text.contains('\n') && !text.ends_with('.'), "{finding:?}");
                assert!(
                    !text.starts_with(|c: char| c.is_uppercase() && !c.is_ascii_digit()) || is_name(text),
                    "{text}"
                );
            }
        }
    }
}

/// A message may start with the name of a company or an abbreviation.
fn is_name(text: &str) -> bool {
    ["Google", "Yandex", "CSS", "HTML"].iter().any(|name| text.starts_with(name))
}

#[test]
fn lint_of_an_orderly_file_finds_nothing() {
    let body = b"# A comment\nUser-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*.pdf$\nCrawl-delay: 2\n\n\
        User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\nSitemap: https://example.com/sitemap.xml\n";
    assert_eq!(codes(body), [""; 0]);
    assert_eq!(codes(b""), [""; 0]);
    assert_eq!(codes(b"User-agent: *\nDisallow:\n"), [""; 0]);
    assert_eq!(codes(b"User-agent: *\r\nAllow: /\r\n"), [""; 0]);
}

#[test]
fn lint_spans_and_columns_count_bytes_of_the_body() {
    let body = b"\xEF\xBB\xBFUser-agent: *\r\n  Disallow: /a$*\r\n";
    let finding = one(body, Lint::DollarInside);
    assert_eq!((finding.line(), finding.column(), marked(body, &finding)), (2, 15, "$"));
    assert_eq!(one(body, Lint::ByteOrderMark).span(), 0..3);
}

#[test]
fn lint_tells_how_a_directive_is_spelt() {
    let spelling = |line: &str| {
        let body = format!("User-agent: *\nDisallow: /x\n{line}\n");
        let found: Vec<_> = lint(body.as_bytes()).into_iter().filter(|f| f.line() == 3).collect();
        found.first().map(|finding| (finding.lint(), finding.severity()))
    };
    use Severity::{Error, Note, Warning};
    assert_eq!(spelling("Dissallow: /y"), Some((Lint::MisspeltDirective, Warning)));
    assert_eq!(spelling("Disallop: /y"), Some((Lint::MisspeltDirective, Error)));
    assert_eq!(spelling("user_agent: y"), Some((Lint::MisspeltDirective, Error)));
    assert_eq!(spelling("Site map: https://example.com/y"), Some((Lint::MisspeltDirective, Error)));
    assert_eq!(spelling("Crawldelay: 2"), Some((Lint::MisspeltDirective, Warning)));
    assert_eq!(spelling("Content-Signals: search=yes"), Some((Lint::MisspeltDirective, Error)));
    assert_eq!(spelling("DisallowAITraining: /y"), Some((Lint::DirectiveSuffix, Warning)));
    assert_eq!(spelling("Disallow /y"), Some((Lint::MissingColon, Warning)));
    assert_eq!(spelling("Disallow= /y"), Some((Lint::MissingColon, Warning)));
    assert_eq!(spelling("Disallow /y /z"), Some((Lint::MissingColon, Error)));
    assert_eq!(spelling("Disallow /y:z"), Some((Lint::MissingColon, Error)));
    assert_eq!(spelling("Sitemap https://example.com/y"), Some((Lint::MissingColon, Error)));
    assert_eq!(spelling("Disallow\u{ff1a} /y"), Some((Lint::MissingColon, Warning)));
    assert_eq!(spelling("Disallow\u{ff1a}/y"), Some((Lint::MissingColon, Error)));
    assert_eq!(spelling("LLM-Policy: x"), Some((Lint::UnknownDirective, Note)));
    assert_eq!(spelling("https://example.com/sitemap.xml"), Some((Lint::NotADirective, Warning)));
    assert_eq!(spelling("// a comment"), Some((Lint::NotADirective, Warning)));
    assert_eq!(spelling("<meta name=\"a\" content=\"b: c\">"), Some((Lint::NotADirective, Warning)));
    assert_eq!(spelling("Noarchive: /y"), Some((Lint::ObsoleteDirective, Warning)));
    assert_eq!(spelling("Disallow : /y"), None);
    assert_eq!(spelling("ALLOW: /y"), None);
}

#[test]
fn lint_counts_the_rules_before_any_group_once() {
    let body = b"Disallow: /a\nDisallow: /b\nCrawl-delay: 1\nUser-agent: *\nDisallow: /c\n";
    let found = find(body, Lint::RuleOutsideGroup);
    assert_eq!(found.iter().map(Finding::line).collect::<Vec<_>>(), [1, 3]);
    assert!(found[0].message().starts_with("2 rules"), "{:?}", found[0]);
    assert_eq!(found[1].severity(), Severity::Warning);
}

#[test]
fn lint_tells_what_never_decides() {
    let effects = |rules: &str| {
        let body = format!("User-agent: *\n{rules}");
        let wanted = [Lint::ShadowedRule, Lint::DuplicateRule, Lint::RedundantRule];
        let found = lint(body.as_bytes()).into_iter().filter(|f| wanted.contains(&f.lint()));
        found.map(|f| (f.lint(), f.line())).collect::<Vec<_>>()
    };
    use Lint::{DuplicateRule, RedundantRule, ShadowedRule};
    assert_eq!(effects("Disallow: /a\nAllow: /a\n"), [(ShadowedRule, 2)]);
    // The star at the end makes the other rule longer.
    assert_eq!(effects("Allow: /\nDisallow: /*\n"), [(ShadowedRule, 2)]);
    assert_eq!(effects("Disallow: *\nAllow: /\nDisallow: /**\n"), [(DuplicateRule, 2), (ShadowedRule, 3)]);
    assert_eq!(effects("Disallow: /a%7eb\nDisallow: /a~b\n"), [(DuplicateRule, 3)]);
    assert_eq!(effects("Disallow: /a*$\nDisallow: /a\n"), [(DuplicateRule, 3)]);
    assert_eq!(effects("Disallow: /a$\nDisallow: /a\n"), []);
    assert_eq!(effects("Disallow: /a%2Fb\nDisallow: /a/b\n"), []);
    assert_eq!(effects("Disallow: /a\nDisallow: /a/b\n"), [(RedundantRule, 3)]);
    assert_eq!(effects("Disallow: /a/b\nDisallow: /a\n"), [(RedundantRule, 2)]);
    assert_eq!(effects("Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n"), []);
    assert_eq!(effects("Disallow: /a\nAllow: /*b\nDisallow: /a/b/c\n"), []);
    // Too short, or too long, to come between.
    assert_eq!(effects("Disallow: /aaa\nAllow: *$\nDisallow: /aaa/b\n"), [(RedundantRule, 4)]);
    assert_eq!(effects("Disallow: /a\nAllow: /*/long-name.html\nDisallow: /a/b\n"), [(RedundantRule, 4)]);
    assert_eq!(effects("Allow: /a\nDisallow: /a/b\nAllow: /a/b/c\n"), []);
    // Another group for the same crawlers may hold what lies between.
    assert_eq!(effects("Disallow: /a\nDisallow: /a/b\n\nUser-agent: *\nAllow: /a/\n"), []);
}

#[test]
fn lint_reports_only_rules_that_decide_nothing() {
    // Taking a reported rule out changes no decision.
    let paths = ["/", "/a", "/ab", "/a/b", "/a/b/c", "/a/bc", "/b", "/a?b", "/a.b"];
    let patterns = ["/", "/a", "/a*", "/a/", "/a/b", "/a/b$", "/*b", "*", "/a*b", "/ab**"];
    let agent = comity::robots::Agent::token("examplebot");
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
            if matches!(finding.lint(), Lint::ShadowedRule | Lint::DuplicateRule | Lint::RedundantRule) {
                let mut fewer = body.clone();
                let start = finding.span().start;
                let end = start + body[start..].find('\n').expect("a line end");
                fewer.replace_range(start..=end, "");
                assert_eq!(verdicts(&fewer), before, "{finding:?} in\n{body}");
            }
        }
    }
}

#[test]
fn lint_knows_names_from_lists_headers_and_slips() {
    let name = |value: &str| {
        let body = format!("User-agent: {value}\nDisallow: /x\n");
        lint(body.as_bytes()).first().map(|finding| (finding.lint(), finding.severity()))
    };
    use Severity::{Error, Note, Warning};
    assert_eq!(name("Googlebot, Bingbot"), Some((Lint::AgentList, Error)));
    assert_eq!(name("Googlebot Bingbot"), Some((Lint::AgentList, Error)));
    assert_eq!(name("*, Googlebot"), Some((Lint::AgentList, Error)));
    assert_eq!(name("Sogou web spider"), Some((Lint::AgentAlphabet, Note)));
    assert_eq!(name("Mozilla/4.0 (compatible; MSIE 6.0)"), Some((Lint::AgentIsHeader, Warning)));
    assert_eq!(name("Mediapartners-Google*"), Some((Lint::AgentWildcard, Note)));
    assert_eq!(name("* # everybody"), None);
    assert_eq!(name("* everybody"), Some((Lint::AgentWildcard, Note)));
    assert_eq!(name("Googlebot/2.1"), Some((Lint::AgentVersion, Note)));
    assert_eq!(name("Gogglebot"), Some((Lint::MisspeltAgent, Warning)));
    assert_eq!(name("ExampleBot"), None);
    assert_eq!(name(""), Some((Lint::AgentEmpty, Error)));
    let header =
        "User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)\nDisallow: /x\n";
    assert_eq!(one(header.as_bytes(), Lint::AgentIsHeader).help(), "write `User-agent: bingbot`");
}

#[test]
fn lint_tells_who_does_not_follow_the_rules_for_everybody() {
    let star = "User-agent: *\nDisallow: /a\nDisallow: /b\n\n";
    let dropped = |group: &str| find(format!("{star}{group}").as_bytes(), Lint::StarRulesDropped).len();
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /c\n"), 1);
    assert_eq!(dropped("User-agent: Googlebot\nCrawl-delay: 2\n"), 1);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /b\nDisallow: /c\nDisallow: /a\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow: /\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\nDisallow:\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\nAllow: /\n"), 0);
    assert_eq!(dropped("User-agent: Googlebot\n"), 0);
    let finding =
        one(format!("{star}User-agent: Googlebot\nDisallow: /b\n").as_bytes(), Lint::StarRulesDropped);
    assert_eq!(finding.message(), "1 of the 2 `Disallow` rules for `*` do not hold for `Googlebot`");
}

#[test]
fn lint_reads_content_usage_as_structured_fields_do() {
    let usage = |value: &str| {
        let body = format!("User-agent: *\nDisallow: /x\nContent-Usage: {value}\n");
        let found = lint(body.as_bytes());
        found.first().map(|finding| (finding.lint(), finding.help().to_owned()))
    };
    let syntax = |help: &str| Some((Lint::ContentUsageSyntax, help.to_owned()));
    let term = |help: &str| Some((Lint::ContentUsageTerm, help.to_owned()));
    for fine in
        ["train-ai=n", "train-ai=y, search=n", "/a/ train-ai=n", "train-ai=n;x=1", "train-ai=n\t,\tsearch=y"]
    {
        assert_eq!(usage(fine), None, "{fine}");
    }
    assert_eq!(usage("Train-AI=n"), syntax("write `train-ai`"));
    assert_eq!(usage("train-ai=n,"), syntax("take it out"));
    assert_eq!(usage("train-ai = n"), syntax("take it out"));
    assert_eq!(usage("train-ai= n"), syntax("take it out"));
    assert_eq!(usage("train-ai=n search=n"), syntax("separate preferences with a comma"));
    assert_eq!(usage("train-ai=n; search=n"), None);
    assert_eq!(usage("train-ai=n;"), syntax("take it out"));
    assert_eq!(usage("*/a/ train-ai=n"), syntax("start the path with `/`"));
    assert_eq!(usage("/a/"), syntax("write `train-ai=n` or `train-ai=y`"));
    assert_eq!(usage("train-ai=\"n"), syntax("write `y` or `n` without quotes"));
    assert_eq!(usage("train-ai=no"), term("write `train-ai=n`"));
    assert_eq!(usage("train-ai=\"n\""), term("write `train-ai=n`"));
    assert_eq!(usage("train-ai"), term("write `train-ai=y` or `train-ai=n`"));
    assert_eq!(usage("ai-train=n"), term("write `train-ai`"));
    assert_eq!(usage("genai=n"), term("write `train-ai` or `search`"));
}

#[test]
fn lint_reads_content_signals() {
    let signal = |value: &str| {
        let body = format!("User-agent: *\nContent-Signal: {value}\nAllow: /\n");
        lint(body.as_bytes()).first().map(|finding| (finding.lint(), finding.help().to_owned()))
    };
    let term = |help: &str| Some((Lint::ContentSignalTerm, help.to_owned()));
    assert_eq!(signal("search=yes, ai-input=no,ai-train=no,use=reference"), None);
    assert_eq!(signal("search=y"), term("write `yes` or `no`"));
    assert_eq!(signal("train-ai=no"), term("write `ai-train`"));
    assert_eq!(signal("search=yes ai-train=no"), term("separate signals with commas"));
    assert_eq!(signal("search"), term("write a signal as `ai-train=no`"));
    assert_eq!(signal("search=yes,"), term("take the comma out"));
    assert_eq!(signal("use=partly"), term("write `immediate` or `reference` or `full`"));
}

#[test]
fn lint_knows_a_sitemap_address() {
    let address = |value: &str| {
        let body = format!("User-agent: *\nDisallow: /x\nSitemap: {value}\n");
        lint(body.as_bytes()).first().map(Finding::lint)
    };
    assert_eq!(address("HTTPS://example.com/s.xml?a=b"), None);
    assert_eq!(address("/s.xml"), Some(Lint::RelativeSitemap));
    assert_eq!(address("//example.com/s.xml"), Some(Lint::RelativeSitemap));
    assert_eq!(address("www.example.com/s.xml"), Some(Lint::RelativeSitemap));
    assert_eq!(address("ftp://example.com/s.xml"), Some(Lint::MalformedSitemap));
    assert_eq!(address("https//example.com/s.xml"), Some(Lint::MalformedSitemap));
    assert_eq!(address("https:///s.xml"), Some(Lint::MalformedSitemap));
    assert_eq!(address("<https://example.com/s.xml>"), Some(Lint::MalformedSitemap));
    assert_eq!(address("https://example.com/a.xml https://example.com/b.xml"), Some(Lint::MalformedSitemap));
    assert_eq!(address(""), Some(Lint::MalformedSitemap));
    assert_eq!(address("https://example.com/s.xml # all"), None);
}

#[test]
fn lint_follows_parsers_for_which_blank_lines_count() {
    let blank = |body: &str| {
        find(body.as_bytes(), Lint::BlankLineInGroup)
            .iter()
            .map(|f| (f.line(), f.severity()))
            .collect::<Vec<_>>()
    };
    assert_eq!(blank("User-agent: *\n\nDisallow: /x\n"), [(3, Severity::Warning)]);
    assert_eq!(blank("User-agent: *\nDisallow: /x\n\nDisallow: /y\n\nDisallow: /z\n"), [(4, Severity::Note)]);
    assert_eq!(blank("User-agent: *\n# note\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n"), []);
    assert_eq!(blank("User-agent: *\nDisallow: /x\n\nSitemap: https://example.com/s.xml\n"), []);
}

#[test]
fn lint_is_silent_on_comments() {
    let body = "# Disallow /x \u{a0} \u{7} <html> *bot*\n#User-agent: Gogglebot\nUser-agent: *\nDisallow: /x # caf\u{e9} $ **\n";
    assert_eq!(codes(body.as_bytes()), [""; 0]);
}

#[test]
fn lint_limits_what_it_repeats() {
    let body = ["User-agent: *\n", &"Disallow: x\n".repeat(1_000)].concat();
    let found = find(body.as_bytes(), Lint::PatternStart);
    assert_eq!(found.len(), LIMIT + 1);
    let last = &found[LIMIT];
    assert_eq!((last.repeats(), last.line()), (900, 102));
    assert_eq!(last.message(), "900 more like this, up to line 1001");
    assert!(found[..LIMIT].iter().all(|finding| finding.repeats() == 0));
}

#[test]
fn lint_takes_linear_time_on_hostile_files() {
    let bytes = 512_000;
    let fill = |head: &str, line: &dyn Fn(usize) -> String| {
        let mut body = head.to_owned();
        for index in 0.. {
            let line = line(index);
            if body.len() + line.len() > bytes {
                break;
            }
            body.push_str(&line);
        }
        body.into_bytes()
    };
    let mut state = 1_u64;
    let garbage = (0..bytes).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    let files = [
        ("garbage", garbage.collect::<Vec<u8>>()),
        ("names", fill("", &|i| format!("User-agent: googlebot{i}x\n"))),
        ("groups", fill("User-agent: *\nDisallow: /a\n", &|i| format!("User-agent: b{i}\nDisallow: /{i}\n"))),
        ("one name in many groups", fill("", &|i| format!("User-agent: googlebot\nDisallow: /{i}\n"))),
        ("rules", fill("User-agent: *\n", &|i| format!("Disallow: /{i}\n"))),
        ("nested rules", fill("User-agent: *\n", &|i| format!("Disallow: /{}\n", "a".repeat(i % 1_000)))),
        ("one rule", fill("User-agent: *\n", &|_| "Disallow: /a\n".to_owned())),
        ("wildcards", fill("User-agent: *\n", &|i| format!("Allow: /*{i}\nDisallow: /{i}*\n"))),
        ("colons", fill("User-agent: *\nDisallow: ", &|_| "allow:".to_owned())),
        ("stars", fill("User-agent: *\nDisallow: /", &|_| "*".to_owned())),
        ("sitemaps", fill("", &|i| format!("Sitemap: /{i}\n"))),
        ("delays", fill("User-agent: *\n", &|i| format!("Crawl-delay: {i}\n"))),
        ("nobody", fill("", &|_| "User-agent:\n".to_owned())),
        ("everybody", fill("", &|_| "User-agent: *\n".to_owned())),
        ("everybody, rule by rule", fill("", &|_| "User-agent: *\n\nDisallow:\nAllow:\n".to_owned())),
        ("agents and delays", fill("", &|i| format!("User-agent: a{}\nCrawl-delay: {i}\n", i % 7))),
        (
            "one dropped rule",
            fill("User-agent: *\nDisallow: /a\n", &|i| format!("User-agent: c{i}\nAllow: /\nDisallow: /b\n")),
        ),
        ("percent signs", fill("User-agent: *\nDisallow: /", &|_| "%".to_owned())),
        ("reserved octets", fill("User-agent: *\n", &|_| "Disallow: /*%2f*%3F*?%2f\n".to_owned())),
        ("headers", fill("", &|i| format!("User-agent: Mozilla/5.0 ({})\n", "a;".repeat(i % 200)))),
        ("line ends", vec![b'\n'; bytes]),
        ("signals", fill("User-agent: *\nContent-Signal: ", &|_| "a=b,".to_owned())),
        ("usage", fill("User-agent: *\n", &|_| "Content-Usage: train-ai=n,search=y,\n".to_owned())),
        ("letters", vec![b'a'; bytes]),
        ("misspelt", fill("", &|i| format!("Disalow{i}: /\nUsr-agent: x\n"))),
    ];
    for (name, body) in files {
        let start = Instant::now();
        let found = lint(&body);
        assert!(found.len() <= Lint::ALL.len() * (LIMIT + 1), "{name}: {} findings", found.len());
        // Takes far less; quadratic work on files of this size takes minutes.
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn lint_lines_are_those_of_the_engine() {
    let bodies = [
        &b"\xEF\xBBUser-agent: *\rDisallow /x\n\r\nSitemap: y\0z\n#"[..],
        b"Useragent a\nDissallow: /x\r\r\nNoindex: /\nhello\n : x\n\n",
    ];
    for body in bodies {
        let robots = RobotsTxt::parse(body);
        let reports: Vec<_> = lint::lines(body).filter(LineReport::has_directive).collect();
        assert_eq!(reports.len(), robots.records().count());
        for (report, record) in reports.iter().zip(robots.records()) {
            assert_eq!(report.line(), record.line());
            assert_eq!(
                report.tag().is_used(),
                matches!(
                    record.kind(),
                    DirectiveKind::UserAgent
                        | DirectiveKind::Allow
                        | DirectiveKind::Disallow
                        | DirectiveKind::Sitemap
                )
            );
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn lint_findings_serialise_under_stable_names() {
    let finding = one(b"User-agent: *\nAllow: /a\nDisallow: /a\n", Lint::ShadowedRule);
    let json = serde_json::to_value(&finding).expect("JSON");
    assert_eq!(json["code"], "shadowed-rule");
    assert_eq!(json["severity"], "warning");
    assert_eq!((&json["line"], &json["column"]), (&3.into(), &1.into()));
    assert_eq!((&json["start"], &json["end"]), (&24.into(), &36.into()));
    assert_eq!(json["related"][0]["line"], 2);
    assert_eq!(json["page"], "docs/lints.md#shadowed-rule");
    assert_eq!(json["repeats"], 0);
}

/// Google's own reporter, run over other projects' cases and over real files: every line of every file.
#[test]
fn lint_lines_match_googles_reporter() {
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
        let reports: Vec<_> = lint::lines(&body).collect();
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

/// A line's facts in the letters of the rows.
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
