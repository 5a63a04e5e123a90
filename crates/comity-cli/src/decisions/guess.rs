//! Suggestions for arguments and lines that are invalid URLs.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use comity_answers::url::{has_web_scheme, is_file_name};

use crate::exit::Failure;
use crate::render;

/// Returns an error if an argument names a file where a URL is expected.
pub(crate) fn reject_file_as_url(argument: &OsStr) -> Result<(), Failure> {
    let bytes = argument.as_encoded_bytes();
    let is_path_of_url = matches!(bytes.first(), None | Some(b'/' | b'?' | b'#')) || bytes == b"-";
    if is_path_of_url || has_web_scheme(bytes) || !Path::new(argument).exists() {
        return Ok(());
    }
    let name = render::text(bytes);
    let is_folder = Path::new(argument).is_dir();
    let kind = if is_folder { "a folder" } else { "a file" };
    let hint = match is_folder {
        true => format!("`--robots {name}/robots.txt` names a robots.txt in it"),
        false => format!(
            "`--urls {name}` reads URLs from it, one per line; `--robots {name}` uses it as the robots.txt"
        ),
    };
    Err(Failure::new(format!("`{name}` is {kind}, but a URL or a path is expected")).hint(hint))
}

/// Returns the error of an invalid URL. If the text looks like a file name, the message names the options for files.
pub(crate) fn of_url(text: &[u8], error: &impl fmt::Display) -> String {
    if !str::from_utf8(text).is_ok_and(is_file_name) {
        return error.to_string();
    }
    let name = render::short(text, 80);
    format!("{error}; use --robots {name} for a robots.txt, or --urls {name} for a list of URLs")
}

/// Returns the reason why a line of a list is not a URL; `None` if it can be one.
pub(crate) fn not_a_url_line(line: &[u8]) -> Option<String> {
    let at = line.iter().position(u8::is_ascii_whitespace)?;
    let (found, cut) = if line[at] == b'\t' {
        ("a tab", "; `cut -f 1` leaves the first column")
    } else {
        ("white space", "")
    };
    let line = render::short(line, 80);
    Some(format!("{found} inside `{line}`: a line contains one URL, in which a space is written %20{cut}"))
}

/// Returns true if a line ends in a comma and a date, as lines of CSV tables do.
pub(super) fn ends_with_a_date(line: &[u8]) -> bool {
    let Some(at) = line.iter().rposition(|&byte| byte == b',') else { return false };
    let last = line[at + 1..].trim_ascii();
    let last = last.strip_prefix(b"\"").unwrap_or(last);
    let is_digit = |at: usize| last.get(at).is_some_and(u8::is_ascii_digit);
    let is_iso = [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(is_digit) && last[4] == b'-' && last[7] == b'-';
    is_iso || (last.len() == 8 && last.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_ends_in_comma_and_date_is_recognized() {
        for line in
            ["https://a/,2026-11-22", "https://a/, 2026-11-22T10:00:00Z", "/x,20261122", "/x,\"2026-11-22\""]
        {
            assert!(ends_with_a_date(line.as_bytes()), "{line}");
        }
        for line in ["https://a/2026-11-22", "/x,y", "/x,", "", "/x,123", "/x,2026/11/22"] {
            assert!(!ends_with_a_date(line.as_bytes()), "{line}");
        }
    }
}
