//! Walks a file once for each kind of input, and passes each item to the lints for that kind.

use std::collections::HashSet;

use super::address;
use super::bytes::{self, LineText};
use super::context::{Context, LineContent};
use super::forms;
use super::group::{FileRules, GroupRules};
use super::key::{KeyedRecord, Slip, UnreadableLine};
use super::name;
use super::pattern::{self, Pattern, Start};
use super::rivals::Rivals;
use super::{Check, lints};
use crate::finding::Findings;

/// Returns the checks of one kind, in the order of the lints.
macro_rules! checks {
    ($sort:ident) => {{
        let checks = lints::all().flat_map(|lint| lint.checks);
        let of_sort =
            checks.filter_map(|check| if let Check::$sort(check) = check { Some(*check) } else { None });
        of_sort.collect::<Vec<_>>()
    }};
}

/// Runs all checks that apply to the file.
pub(super) fn run(context: &Context<'_>, findings: &mut Findings) {
    for check in checks!(Body) {
        check(context, findings);
    }
    // A file that is not a robots.txt is not checked line by line.
    for is_foreign in checks!(Foreign) {
        if is_foreign(context, findings) {
            return;
        }
    }
    for check in checks!(File) {
        check(context, findings);
    }
    lines(context, findings);
    records(context, findings);
    agents(context, findings);
    rules(context, findings);
    sitemaps(context, findings);
}

fn lines(context: &Context<'_>, findings: &mut Findings) {
    let of_lines = checks!(Line);
    let of_strays = checks!(Stray);
    // A second byte order mark in the first line has already been reported.
    let marked_lines = usize::from(bytes::stray_mark(context).is_some());
    for (index, line) in context.lines.iter().enumerate() {
        let text = LineText::new(context, index, line);
        of_lines.iter().for_each(|check| check(&text, findings));
        if line.content == LineContent::Other
            && index >= marked_lines
            && let Some(stray) = UnreadableLine::new(context, index, line)
        {
            of_strays.iter().for_each(|check| check(&stray, findings));
        }
    }
}

fn records(context: &Context<'_>, findings: &mut Findings) {
    let of_keys = checks!(Key);
    let of_records = checks!(Record);
    let marked_lines = usize::from(bytes::stray_mark(context).is_some());
    for record in &context.records {
        let entry = KeyedRecord::new(context, record);
        if record.line >= marked_lines {
            of_keys.iter().for_each(|check| check(&entry, findings));
        }
        of_records.iter().for_each(|check| check(&entry, findings));
    }
}

fn agents(context: &Context<'_>, findings: &mut Findings) {
    let of_agents = checks!(Agent);
    for name in name::names(context) {
        of_agents.iter().for_each(|check| check(&name, findings));
    }
}

fn rules(context: &Context<'_>, findings: &mut Findings) {
    let groups: Vec<_> = context.groups.iter().map(|group| forms::rules(context, group)).collect();
    let shared = context.groups_of.values().filter(|groups| groups.len() > 1);
    let is_shared: HashSet<usize> = shared.flatten().copied().collect();
    patterns(context, findings, &Rivals::new(&groups, &is_shared));
    let of_groups = checks!(Group);
    for (index, (group, rules)) in context.groups.iter().zip(&groups).enumerate() {
        let checked = GroupRules::new(context, group, rules, is_shared.contains(&index));
        of_groups.iter().for_each(|check| check(&checked, findings));
    }
    let checked = FileRules { context, groups: &groups, is_shared: &is_shared };
    for check in checks!(Rules) {
        check(&checked, findings);
    }
}

fn patterns<'c>(context: &'c Context<'_>, findings: &mut Findings, rivals: &'c Rivals<'c, 'c>) {
    let of_values = checks!(Value);
    let of_patterns = checks!(Pattern);
    let stems = pattern::stems(context);
    for record in context.records.iter().filter(|record| record.kind.is_rule()) {
        let entry = KeyedRecord::new(context, record);
        let value = context.value(record);
        if value.is_empty() || entry.second.is_some() || entry.slip == Some(Slip::ColonMisplaced) {
            continue;
        }
        let start = Start::of(value);
        let pattern = Pattern { context, record, value, start, rivals, stems: &stems };
        of_values.iter().for_each(|check| check(&pattern, findings));
        if start == Start::Path {
            of_patterns.iter().for_each(|check| check(&pattern, findings));
        }
    }
}

fn sitemaps(context: &Context<'_>, findings: &mut Findings) {
    let of_sitemaps = checks!(Sitemap);
    address::each_address(context, |address| {
        of_sitemaps.iter().for_each(|check| check(address, findings));
    });
}
