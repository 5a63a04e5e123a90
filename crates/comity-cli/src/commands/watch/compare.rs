//! Compares two versions of a robots.txt.

use std::collections::HashMap;
use std::sync::Arc;

use comity::agents;
use comity::finding::Finding;
use comity::robots::{Access, Agent, Dialect, RobotsTxt, Rules};
use comity_answers::diff::{Pair, Report, TooLarge};
use comity_answers::lint;

use crate::text::watch::row::AccessChange;

/// The differences between two versions.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) access: Vec<AccessChange>,
    pub(super) changes: Option<Report>,
    pub(super) new_findings: Vec<Finding>,
    pub(super) resolved_findings: Vec<Finding>,
    /// The reason why the rules were not compared.
    pub(super) too_large: Option<TooLarge>,
}

impl Differences {
    /// Compares two texts. Without a robots.txt, a text is empty.
    pub(super) fn new(old: &[u8], new: &[u8], dialect: Dialect) -> Differences {
        let pair = Pair { old: RobotsTxt::parse_as(old, dialect), new: RobotsTxt::parse_as(new, dialect) };
        let named = pair.named();
        let (changes, too_large) = match Report::new(&pair, &named, || {}) {
            Ok(report) => (Some(report), None),
            Err(error) => (None, Some(error)),
        };
        let [old_findings, new_findings] = [old, new].map(lint::findings);
        Differences {
            access: access(&pair, if too_large.is_none() { &named } else { &[] }),
            changes,
            new_findings: without(&new_findings, &old_findings),
            resolved_findings: without(&old_findings, &new_findings),
            too_large,
        }
    }

    /// Returns true if the meaning is the same, apart from findings.
    pub(super) fn is_same(&self) -> bool {
        self.access.is_empty() && self.changes.as_ref().is_some_and(Report::is_empty)
    }
}

/// Returns the crawlers with different access, among those that are well known or named.
fn access(pair: &Pair<'_>, named: &[Agent]) -> Vec<AccessChange> {
    let known = agents::all().iter().filter(|known| known.is_well_known());
    let is_named = |token: &str| named.iter().any(|agent| agent.as_str().eq_ignore_ascii_case(token));
    let known = known.filter(|known| !is_named(known.token())).map(|known| known.agent());
    let all: Vec<Agent> = named.iter().cloned().chain(known).collect();
    let [old, new] = [&pair.old, &pair.new].map(|robots| accesses(&robots.rules_for_each(&all)));
    let changed = all.iter().zip(old.into_iter().zip(new)).filter(|(_, (old, new))| old != new);
    let change = |(agent, (old, new)): (&Agent, (Access, Access))| AccessChange {
        agent: agent.as_str().to_owned(),
        purpose: agents::known(agent.as_str()).map(|known| known.purpose()),
        old,
        new,
    };
    changed.map(change).collect()
}

/// Returns the access of each crawler. Crawlers with the same rules share the work.
fn accesses(rules: &[Arc<Rules>]) -> Vec<Access> {
    let mut known: HashMap<*const Rules, Access> = HashMap::new();
    rules
        .iter()
        .map(|rules| *known.entry(Arc::as_ptr(rules)).or_insert_with(|| rules.extent().access()))
        .collect()
}

/// Returns the findings that `others` lacks. The lines of findings do not matter.
fn without<'f>(findings: &'f [Finding], others: &'f [Finding]) -> Vec<Finding> {
    let mut left: HashMap<(&'f str, &'f str), usize> = HashMap::new();
    for finding in others {
        *left.entry((finding.code(), finding.message())).or_default() += 1;
    }
    let mut is_new = |finding: &'f Finding| match left.get_mut(&(finding.code(), finding.message())) {
        Some(number) if *number > 0 => {
            *number -= 1;
            false
        }
        _ => true,
    };
    findings.iter().filter(|finding| is_new(finding)).cloned().collect()
}
