//! Renders the effective settings.

use std::io::Write;

use serde::Serialize;
use toml::Value;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use crate::settings::{self, EffectiveSettings, Source, SourcedValue};

/// Width to which settings are padded, in columns.
const COLUMN: usize = 44;

impl Render for Report {
    type View<'v> = &'v EffectiveSettings;

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, effective: &mut &EffectiveSettings, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let (faint, strong) = (palette.faint, palette.strong);
        if effective.files.is_empty() {
            writeln!(output, "{faint}# No settings file was read.{faint:#}")?;
        }
        for path in &effective.files {
            let path = render::text(path.as_os_str().as_encoded_bytes());
            writeln!(output, "{faint}# Read: {path}{faint:#}")?;
        }
        let mut last = "";
        for sourced in &effective.values {
            let (section, key) = (sourced.setting.section, sourced.setting.key);
            if section != last {
                writeln!(output, "\n{strong}[{section}]{strong:#}")?;
                last = section;
            }
            let shown = ShownValue::of(sourced);
            // Defaults are printed as comments. So a settings file made from this output uses the defaults of later
            // versions.
            let is_comment = shown.is_secret || sourced.source == Source::Default;
            let text = match (&shown.value, is_comment) {
                (Some(value), false) => format!("{key} = {value}"),
                (Some(value), true) => format!("# {key} = {value}"),
                (None, _) => format!("# {key}"),
            };
            let note = match (&sourced.source, &shown.value) {
                (Source::Default, None) => "not set".to_owned(),
                (source, _) => source.to_string(),
            };
            let style = if sourced.source == Source::Default { faint } else { palette.note };
            writeln!(
                output,
                "{}  {style}# {note}{style:#}",
                render::text(format!("{text:<COLUMN$}").as_bytes())
            )?;
        }
        Ok(())
    }
}

/// A value that is safe to show.
struct ShownValue {
    value: Option<Value>,
    is_secret: bool,
}

impl ShownValue {
    /// Removes values of header fields and passwords in URLs, and adds the default location of the store.
    fn of(sourced: &SourcedValue) -> ShownValue {
        let value = sourced.value.clone();
        let (value, is_secret) = match (sourced.setting.path().as_str(), value) {
            ("fetch.header", Some(Value::Array(fields))) if !fields.is_empty() => {
                let name = |field: &Value| {
                    let text = field.as_str().unwrap_or_default();
                    Value::String(format!("{}: ...", text.split(':').next().unwrap_or_default()))
                };
                (Some(Value::Array(fields.iter().map(name).collect())), true)
            }
            ("network.proxy" | "store.location", Some(Value::String(text))) => {
                match without_password(&text) {
                    Some(text) => (Some(Value::String(text)), true),
                    None => (Some(Value::String(text)), false),
                }
            }
            ("store.location", None) => {
                let path = settings::store::default_path();
                (path.map(|path| Value::String(path.to_string_lossy().into_owned())), false)
            }
            (_, value) => (value, false),
        };
        ShownValue { value, is_secret }
    }
}

/// Returns the URL with `...` for its password, if it has one. For a Unix domain socket, the password is in the query.
fn without_password(text: &str) -> Option<String> {
    // In `user:password@host`, the user would be the scheme.
    let is_url = text.contains("://");
    if !is_url && let Some((_, place)) = text.rsplit_once('@') {
        return Some(format!("...@{place}"));
    }
    let Ok(mut url) = text.parse::<url::Url>() else { return without_login(text) };
    let in_query = url.query_pairs().any(|(name, _)| name.contains("pass"));
    if in_query {
        url.set_query(Some("..."));
    }
    if url.password().is_some() {
        url.set_password(Some("...")).ok()?;
    } else if !url.username().is_empty() {
        // Some URLs contain the password in place of the user name.
        url.set_username("...").ok()?;
    } else if !in_query {
        return None;
    }
    Some(url.into())
}

/// Returns a URL with several hosts, which `url` does not parse, with `...` for its user, password and query.
fn without_login(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (login, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    match (login, query) {
        ("", "") => None,
        // The password contains a question mark.
        (_, query) if query.contains('@') => Some(format!("{scheme}://...")),
        ("", _) => Some(format!("{scheme}://{place}?...")),
        (_, "") => Some(format!("{scheme}://...@{place}")),
        _ => Some(format!("{scheme}://...@{place}?...")),
    }
}

/// The settings as JSON.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Report {
    /// The files that were read.
    files: Vec<String>,
    /// The settings.
    settings: Vec<Line>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Setting")]
struct Line {
    /// The key of the setting in a settings file.
    key: String,
    /// The value.
    #[schemars(with = "serde_json::Value")]
    value: Option<Value>,
    /// The source of the value.
    source: LineSource,
    /// The flag of the command line, if there is one.
    flag: Option<String>,
    /// The environment variable.
    variable: String,
    /// The meaning of the setting.
    about: String,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "SettingSource")]
struct LineSource {
    /// The kind of source.
    kind: &'static str,
    /// The flag, the variable, or the file with its line.
    name: Option<String>,
}

impl Report {
    pub(crate) fn of(effective: &EffectiveSettings) -> Report {
        let line = |sourced: &SourcedValue| Line {
            key: sourced.setting.path(),
            value: ShownValue::of(sourced).value,
            source: LineSource {
                kind: match sourced.source {
                    Source::Default => "default",
                    Source::File { .. } => "file",
                    Source::Variable(_) => "environment",
                    Source::Flag(_) => "flag",
                },
                name: (sourced.source != Source::Default).then(|| sourced.source.to_string()),
            },
            flag: sourced.setting.flag.map(|flag| format!("--{flag}")),
            variable: sourced.setting.variable(),
            about: sourced.setting.sentence(),
        };
        Report {
            files: effective.files.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            settings: effective.values.iter().map(line).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_in_url_is_replaced() {
        let shown = |url: &str| without_password(url).unwrap_or_default();
        assert_eq!(shown("redis://me:secret@h:1/2"), "redis://me:...@h:1/2");
        assert_eq!(shown("unix:///run/redis.sock?db=1&pass=secret"), "unix:///run/redis.sock?...");
        assert_eq!(shown("redis+sentinel://me:secret@h:1,i:2/main"), "redis+sentinel://...@h:1,i:2/main");
        assert_eq!(
            shown("redis+sentinel://h:1,i:2/m?sentinel_password=secret"),
            "redis+sentinel://h:1,i:2/m?..."
        );
        assert_eq!(shown("redis+sentinel://h/m?sentinel_password=secret"), "redis+sentinel://h/m?...");
        assert_eq!(shown("redis+cluster://:sec?ret@h:1,i:2"), "redis+cluster://...");
        assert_eq!(without_password("redis+cluster://h:1,i:2"), None);
        assert_eq!(without_password("redis://h:1/2"), None);
        assert_eq!(without_password("unix:///run/redis.sock?db=1"), None);
    }
}
