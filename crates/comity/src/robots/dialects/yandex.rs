//! Yandex's crawler, according to its public tester.

use super::rfc9309;
use super::row::{About, Row};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::pattern::{CompiledRule, Effect, End};
use crate::robots::read::Reading;
use crate::robots::read::lines::Lines;
use crate::robots::read::syntax::Syntax;

pub(super) const ABOUT: About = About {
    defined_by: "Yandex's public tester, observed in July 2026",
    quirks: &[
        "an empty `Disallow` counts as `Allow: /`",
        "the longest pattern wins, without counting `*` and `$`; ties allow",
        "a crawler whose token starts with `Yandex` falls back to the group `Yandex`, then to `*`",
        "misspellings and missing colons are not accepted; values must start with `/` or `*`",
    ],
    notes: &[
        "No program of Yandex is public; 140 observed answers define this dialect. Where they show nothing, it follows \
         `rfc9309`. By Yandex's documentation, a blank line after `User-agent` is an error; the tester accepts it.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "yandex",
    aliases: &[],
    reading: Reading { lines: Lines::CrLf, syntax: Syntax::Exact, ..rfc9309::ROW.reading },
    choosing: GroupSelection { selection: Selection::Yandex, ..rfc9309::ROW.choosing },
    compile: |effect, value| [compile(effect, value), None],
    ..rfc9309::ROW
};

/// Compiles a rule as the default dialect does, with two differences: an empty `Disallow` is `Allow: /`, and the length
/// does not include wildcards and the anchor.
fn compile(effect: Effect, value: &[u8]) -> Option<CompiledRule<'_>> {
    if value.is_empty() {
        return if effect == Effect::Disallow { rfc9309::compile(Effect::Allow, b"/") } else { None };
    }
    let mut compiled = rfc9309::compile(effect, value)?;
    let stars = compiled.star.map_or(0, |star| memchr::memchr_iter(star, &compiled.bytes).count());
    compiled.length -= (stars + usize::from(compiled.end == End::Anchored)) as u32;
    Some(compiled)
}
