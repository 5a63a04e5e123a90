//! The loader of conformance cases: files of questions, with the correct answer of each dialect.
//!
//! `conformance/README.md` describes the format. A file has two kinds of tables: `[[case]]` has one question about a
//! robots.txt, and `[[file]]` has several questions about one robots.txt. [`load`] reads all of them into one list of
//! [`Case`]s. Unknown keys and names are errors, because a misspelt key or dialect would otherwise test nothing.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use comity::policy::Verdict;
use comity::robots::{Agent, Dialect};
use serde::Deserialize;
use serde::de::DeserializeOwned;

mod tables;

/// One question about one robots.txt, and the known answers of the dialects.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "tests take it apart")]
pub struct Case {
    /// Unique over all files; `file-id/1` for the first question of a `[[file]]`.
    pub id: String,
    /// The file, relative to the folder of cases.
    pub path: PathBuf,
    /// The point that the case shows.
    pub why: String,
    /// The source of the expected answers.
    pub source: Option<String>,
    /// The body, as served.
    pub robots: Vec<u8>,
    /// The charset in the `Content-Type` of the robots.txt.
    pub charset: Option<String>,
    /// The crawler.
    pub asker: CaseAgent,
    /// The URL or path, passed to every dialect unchanged.
    pub url: String,
    /// The expected answers of some dialects. Other dialects are not tested.
    pub expect: BTreeMap<Dialect, Expected>,
    /// The delay in seconds that each dialect reports for the crawler; `None` if it reports no delay.
    pub crawl_delay: BTreeMap<Dialect, Option<f64>>,
    /// The values of the `Sitemap` records as the dialects read them, in the order of the file.
    pub sitemaps: BTreeMap<Dialect, Vec<String>>,
}

/// Bytes in a case file, written as pairs of hexadecimal digits. White space is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
#[expect(clippy::exhaustive_structs, reason = "tests take it apart")]
pub struct Hex(pub Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Hex, String> {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let pair = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).ok().filter(|_| pair.iter().all(u8::is_ascii_hexdigit))?;
            u8::from_str_radix(text, 16).ok().filter(|_| pair.len() == 2)
        };
        let bytes = digits.chunks(2).map(pair).collect::<Option<_>>();
        bytes.map(Hex).ok_or_else(|| format!("`{text}` is not made of pairs of hexadecimal digits"))
    }
}

/// The crawler that a case is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "tests take it apart")]
pub enum CaseAgent {
    /// A crawler by its product token.
    Token(String),
    /// A crawler by its whole `User-Agent` header.
    Header(String),
}

impl CaseAgent {
    /// Returns the token or header.
    pub fn as_str(&self) -> &str {
        match self {
            CaseAgent::Token(text) | CaseAgent::Header(text) => text,
        }
    }
}

impl From<&CaseAgent> for Agent {
    fn from(asker: &CaseAgent) -> Agent {
        match asker {
            CaseAgent::Token(token) => Agent::unchecked_token(token),
            CaseAgent::Header(header) => Agent::header(header),
        }
    }
}

/// The expected answer of a dialect: the verdict, and the line of the deciding rule.
///
/// ```
/// use testkit::conformance::Expected;
///
/// let expected: Expected = "disallowed_explicit 4".parse()?;
/// assert_eq!(expected, Expected::Disallowed { line: 4 });
/// assert_eq!(expected.to_string(), "disallowed_explicit 4");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "tests take it apart")]
pub enum Expected {
    /// A rule allows: `allowed_explicit LINE`.
    Allowed {
        /// The 1-based line of the rule.
        line: u32,
    },
    /// No rule decides: `allowed_implicit`.
    AllowedImplicit,
    /// A rule disallows: `disallowed_explicit LINE`.
    Disallowed {
        /// The 1-based line of the rule.
        line: u32,
    },
}

impl Expected {
    /// Returns the expected answer with this verdict and this line of the deciding rule.
    ///
    /// # Errors
    ///
    /// Returns a message if rules cannot give the verdict, if the line of an explicit verdict is missing, or if an
    /// implicit verdict has a line.
    pub fn new(verdict: Verdict, line: Option<u32>) -> Result<Expected, String> {
        match (verdict, line) {
            (Verdict::AllowedExplicit, Some(line)) => Ok(Expected::Allowed { line }),
            (Verdict::AllowedImplicit, None) => Ok(Expected::AllowedImplicit),
            (Verdict::DisallowedExplicit, Some(line)) => Ok(Expected::Disallowed { line }),
            _ => Err(format!("`{verdict}` is not possible with line {line:?}")),
        }
    }

    /// Returns true if the fetch is allowed.
    pub fn is_allowed(self) -> bool {
        !matches!(self, Expected::Disallowed { .. })
    }

    /// Returns the line of the deciding rule, if there is one.
    pub fn line(self) -> Option<u32> {
        match self {
            Expected::Allowed { line } | Expected::Disallowed { line } => Some(line),
            Expected::AllowedImplicit => None,
        }
    }

    /// Returns the verdict.
    pub fn verdict(self) -> Verdict {
        match self {
            Expected::Allowed { .. } => Verdict::AllowedExplicit,
            Expected::AllowedImplicit => Verdict::AllowedImplicit,
            Expected::Disallowed { .. } => Verdict::DisallowedExplicit,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line() {
            Some(line) => write!(f, "{} {line}", self.verdict()),
            None => write!(f, "{}", self.verdict()),
        }
    }
}

impl FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Expected, String> {
        let (word, line) = match text.split_once(' ') {
            Some((word, number)) => (word, number.parse().ok().filter(|line| *line > 0)),
            None => (text, None),
        };
        let expected = match (word, line) {
            ("allowed_explicit", Some(line)) => Expected::Allowed { line },
            ("allowed_implicit", None) => Expected::AllowedImplicit,
            ("disallowed_explicit", Some(line)) => Expected::Disallowed { line },
            _ => return Err(bad_verdict(text)),
        };
        // `allowed_implicit 0` and `allowed_explicit 07` are not valid spellings.
        if expected.to_string() == text { Ok(expected) } else { Err(bad_verdict(text)) }
    }
}

fn bad_verdict(text: &str) -> String {
    format!(
        "unknown verdict `{text}`: write `allowed_explicit LINE`, `disallowed_explicit LINE` or `allowed_implicit`"
    )
}

/// Error of the loader.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct LoadError {
    path: PathBuf,
    #[source]
    problem: Problem,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Read(io::Error),
    #[error(transparent)]
    Syntax(Box<toml::de::Error>),
    #[error("case `{0}`: {1}")]
    Case(String, String),
}

impl LoadError {
    fn read(path: &Path, error: io::Error) -> Self {
        LoadError { path: path.to_owned(), problem: Problem::Read(error) }
    }

    fn syntax(path: &Path, error: toml::de::Error) -> Self {
        LoadError { path: path.to_owned(), problem: Problem::Syntax(Box::new(error)) }
    }

    fn case(path: &Path, id: &str, problem: impl Into<String>) -> Self {
        LoadError { path: path.to_owned(), problem: Problem::Case(id.to_owned(), problem.into()) }
    }
}

/// Returns the folder of cases in this workspace.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

/// The subfolders of [`folder`] whose files contain [`Case`]s. Every other subfolder has its own format; see [`files`].
const ROBOTS_FOLDERS: [&str; 6] = ["disagreements", "google", "programs", "rfc9309", "seeds", "yandex"];

/// Loads all cases of this workspace, sorted by file. In a file, `[[case]]` tables come first.
///
/// # Errors
///
/// [`LoadError`] names the file and the case with a problem.
pub fn load() -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    for name in ROBOTS_FOLDERS {
        let of_folder = load_from(&folder().join(name))?;
        cases.extend(
            of_folder.into_iter().map(|case| Case { path: Path::new(name).join(&case.path), ..case }),
        );
    }
    check_ids(&cases)?;
    Ok(cases)
}

/// Loads all cases of the `.toml` files in `folder` and below it.
///
/// # Errors
///
/// [`LoadError`] names the file and the case with a problem.
pub fn load_from(folder: &Path) -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    for path in case_files(folder)? {
        let text = fs::read_to_string(&path).map_err(|error| LoadError::read(&path, error))?;
        let shown = path.strip_prefix(folder).unwrap_or(&path);
        cases.extend(tables::parse(shown, &text)?);
    }
    check_ids(&cases)?;
    Ok(cases)
}

/// Loads the files in the subfolder `name` of [`folder`], sorted by path. `T` is the type of a file.
///
/// # Errors
///
/// [`LoadError`] names the file with a problem, or the folder if it has no files.
pub fn files<T: DeserializeOwned>(name: &str) -> Result<Vec<(PathBuf, T)>, LoadError> {
    let folder = folder().join(name);
    let paths = case_files(&folder)?;
    if paths.is_empty() {
        return Err(LoadError::read(&folder, io::Error::new(io::ErrorKind::NotFound, "it has no cases")));
    }
    paths.into_iter().map(|path| Ok((path.clone(), read(&path)?))).collect()
}

/// Loads one file with cases. `path` is relative to [`folder`].
///
/// # Errors
///
/// [`LoadError`] names the file.
pub fn file<T: DeserializeOwned>(path: &str) -> Result<T, LoadError> {
    read(&folder().join(path))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, LoadError> {
    let text = fs::read_to_string(path).map_err(|error| LoadError::read(path, error))?;
    toml::from_str(&text).map_err(|error| LoadError::syntax(path, error))
}

/// Returns the `.toml` files in `folder` and below it, sorted.
fn case_files(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| LoadError::read(&folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| LoadError::read(&folder, error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn check_ids(cases: &[Case]) -> Result<(), LoadError> {
    let mut seen = HashMap::new();
    for case in cases {
        if let Some(first) = seen.insert(case.id.as_str(), &case.path) {
            let problem = format!("{} already has this id", first.display());
            return Err(LoadError::case(&case.path, &case.id, problem));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_required_for_an_explicit_verdict() {
        assert_eq!(Expected::new(Verdict::AllowedImplicit, None), Ok(Expected::AllowedImplicit));
        assert_eq!(Expected::new(Verdict::DisallowedExplicit, Some(2)), Ok(Expected::Disallowed { line: 2 }));
        assert!(Expected::new(Verdict::AllowedExplicit, None).is_err());
        assert!(Expected::new(Verdict::UnknownUnreachable, None).is_err());
    }

    #[test]
    fn invalid_hexadecimal_text_is_rejected() {
        let hex = |text: &str| Hex::try_from(text.to_owned());
        assert_eq!(hex(" 0a\nFF "), Ok(Hex(vec![0x0A, 0xFF])));
        for bad in ["0", "0g", "+1", "é0"] {
            assert!(hex(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn other_spelling_of_a_verdict_is_rejected() {
        for text in ["allowed_explicit 1", "allowed_implicit", "disallowed_explicit 68002"] {
            assert_eq!(text.parse::<Expected>().map(|expected| expected.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "allowed",
            "allowed_implicit 3",
            "allowed_implicit x",
            "allowed_explicit",
            "disallowed_explicit 0",
        ] {
            assert!(text.parse::<Expected>().is_err(), "{text}");
        }
    }

    #[test]
    fn repeated_id_is_rejected() -> Result<(), LoadError> {
        let text = "[[case]]\nid = \"a\"\nwhy = \"w\"\nrobots = \"\"\nagent = \"x\"\nurl = \"/\"\n\
                    expect.google = \"allowed_implicit\"\n";
        let parse = || tables::parse(Path::new("some.toml"), text);
        let error = check_ids(&[parse()?, parse()?].concat()).expect_err("one id twice").to_string();
        assert_eq!(error, "some.toml: case `a`: some.toml already has this id");
        Ok(())
    }

    #[test]
    fn missing_folder_is_named_in_the_error() {
        let error = load_from(Path::new("no-such-folder")).expect_err("there is none").to_string();
        assert!(error.starts_with("no-such-folder: "), "{error}");
    }

    #[test]
    fn cases_of_this_workspace_are_valid() -> Result<(), String> {
        let cases = load().map_err(|error| error.to_string())?;
        for dialect in Dialect::ALL {
            assert!(cases.iter().any(|case| case.expect.contains_key(&dialect)), "{dialect} has cases");
        }
        for case in &cases {
            assert!(!case.why.is_empty(), "{} has a reason", case.id);
            assert!(case.expect.contains_key(&Dialect::Rfc9309), "{} tests the default dialect", case.id);
        }
        Ok(())
    }
}
