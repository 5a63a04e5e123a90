//! Dialects: the named ways to read and match a robots.txt body.
//!
//! Each dialect is named after the program (or the standard) that defines it, and reproduces the decisions of that
//! program exactly, including its quirks. Each dialect has a file here with its names, its definition, a description of
//! its quirks ([`About`]), its [`Row`] of choices, and its own functions. All dialects share one parser: reading,
//! choosing groups and matching have a few strategies each, implemented once in the modules `read`, `agents` and
//! `matching`. The row selects the strategies of the dialect. `python.rs` contains functions that the programs in
//! Python share, and `whatwg.rs` splits URLs as JavaScript does.
//!
//! # Adding a dialect
//!
//! | file | content |
//! |---|---|
//! | `robots/dialects/NAME.rs` | the dialect |
//! | `robots/dialects/mod.rs` | the module, and the line of the dialect in `dialects!` |
//! | `tools/differential/models/NAME.model.py` (or `.rb`, `.cjs`) | the program that defines it, for comparison |
//! | `conformance/` | the test cases of the dialect |
//!
//! `just update` then regenerates `docs/reference/dialects.md`, the table in `docs/guide/tour.md`, and the help texts
//! of the commands in `docs/reference/commands/` and in snapshots.

mod google;
mod gym2008;
mod mk1996;
mod protego;
mod python;
mod rfc9309;
mod robots_parser;
mod robotstxt_gem;
mod row;
mod urllib;
mod urllib_2026;
mod webcanon;
mod whatwg;
mod yandex;

use std::fmt;
use std::str::FromStr;

use row::About;
pub(crate) use row::{Precedence, Row, StoredBytes, Unsplit, WalkDialect};

/// Declares the enum, its list and the table of rows from one list.
macro_rules! dialects {
    (
        default $default:ident = $default_file:ident, $default_about:literal;
        $($variant:ident = $file:ident, $about:literal;)*
    ) => {
        /// A named way to read and match a robots.txt body.
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
            #[doc = $default_about]
            #[default]
            $default,
            $(#[doc = $about] $variant,)*
        }

        const COUNT: usize = [stringify!($default), $(stringify!($variant)),*].len();

        impl Dialect {
            /// Every dialect, the default first.
            pub const ALL: [Dialect; COUNT] = [Dialect::$default, $(Dialect::$variant),*];
        }

        /// The row of each dialect, in the order of [`Dialect::ALL`].
        static ROWS: [Row; COUNT] = [$default_file::ROW, $($file::ROW),*];

        /// The description of each dialect, in the order of [`Dialect::ALL`].
        static ABOUTS: [About; COUNT] = [$default_file::ABOUT, $($file::ABOUT),*];
    };
}

dialects! {
    default Rfc9309 = rfc9309, "RFC 9309; for cases that the RFC leaves open, Google's published parser.";
    Google = google, "google/robotstxt (C++), as published.";
    Gym2008 = gym2008, "robotexclusionrulesparser 1.7.1 (Python) with its default syntax `GYM2008`: wildcards, first match.";
    Mk1996 = mk1996, "robotexclusionrulesparser 1.7.1 (Python) with its syntax `MK1996`: plain prefixes, first match.";
    RobotstxtGem = robotstxt_gem, "The Ruby class `Robotstxt::Parser`: first matching section, first matching rule.";
    Webcanon = webcanon, "webcanon 0.3.0 (Python): substring agents, longest match on percent-decoded paths.";
    Urllib = urllib, "CPython 3.11 `urllib.robotparser`: first match, no wildcards.";
    Urllib2026 = urllib_2026, "CPython's `urllib.robotparser` since its rewrite of 2026: wildcards, longest match in the URL.";
    Protego = protego, "Protego 0.7.0 (Python), the parser of Scrapy: tolerant of misspelt keys, longest match.";
    RobotsParser = robots_parser, "robots-parser 3.0.1 (npm): whole names, longest match on URLs as JavaScript parses them.";
    Yandex = yandex, "Yandex's crawler, as observed through its public tester.";
}

impl Dialect {
    /// Returns the dialect's name in JSON, on the command line and in the documentation.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns other names of the dialect.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.row().aliases
    }

    /// Returns the program or standard that defines the dialect.
    pub const fn defined_by(self) -> &'static str {
        ABOUTS[self as usize].defined_by
    }

    /// Returns true if the first matching rule of the file decides, not the longest.
    pub const fn is_first_match(self) -> bool {
        matches!(self.row().precedence, Precedence::FileOrder)
    }

    /// Returns true if the rule that matches the longest part of the URL decides, whatever the length of its pattern.
    pub const fn is_longest_match(self) -> bool {
        matches!(self.row().precedence, Precedence::LongestMatch)
    }

    /// Returns the differences from other dialects, one line each.
    pub const fn quirks(self) -> &'static [&'static str] {
        ABOUTS[self as usize].quirks
    }

    /// Returns further notes as paragraphs of Markdown, for example differences between a program and its
    /// documentation.
    pub const fn notes(self) -> &'static [&'static str] {
        ABOUTS[self as usize].notes
    }

    /// Returns the dialect's choices and functions.
    #[inline]
    pub(crate) const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Runs `work` in code that is specialized for the dialect at compile time. Returns `None` if no code is
    /// specialized for the dialect.
    #[inline]
    pub(crate) fn walk<W: WalkTask>(self, work: W) -> Option<W::Output> {
        match self {
            Dialect::Rfc9309 => Some(work.run::<rfc9309::Rfc9309>()),
            Dialect::Google => Some(work.run::<google::Google>()),
            _ => None,
        }
    }
}

/// A computation that is compiled separately for each specialized dialect; see [`Dialect::walk`].
pub(crate) trait WalkTask {
    type Output;

    fn run<D: WalkDialect>(self) -> Self::Output;
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

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Dialect {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as_words!(Dialect: Dialect::ALL, name);

/// The error for an unknown name of a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect {
    name: String,
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown dialect `{}`; must be one of:", self.name)?;
        for (index, dialect) in Dialect::ALL.into_iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}{dialect}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownDialect {}
