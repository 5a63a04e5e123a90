//! The JSON answers of the engine. They are written by hand, because a serializer would be a large part of the module.
//! Fields have the names and meanings of `DecisionRecord`.

use std::fmt::Write;

use comity::robots::{Decision, Rules};

/// Returns a decision by the rules of a file.
pub(crate) fn decision(decision: &Decision<'_>) -> String {
    let delay = decision.rules().delay(None);
    let rule = decision.rule().map_or_else(
        || "null".to_owned(),
        |rule| {
            format!(
                r#"{{"kind":{},"pattern":{},"line":{},"allows":{}}}"#,
                string(rule.kind().as_str()),
                string(&rule.pattern_text()),
                rule.line(),
                rule.allows(),
            )
        },
    );
    format!(
        concat!(
            r#"{{"verdict":{},"recommendation":{},"blocked":{},"rule":{},"group":{},"basis":{},"#,
            r#""crawl_delay_seconds":{},"crawl_delay_source":{},"dialect":{}}}"#,
        ),
        string(decision.verdict().as_str()),
        string(decision.recommendation().as_str()),
        !decision.is_allowed(),
        rule,
        optional(decision.group()),
        string(decision.basis().as_str()),
        seconds(delay.map(|(delay, _)| delay)),
        optional(delay.map(|(_, source)| source.as_str())),
        string(decision.dialect().name()),
    )
}

/// Returns `[group, crawl delay in seconds, number of rules]`.
pub(crate) fn rules(rules: &Rules) -> String {
    format!("[{},{},{}]", optional(rules.group()), seconds(rules.crawl_delay()), rules.len())
}

/// Returns an array of texts.
pub(crate) fn array(texts: impl Iterator<Item = impl AsRef<str>>) -> String {
    let texts: Vec<String> = texts.map(|text| string(text.as_ref())).collect();
    format!("[{}]", texts.join(","))
}

/// Returns a number of seconds. The code that prints floating-point numbers would be a noticeable part of the module.
fn seconds(delay: Option<std::time::Duration>) -> String {
    delay
        .map_or_else(|| "null".to_owned(), |delay| format!("{}.{:09}", delay.as_secs(), delay.subsec_nanos()))
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), string)
}

/// Returns a JSON string (RFC 8259 §7).
fn string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\u{1f}' => drop(write!(json, "\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(string("a\"b\\c\n\u{1f}\u{e9}"), "\"a\\\"b\\\\c\\u000a\\u001f\u{e9}\"");
        assert_eq!(array(["a", "b"].iter()), r#"["a","b"]"#);
    }
}
