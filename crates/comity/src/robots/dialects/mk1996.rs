//! robotexclusionrulesparser with its syntax `MK1996`: no wildcards.

use super::gym2008;
use super::row::{About, Row};

pub(super) const ABOUT: About = About {
    defined_by: "robotexclusionrulesparser 1.7.1, syntax MK1996",
    quirks: &[
        "as gym2008, but `*` and `$` in paths are plain characters",
        "`mk1994` is another name of this dialect: the program has no separate syntax for it",
    ],
    notes: &[],
};

pub(super) const ROW: Row = Row {
    name: "mk1996",
    aliases: &["mk1994"],
    compile: |effect, value| [Some(gym2008::prefix(effect, gym2008::path(value))), None],
    ..gym2008::ROW
};
