//! The lint `blocks-assets`: search engines may not fetch style sheets or scripts.

use crate::finding::{Findings, Severity, quoted};
use crate::robots::lint::context::agent_name;
use crate::robots::lint::group::GroupRules;
use crate::robots::matching::pattern::Effect;
use crate::robots::read::directive::RecordKind;

crate::robots::lint::row! {
    BLOCKS_ASSETS "blocks-assets" Warning, Group(check);
    "Style sheets or scripts are forbidden to search engines.",
    "Search engines render pages. Without the style sheets and scripts, they index a page incompletely. The lint checks \
    groups that apply to `Googlebot` or `bingbot`, by name or as `*`. It ignores style sheets if an `Allow` of the \
    group contains `css`, and scripts if one contains `js`.",
    "allow the files that pages need, or delete the rule to allow all its URLs",
    bad(b"User-agent: *\nDisallow: /*.css$\n"),
    good(b"User-agent: *\nDisallow: /*.pdf$\n");
}

/// Reports style sheets and scripts that a search engine may not fetch.
fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let GroupRules { context, group, rules, .. } = checked;
    let is_named = |token: &str| {
        context
            .records_at(&group.agents)
            .any(|(_, agent)| agent_name(context.value(agent)).eq_ignore_ascii_case(token.as_bytes()))
    };
    let has_group = |token: &str| context.groups_of.contains_key(token.to_ascii_lowercase().as_bytes());
    // A search engine with its own group does not follow the group of `*`.
    let is_affected = |token: &&str| is_named(token) || group.is_star && !has_group(token);
    let engines: Vec<&str> = ["Googlebot", "bingbot"].into_iter().filter(is_affected).collect();
    let forbids_all = rules.iter().any(|rule| rule.matches_everything() && rule.effect == Effect::Disallow);
    if forbids_all || engines.is_empty() {
        return;
    }
    let (engines, verb) = (engines.join(" and "), if engines.len() == 1 { "needs" } else { "need" });
    let allows = |word: &[u8]| {
        let of_group = context.records_at(&group.rules).filter(|(_, rule)| rule.kind == RecordKind::Allow);
        of_group
            .map(|(_, rule)| context.value(rule).to_ascii_lowercase())
            .any(|value| memchr::memmem::find(&value, word).is_some())
    };
    let (allows_css, allows_js) = (allows(b"css"), allows(b"js"));
    for (_, rule) in context.records_at(&group.rules).filter(|(_, rule)| rule.kind == RecordKind::Disallow) {
        let Some((asset, severity)) = asset(context.value(rule)) else { continue };
        if (asset == Asset::Styles && allows_css) || (asset == Asset::Scripts && allows_js) {
            continue;
        }
        let files = if asset == Asset::Styles { "style sheets" } else { "scripts" };
        let message = format!(
            "{} forbids {files} to {engines}, which {verb} them to render pages",
            quoted(context.value(rule))
        );
        let finding =
            context.finding(&BLOCKS_ASSETS, rule.line, rule.whole(), message, BLOCKS_ASSETS.kind.help);
        findings.push(finding.with_severity(severity));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asset {
    Styles,
    Scripts,
}

/// Returns the kind of assets whose folder or extension a pattern covers: `/*.js$`, `/css/`. Deep inside a site, such a
/// pattern may cover other files, so its severity is a note.
fn asset(value: &[u8]) -> Option<(Asset, Severity)> {
    let value = value.strip_suffix(b"$").unwrap_or(value).to_ascii_lowercase();
    let stem = value.get(..value.len() - value.iter().rev().take_while(|byte| **byte == b'*').count())?;
    if memchr::memmem::find(stem, b"admin").is_some() {
        return None;
    }
    let depth = stem.iter().filter(|byte| **byte == b'/').count();
    for (file, asset) in [(&b"*.css"[..], Asset::Styles), (b"*.js", Asset::Scripts)] {
        if stem.rsplit(|byte| *byte == b'/').next() == Some(file) {
            return Some((asset, if depth <= 1 { Severity::Warning } else { Severity::Note }));
        }
    }
    let folder = stem.strip_suffix(b"/")?;
    let name = folder.rsplit(|byte| *byte == b'/').next()?;
    let asset = match name {
        b"css" | b"stylesheets" => Asset::Styles,
        b"js" | b"javascript" | b"javascripts" => Asset::Scripts,
        _ => return None,
    };
    Some((asset, if depth <= 2 { Severity::Warning } else { Severity::Note }))
}
