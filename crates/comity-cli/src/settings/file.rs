//! Settings files: their locations, and errors with line and column.
//!
//! A `comity.toml` in the current folder can come from somebody else, and could set a proxy or weaken the guard. Only
//! its `[lint]` is used; its network settings are ignored, with a warning.

use std::path::{Path, PathBuf};

use comity_client::settings::{Setting, Settings, ValueKind, new_name};
use etcetera::BaseStrategy;
use serde::Deserialize;
use toml::de::{DeTable, DeValue, Deserializer};
use toml::{Table, Value};

use super::files::Files;
use super::source::{Source, shown as shown_path};
use super::values;
use crate::exit::{Failure, reason};
use crate::input::read_settings;

/// Name of a project's settings file.
const NAME: &str = "comity.toml";

/// Returns the path of the user's settings file: `comity/config.toml` in the folder for configuration.
pub(crate) fn of_user() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.config_dir().join("comity").join("config.toml"))
}

impl Files {
    /// Returns the files to read, highest precedence first.
    pub(super) fn paths(&self) -> Result<Vec<PathBuf>, Failure> {
        match self {
            Files::None => Ok(Vec::new()),
            Files::Only(path) => Ok(vec![path.clone()]),
            Files::Usual => Ok(of_user().into_iter().filter(|path| path.is_file()).collect()),
        }
    }
}

/// Returns the warning about network settings in the project's file, which are ignored. The message names the
/// alternative.
pub(super) fn ignored_project_settings() -> Option<String> {
    let path = Path::new(".").join(NAME);
    let text = read_settings(&path).ok()?;
    let tables = DeTable::parse(&text).ok()?;
    let mut keys: Vec<(usize, String)> = Vec::new();
    for (section, value) in tables.get_ref().iter().filter(|(section, _)| section.get_ref() != "lint") {
        match value.get_ref() {
            DeValue::Table(table) => keys.extend(
                table
                    .keys()
                    .map(|key| (key.span().start, format!("{}.{}", section.get_ref(), key.get_ref()))),
            ),
            _ => keys.push((section.span().start, section.get_ref().to_string())),
        }
    }
    keys.sort();
    let (line, _) = place(&text, keys.first()?.0);
    let shown: Vec<String> = keys.iter().take(SHOWN).map(|(_, key)| format!("`{key}`")).collect();
    let more = match keys.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let users = of_user().map_or_else(|| "the user's own file".to_owned(), |path| shown_path(&path));
    Some(format!(
        "{}:{line}: {}{more} {} ignored: a project's settings file cannot change settings of the network. To use the \
         file, name it with --config {NAME}, or write the settings to {users}",
        shown_path(&path),
        shown.join(", "),
        if keys.len() == 1 { "is" } else { "are" },
    ))
}

/// Maximum number of keys that a warning names.
const SHOWN: usize = 3;

/// Returns every setting of a file, with its value and its line.
pub(super) fn values(path: &Path) -> Result<Vec<(&'static Setting, Value, Source)>, Failure> {
    let text = read_settings(path).map_err(|error| {
        Failure::new(format!("cannot read `{}`: {}", shown_path(path), reason(&error)))
            .hint("name another file with --config, or use --no-config")
    })?;
    let wrong = |error: &toml::de::Error| {
        let (line, column) = place(&text, error.span().map_or(0, |span| span.start));
        let mut message = error.message().trim().replace('\n', ", ");
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        if let Some(name) = unknown.and_then(|(key, _)| new_name(key)) {
            message = format!("{message}; the setting is {name}")
        }
        Failure::new(format!("{}:{line}:{column}: {message}", shown_path(path)))
            .hint("`comity config` lists the settings and their values; --no-config ignores all files")
    };
    let mut document = DeTable::parse(&text).map_err(|error| wrong(&error))?;
    // The command reads the table `[lint]` itself.
    document.get_mut().remove("lint");
    Settings::deserialize(Deserializer::from(document.clone())).map_err(|error| wrong(&error))?;
    let table = Table::deserialize(Deserializer::from(document.clone())).map_err(|error| wrong(&error))?;
    let mut values = Vec::new();
    for (section, keys) in document.get_ref() {
        let DeValue::Table(keys) = keys.get_ref() else { continue };
        for key in keys.keys() {
            let setting = Settings::setting(&format!("{}.{}", section.get_ref(), key.get_ref()));
            let value = table.get(&**section.get_ref()).and_then(|section| section.get(&**key.get_ref()));
            if let (Some(setting), Some(value)) = (setting, value) {
                let (line, _) = place(&text, key.span().start);
                let value = resolved(path, setting, value.clone());
                values.push((setting, value, Source::File { path: path.to_owned(), line }));
            }
        }
    }
    Ok(values)
}

/// Converts a value of a settings file: joins a path with the folder of the file, and converts a duration to seconds.
fn resolved(path: &Path, setting: &Setting, value: Value) -> Value {
    let folder = path.parent().unwrap_or(Path::new(""));
    let joined = |text: String| Value::String(folder.join(text).to_string_lossy().into_owned());
    match (setting.path().as_str(), value) {
        ("store.location", Value::String(text)) if text != "memory" && !text.contains("://") => joined(text),
        ("identity.file" | "store.ca" | "store.cert" | "store.key", Value::String(text)) => joined(text),
        (_, Value::String(text)) if matches!(setting.form.kind, ValueKind::Seconds) => {
            values::seconds(&text).unwrap_or(Value::String(text))
        }
        ("network.ca", Value::Array(items)) => Value::Array(
            items
                .into_iter()
                .map(|item| match item {
                    Value::String(text) => joined(text),
                    other => other,
                })
                .collect(),
        ),
        (_, value) => value,
    }
}

/// Returns the line and column of a byte, counted from 1. Columns are counted in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before.get(line_start..).unwrap_or_default().chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(&path, text).unwrap();
        let error = values(&path).unwrap_err().to_string();
        error.replace(&*folder.path().to_string_lossy(), "")
    }

    #[test]
    fn error_in_file_names_line_and_column() {
        for (text, expected) in [
            ("[robots]\npresett = \"google\"\n", "/c.toml:2:1: unknown field `presett`, expected one of "),
            ("[robots]\npreset = \"gogle\"\n", "/c.toml:2:10: unknown preset `gogle`; must be one of: "),
            (
                "[fetch]\n\ntimeout_seconds = \"20 parsecs\"\n",
                "/c.toml:3:19: `20 parsecs` is not a duration; write ",
            ),
            ("[fetch]\n\ntimeout_seconds = true\n", "/c.toml:3:19: a number of seconds, or a time such as "),
            ("[pace]\nmin_interval_seconds = -1\n", "/c.toml:2:24: `-1` is not a number of seconds"),
            ("[guard]\nallow_address = [\"10.0.0.0/8\", \"x\"]\n", "/c.toml:2:"),
            ("[agent\n", "/c.toml:1:7: "),
            ("[agents]\n", "/c.toml:1:2: unknown field `agents`, expected one of "),
        ] {
            let error = error_of(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn setting_name_of_another_library_is_rejected_with_a_suggestion() {
        for (text, name) in [
            ("respect_robots_txt = true\n", "; the setting is `robots.mode`, `respect` or `ignore`"),
            ("[pace]\nmin_request_interval_seconds = 1\n", "; the setting is `pace.min_interval_seconds`"),
            ("[robots]\nmax_cache_seconds = 3600\n", "; the setting is `robots.max_age_seconds`"),
        ] {
            let error = error_of(text);
            assert!(error.contains("unknown field") && error.ends_with(name), "{error}");
        }
    }

    #[test]
    fn time_with_unit_is_converted_to_seconds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(&path, "[fetch]\ntimeout_seconds = \"2m\"\n[lint]\nallow = []\n").unwrap();
        let found: Vec<Value> = values(&path).unwrap().into_iter().map(|(_, value, _)| value).collect();
        assert_eq!(found, [Value::Float(120.0)]);
    }

    #[test]
    fn relative_path_is_joined_with_the_folder_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(
            &path,
            "[store]\nlocation = \"robots.db\"\n[network]\nca = [\"/x/a.pem\", \"b.pem\"]\n",
        )
        .unwrap();
        let mut found: Vec<String> =
            values(&path).unwrap().into_iter().map(|(_, value, _)| value.to_string()).collect();
        found.sort();
        let folder = folder.path().display();
        assert_eq!(found, [format!("\"{folder}/robots.db\""), format!("[\"/x/a.pem\", \"{folder}/b.pem\"]")]);
    }
}
