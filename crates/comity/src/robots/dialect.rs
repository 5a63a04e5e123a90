//! Dialects: the named ways of reading and matching a robots.txt body.
//!
//! Each dialect is named after the program (or the standard) that defines it and gives that program's answers,
//! quirk for quirk. The quirks themselves are data: see the table in `quirks.rs`.

use std::fmt;
use std::str::FromStr;

use super::quirks::Precedence;

/// How a robots.txt body is read and matched.
///
/// ```
/// use comity::robots::Dialect;
///
/// let dialect: Dialect = "google".parse()?;
/// assert_eq!(dialect, Dialect::Google);
/// assert_eq!(Dialect::default(), Dialect::Rfc9309);
/// # Ok::<(), comity::robots::UnknownDialect>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// RFC 9309; where the RFC is silent, what Google's published parser does.
    #[default]
    Rfc9309,
    /// google/robotstxt (C++), as published.
    Google,
    /// robotexclusionrulesparser 1.7.1 (Python) with its default syntax `GYM2008`: wildcards, first match.
    Gym2008,
    /// robotexclusionrulesparser 1.7.1 (Python) with its syntax `MK1996`: plain prefixes, first match.
    /// `mk1994` is an alias: the program treats both alike.
    Mk1996,
    /// The Ruby class `Robotstxt::Parser`: first matching section, first matching rule.
    RobotstxtGem,
    /// webcanon 0.3.0 (Python): substring agents, longest match on percent-decoded paths.
    Webcanon,
    /// CPython 3.11 `urllib.robotparser`: first match, no wildcards.
    Urllib,
    /// Yandex's crawler, as observed through its public tester.
    Yandex,
}

impl Dialect {
    /// Every dialect, the default first.
    pub const ALL: [Dialect; 8] = [
        Dialect::Rfc9309,
        Dialect::Google,
        Dialect::Gym2008,
        Dialect::Mk1996,
        Dialect::RobotstxtGem,
        Dialect::Webcanon,
        Dialect::Urllib,
        Dialect::Yandex,
    ];

    /// The dialect's name in JSON, on the command line and in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Rfc9309 => "rfc9309",
            Dialect::Google => "google",
            Dialect::Gym2008 => "gym2008",
            Dialect::Mk1996 => "mk1996",
            Dialect::RobotstxtGem => "robotstxt-gem",
            Dialect::Webcanon => "webcanon",
            Dialect::Urllib => "urllib",
            Dialect::Yandex => "yandex",
        }
    }

    /// Other names the dialect answers to.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Dialect::Rfc9309 => &["rfc", "default"],
            Dialect::Mk1996 => &["mk1994"],
            Dialect::RobotstxtGem => &["ruby"],
            Dialect::Urllib => &["python", "urllib.robotparser"],
            _ => &[],
        }
    }

    /// The program or standard whose answers the dialect gives.
    pub const fn defined_by(self) -> &'static str {
        match self {
            Dialect::Rfc9309 => "RFC 9309; where it is silent, google/robotstxt",
            Dialect::Google => "google/robotstxt (C++)",
            Dialect::Gym2008 => "robotexclusionrulesparser 1.7.1, syntax GYM2008",
            Dialect::Mk1996 => "robotexclusionrulesparser 1.7.1, syntax MK1996",
            Dialect::RobotstxtGem => "Robotstxt::Parser (Ruby)",
            Dialect::Webcanon => "webcanon 0.3.0",
            Dialect::Urllib => "CPython 3.11 urllib.robotparser",
            Dialect::Yandex => "Yandex's public tester, observed in July 2026",
        }
    }

    /// Whether the first rule of the file that matches decides, not the longest.
    pub const fn is_first_match(self) -> bool {
        matches!(self.row().precedence, Precedence::FileOrder)
    }

    /// What sets the dialect apart, a line each.
    pub const fn quirks(self) -> &'static [&'static str] {
        match self {
            Dialect::Rfc9309 => &[
                "longest pattern wins, counted in octets after percent-encoding; ties allow",
                "percent-encoding is normalised on both sides (RFC 9309 §2.2.2, Figure 4)",
                "a group's name is its whole value or the part before `/` or white space; groups of one name merge",
                "`/robots.txt` is always allowed",
                "misspellings, missing colons and byte order marks are read as Google reads them",
                "what stands after 512,000 bytes does not count",
            ],
            Dialect::Google => &[
                "a group's name is cut at the first byte outside A-Z a-z _ -, so `MJ12bot` is read as `MJ`",
                "the URL is matched as given; only rules are normalised (hex upper-cased, non-ASCII encoded)",
                "`Allow: /dir/index.html` also allows exactly `/dir/`",
                "`/robots.txt` itself can be disallowed",
                "any suffix of a known key counts: `Disallowed:` disallows",
                "lines end after 16,663 bytes; a NUL ends the line's content",
            ],
            Dialect::Gym2008 => &[
                "the first group whose name is a substring of the agent, `*` groups last; the first matching rule",
                "a blank `Allow` allows nothing, a blank `Disallow` allows everything",
                "bytes are ISO-8859-1 unless a charset is given; control characters are dropped",
                "a blank line ends a group; a directive is found anywhere in its line",
                "percent-encoded octets are decoded, except `%2F`; the URL's fragment takes part",
            ],
            Dialect::Mk1996 => &[
                "as gym2008, but `*` and `$` in paths are plain characters",
                "`mk1994` is the same: the program has no separate syntax for it",
            ],
            Dialect::RobotstxtGem => &[
                "the first section whose name matches decides, and in it the first rule that matches",
                "names are globs, compared both ways and without case: `bot` also answers for `foobot`, `foobot` for `bot`",
                "agents listed together do not share rules: only the last one gets them",
                "a final `$` also matches before a query",
                "percent-encoded octets are decoded, except `%26 %2F %3D %3F`",
                "rules before any agent apply to everyone",
            ],
            Dialect::Webcanon => &[
                "every group whose name is a substring of the agent counts, merged; else `*`",
                "patterns are matched as written against the percent-decoded path, so `%2F` in a rule never matches",
                "longest pattern wins in characters, final `$` not counted; ties allow",
                "an empty `Allow` matches everything with length 0",
                "lines end at every Unicode line boundary; rules before any agent belong to `*`",
            ],
            Dialect::Urllib => &[
                "the first group whose name is a substring of the agent, the first `*` group last; the first matching rule",
                "no wildcards: `*` and `$` in a path are plain characters",
                "an empty `Disallow` allows everything",
                "rule and URL are decoded and quoted again, so `%2F` equals `/`",
                "a blank line ends a group and drops user-agent lines that have no rule yet",
            ],
            Dialect::Yandex => &[
                "an empty `Disallow` counts as `Allow: /`",
                "the longest pattern wins, `*` and `$` not counted; ties allow",
                "a crawler whose token starts with `Yandex` falls back to the group `Yandex`, then to `*`",
                "no misspellings, no missing colons; values must start with `/` or `*`",
            ],
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| {
                dialect.name().eq_ignore_ascii_case(name)
                    || dialect.aliases().iter().any(|alias| alias.eq_ignore_ascii_case(name))
            })
            .ok_or_else(|| UnknownDialect { name: name.to_owned() })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Dialect {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A name that no dialect has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect {
    name: String,
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown dialect `{}`; known are", self.name)?;
        for (index, dialect) in Dialect::ALL.into_iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}{dialect}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownDialect {}
