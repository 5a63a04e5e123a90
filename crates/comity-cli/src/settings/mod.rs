//! The settings of commands on the network, and the source of each.
//!
//! ```text
//! flags > variables > the file of --config, or else the user's config.toml > defaults ─▶ Settings
//! ```
//!
//! `comity_client::settings` has the names and types of settings; `args/settings.rs` generates flags from them.
//!
//! | file | content |
//! |---|---|
//! | `layers.rs`, `file.rs` | sources of values, and errors with line and column |
//! | `files.rs` | the arguments for settings files, and the files to read |
//! | `source.rs` | the source of a value |
//! | `values.rs` | values as text in flags and variables |
//! | `store.rs` | the default location of the store |

mod file;
mod files;
mod layers;
mod source;
pub(crate) mod store;
pub(crate) mod values;

pub(crate) use self::files::{Files, FilesArgs};
pub(crate) use self::layers::{EffectiveSettings, Override, SourcedValue};
pub(crate) use self::source::Source;
use comity_client::settings::{Setting, Settings};

use crate::exit::Failure;

/// The start of the names of all environment variables.
const PREFIX: &str = "COMITY_";

/// Environment variables of the command and its tests that are not settings.
const OTHER_VARIABLES: [&str; 4] = ["COMITY_CONFIG", "COMITY_DATA", "COMITY_RANGES", "COMITY_SKIPS"];

/// Returns warnings about ignored settings: unknown environment variables, and settings in a project's file.
pub(crate) fn warnings(files: &FilesArgs) -> Vec<String> {
    let mut found = unknown_variables();
    if matches!(chosen(files), Files::Usual) {
        found.extend(file::ignored_project_settings());
    }
    found
}

/// Returns warnings about variables that look like settings but are not.
fn unknown_variables() -> Vec<String> {
    let names = |setting: &'static Setting| [setting.variable(), setting.long_variable()];
    let known: Vec<String> = Settings::all().flat_map(names).collect();
    let is_unknown = |name: &String| {
        name.starts_with(PREFIX) && !known.contains(name) && !OTHER_VARIABLES.contains(&name.as_str())
    };
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort();
    unknown.into_iter().map(|name| with_closest(&name, &known)).collect()
}

/// Returns the warning about an unknown variable such as `COMITY_TIMOUT`, with a similar known variable if there is
/// one.
fn with_closest(name: &str, known: &[String]) -> String {
    let shown = crate::render::short(name.as_bytes(), 80);
    // All variables share the prefix, so it proves nothing.
    let rest = |name: &str| name.strip_prefix(PREFIX).unwrap_or_default().to_owned();
    let (own, word) = (rest(name), name.rsplit('_').next().unwrap_or_default());
    let near = known.iter().find(|known| {
        let other = rest(known);
        let common = other.chars().zip(own.chars()).take_while(|(a, b)| a == b).count();
        let least = own.len().min(other.len());
        let is_similar = common > 0 && common + 3 >= least && 2 * common >= least;
        is_similar || (!word.is_empty() && known.ends_with(&format!("_{word}")))
    });
    match near {
        Some(near) => format!("the environment variable {shown} is unknown; {near} was probably meant"),
        None => {
            format!("the environment variable {shown} is unknown; `comity config --json` lists the variables")
        }
    }
}

/// Returns the settings files to read, by the flags and the variable `COMITY_CONFIG`.
pub(crate) fn chosen(files: &FilesArgs) -> Files {
    match (&files.config, files.no_config) {
        (Some(path), _) => Files::Only(path.clone()),
        (None, true) => Files::None,
        (None, false) => match variable("COMITY_CONFIG").filter(|path| !path.is_empty()) {
            Some(path) => Files::Only(path.into()),
            None => Files::Usual,
        },
    }
}

/// Returns the effective settings: `overrides` have precedence over the environment, files and defaults.
pub(crate) fn effective(files: &FilesArgs, overrides: Vec<Override>) -> Result<EffectiveSettings, Failure> {
    layers::effective(overrides, &chosen(files), variable)
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_variable_is_suggested_only_for_a_match_beyond_the_prefix() {
        let known = ["COMITY_AGENT", "COMITY_TIMEOUT", "COMITY_MIN_INTERVAL"].map(str::to_owned);
        for (name, expected) in [
            ("TIMOUT", Some("COMITY_TIMEOUT")),
            ("AGNT", Some("COMITY_AGENT")),
            ("INTERVAL", Some("COMITY_MIN_INTERVAL")),
            ("LOG", None),
            ("X", None),
            ("", None),
        ] {
            let warning = with_closest(&format!("COMITY_{name}"), &known);
            match expected {
                Some(near) => {
                    assert!(warning.ends_with(&format!("; {near} was probably meant")), "{warning}")
                }
                None => assert!(!warning.contains("was probably meant"), "{warning}"),
            }
        }
    }
}
