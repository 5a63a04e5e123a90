//! Lints for rules that match more or fewer URLs than intended.

use super::blocks_assets::BLOCKS_ASSETS;
use crate::finding::{Decisions, Finding, Findings, Severity, quoted};
use crate::robots::agents::agent::Agent;
use crate::robots::extent::Access;
use crate::robots::lint::context::{Context, LocatedRecord, agent_name};
use crate::robots::lint::forms::Rule;
use crate::robots::lint::group::FileRules;
use crate::robots::lint::pattern::{ONLY_RULE, Pattern};
use crate::robots::matching::pattern::Effect;
use crate::robots::read::directive::RecordKind;
use crate::robots::rules::Rules;

crate::robots::lint::table! {
    ROBOTS_TXT_RULE "robots-txt-rule" Note, Pattern(robots_txt_rule);
    "A rule forbids `/robots.txt` itself.",
    "`/robots.txt` is always allowed (RFC 9309 \u{a7}2.2.2), since crawlers need it to read the rules. Without a `$` at its end, \
    such a rule still forbids longer URLs, such as `/robots.txt.bak` and `/robots.txt?x`.",
    "delete the rule",
    bad(b"User-agent: *\nDisallow: /robots.txt\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    YANDEX_LIMITS "yandex-limits" Warning, File(yandex_limits_rules) Pattern(yandex_limits_length);
    "A rule has more than 1,024 characters, or the file more than 2,048 rules.",
    "Yandex reports both as errors and ignores such rules.",
    "merge rules that start alike, or use wildcards",
    bad("User-agent: *\nDisallow: /", "a", 1_100, ""),
    good(b"User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");

    BLOCKS_EVERYTHING "blocks-everything" Error, Rules(blocks_everything);
    "The whole site is forbidden to every crawler, or to Google's or Bing's search crawler.",
    "This is correct only for a site that should not be found, such as a staging site: search engines cannot read its pages, \
    and drop most of them. A frequent cause is the file of a staging site that is published by mistake. Another one is a \
    group without rules, such as one with only a `Crawl-delay`, which shares the rules of the next group (RFC 9309 \
    \u{a7}2.2.4). If named crawlers are admitted, the rule for all others is reported as a note. An `Allow` for \
    `/robots.txt` has no effect, since `/robots.txt` is always allowed.",
    "if the site should be found, forbid only parts of it, or write an empty `Disallow:`",
    bad(b"User-agent: *\nDisallow: /\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    BLOCKS_ASSETS;
}

fn robots_txt_rule(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let (context, record) = (pattern.context, pattern.record);
    let stem = pattern.value.strip_suffix(b"$").unwrap_or(pattern.value);
    if record.kind != RecordKind::Disallow || stem != b"/robots.txt" {
        return;
    }
    let group = record.group.and_then(|group| context.groups.get(group));
    let is_only = group.is_some_and(|group| group.rules.len() == 1);
    let is_anchored = stem.len() < pattern.value.len();
    let message = "`/robots.txt` is always allowed, independently of the rules";
    let (line, span) = (record.line, record.value.clone());
    findings.push(match (is_anchored, is_only) {
        (true, false) => {
            let fix = context.deletion(Decisions::Settled, record);
            context.droppable(&ROBOTS_TXT_RULE, line, span, message, "drop it").with_fix(fix)
        }
        (true, true) => context.finding(&ROBOTS_TXT_RULE, line, span, message, ONLY_RULE),
        (false, _) => {
            let message = format!("{message}; only longer URLs, such as `/robots.txt.bak`, are forbidden");
            let help = if is_only {
                "write an empty `Disallow:` instead if such URLs should be allowed"
            } else {
                "delete the rule if such URLs should be allowed"
            };
            context.finding(&ROBOTS_TXT_RULE, line, span, message, help)
        }
    });
}

/// Maximum number of rules per file that Yandex reads.
const RULES: usize = 2_048;

/// Maximum number of characters per rule that Yandex reads.
const CHARACTERS: usize = 1_024;

fn yandex_limits_rules(context: &Context<'_>, findings: &mut Findings) {
    let Some(record) = context.records.iter().filter(|record| record.kind.is_rule()).nth(RULES) else {
        return;
    };
    let message = "the file has more than 2,048 rules; Yandex ignores the rules from here on";
    findings.push(context.finding(
        &YANDEX_LIMITS,
        record.line,
        record.value.clone(),
        message,
        YANDEX_LIMITS.kind.help,
    ));
}

fn yandex_limits_length(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    if pattern.value.len() <= CHARACTERS {
        return;
    }
    let characters = String::from_utf8_lossy(pattern.value).chars().count();
    if characters > CHARACTERS {
        let message =
            format!("the rule has {characters} characters; Yandex ignores rules of more than 1,024");
        let help = "shorten it; a pattern matches every URL that starts with it";
        findings.push(pattern.finding(&YANDEX_LIMITS, 0, pattern.value.len(), message, help));
    }
}

/// Tokens of the search crawlers whose groups are checked. Many other search engines show the results of these two.
/// Many sites exclude the remaining search engines on purpose.
const SEARCH_CRAWLERS: [&str; 2] = ["Googlebot", "bingbot"];

/// Reports a file that forbids the whole site to the crawlers that no group names, or to a search crawler. The check
/// uses `Rules::extent`, which ignores an `Allow` for `/robots.txt`.
fn blocks_everything(checked: &FileRules<'_, '_, '_>, findings: &mut Findings) {
    let FileRules { context, groups, .. } = *checked;
    let everyone = context.rules_for_everyone();
    if let Some(closing) = ClosingRule::new(checked, "*").filter(|_| forbids_everything(&everyone)) {
        let is_open = |rules: &[Rule<'_>]| {
            let admits = |rule: &Rule<'_>| {
                rule.effect == Effect::Allow && context.value(rule.record) != b"/robots.txt".as_slice()
            };
            closing_rule(rules).is_none() || rules.iter().any(admits)
        };
        let admits_a_crawler =
            context.groups.iter().zip(groups).any(|(group, rules)| !group.is_star && is_open(rules));
        if !admits_a_crawler {
            return findings.push(closing.finding(context, Severity::Error, "every crawler"));
        }
        findings.push(closing.finding(context, Severity::Note, "every crawler that no group names"));
    }
    for token in SEARCH_CRAWLERS {
        let rules = context.robots.rules_for(&Agent::unchecked_token(token));
        let Some(closing) = ClosingRule::new(checked, token).filter(|_| forbids_everything(&rules)) else {
            continue;
        };
        // Bing's crawler reads `Crawl-delay`. Its operator does not document whether that line ends a list of names.
        let is_uncertain = closing.shared_with.is_some() && token == "bingbot";
        let severity = if is_uncertain { Severity::Warning } else { Severity::Error };
        findings.push(closing.finding(context, severity, &quoted(token)));
    }
}

fn forbids_everything(rules: &Rules) -> bool {
    rules.extent().access() == Access::Disallowed
}

/// Returns the rule of a group that forbids the whole site.
fn closing_rule<'r, 'c>(rules: &'r [Rule<'c>]) -> Option<&'r Rule<'c>> {
    rules.iter().find(|rule| rule.matches_everything() && rule.effect == Effect::Disallow)
}

/// The first rule that forbids the whole site in the groups for a name.
struct ClosingRule<'c> {
    name: &'static str,
    rule: &'c LocatedRecord,
    /// The last user-agent line of the group, if other directives are between the line of the name and that line. The
    /// author probably meant two groups.
    shared_with: Option<&'c LocatedRecord>,
}

impl<'c> ClosingRule<'c> {
    fn new(checked: &FileRules<'_, 'c, '_>, name: &'static str) -> Option<Self> {
        let FileRules { context, groups, .. } = *checked;
        let lower = name.to_ascii_lowercase();
        let mut named = context.groups_of.get(lower.as_bytes())?.iter();
        let (group, rule) =
            named.find_map(|&index| Some((context.groups.get(index)?, closing_rule(groups.get(index)?)?)))?;
        let is_named = |record: &LocatedRecord| agent_name(context.value(record)) == lower.as_bytes();
        let own = context.records_at(&group.agents).filter(|(_, agent)| is_named(agent)).last();
        let shared_with =
            own.zip(context.records_at(&group.agents).last()).and_then(|((own, _), (last, agent))| {
                let between = group.agents.iter().filter(|other| (own + 1..last).contains(*other)).count();
                (own + 1 + between < last).then_some(agent)
            });
        Some(ClosingRule { name, rule: rule.record, shared_with })
    }

    fn finding(&self, context: &Context<'_>, severity: Severity, whom: &str) -> Finding {
        let record = self.rule;
        let finding = |message: String, help: String| {
            context
                .finding(&BLOCKS_EVERYTHING, record.line, record.whole(), message, help)
                .with_severity(severity)
        };
        let message = format!("the whole site is forbidden to {whom}");
        let Some(other) = self.shared_with else {
            return finding(message, BLOCKS_EVERYTHING.kind.help.to_owned());
        };
        let name = quoted(self.name);
        let message = format!("{message}: {name} shares the rules of {}", quoted(context.value(other)));
        let help = format!(
            "end the group for {name} with a rule, such as an empty `Disallow:`, if it should not share these rules"
        );
        finding(message, help).with_related(context.related(other, "the name that joins the group"))
    }
}
