//! CPython's `urllib.robotparser` as it would be had `Allow` never been proposed.

use super::row::Row;
use super::urllib;
use crate::robots::matching::pattern::Effect;

pub(super) const ROW: Row = Row {
    name: "disallow-only",
    aliases: &[],
    defined_by: "CPython 3.11 urllib.robotparser, in which no `Allow` applies",
    quirks: &["as urllib, but an `Allow` never matches"],
    notes: &[],
    compile: |effect, value| match effect {
        Effect::Allow => [None, None],
        Effect::Disallow => (urllib::ROW.compile)(effect, value),
    },
    ..urllib::ROW
};
