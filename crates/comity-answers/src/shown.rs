//! Formats bytes, numbers and lists as text for users.

use std::borrow::Cow;
use std::fmt::Display;

/// Formats a number of items: `1 rule`, `2 rules`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {}", plural(number as u64, noun))
}

/// Formats a large number of items: `12,345 rows`.
pub fn count_of(number: u64, noun: &str) -> String {
    format!("{} {}", self::number(number), plural(number, noun))
}

fn plural(number: u64, noun: &str) -> Cow<'_, str> {
    match (number, noun.strip_suffix('y')) {
        (1, _) => noun.into(),
        (_, None) if noun.ends_with('x') => format!("{noun}es").into(),
        (_, Some(stem)) if !noun.ends_with("ay") => format!("{stem}ies").into(),
        _ => format!("{noun}s").into(),
    }
}

/// Formats a whole number with thousands separators: `12,345`.
pub fn number(number: impl Display) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a number of bytes, rounded: `12.3 kB`.
pub fn bytes_of(number: u64) -> String {
    let mut rounded = number as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if rounded < 999.95 {
            return if unit == "B" { format!("{number} B") } else { format!("{rounded:.1} {unit}") };
        }
        rounded /= 1000.0;
    }
    format!("{rounded:.1} TB")
}

/// Joins items as `a`, `a and b`, `a, b and c`.
pub fn list<S: AsRef<str>>(items: &[S]) -> String {
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(if index + 1 == items.len() { " and " } else { ", " });
        }
        out.push_str(item.as_ref());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_their_numbers() {
        assert_eq!(count(1, "URL"), "1 URL");
        assert_eq!(count(2, "rule"), "2 rules");
        assert_eq!(count(0, "delay"), "0 delays");
        assert_eq!(count(3, "entry"), "3 entries");
        assert_eq!(count_of(1_234_567, "row"), "1,234,567 rows");
        assert_eq!([0, 12, 999, 1_000].map(number), ["0", "12", "999", "1,000"]);
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn bytes_are_rounded_for_people() {
        for (number, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (8 << 20, "8.4 MB"),
        ] {
            assert_eq!(bytes_of(number), text);
        }
    }
}
