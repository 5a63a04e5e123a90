//! Folders that are written in two ways: `/Private/` beside `/private/letters/`.
//!
//! Paths are compared with regard to case, so each rule speaks of a folder of its own. A file that lists both spellings
//! in full knows that; one that spells a folder otherwise in a rule below it probably does not.

use std::collections::{HashMap, HashSet};

use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::context::{Context, Findings, Record, shown};
use crate::robots::lint::forms::Rule;
use crate::robots::lint::steps;
use crate::robots::matching::pattern::Effect;

/// The largest number of folders above a rule's path that are looked up.
const DEPTH: usize = 16;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings, groups: &[Vec<Rule<'_>>]) {
    for rules in groups {
        let folders = Folders::new(rules);
        if folders.by_lower_case.is_empty() {
            continue;
        }
        let mut found: Vec<(&Rule<'_>, &Rule<'_>)> =
            rules.iter().filter_map(|rule| Some((rule, folders.twin(rule)?))).collect();
        found.sort_by_key(|(rule, _)| rule.record.line);
        for (rule, twin) in found {
            report(context, findings, rule.record, twin.record);
        }
    }
}

fn report(context: &Context<'_>, findings: &mut Findings, record: &Record, twin: &Record) {
    let message = format!(
        "{} is not below {} on line {}: upper and lower case differ",
        shown(context.value(record)),
        shown(context.value(twin)),
        Context::number(twin.line)
    );
    let help = "write both as the site's URLs have it";
    let finding = context.finding(Lint::CaseTwin, record.line, record.value.clone(), message, help);
    findings.add(finding.with_related(context.related(twin, "the folder, spelt otherwise")));
}

/// The folders that a group forbids whole.
struct Folders<'r, 'c> {
    by_lower_case: HashMap<Vec<u8>, &'r Rule<'c>>,
    /// The spellings in the file.
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

    /// Returns the rule for a folder above the rule's path if it differs from that path only in the case of letters;
    /// `None` if one is spelt exactly like the path.
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
