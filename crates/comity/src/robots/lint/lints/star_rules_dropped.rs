//! The lint `star-rules-dropped`: a crawler with its own group does not follow the rules for `*`.

use crate::agents::{self, KnownAgent, Purpose, Status};
use crate::finding::{Decisions, Finding, Findings, Fix, Severity, quoted};
use crate::robots::lint::context::{Context, Group, LocatedRecord, agent_name};
use crate::robots::lint::forms::Rule;
use crate::robots::lint::group::FileRules;
use crate::robots::lint::steps;
use crate::robots::lint::steps::Steps;
use crate::robots::matching::pattern::Effect;
use crate::robots::read::directive::RecordKind;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

crate::robots::lint::row! {
    STAR_RULES_DROPPED "star-rules-dropped" Note, Rules(check);
    "A crawler that a group names does not follow the rules for `*`.",
    "A crawler follows only the groups that name it (RFC 9309 \u{a7}2.2.1); rules for `*` are not inherited. The \
    lint ignores a rule if the group repeats it, or has a wider rule (`/a/` for `/a/x`) that no `Allow` overrides. A group \
    that has only `Allow: /` opens the paths that `*` forbids. For crawlers of search engines, AI and archives, this is a \
    frequent mistake and reported as a warning. Groups that forbid everything are not reported, nor groups that state by \
    an empty `Disallow:` that they forbid nothing.",
    "repeat the rules that should apply; a crawler that a group names follows only its own group",
    bad(b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /private/\nDisallow: /search\n");
}

/// Maximum number of bytes of rule pairs that are compared per file. The limit is lower in tests, which count the steps
/// of a check.
const STEPS: usize = if cfg!(test) { 1_000_000 } else { 32_000_000 };

fn check(checked: &FileRules<'_, '_, '_>, findings: &mut Findings) {
    let FileRules { context, groups, is_shared } = *checked;
    let star = context.groups.iter().zip(groups).filter(|(group, _)| group.is_star);
    let Some(star) = Star::new(star.flat_map(|(_, rules)| rules)) else { return };
    let mut steps = Steps::new(STEPS);
    for (index, (group, rules)) in context.groups.iter().zip(groups).enumerate() {
        let is_empty = group.rules.is_empty() && group.others.is_empty();
        if group.is_star || is_shared.contains(&index) || is_empty {
            continue;
        }
        if opens_everything(rules) && !has_empty_disallow(context, group) {
            if let Some(finding) = opened(context, group, &star) {
                findings.push(finding);
            }
            continue;
        }
        if is_all_or_nothing(context, group, rules) {
            continue;
        }
        let missing = star.missing(rules, &mut steps);
        let Some((_, agent)) = context.records_at(&group.agents).next() else { continue };
        if missing > 0 {
            let (total, names) = (star.forbidden.len(), context.names(group));
            let message = if total == 1 {
                format!("the only `Disallow` rule for `*` does not apply to {names}")
            } else if missing == total {
                format!("none of the {total} `Disallow` rules for `*` applies to {names}")
            } else {
                format!("{missing} of the {total} `Disallow` rules for `*` do not apply to {names}")
            };
            findings.push(context.finding(
                &STAR_RULES_DROPPED,
                agent.line,
                agent.whole(),
                message,
                STAR_RULES_DROPPED.kind.help,
            ));
        }
    }
}

/// Returns true if the only effect of a group's rules is that everything is allowed, by a rule such as `Allow: /`.
fn opens_everything(rules: &[Rule<'_>]) -> bool {
    rules.iter().all(|rule| rule.effect == Effect::Allow) && rules.iter().any(Rule::matches_everything)
}

/// Returns a finding for a group that opens the paths that `*` forbids. Returns `None` unless one of the group's
/// crawlers is known to fetch pages for search, AI or an archive, and is not retired. For others, such as those of
/// advertisements, previews and the site's own tools, such groups are usual.
///
/// The finding has a fix only if the group names no crawler of another kind: for those, the author may intend the access.
fn opened(context: &Context<'_>, group: &Group, star: &Star<'_, '_>) -> Option<Finding> {
    let reader = |agent: &LocatedRecord| {
        let name = agent_name(context.value(agent));
        let known = std::str::from_utf8(&name).ok().and_then(agents::known);
        use Purpose::{AiSearch, Archive, Search, Training, UserTriggered};
        let reads_pages = |known: &&KnownAgent| {
            matches!(known.purpose(), Search | AiSearch | Training | UserTriggered | Archive)
        };
        known.filter(reads_pages)
    };
    let agents = || context.records_at(&group.agents).map(|(_, agent)| agent);
    let is_active = |known: &KnownAgent| known.status() != Status::Retired;
    let agent = agents().find(|agent| reader(agent).is_some_and(is_active))?;
    let closed = &star.closed;
    let paths: Vec<_> = closed.iter().take(2).map(|record| quoted(context.value(record))).collect();
    let paths = match closed.len().saturating_sub(2) {
        0 => paths.join(" and "),
        more => format!("{} and {more} more", paths.join(", ")),
    };
    let message = format!(
        "{} may fetch {paths}, which the rules for `*` forbid: a crawler follows only the group that names it",
        context.names(group)
    );
    let help = "repeat the rules of `*` in this group, or delete the group";
    let finding = context.finding(&STAR_RULES_DROPPED, agent.line, agent.whole(), message, help);
    let is_clear = agents().all(|agent| reader(agent).is_some());
    let fix = is_clear.then(|| copied(context, group, closed)).flatten();
    Some(finding.with_severity(Severity::Warning).with_fix(fix))
}

/// Maximum number of rules that a fix copies into a group.
const MOST_COPIED: usize = 100;

/// Maximum size of the rules that a fix copies into a group, in bytes.
const MOST_COPIED_BYTES: usize = 16_384;

/// Returns a fix that copies the rules of `*` into a group, above its own rules. Returns `None` if there are too many,
/// or if one of them is not UTF-8.
fn copied(context: &Context<'_>, group: &Group, closed: &[&LocatedRecord]) -> Option<Fix> {
    let (_, first) = context.records_at(&group.rules).next()?;
    let star = context.groups.iter().filter(|group| group.is_star);
    let rules = star.flat_map(|group| context.records_at(&group.rules)).map(|(_, rule)| rule);
    let is_exception = |rule: &LocatedRecord| {
        rule.kind == RecordKind::Allow && !matches!(context.value(rule), b"" | b"/" | b"*" | b"/*")
    };
    let mut copies: Vec<&LocatedRecord> =
        rules.filter(|rule| is_exception(rule)).chain(closed.iter().copied()).collect();
    copies.sort_by_key(|rule| rule.line);
    if copies.len() > MOST_COPIED {
        return None;
    }
    let end = context.line_end(first.line);
    let mut text = String::new();
    for rule in copies {
        if text.len() + rule.value.len() > MOST_COPIED_BYTES {
            return None;
        }
        let value = std::str::from_utf8(context.value(rule)).ok()?;
        let _ = write!(text, "{}: {value}{end}", rule.kind.label());
    }
    let at = context.lines.get(first.line)?.full_span().start;
    Some(Fix::new(Decisions::Changed).replace(at..at, text))
}

/// Returns true if a group disallows all URLs, or explicitly allows all URLs.
fn is_all_or_nothing(context: &Context<'_>, group: &Group, rules: &[Rule<'_>]) -> bool {
    let is_everything = |effect| rules.iter().any(|rule| rule.matches_everything() && rule.effect == effect);
    let forbids_something = rules.iter().any(|rule| rule.effect == Effect::Disallow);
    let is_open = has_empty_disallow(context, group) || is_everything(Effect::Allow);
    is_everything(Effect::Disallow) || (!forbids_something && is_open)
}

fn has_empty_disallow(context: &Context<'_>, group: &Group) -> bool {
    let mut rules = context.records_at(&group.rules);
    rules.any(|(_, rule)| rule.kind == RecordKind::Disallow && rule.value.is_empty())
}

/// Rules of the groups for `*`.
struct Star<'r, 'c> {
    /// `Disallow` rules that decide, one per form, sorted by form.
    forbidden: Vec<&'r Rule<'c>>,
    /// The lines of the rules in `forbidden`, in the order of the file.
    closed: Vec<&'c LocatedRecord>,
    /// Total length of all `Disallow` patterns, in bytes.
    bytes: usize,
    /// Length of the longest `Allow` rule of each form.
    allowed: HashMap<&'r [u8], u32>,
}

impl<'r, 'c> Star<'r, 'c> {
    /// Returns `None` if the rules disallow nothing or everything.
    fn new(rules: impl Iterator<Item = &'r Rule<'c>>) -> Option<Self> {
        let (allows, mut forbidden): (Vec<_>, Vec<_>) = rules.partition(|rule| rule.effect == Effect::Allow);
        let mut allowed: HashMap<&[u8], u32> = HashMap::new();
        for rule in allows {
            let longest = allowed.entry(&rule.form).or_default();
            *longest = rule.length.max(*longest);
        }
        forbidden.sort_by(|a, b| a.form.cmp(&b.form).then(b.length.cmp(&a.length)));
        forbidden.dedup_by(|later, first| later.form == first.form);
        let is_overruled =
            |rule: &Rule<'_>| allowed.get(&rule.form[..]).is_some_and(|length| *length >= rule.length);
        forbidden.retain(|rule| !is_overruled(rule));
        let is_closed = forbidden.iter().any(|rule| rule.matches_everything());
        let bytes = bytes(&forbidden);
        let mut closed: Vec<_> = forbidden.iter().map(|rule| rule.record).collect();
        closed.sort_by_key(|record| record.line);
        (!forbidden.is_empty() && !is_closed).then_some(Star { forbidden, closed, bytes, allowed })
    }

    /// Returns the number of `Disallow` rules for `*` that `rules`, the rules of another group, neither repeat nor
    /// cover.
    fn missing(&self, rules: &[Rule<'_>], steps: &mut Steps) -> usize {
        let own: HashSet<&[u8]> =
            rules.iter().filter(|rule| rule.effect == Effect::Disallow).map(|rule| &rule.form[..]).collect();
        let is_forbidden =
            |form: &[u8]| self.forbidden.binary_search_by(|rule| rule.form.as_slice().cmp(form)).is_ok();
        let missing = self.forbidden.len() - own.iter().filter(|form| is_forbidden(form)).count();
        let wider = Wider::new(rules);
        let walk = self.bytes * (1 + wider.wild.len()) + bytes(&wider.wild) * self.forbidden.len();
        if missing == 0 || !steps.take(walk) {
            return missing;
        }
        let allowed = bytes(&wider.allows);
        let mut above = Vec::new();
        let mut prefixes = wider.prefixes.iter().copied().peekable();
        let mut covered = 0;
        for &rule in &self.forbidden {
            while let Some(prefix) = prefixes.next_if(|prefix| prefix.form <= rule.form) {
                above.retain_prefixes_of(&prefix.form);
                above.push(prefix);
            }
            above.retain_prefixes_of(&rule.form);
            if own.contains(&rule.form[..]) {
                continue;
            }
            let wild = wider.wild.iter().copied().filter(|wide| wide.covers(rule));
            let mut candidates = above.last().copied().into_iter().chain(wild);
            let holds = candidates.any(|wide| {
                steps.take(allowed + rule.form.len() * wider.allows.len())
                    && !wider.allows.iter().any(|allow| self.opens(allow, wide, rule))
            });
            covered += usize::from(holds);
        }
        missing - covered
    }

    /// Returns true if `allow` may permit URLs that `rule` disallows for `*` and that the group disallows by `wide`.
    fn opens(&self, allow: &Rule<'_>, wide: &Rule<'_>, rule: &Rule<'_>) -> bool {
        let is_open_to_all = self.allowed.get(&allow.form[..]).is_some_and(|length| *length >= rule.length);
        allow.length >= wide.length && allow.may_meet(rule) && !is_open_to_all
    }
}

fn bytes(rules: &[&Rule<'_>]) -> usize {
    rules.iter().map(|rule| rule.form.len()).sum()
}

/// Rules of a group, by the way in which they can cover a narrower rule.
struct Wider<'r, 'c> {
    /// `Disallow` rules that match all URLs with their form as a prefix, sorted by form.
    prefixes: Vec<&'r Rule<'c>>,
    /// Other `Disallow` rules.
    wild: Vec<&'r Rule<'c>>,
    allows: Vec<&'r Rule<'c>>,
}

impl<'r, 'c> Wider<'r, 'c> {
    /// Builds the lists from rules sorted by form and rank. Only the first rule of each form is used, because it
    /// decides.
    fn new(rules: &'r [Rule<'c>]) -> Self {
        let mut deciding: Vec<_> = rules.iter().collect();
        deciding.dedup_by(|later, first| later.form == first.form);
        let (allows, forbids): (Vec<_>, Vec<_>) =
            deciding.into_iter().partition(|rule| rule.effect == Effect::Allow);
        let (prefixes, wild) = forbids.into_iter().partition(|rule| rule.is_prefix());
        Wider { prefixes, wild, allows }
    }
}

/// A list of rules in which the form of each rule is a prefix of the form of the next rule.
trait Above {
    /// Drops the rules whose forms are not prefixes of `form`.
    fn retain_prefixes_of(&mut self, form: &[u8]);
}

impl Above for Vec<&Rule<'_>> {
    fn retain_prefixes_of(&mut self, form: &[u8]) {
        while self.last().is_some_and(|top| !form.starts_with(&top.form)) {
            steps::count(form.len());
            self.pop();
        }
    }
}
