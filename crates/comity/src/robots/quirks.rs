//! The dialects as data: one row of small choices per dialect.
//!
//! A dialect is never a parser of its own. Reading, grouping, choosing, normalising and ranking are each a handful
//! of strategies, implemented once in the module named beside the field, and a dialect is a row of them.
//! Adding a dialect means adding a row, and a strategy only where no existing one gives its program's answers.

use super::dialect::Dialect;

/// One dialect's choices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quirks {
    /// How bytes become text (`text.rs`).
    pub text: Text,
    /// How many bytes of the body count (`text.rs`).
    pub body_limit: Option<usize>,
    /// Where lines end (`lines.rs`).
    pub lines: Lines,
    /// How a line becomes a directive and a value (`syntax.rs`).
    pub syntax: Syntax,
    /// How records form groups (`groups.rs`).
    pub grouping: Grouping,
    /// Which groups speak to an agent (`select.rs`).
    pub selection: Selection,
    /// How rules and URLs are normalised and compared (`pattern.rs`, `target.rs`).
    pub matching: Matching,
    /// Which of several matching rules decides (`rules.rs`).
    pub precedence: Precedence,
    /// Whether exactly `/robots.txt` is allowed whatever the rules say.
    pub robots_txt_always_allowed: bool,
}

/// How bytes become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// Octets are matched as they are; a whole or partial UTF-8 byte order mark is skipped.
    Octets,
    /// UTF-8, each invalid sequence replaced by U+FFFD.
    Utf8,
    /// ISO-8859-1 unless a charset is given.
    Latin1,
}

/// Where lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// CR, LF or CRLF.
    CrLf,
    /// CR, LF or CRLF; content after `GOOGLE_LINE_LIMIT` bytes or a NUL is dropped.
    CrLfCut,
    /// Every boundary of Python's `str.splitlines`.
    Python,
}

/// How a line becomes a directive and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Google's: key prefixes, known misspellings, white space for a missing colon.
    Lenient,
    /// Exact keys and a colon; ASCII white space.
    Exact,
    /// Exact keys and a colon; Python's idea of white space.
    Python,
    /// The first `allow:`, `disallow:`, `user-agent:`, `useragent:`, `sitemap:` or `crawl-delay:` anywhere in the line.
    Anywhere,
    /// Ruby's: `user-agent` or `useragent`, NULs dropped, comments only after white space and only in values.
    Ruby,
}

/// How records form groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// User-agent lines collect until a rule; a user-agent line after a rule starts a group.
    Rules,
    /// As `Rules`, and rules before any user-agent line belong to `*`.
    RulesOrStar,
    /// urllib's: a blank line ends a group, Crawl-delay and Request-rate count as rules.
    Urllib,
    /// robotexclusionrulesparser's: a blank line ends a group, any known directive ends the list of agents.
    BlankLine,
    /// Each user-agent line starts a section of its own; rules before any belong to `*`.
    EachAgent,
}

/// Which groups speak to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// All groups with the agent's name (the whole value or the part before `/` or white space), else all `*`.
    Name,
    /// As `Name`, with names cut at the first byte outside `A-Za-z_-`.
    GoogleToken,
    /// Exact names; tokens that start with `yandex` fall back to `yandex`.
    Yandex,
    /// All groups whose name is a substring of the agent, if they have rules; else `*`.
    AllSubstrings,
    /// The first group with a name that is a substring of the agent's part before `/`; the first `*` group last.
    FirstSubstringBeforeSlash,
    /// The first group with a name that is a substring of the agent; groups with `*` last.
    FirstSubstring,
    /// The first section whose glob matches the agent, or contains it.
    FirstGlob,
}

/// How rules and URLs are normalised and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// RFC 9309 §2.2.2 on both sides.
    Rfc9309,
    /// Rules escaped as Google does, URLs untouched.
    Google,
    /// As `Rfc9309`; an empty `Disallow` is `Allow: /`; `*` and `$` do not count.
    Yandex,
    /// Raw patterns against the percent-decoded path.
    Webcanon,
    /// Quoted prefixes against the quoted URL.
    Urllib,
    /// Percent-decoded wildcards against the percent-decoded URL.
    Gym2008,
    /// Percent-decoded prefixes against the percent-decoded URL.
    Mk1996,
    /// Percent-decoded globs; `$` also before a query.
    RobotstxtGem,
}

impl Matching {
    /// Whether rules are plain octets with wildcards, of which the longest wins.
    #[inline]
    pub(super) const fn ranks_octets(self) -> bool {
        matches!(self, Matching::Rfc9309 | Matching::Google | Matching::Yandex)
    }

    /// Whether the octets of a rule that are not as written are worked out for each question, not kept. Compiling is
    /// cheap there, and `encode::may_start` tells beforehand of most rules that they do not match.
    #[inline]
    pub(super) const fn derives_octets(self) -> bool {
        matches!(self, Matching::Rfc9309 | Matching::Yandex)
    }
}

/// Which of several matching rules decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precedence {
    /// The longest; ties allow.
    Longest,
    /// The first in the file.
    FileOrder,
}

/// RFC 9309 §2.5: parsers must read at least 500 kibibytes; this many bytes count here.
pub(super) const BODY_LIMIT: usize = 512_000;

/// How many bytes of a line Google's parser keeps.
pub(super) const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;

impl Dialect {
    /// The dialect's row.
    pub(super) const fn row(self) -> &'static Quirks {
        match self {
            Dialect::Rfc9309 => &RFC9309,
            Dialect::Google => &GOOGLE,
            Dialect::Gym2008 => &GYM2008,
            Dialect::Mk1996 => &MK1996,
            Dialect::RobotstxtGem => &ROBOTSTXT_GEM,
            Dialect::Webcanon => &WEBCANON,
            Dialect::Urllib => &URLLIB,
            Dialect::Yandex => &YANDEX,
        }
    }
}

static RFC9309: Quirks = Quirks {
    text: Text::Octets,
    body_limit: Some(BODY_LIMIT),
    lines: Lines::CrLfCut,
    syntax: Syntax::Lenient,
    grouping: Grouping::Rules,
    selection: Selection::Name,
    matching: Matching::Rfc9309,
    precedence: Precedence::Longest,
    robots_txt_always_allowed: true,
};

static GOOGLE: Quirks = Quirks {
    body_limit: None,
    selection: Selection::GoogleToken,
    matching: Matching::Google,
    robots_txt_always_allowed: false,
    ..RFC9309
};

static YANDEX: Quirks = Quirks {
    lines: Lines::CrLf,
    syntax: Syntax::Exact,
    selection: Selection::Yandex,
    matching: Matching::Yandex,
    ..RFC9309
};

static GYM2008: Quirks = Quirks {
    text: Text::Latin1,
    body_limit: None,
    lines: Lines::CrLf,
    syntax: Syntax::Anywhere,
    grouping: Grouping::BlankLine,
    selection: Selection::FirstSubstring,
    matching: Matching::Gym2008,
    precedence: Precedence::FileOrder,
    robots_txt_always_allowed: false,
};

static MK1996: Quirks = Quirks { matching: Matching::Mk1996, ..GYM2008 };

static ROBOTSTXT_GEM: Quirks = Quirks {
    text: Text::Utf8,
    body_limit: None,
    lines: Lines::CrLf,
    syntax: Syntax::Ruby,
    grouping: Grouping::EachAgent,
    selection: Selection::FirstGlob,
    matching: Matching::RobotstxtGem,
    precedence: Precedence::FileOrder,
    robots_txt_always_allowed: false,
};

static WEBCANON: Quirks = Quirks {
    text: Text::Utf8,
    body_limit: None,
    lines: Lines::Python,
    syntax: Syntax::Python,
    grouping: Grouping::RulesOrStar,
    selection: Selection::AllSubstrings,
    matching: Matching::Webcanon,
    precedence: Precedence::Longest,
    robots_txt_always_allowed: true,
};

static URLLIB: Quirks = Quirks {
    grouping: Grouping::Urllib,
    selection: Selection::FirstSubstringBeforeSlash,
    matching: Matching::Urllib,
    precedence: Precedence::FileOrder,
    robots_txt_always_allowed: false,
    ..WEBCANON
};
