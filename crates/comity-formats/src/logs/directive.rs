//! Finds format strings in configurations of nginx (`log_format`) and Apache (`LogFormat`, `CustomLog`).

use super::template::{Template, TemplateError};

/// Formats of the default configurations of servers, by name.
const PREDEFINED: [(&str, &str); 4] = [
    ("combined", r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#),
    ("vhost_combined", r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#),
    ("combinedio", r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %I %O"#),
    (
        "main",
        r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for""#,
    ),
];

/// Returns the templates in a text, which is a format, or contains directives with formats. Skips unusable formats, unless
/// all are unusable.
pub(super) fn templates(text: &str) -> Result<Vec<Template>, TemplateError> {
    let text = text.trim();
    if let Some((_, format)) = PREDEFINED.iter().find(|(name, _)| *name == text) {
        return Ok(vec![Template::parse(format)?]);
    }
    let mut formats = directives(text);
    if formats.is_empty() {
        formats.push(alone(text));
    }
    let (mut templates, mut first_error) = (Vec::new(), None);
    for format in formats {
        match Template::parse(&format) {
            Ok(template) => templates.push(template),
            Err(error) => drop(first_error.get_or_insert(error)),
        }
    }
    match first_error {
        Some(error) if templates.is_empty() => Err(error),
        _ => Ok(templates),
    }
}

/// Returns the format in a text that is a bare format, or the arguments of a directive.
fn alone(text: &str) -> String {
    match text.chars().next() {
        // The arguments of a directive.
        Some('\'') => joined(text).0,
        Some('"') if ends_as_argument(text) => joined(text).0,
        _ => text.replace("\\\"", "\""),
    }
}

/// Returns true for the arguments `"FORMAT"`, and `"FORMAT" NAME` with escaped quotation marks in the format. Returns
/// false for a bare format, which may also begin with a quotation mark: `"$request" $status`.
fn ends_as_argument(text: &str) -> bool {
    let (_, rest) = argument(text, true);
    let rest = rest.trim().trim_end_matches(';').trim();
    text.contains("\\\"")
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        || rest.is_empty()
}

/// Returns the formats of all directives.
fn directives(text: &str) -> Vec<String> {
    let mut formats = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.trim_start();
        if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word == "log_format" {
            // The name of the format, and options about escaping.
            let (_, mut after) = argument(after.trim_start(), false);
            while let Some(option) = after.trim_start().strip_prefix("escape=") {
                after = option.find(char::is_whitespace).map_or("", |end| &option[end..]);
            }
            let (format, after) = joined(after);
            formats.push(format);
            rest = after;
        } else if word.eq_ignore_ascii_case("LogFormat") || word.eq_ignore_ascii_case("CustomLog") {
            let mut after = after.trim_start();
            if word.eq_ignore_ascii_case("CustomLog") {
                after = argument(after, true).1.trim_start();
            }
            let (format, after) = argument(after, true);
            // `CustomLog FILE NAME` refers to a format by its name.
            if format.contains('%') {
                formats.push(format);
            }
            rest = after;
        } else {
            rest = after;
        }
    }
    formats
}

/// Removes arguments up to a semicolon from the beginning of a text. Returns them concatenated, as nginx does, and the rest.
fn joined(text: &str) -> (String, &str) {
    let (mut format, mut rest) = (String::new(), text.trim_start());
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(';') {
            return (format, after);
        }
        // In Apache, the name of the format follows the quoted format.
        if !format.is_empty() && !rest.starts_with(['"', '\'', '$', '%']) {
            break;
        }
        let (part, after) = argument(rest, false);
        format.push_str(&part);
        rest = after.trim_start();
    }
    (format, rest)
}

/// Removes an argument, quoted or not, from the beginning of a text. Returns it with decoded escapes, and the rest. In
/// Apache, a backslash at the end of a line continues the line.
fn argument(text: &str, is_apache: bool) -> (String, &str) {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut plain = String::new();
    let mut chars = text.char_indices().skip(usize::from(quote.is_some())).peekable();
    while let Some((at, c)) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some((_, next @ ('"' | '\'' | '\\')))) => {
                plain.push(*next);
                chars.next();
            }
            ('\\', Some((_, 't'))) => {
                plain.push('\t');
                chars.next();
            }
            ('\\', Some((_, '\n'))) if is_apache => drop(chars.next()),
            (c, _) if Some(c) == quote => return (plain, &text[at + 1..]),
            (c, _) if quote.is_none() && (c.is_whitespace() || c == ';' && !is_apache) => {
                return (plain, &text[at..]);
            }
            (c, _) => plain.push(c),
        }
    }
    (plain, "")
}
