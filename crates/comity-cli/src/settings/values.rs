//! Parses the values of flags and variables by the kind of their [`Setting`], and formats default values.

use comity::date;
use comity_client::settings::{Setting, Settings, ValueKind};
use serde::Deserialize;
use toml::{Table, Value};

/// Parses the text of a flag: the value, or one item of a list.
pub(crate) fn read_one(setting: &'static Setting, text: &str) -> Result<Value, String> {
    let value = one(setting, text)?;
    let whole = if setting.form.is_list { Value::Array(vec![value.clone()]) } else { value.clone() };
    check(setting, whole)?;
    Ok(value)
}

/// Parses the text of a variable: the value, or a whole list.
pub(super) fn read(setting: &'static Setting, text: &str) -> Result<Value, String> {
    if !setting.form.is_list {
        return read_one(setting, text);
    }
    let separator = match setting.form.kind {
        ValueKind::Text { separator, .. } => separator,
        _ => ',',
    };
    let items = text.split(separator).map(str::trim).filter(|item| !item.is_empty());
    let value = Value::Array(items.map(|item| one(setting, item)).collect::<Result<_, _>>()?);
    check(setting, value.clone())?;
    Ok(value)
}

/// Parses the value, or one item of a list, by the kind of the setting.
fn one(setting: &Setting, text: &str) -> Result<Value, String> {
    match setting.form.kind {
        ValueKind::Seconds => seconds(text),
        ValueKind::Number { least, greatest } => {
            let number = text.trim().parse::<i64>().map_err(|_| format!("`{text}` is not a whole number"))?;
            let is_within = u64::try_from(number).is_ok_and(|number| (least..=greatest).contains(&number));
            if is_within {
                Ok(Value::Integer(number))
            } else {
                Err(format!("`{text}` is not a number from {least} to {greatest}"))
            }
        }
        ValueKind::Switch => match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(Value::Boolean(true)),
            "0" | "false" | "no" | "off" => Ok(Value::Boolean(false)),
            _ => Err(format!("`{text}` is neither true nor false")),
        },
        _ if text.trim().is_empty() => Err("the value is empty".to_owned()),
        _ => Ok(Value::String(text.to_owned())),
    }
}

/// Parses a duration and returns the number of seconds.
pub(super) fn seconds(text: &str) -> Result<Value, String> {
    let time = date::duration(text).map_err(|error| error.to_string())?;
    Ok(Value::Float(time.as_secs_f64()))
}

/// Returns an error if a value is invalid for the setting.
fn check(setting: &Setting, value: Value) -> Result<(), String> {
    let mut alone = Table::new();
    set(&mut alone, setting, value);
    Settings::deserialize(Value::Table(alone)).map(|_| ()).map_err(|error| error.message().to_owned())
}

/// Inserts a value into a document.
pub(super) fn set(document: &mut Table, setting: &Setting, value: Value) {
    let section = document.entry(setting.section).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(section) = section {
        section.insert(setting.key.to_owned(), value);
    }
}

/// Returns the default value of a setting; `None` if it has none.
pub(crate) fn default_of(setting: &Setting) -> Option<Value> {
    // Cannot fail, because every default has a form in TOML.
    let document = Table::try_from(Settings::default()).unwrap_or_default();
    document.get(setting.section)?.get(setting.key).cloned()
}

/// Formats a default for the help of a flag; `None` for an empty list and for a switch.
pub(crate) fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().filter_map(shown).collect();
            (!items.is_empty()).then(|| items.join(", "))
        }
        Value::Float(seconds) => Some(format!("{seconds}s")),
        Value::String(text) => Some(text.clone()),
        Value::Boolean(_) => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_is_parsed_by_the_kind_of_its_setting() {
        let read = |path: &str, text: &str| read(Settings::setting(path).unwrap(), text);
        assert_eq!(read("fetch.timeout_seconds", "2m"), Ok(Value::Float(120.0)));
        assert_eq!(read("network.insecure", "Yes"), Ok(Value::Boolean(true)));
        assert_eq!(
            read("guard.allow_port", "25, 22-23"),
            Ok(Value::Array(vec!["25".into(), "22-23".into()]))
        );
        let lines = Value::Array(vec!["A: 1, 2".into(), "B: 3".into()]);
        assert_eq!(read("fetch.header", "A: 1, 2\nB: 3\n"), Ok(lines));
        assert!(read("crawl.jobs", "many").is_err() && read("network.insecure", "maybe").is_err());
        assert_eq!(read("pace.concurrency", "0").unwrap_err(), "`0` is not a number from 1 to 4294967295");
        assert!(read("fetch.header", "Host: example.com").unwrap_err().contains("cannot be set"));
    }
}
