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

/// Returns warnings about variables that look like settings but are not, each with a similar setting.
fn unknown_variables() -> Vec<String> {
    let names = |setting: &'static Setting| [setting.variable(), setting.long_variable()];
    let known: Vec<String> = Settings::all().flat_map(names).collect();
    let is_unknown = |name: &String| {
        name.starts_with("COMITY_") && !known.contains(name) && !OTHER_VARIABLES.contains(&name.as_str())
    };
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort();
    unknown.into_iter().map(|name| with_closest(&name, &known)).collect()
}

/// Returns the warning about an unknown variable such as `COMITY_TIMOUT`. The warning suggests a similar known
/// variable.
fn with_closest(name: &str, known: &[String]) -> String {
    let shown = crate::render::short(name.as_bytes(), 80);
    let word = name.rsplit('_').next().unwrap_or_default();
    let near = known.iter().find(|known| {
        let common = known.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
        common + 3 >= name.len().min(known.len()) || (!word.is_empty() && known.ends_with(word))
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
