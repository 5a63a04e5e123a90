//! The TOML tables of a conformance file, and their conversion to cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use comity::robots::Dialect;
use serde::Deserialize;

use super::{Case, CaseAgent, Expected, Hex, LoadError};

/// Returns the cases of one file.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Case>, LoadError> {
    let tables: Tables = toml::from_str(text).map_err(|error| LoadError::syntax(path, error))?;
    let single = tables.case.into_iter().map(|table| {
        let id = table.id.clone();
        (id, table.into_case())
    });
    let several = tables.file.into_iter().flat_map(FileTable::into_cases);
    single
        .chain(several)
        .map(|(id, case)| match case {
            Ok(case) => Ok(Case { path: path.to_owned(), ..case }),
            Err(problem) => Err(LoadError::case(path, &id, problem)),
        })
        .collect()
}

/// The content of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    #[serde(default)]
    case: Vec<CaseTable>,
    #[serde(default)]
    file: Vec<FileTable>,
}

/// `[[case]]`: one question about one robots.txt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseTable {
    id: String,
    why: String,
    source: Option<String>,
    robots: Option<String>,
    robots_hex: Option<Hex>,
    robots_pieces: Option<Vec<TextPiece>>,
    charset: Option<String>,
    agent: Option<String>,
    header: Option<String>,
    url: Option<String>,
    url_pieces: Option<Vec<TextPiece>>,
    expect: BTreeMap<String, String>,
    #[serde(default)]
    crawl_delay: BTreeMap<String, Delay>,
    sitemaps: Option<SitemapTable>,
}

/// `[[file]]`: several questions about one robots.txt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTable {
    id: String,
    why: String,
    source: Option<String>,
    robots: Option<String>,
    robots_hex: Option<Hex>,
    robots_pieces: Option<Vec<TextPiece>>,
    charset: Option<String>,
    sitemaps: Option<SitemapTable>,
    ask: Vec<AskTable>,
}

/// One question of a `[[file]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskTable {
    why: Option<String>,
    agent: Option<String>,
    header: Option<String>,
    url: String,
    expect: BTreeMap<String, String>,
    #[serde(default)]
    crawl_delay: BTreeMap<String, Delay>,
}

/// A piece of a long text, and the number of its repetitions.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextPiece {
    text: String,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

/// The value of `crawl_delay`: seconds, or `false` if the dialect reports no delay.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Delay {
    Seconds(f64),
    Flag(bool),
}

/// The value of `sitemaps`: a list for the default dialect, or a list for each of several dialects.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum SitemapTable {
    Default(Vec<String>),
    ByDialect(BTreeMap<String, Vec<String>>),
}

impl SitemapTable {
    fn into_lists(table: Option<SitemapTable>) -> Result<BTreeMap<Dialect, Vec<String>>, String> {
        match table {
            None => Ok(BTreeMap::new()),
            Some(SitemapTable::Default(list)) => Ok([(Dialect::default(), list)].into()),
            Some(SitemapTable::ByDialect(lists)) => by_dialect(&lists, |list| Ok(list.clone())),
        }
    }
}

impl CaseTable {
    fn into_case(self) -> Result<Case, String> {
        let url = match (self.url, self.url_pieces) {
            (Some(url), None) => url,
            (None, Some(pieces)) => join(&pieces),
            _ => return Err("give either `url` or `url_pieces`".to_owned()),
        };
        Ok(Case {
            id: self.id,
            path: PathBuf::new(),
            why: self.why,
            source: self.source,
            robots: body(self.robots, self.robots_hex, self.robots_pieces)?,
            charset: self.charset,
            asker: asker(self.agent, self.header)?,
            url,
            expect: expectations(&self.expect)?,
            crawl_delay: crawl_delays(&self.crawl_delay)?,
            sitemaps: SitemapTable::into_lists(self.sitemaps)?,
        })
    }
}

impl FileTable {
    /// Returns the cases with their ids.
    fn into_cases(self) -> Vec<(String, Result<Case, String>)> {
        let FileTable { id, why, source, robots, robots_hex, robots_pieces, charset, sitemaps, ask } = self;
        let robots = match body(robots, robots_hex, robots_pieces) {
            Ok(_) if ask.is_empty() => return vec![(id, Err("`ask` contains no question".to_owned()))],
            Ok(robots) => robots,
            Err(problem) => return vec![(id, Err(problem))],
        };
        let sitemaps = match SitemapTable::into_lists(sitemaps) {
            Ok(sitemaps) => sitemaps,
            Err(problem) => return vec![(id, Err(problem))],
        };
        let with_body = |(index, ask): (usize, AskTable)| {
            let id = format!("{id}/{}", index + 1);
            let case = ask.into_case(&id).map(|case| Case {
                why: match &case.why {
                    more if more.is_empty() => why.clone(),
                    more => format!("{why} ({more})"),
                },
                source: source.clone(),
                robots: robots.clone(),
                charset: charset.clone(),
                sitemaps: sitemaps.clone(),
                ..case
            });
            (id, case)
        };
        ask.into_iter().enumerate().map(with_body).collect()
    }
}

impl AskTable {
    /// Returns a case whose shared fields, such as `robots`, are still empty.
    fn into_case(self, id: &str) -> Result<Case, String> {
        Ok(Case {
            id: id.to_owned(),
            path: PathBuf::new(),
            why: self.why.unwrap_or_default(),
            source: None,
            robots: Vec::new(),
            charset: None,
            asker: asker(self.agent, self.header)?,
            url: self.url,
            expect: expectations(&self.expect)?,
            crawl_delay: crawl_delays(&self.crawl_delay)?,
            sitemaps: BTreeMap::new(),
        })
    }
}

fn body(text: Option<String>, hex: Option<Hex>, pieces: Option<Vec<TextPiece>>) -> Result<Vec<u8>, String> {
    match (text, hex, pieces) {
        (Some(text), None, None) => Ok(text.into_bytes()),
        (None, Some(hex), None) => Ok(hex.0),
        (None, None, Some(pieces)) => Ok(join(&pieces).into_bytes()),
        _ => Err("give one of `robots`, `robots_hex` and `robots_pieces`".to_owned()),
    }
}

fn asker(agent: Option<String>, header: Option<String>) -> Result<CaseAgent, String> {
    match (agent, header) {
        (Some(token), None) => Ok(CaseAgent::Token(token)),
        (None, Some(header)) => Ok(CaseAgent::Header(header)),
        _ => Err("give either `agent` (a product token) or `header` (a whole User-Agent)".to_owned()),
    }
}

fn join(pieces: &[TextPiece]) -> String {
    pieces.iter().map(|piece| piece.text.repeat(piece.times)).collect()
}

fn expectations(written: &BTreeMap<String, String>) -> Result<BTreeMap<Dialect, Expected>, String> {
    if written.is_empty() {
        return Err("`expect` names no dialect".to_owned());
    }
    by_dialect(written, |verdict| verdict.parse())
}

fn crawl_delays(written: &BTreeMap<String, Delay>) -> Result<BTreeMap<Dialect, Option<f64>>, String> {
    by_dialect(written, |delay| match *delay {
        Delay::Seconds(seconds) if seconds >= 0.0 => Ok(Some(seconds)),
        Delay::Flag(false) => Ok(None),
        _ => Err("a `crawl_delay` is a number of seconds, or `false` for none".to_owned()),
    })
}

/// Converts a map whose keys name one or more dialects, separated by spaces, to a map with one dialect per key.
fn by_dialect<T, U: Clone>(
    written: &BTreeMap<String, T>,
    read: impl Fn(&T) -> Result<U, String>,
) -> Result<BTreeMap<Dialect, U>, String> {
    let mut found = BTreeMap::new();
    for (names, value) in written {
        let value = read(value)?;
        if names.trim().is_empty() {
            return Err("a key names no dialect".to_owned());
        }
        for name in names.split_whitespace() {
            let dialect: Dialect = name.parse().map_err(|error| format!("{error}"))?;
            if dialect.name() != name {
                return Err(format!("write `{dialect}` for `{name}`"));
            }
            if found.insert(dialect, value.clone()).is_some() {
                return Err(format!("`{name}` is named twice"));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Case>, String> {
        parse(Path::new("some.toml"), text).map_err(|error| error.to_string())
    }

    const HEAD: &str = "[[case]]\nid = \"a\"\nwhy = \"w\"\n";

    #[test]
    fn case_table_has_one_question() {
        let cases = read(
            r#"
            [[case]]
            id = "a"
            why = "one"
            source = "RFC 9309"
            robots = """
User-agent: *
Disallow: /
"""
            agent = "heron"
            url = "/nest"
            crawl_delay = { rfc9309 = 2, "gym2008 urllib" = false }
            sitemaps = { "rfc9309 urllib" = ["https://example.com/map.xml"], gym2008 = [] }
            [case.expect]
            "rfc9309 google" = "disallowed_explicit 2"
            urllib = "allowed_implicit"
            "#,
        )
        .expect("a case");
        assert_eq!(cases.len(), 1);
        let case = &cases[0];
        assert_eq!(case.path, Path::new("some.toml"));
        assert_eq!(case.robots, b"User-agent: *\nDisallow: /\n");
        assert_eq!(case.asker, CaseAgent::Token("heron".to_owned()));
        assert_eq!(case.expect[&Dialect::Google], Expected::Disallowed { line: 2 });
        assert_eq!(case.expect[&Dialect::Urllib], Expected::AllowedImplicit);
        assert_eq!(case.crawl_delay[&Dialect::Rfc9309], Some(2.0));
        assert_eq!(case.crawl_delay[&Dialect::Urllib], None);
        assert_eq!(case.sitemaps[&Dialect::Urllib], ["https://example.com/map.xml"]);
        assert!(case.sitemaps[&Dialect::Gym2008].is_empty());
    }

    #[test]
    fn file_table_has_several_questions() {
        let cases = read(
            r#"
            [[file]]
            id = "f"
            why = "two"
            robots_hex = "ef bb BF 41"
            charset = "utf-8"
            ask = [
              { agent = "heron", url = "/a", expect = { rfc9309 = "allowed_implicit" } },
              { header = "heron/2", url = "/b", expect = { rfc9309 = "allowed_explicit 1" }, why = "the second" },
            ]
            "#,
        )
        .expect("two cases");
        assert_eq!(cases.len(), 2);
        let (first, second) = (&cases[0], &cases[1]);
        assert_eq!((first.id.as_str(), first.why.as_str()), ("f/1", "two"));
        assert_eq!((second.id.as_str(), second.why.as_str()), ("f/2", "two (the second)"));
        assert_eq!(second.robots, b"\xEF\xBB\xBFA");
        assert_eq!(second.charset.as_deref(), Some("utf-8"));
        assert_eq!(second.asker, CaseAgent::Header("heron/2".to_owned()));
    }

    #[test]
    fn text_in_pieces_is_joined() {
        let cases = read(&format!(
            "{HEAD}robots_pieces = [{{ text = \"ab\", times = 3 }}, {{ text = \"c\" }}]\nagent = \"x\"\n\
             url_pieces = [{{ text = \"/\" }}, {{ text = \"r\", times = 2 }}]\nexpect.rfc9309 = \"allowed_implicit\"\n"
        ))
        .expect("a case");
        assert_eq!(cases[0].robots, b"abababc");
        assert_eq!(cases[0].url, "/rr");
    }

    #[test]
    fn mistake_is_named_in_the_error() {
        let implicit = "expect.google = \"allowed_implicit\"";
        for (more, problem) in [
            ("expect.rfc9310 = \"allowed_implicit\"", "some.toml: case `a`: unknown dialect `rfc9310`"),
            ("expect.ruby = \"allowed_implicit\"", "write `robotstxt-gem` for `ruby`"),
            ("expect.google = \"allowed\"", "unknown verdict `allowed`"),
            ("[case.expect]", "`expect` names no dialect"),
            (
                "expect = { google = \"allowed_implicit\", \"google urllib\" = \"allowed_implicit\" }",
                "named twice",
            ),
            (&format!("{implicit}\ncrawl_delay.google = true"), "or `false` for none"),
            (&format!("{implicit}\ncrawl_delay.google = -1"), "or `false` for none"),
            (&format!("{implicit}\nheader = \"y\""), "give either `agent`"),
            (&format!("{implicit}\nrobots_hex = \"00\""), "give one of `robots`"),
            (&format!("{implicit}\nurl_pieces = []"), "give either `url`"),
            (&format!("{implicit}\nexspect = 1"), "exspect"),
        ] {
            let text = format!("{HEAD}robots = \"\"\nagent = \"x\"\nurl = \"/\"\n{more}\n");
            let error = read(&text).expect_err(problem);
            assert!(error.contains(problem), "{error}");
        }
    }
}
