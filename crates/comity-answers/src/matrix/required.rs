//! The required access of a crawler to a whole site.

use std::fmt;
use std::str::FromStr;

use comity::robots::Access;

/// The kinds of access to a whole site that meet a requirement: `allowed-or-partly` excludes `disallowed`.
///
/// ```
/// use comity::robots::Access;
/// use comity_answers::matrix::RequiredAccess;
///
/// let required: RequiredAccess = "allowed-or-partly".parse()?;
/// assert!(required.is_met(Access::Partly) && !required.is_met(Access::Disallowed));
/// assert_eq!(required.to_string(), "allowed-or-partly");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredAccess(Vec<Access>);

impl RequiredAccess {
    /// Returns true if an access meets the requirement.
    pub fn is_met(&self, access: Access) -> bool {
        self.0.contains(&access)
    }
}

/// Parses `allowed`, `partly` or `disallowed`, or several of them joined by `-or-`.
impl FromStr for RequiredAccess {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let access = text.split("-or-").map(|word| {
            word.parse::<Access>().map_err(|_| {
                format!("unknown access `{word}`: use allowed, partly or disallowed, or join them with -or-")
            })
        });
        access.collect::<Result<_, _>>().map(RequiredAccess)
    }
}

impl fmt::Display for RequiredAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.0.iter().map(|access| access.as_str()).collect();
        f.write_str(&words.join("-or-"))
    }
}
