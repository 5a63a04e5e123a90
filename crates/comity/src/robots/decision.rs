//! Decisions: a verdict with its evidence, and the functions that decide URLs.

use std::fmt;

use super::agents::agent::Agent;
use super::body::Body;
use super::dialects::{Dialect, Precedence, Unsplit};
use super::file::RobotsTxt;
use super::matching::pattern::{Effect, LineEnds};
use super::matching::target::{Target, UrlError};
use super::rules::basis::Basis;
use super::rules::rule::Rule;
use super::rules::{Rules, oneshot};
use crate::verdict::{Recommendation, Verdict};

/// The decision of the rules about one URL, with its reason.
///
/// The decision borrows from the [`Rules`]. [`to_record`](Decision::to_record) makes an owned record, which is also the
/// form in JSON.
#[derive(Clone, Copy)]
pub struct Decision<'r> {
    verdict: Verdict,
    basis: Basis,
    rule: Option<Rule<'r>>,
    rules: &'r Rules,
}

/// Two decisions are equal if their verdict, basis, rule, group and dialect are equal.
impl PartialEq for Decision<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.verdict, self.basis, self.rule) == (other.verdict, other.basis, other.rule)
            && (self.group(), self.dialect()) == (other.group(), other.dialect())
    }
}

impl<'r> Decision<'r> {
    pub(super) fn by(rules: &'r Rules, rule: Option<Rule<'r>>) -> Self {
        let (verdict, basis) = match rule {
            Some(rule) if rule.allows() => (Verdict::AllowedExplicit, Basis::Rule),
            Some(_) => (Verdict::DisallowedExplicit, Basis::Rule),
            None if rules.group().is_some() => (Verdict::AllowedImplicit, Basis::NoRule),
            None => (Verdict::AllowedImplicit, Basis::NoGroup),
        };
        Decision { verdict, basis, rule, rules }
    }

    pub(super) fn robots_txt(rules: &'r Rules) -> Self {
        Decision { verdict: Verdict::AllowedImplicit, basis: Basis::RobotsTxt, ..Decision::by(rules, None) }
    }

    /// Returns the verdict of the rules.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the recommendation: the action of a well-behaved program.
    pub fn recommendation(&self) -> Recommendation {
        if self.is_allowed() { Recommendation::Recommended } else { Recommendation::NotRecommended }
    }

    /// Returns true if the rules allow the fetch.
    pub fn is_allowed(&self) -> bool {
        self.verdict != Verdict::DisallowedExplicit
    }

    /// Returns the basis of the verdict.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Returns the rule that decided, if one did.
    pub fn rule(&self) -> Option<Rule<'r>> {
        self.rule
    }

    /// Returns the name by which the group was chosen; see [`Rules::group`].
    pub fn group(&self) -> Option<&'r str> {
        self.rules.group()
    }

    /// Returns the dialect that was applied.
    pub fn dialect(&self) -> Dialect {
        self.rules.dialect()
    }

    /// Returns the rules that decided.
    pub fn rules(&self) -> &'r Rules {
        self.rules
    }
}

impl Rules {
    /// Decides one URL.
    ///
    /// `url` is an absolute URL (`https://host/path?query#fragment`) or a path. Most dialects do not resolve dot
    /// segments and backslashes. Rules do not contain an origin, so the caller must use the rules of the URL's origin.
    ///
    /// # Errors
    ///
    /// Returns [`UrlError`] if the dialect finds no path in `url`: the default dialect, if `url` is neither an absolute
    /// URL nor a path. The dialect `google` finds a path in any text.
    pub fn decide<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Decision<'_>, UrlError> {
        match self.row().target(url.as_ref()) {
            Ok(target) => Ok(self.decide_target(&target)),
            Err(_) if self.allows_unsplit() => Ok(Decision::by(self, None)),
            Err(error) => Err(error),
        }
    }

    /// Decides a parsed URL.
    ///
    /// Parsing has already rewritten the URL (dot segments, backslashes, percent-encoding of some characters). The
    /// decision may differ from the decision about the original text.
    ///
    /// # Errors
    ///
    /// Returns [`UrlError`] in the cases of [`Rules::decide`]: the default dialect, if the URL has no host (`mailto:`).
    #[cfg(feature = "url")]
    pub fn decide_url(&self, url: &url::Url) -> Result<Decision<'_>, UrlError> {
        self.decide(url.as_str())
    }

    pub(crate) fn decide_target(&self, target: &Target<'_>) -> Decision<'_> {
        if self.row().robots_txt_always_allowed && target.is_robots_txt() {
            return Decision::robots_txt(self);
        }
        Decision::by(self, self.find(target).and_then(|found| self.rule_at(self.place_of(found)?)))
    }
}

/// Returns true if `agent` may fetch `url` under the robots.txt `body`, in the default dialect.
///
/// The result equals that of `RobotsTxt::parse(body).rules_for(agent).is_allowed(url)`. This function is faster for a
/// single URL of a file.
///
/// ```
/// use comity::robots::{self, Agent};
///
/// let body = "User-agent: *\nDisallow: /private\n";
/// assert!(!robots::is_allowed(body, &Agent::token("examplebot")?, "https://example.com/private/x")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns [`UrlError`] if `url` is neither an absolute URL nor a path.
pub fn is_allowed<'b, B, U>(body: B, agent: &Agent, url: &U) -> Result<bool, UrlError>
where
    B: Into<Body<'b>>,
    U: AsRef<[u8]> + ?Sized,
{
    is_allowed_as(body, Dialect::Rfc9309, agent, url)
}

/// Returns true if `agent` may fetch `url` under the robots.txt `body`, in any dialect. In `rfc9309` and `google`, a
/// single pass over the file is sufficient if the agent is a product token that has no fallbacks and follows `*`. In
/// all other cases, [`RobotsTxt::parse_as`] reads the file first.
///
/// ```
/// use comity::robots::{self, Agent, Dialect};
///
/// let body = "User-agent: *\nDisallow: /\n";
/// let agent = Agent::token("examplebot")?;
/// assert!(robots::is_allowed_as(body, Dialect::Rfc9309, &agent, "/robots.txt")?);
/// assert!(!robots::is_allowed_as(body, Dialect::Google, &agent, "/robots.txt")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns [`UrlError`] if the dialect finds no path in `url`.
pub fn is_allowed_as<'b, B, U>(body: B, dialect: Dialect, agent: &Agent, url: &U) -> Result<bool, UrlError>
where
    B: Into<Body<'b>>,
    U: AsRef<[u8]> + ?Sized,
{
    let (body, url) = (body.into(), url.as_ref());
    let answer =
        agent.only_token().and_then(|token| oneshot::is_allowed(body.as_bytes(), dialect, token, url));
    answer.unwrap_or_else(|| is_allowed_by(&RobotsTxt::parse_as(body, dialect), agent, url))
}

/// Returns true if `agent` may fetch `url` under a file. If the dialect permits, compares each rule once instead of
/// sorting and storing the rules.
fn is_allowed_by(robots: &RobotsTxt<'_>, agent: &Agent, url: &[u8]) -> Result<bool, UrlError> {
    let row = robots.dialect().row();
    if row.precedence == Precedence::LongestMatch || row.unsplit != Unsplit::Refused {
        return robots.rules_for(agent).is_allowed(url);
    }
    let target = row.target(url)?;
    if row.robots_txt_always_allowed && target.is_robots_txt() {
        return Ok(true);
    }
    let chooser = robots.chooser();
    let rules = chooser.choose(agent).groups.into_iter().flat_map(|group| chooser.document().rules_of(group));
    let compiled = rules
        .filter(|(_, value)| row.line_ends == LineEnds::StartLines || may_start(value, &target.text))
        .flat_map(|(kind, value)| row.compile(kind, value))
        .flatten();
    let mut matching = compiled
        .filter(|rule| rule.pattern().matches(&target, row.line_ends))
        .map(|rule| (rule.length, rule.effect == Effect::Allow));
    let deciding = if row.precedence == Precedence::FileOrder { matching.next() } else { matching.max() };
    Ok(deciding.is_none_or(|(_, allows)| allows))
}

/// Returns false if the first character after the slash excludes a match. Letters and digits are compared as written in
/// every dialect.
fn may_start(value: &[u8], text: &[u8]) -> bool {
    match (value, text) {
        ([b'/', first, ..], [b'/', other, ..]) => first == other || !first.is_ascii_alphanumeric(),
        _ => true,
    }
}

impl fmt::Debug for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("verdict", &self.verdict)
            .field("rule", &self.rule)
            .field("group", &self.group())
            .field("dialect", &self.dialect().name())
            .finish()
    }
}
