//! The lint `not-a-directive`: a line is neither a directive nor a comment.

use crate::finding::{Decisions, Findings, Fix, quoted};
use crate::robots::lint::key::{KeyedRecord, Slip, UnreadableLine};

crate::robots::lint::row! {
    NOT_A_DIRECTIVE "not-a-directive" Warning, Stray(stray) Key(key);
    "A line is neither a directive nor a comment.",
    "The line is skipped. Often it is a comment without `#`, a path without `Disallow:`, or a piece of HTML.",
    "write `#` before it if it is a comment, otherwise drop it",
    bad(b"User-agent: *\nDisallow: /a\n/private/\n"),
    good(b"User-agent: *\nDisallow: /a\nDisallow: /private/\n");
}

/// Reports a line that cannot be read as a key and a value.
fn stray(stray: &UnreadableLine<'_, '_>, findings: &mut Findings) {
    if stray.directive.is_some() {
        return;
    }
    let (message, help) = meant(stray.text);
    let finding = stray.context.droppable(&NOT_A_DIRECTIVE, stray.index, stray.span.clone(), message, help);
    findings.push(finding.with_fix(commented_out(stray.text, stray.span.start)));
}

/// Reports a line whose text before the colon is not a name.
fn key(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if entry.slip != Some(Slip::NoName) {
        return;
    }
    let (context, record) = (entry.context, entry.record);
    let key = context.key(record);
    let whole = record.key.start..record.value.end;
    let text = context.bytes(whole.clone());
    let (message, help) = if key.eq_ignore_ascii_case(b"http") || key.eq_ignore_ascii_case(b"https") {
        let message = format!("{} is an address without a directive", quoted(text));
        (message, "write `Sitemap:` before it if it is a sitemap".to_owned())
    } else {
        meant(text)
    };
    let fix = commented_out(text, whole.start);
    findings.push(context.droppable(&NOT_A_DIRECTIVE, record.line, whole, message, help).with_fix(fix));
}

/// Comment marks of other languages.
const MARKS: [&str; 5] = ["//", "/*", "*/", "--", ";"];

/// Returns true if a line starts with a comment mark of another language.
fn is_comment_elsewhere(text: &[u8]) -> bool {
    MARKS.iter().any(|mark| text.starts_with(mark.as_bytes()))
}

/// Returns a fix that turns a comment of another language into a robots.txt comment.
fn commented_out(text: &[u8], start: usize) -> Option<Fix> {
    is_comment_elsewhere(text).then(|| Fix::new(Decisions::Kept).replace(start..start, "# "))
}

/// Returns a message and advice for a line that is not a directive, based on the probable meaning of the line.
fn meant(text: &[u8]) -> (String, String) {
    let shown = quoted(text);
    if text.starts_with(b"<") {
        return (format!("{shown} is HTML, not a directive"), "delete the markup".to_owned());
    }
    if is_comment_elsewhere(text) {
        return (format!("{shown} is not a comment here"), "start comments with `#`".to_owned());
    }
    if text.starts_with(b"/") && !text.contains(&b' ') {
        let help = format!("write {} if you mean a rule", quoted([b"Disallow: ", text].concat()));
        return (format!("{shown} is a path without a directive"), help);
    }
    (format!("{shown} is neither a directive nor a comment"), NOT_A_DIRECTIVE.kind.help.to_owned())
}
