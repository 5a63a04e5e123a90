//! Runs the test cases of other projects, which are read from the folder `COMITY_DATA`.

use std::path::Path;

use comity::robots::{Agent, Basis, Dialect, RobotsTxt};
use testkit::data::{self, EngineAnswer, MatrixRow, Row};
use testkit::generate::Generator;

/// Returns the decision of a dialect: true if the URL is allowed, and the deciding line.
fn answer(
    robots: &[u8],
    charset: Option<&str>,
    dialect: Dialect,
    agent: &str,
    url: &[u8],
) -> Option<(bool, Option<u32>)> {
    let rules =
        RobotsTxt::parse_with_charset(robots, dialect, charset).rules_for(&Agent::unchecked_token(agent));
    let decision = rules.decide(url).ok()?;
    Some((decision.is_allowed(), decision.rule().map(|rule| rule.line())))
}

#[test]
fn matrix_of_29_parsers_is_decided_as_expected() {
    let Some(data) = data::shared_data() else { return };
    let rows = data::matrix(&data).unwrap_or_else(|error| panic!("{error}"));
    let mut decided = 0;
    for row in &rows {
        decided += usize::from(row.rfc9309.is_some());
        check_matrix(row, Dialect::Rfc9309, None, row.rfc9309);
        for (engine, dialect, charset) in [
            ("google_cpp", Dialect::Google, None),
            ("cpython_old", Dialect::Urllib, None),
            ("rerp", Dialect::Gym2008, Some("utf-8")),
        ] {
            let expected = match row.answers.get(engine) {
                Some(EngineAnswer::Allow) => Some(true),
                Some(EngineAnswer::Deny) => Some(false),
                _ => None,
            };
            check_matrix(row, dialect, charset, expected);
        }
    }
    assert_eq!(decided, 148, "the matrix has 150 rows that the RFC decides, two of them only described");
}

fn check_matrix(row: &MatrixRow, dialect: Dialect, charset: Option<&str>, expected: Option<bool>) {
    let Some(expected) = expected else { return };
    let answer = answer(&row.robots, charset, dialect, &row.agent, row.url.as_bytes());
    assert_eq!(answer.map(|(allowed, _)| allowed), Some(expected), "{} in {dialect}: {}", row.id, row.why);
}

#[test]
fn described_rows_of_the_matrix_are_decided_as_expected() {
    let before_the_limit = format!("User-agent: *\n{}Disallow: /x\n", "# pad\n".repeat(80_000));
    let after_a_long_line = format!("User-agent: *\nDisallow: /{}\nDisallow: /x\n", "a".repeat(20_000));
    for body in [before_the_limit, after_a_long_line] {
        let allowed = answer(body.as_bytes(), None, Dialect::Rfc9309, "foobot", b"/x");
        assert_eq!(allowed.map(|(allowed, _)| allowed), Some(false));
    }
    let after_the_limit = format!("User-agent: *\n{}Disallow: /x\n", "# pad\n".repeat(86_000));
    let ask = |dialect| {
        answer(after_the_limit.as_bytes(), None, dialect, "foobot", b"/x").map(|(allowed, _)| allowed)
    };
    assert_eq!(ask(Dialect::Rfc9309), Some(true));
    assert_eq!(ask(Dialect::Google), Some(false));
}

/// Returns true for rows that are excluded because their files are damaged.
fn is_excluded(row: &Row) -> bool {
    // In these files, a byte order mark was decoded as ISO-8859-1.
    ("rerp-0058"..="rerp-0064").contains(&row.id.as_str())
}

/// Returns true for an empty text and for `xyz/foo.js`, which are neither URLs nor paths. The default dialect returns
/// an error for such text.
fn has_invalid_url(row: &Row) -> bool {
    row.url.is_empty() || row.url == "xyz/foo.js"
}

fn check_suite(data: &Path, suite: &str, own: Option<Dialect>) {
    let rows = data::rows(data, suite).unwrap_or_else(|error| panic!("{error}"));
    for row in rows.iter().filter(|row| !is_excluded(row)) {
        let [agent] = row.agents.as_slice() else { continue };
        let url = row.url_bytes();
        let check = |dialect: Dialect, charset: Option<&str>, expected: bool| {
            let answer = answer(&row.robots, charset, dialect, agent, &url);
            assert_eq!(
                answer.map(|(allowed, _)| allowed),
                Some(expected),
                "{} in {dialect}: {}",
                row.id,
                row.note
            );
            answer.and_then(|(_, line)| line)
        };
        let google = row.refs.get("google_cpp").copied().flatten();
        let is_settled = (row.rfc_core_agrees || row.unanimous) && !has_invalid_url(row);
        if let (true, Some(expected)) = (is_settled, google) {
            check(Dialect::Rfc9309, None, expected);
        }
        if let Some(expected) = google {
            // Google also reports the line of an empty rule, which decides nothing.
            let line = check(Dialect::Google, None, expected);
            assert!(line.is_none() || line == row.google_matching_line, "{}: line {line:?}", row.id);
        }
        if let Some(dialect) = own {
            let charset = matches!(dialect, Dialect::Gym2008).then_some("utf-8");
            let line = check(dialect, charset, row.expected_allowed);
            if dialect == Dialect::Yandex {
                assert_eq!(line, row.expected_line, "{}", row.id);
            }
        }
    }
}

macro_rules! suites {
    ($($name:ident: $own:expr;)*) => {
        $(
            #[test]
            fn $name() {
                if let Some(data) = data::shared_data() {
                    check_suite(&data, stringify!($name), $own);
                }
            }
        )*
    };
}

suites! {
    google_cpp: None;
    google_spec_test: None;
    nzrsky: None;
    protego: None;
    texting_robots: None;
    crawler_commons: None;
    cpython: None;
    temoto: None;
    rep_cpp: None;
    rerp: Some(Dialect::Gym2008);
    robots_parser_js: Some(Dialect::RobotsParser);
    robotxt: None;
    ruby: Some(Dialect::RobotstxtGem);
    spatie: None;
    t1gor: None;
    yandex_observed: Some(Dialect::Yandex);
}

/// After many decisions, a large set of rules builds an index. An explanation examines each rule without the index.
#[test]
fn real_file_is_decided_equally_with_and_without_an_index() {
    let Some(data) = data::shared_data() else { return };
    let mut generator = Generator::new(11);
    for number in (0..7_881).step_by(20) {
        let path = data.join("corpus/robots").join(format!("{number:05}.txt"));
        let body = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for dialect in [Dialect::Rfc9309, Dialect::Google, Dialect::Yandex] {
            let rules = RobotsTxt::parse_as(&body, dialect).rules_for(&Agent::unchecked_token("examplebot"));
            for _ in 0..60 {
                let (_, url) = generator.question_for(&body);
                let Ok(decision) = rules.decide(&url) else { continue };
                if decision.basis() == Basis::RobotsTxt {
                    continue;
                }
                let contenders = rules.contenders(&url).expect("the same URL");
                let first = contenders.first().map(|contender| contender.rule());
                assert_eq!(decision.rule(), first, "{number} in {dialect}: {url}");
            }
        }
    }
}
