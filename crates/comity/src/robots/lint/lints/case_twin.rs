//! The lint `case-twin`: two spellings of a folder differ only in upper and lower case.

use crate::finding::{Findings, quoted};
use crate::robots::lint::context::{Context, LocatedRecord};
use crate::robots::lint::forms::Rule;
use crate::robots::lint::group::GroupRules;
use crate::robots::lint::steps;
use crate::robots::matching::pattern::Effect;
use std::collections::{HashMap, HashSet};

crate::robots::lint::row! {
    CASE_TWIN "case-twin" Note, Group(check);
    "Two spellings of a folder differ only in upper and lower case.",
    "Upper and lower case differ in paths (RFC 9309 \u{a7}2.2.2): `/Private/` does not forbid `/private/letters/` or \
    any other URL in `/private/`. The lint reports a rule if its group disallows a parent folder of its path, but in \
    another spelling.",
    "write both in the spelling of the site's URLs",
    bad(b"User-agent: *\nDisallow: /Private/\nDisallow: /private/letters/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");
}

/// Maximum number of parent folders that are looked up for a rule's path.
const DEPTH: usize = 16;

fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let (context, rules) = (checked.context, checked.rules);
    let folders = Folders::new(rules);
    if folders.by_lower_case.is_empty() {
        return;
    }
    let mut found: Vec<(&Rule<'_>, &Rule<'_>)> =
        rules.iter().filter_map(|rule| Some((rule, folders.twin(rule)?))).collect();
    found.sort_by_key(|(rule, _)| rule.record.line);
    for (rule, twin) in found {
        report(context, findings, rule.record, twin.record);
    }
}

fn report(context: &Context<'_>, findings: &mut Findings, record: &LocatedRecord, twin: &LocatedRecord) {
    let message = format!(
        "{} is not below {} on line {}: upper and lower case differ",
        quoted(context.value(record)),
        quoted(context.value(twin)),
        Context::number(twin.line)
    );
    let finding =
        context.finding(&CASE_TWIN, record.line, record.value.clone(), message, CASE_TWIN.kind.help);
    findings.push(finding.with_related(context.related(twin, "the folder in another spelling")));
}

/// Folders that a group disallows as a whole.
struct Folders<'r, 'c> {
    by_lower_case: HashMap<Vec<u8>, &'r Rule<'c>>,
    /// The spellings of the folders.
    spellings: HashSet<&'r [u8]>,
}

impl<'r, 'c> Folders<'r, 'c> {
    fn new(rules: &'r [Rule<'c>]) -> Self {
        let is_folder = |rule: &&Rule<'_>| {
            rule.effect == Effect::Disallow
                && rule.is_prefix()
                && rule.form.len() > 2
                && rule.form.ends_with(b"/")
        };
        let folders = || rules.iter().filter(is_folder);
        let by_lower_case = folders().map(|rule| (rule.form.to_ascii_lowercase(), rule)).collect();
        Folders { by_lower_case, spellings: folders().map(|rule| &rule.form[..]).collect() }
    }

    /// Returns the rule that disallows a parent folder of the path of `rule`, if the two spellings of the folder differ
    /// in case. Returns `None` if a rule disallows a parent folder in the spelling of the path.
    fn twin(&self, rule: &Rule<'_>) -> Option<&'r Rule<'c>> {
        if rule.effect != Effect::Disallow {
            return None;
        }
        let mut twin = None;
        let ends =
            memchr::memchr_iter(b'/', &rule.form).map(|at| at + 1).filter(|end| *end < rule.form.len());
        for end in ends.take(DEPTH) {
            let folder = rule.form.get(..end)?;
            steps::count(end);
            if self.spellings.contains(folder) {
                return None;
            }
            twin = twin.or_else(|| self.by_lower_case.get(&folder.to_ascii_lowercase()).copied());
        }
        twin
    }
}
