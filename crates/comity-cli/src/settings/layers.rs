//! Layers of settings: flags, then variables, then files, then defaults. Each effective value has its source.

use std::path::PathBuf;

use comity_client::settings::{Setting, Settings};
use serde::Deserialize;
use toml::{Table, Value};

use super::file;
use super::files::Files;
use super::source::Source;
use super::values;
use crate::exit::Failure;

/// A value from the command line.
pub(crate) type Override = (&'static Setting, Value);

/// The effective settings, and their sources.
#[derive(Debug)]
pub(crate) struct EffectiveSettings {
    pub(crate) settings: Settings,
    pub(crate) values: Vec<SourcedValue>,
    /// The files that were read, highest precedence first.
    pub(crate) files: Vec<PathBuf>,
}

/// An effective value.
#[derive(Debug)]
pub(crate) struct SourcedValue {
    pub(crate) setting: &'static Setting,
    /// `None` if the setting has neither a value nor a default.
    pub(crate) value: Option<Value>,
    pub(crate) source: Source,
}

/// Merges the layers. `variable` reads an environment variable.
pub(crate) fn effective(
    overrides: Vec<Override>,
    files: &Files,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<EffectiveSettings, Failure> {
    let mut layers: Vec<Vec<(&'static Setting, Value, Source)>> = Vec::new();
    let flags = overrides
        .into_iter()
        .filter_map(|(setting, value)| Some((setting, value, Source::Flag(setting.flag?))));
    layers.push(flags.collect());
    layers.push(of_environment(variable)?);
    let mut read = Vec::new();
    for path in files.paths()? {
        layers.push(file::values(&path)?);
        read.push(path);
    }
    let mut merged = Table::new();
    let mut sourced = Vec::new();
    for setting in Settings::all() {
        let found = layers.iter().flatten().find(|(other, ..)| other.path() == setting.path());
        let (value, source) = match found {
            Some((_, value, source)) => (Some(value.clone()), source.clone()),
            None => (values::default_of(setting), Source::Default),
        };
        if let Some(value) = &value {
            values::set(&mut merged, setting, value.clone());
        }
        sourced.push(SourcedValue { setting, value, source });
    }
    let settings = Settings::deserialize(Value::Table(merged))
        .map_err(|error| Failure::new(format!("the settings contradict each other: {}", error.message())))?;
    Ok(EffectiveSettings { settings, values: sourced, files: read })
}

/// Reads the settings in the environment. An empty variable is ignored.
fn of_environment(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(&'static Setting, Value, Source)>, Failure> {
    let mut found = Vec::new();
    for setting in Settings::all() {
        let names = [setting.variable(), setting.long_variable()];
        let set = |name: String| Some((variable(&name).filter(|text| !text.trim().is_empty())?, name));
        let Some((text, name)) = names.into_iter().find_map(set) else { continue };
        match values::read(setting, &text) {
            Ok(value) => found.push((setting, value, Source::Variable(name))),
            Err(message) => {
                return Err(Failure::new(format!("environment variable {name}: {message}")).hint(format!(
                    "{}: {}; or unset it",
                    setting.path(),
                    setting.sentence()
                )));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset_with(overrides: Vec<Override>, files: &Files, variable: Option<&str>) -> (String, Source) {
        let variable = |name: &str| (name == "COMITY_PRESET").then(|| variable.map(str::to_owned)).flatten();
        let effective = effective(overrides, files, variable).unwrap();
        let preset =
            effective.values.into_iter().find(|value| value.setting.path() == "robots.preset").unwrap();
        assert_eq!(preset.value, Some(Value::String(effective.settings.robots.preset.to_string())));
        (effective.settings.robots.preset.to_string(), preset.source)
    }

    #[test]
    fn setting_in_several_layers_has_the_value_of_the_highest_layer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(&path, "\n[robots]\npreset = \"google\"\n").unwrap();
        let files = Files::Only(path.clone());
        let flag = || vec![(Settings::setting("robots.preset").unwrap(), Value::String("strict".to_owned()))];
        let all = preset_with(flag(), &files, Some("webcanon"));
        assert_eq!(all, ("strict".to_owned(), Source::Flag("preset")));
        let variable = preset_with(vec![], &files, Some("webcanon"));
        assert_eq!(variable, ("webcanon".to_owned(), Source::Variable("COMITY_PRESET".to_owned())));
        for absent in [None, Some(""), Some(" ")] {
            let file = preset_with(vec![], &files, absent);
            assert_eq!(file, ("google".to_owned(), Source::File { path: path.clone(), line: 3 }));
        }
        assert_eq!(preset_with(vec![], &Files::None, None), ("rfc9309".to_owned(), Source::Default));
    }
}
