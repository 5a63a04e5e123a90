//! Looks names up, and reports a name that does not exist.

use std::fmt;

/// A name that no preset, mode or failure has.
///
/// ```
/// use comity::policy::Mode;
///
/// let error = "obey".parse::<Mode>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown mode `obey`; known are respect, report_only, ignore");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`; known are {}", self.what, self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// The one of `all` whose name is `name`, case and the choice between `-` and `_` aside.
pub(super) fn find<T: Copy>(
    what: &'static str,
    all: &[T],
    name_of: fn(T) -> &'static str,
    name: &str,
) -> Result<T, UnknownName> {
    let wanted = name.trim().replace('-', "_");
    all.iter().copied().find(|item| name_of(*item).eq_ignore_ascii_case(&wanted)).ok_or_else(|| UnknownName {
        what,
        name: name.to_owned(),
        known: all.iter().copied().map(name_of).collect(),
    })
}
