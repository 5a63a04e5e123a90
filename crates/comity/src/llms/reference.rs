//! Predicts what the reference parser does with a file: `llms-txt` 0.0.7, the Python program of the proposal's authors.
//!
//! That program consists of four regular expressions. This module walks lines instead, and says where they fail and what
//! they take for title, summary, URL and note. It was compared with the program itself. Lines end at LF only here, as
//! there.

use std::collections::HashMap;

use memchr::memchr;

use super::found::Found;
use super::kinds;
use super::steps;
use super::text::Text;

/// The title and the summary as the reference parser reads them.
pub(super) struct Lead<'t> {
    pub(super) title: &'t str,
    pub(super) summary: Option<&'t str>,
}

/// Reports whatever makes it fail. Returns `None` if it finds no title.
pub(super) fn read<'t>(text: &'t Text, findings: &mut Found) -> Option<Lead<'t>> {
    if let Some(at) = memchr(b'\r', text.text.as_bytes()) {
        let line = text.text[..at].split('\n').count();
        findings.add(&kinds::REFERENCE_CARRIAGE_RETURN, number(line - 1), "");
    }
    let lead_end = section_start(&text.text, 0).unwrap_or(text.text.len());
    check_sections(&text.text, lead_end, findings);
    let lead = read_lead(&text.text[..lead_end], text.has_bom);
    if lead.is_none() {
        findings.add(&kinds::REFERENCE_LEAD, 1, "");
    }
    lead
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// Returns where the next line that starts with `##` starts.
fn section_start(text: &str, from: usize) -> Option<usize> {
    if text[from..].starts_with("##") {
        return Some(from);
    }
    memchr::memmem::find(&text.as_bytes()[from..], b"\n##").map(|at| from + at + 1)
}

/// Matches `^#\s*(title)\n+(?:^>\s*(summary)$)?\n+(info)`, where `.` matches line feeds, too.
fn read_lead(lead: &str, has_bom: bool) -> Option<Lead<'_>> {
    // It strips white space, and a byte order mark is not white space. With one, a `#` on the first line does not start
    // a line.
    let lead = if has_bom { lead.trim_end() } else { lead.trim() };
    let start = if lead.starts_with('#') && !has_bom {
        0
    } else {
        memchr::memmem::find(lead.as_bytes(), b"\n#")? + 1
    };
    let title_start = start + 1 + leading_white_space(&lead[start + 1..]);
    let mut end = title_start + lead[title_start..].find('\n')?;
    loop {
        let next = end + lead[end..].bytes().take_while(|&byte| byte == b'\n').count();
        let title = &lead[title_start..end];
        if let Some(quote) = lead[next..].strip_prefix('>') {
            let quote = quote.trim_start();
            if let Some((summary, _)) = quote.split_once('\n') {
                return Some(Lead { title, summary: Some(summary) });
            }
        }
        if next - end > 1 {
            return Some(Lead { title, summary: None });
        }
        end = next + lead[next..].find('\n')?;
    }
}

fn leading_white_space(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Every line of a section has to hold a link in a list; of several sections with the same name it looks at the last
/// alone.
fn check_sections(text: &str, lead_end: usize, findings: &mut Found) {
    let first = text[..lead_end].bytes().filter(|&byte| byte == b'\n').count();
    let lines = || text[lead_end..].split('\n').zip(first..);
    let names = lines().filter_map(|(line, index)| Some((line.strip_prefix("##")?.trim_start(), index)));
    let last: HashMap<&str, usize> = names.collect();
    let (mut is_read, mut takes_name) = (false, false);
    for (line, index) in lines() {
        if let Some(name) = line.strip_prefix("##").map(str::trim_start) {
            is_read = last.get(name) == Some(&index);
            // White space after `##` may reach into the next line, which is the name then.
            takes_name = name.is_empty();
        } else if is_read
            && !line.trim().is_empty()
            && !std::mem::take(&mut takes_name)
            && link_in(line).is_none()
        {
            findings.add(&kinds::REFERENCE_LINE, number(index), line.trim());
        }
    }
}

/// The link of a line as the reference parser reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SeenLink<'t> {
    pub(super) name: &'t str,
    pub(super) url: &'t str,
    pub(super) note: Option<&'t str>,
}

/// Finds `-\s*\[([^\]]+)\]\(([^\)]+)\)(?::\s*(.*))?`, anywhere in the line.
pub(super) fn link_in(line: &str) -> Option<SeenLink<'_>> {
    let bytes = line.as_bytes();
    let (mut close, mut from) = (0, 0);
    loop {
        let dash = from + memchr(b'-', &bytes[from..])?;
        steps::count(dash + 1 - from);
        from = dash + 1;
        let open = from + leading_white_space(&line[from..]);
        if bytes.get(open) != Some(&b'[') {
            continue;
        }
        // The next `]` is the same for many a dash: looked for once.
        if close <= open {
            close = open + memchr(b']', &bytes[open..])?;
            steps::count(close - open);
        }
        if close == open + 1 || bytes.get(close + 1) != Some(&b'(') {
            continue;
        }
        let url = &line[close + 2..];
        let end = url.find(')')?;
        steps::count(end);
        if end == 0 {
            continue;
        }
        let note = url[end + 1..].strip_prefix(':').map(str::trim_start);
        return Some(SeenLink { name: &line[open + 1..close], url: &url[..end], note });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(text: &str) -> Option<(&str, Option<&str>)> {
        read_lead(text, false).map(|lead| (lead.title, lead.summary))
    }

    #[test]
    fn titles_end_where_a_blank_line_follows() {
        assert_eq!(lead("# T"), None);
        assert_eq!(lead("# T\ninfo"), None);
        assert_eq!(lead("# T\n\ninfo"), Some(("T", None)));
        assert_eq!(lead("# T\nmore\n\ninfo"), Some(("T\nmore", None)));
        assert_eq!(lead("text\n#T\n\ninfo"), Some(("T", None)));
        assert_eq!(lead("# T\r\n\r\ninfo"), None);
    }

    #[test]
    fn summaries_need_text_after_them() {
        assert_eq!(lead("# T\n\n> S"), Some(("T", None)));
        assert_eq!(lead("# T\n> S"), None);
        assert_eq!(lead("# T\n> S\ninfo"), Some(("T", Some("S"))));
        assert_eq!(lead("# T\n\n\n> S\n> S2"), Some(("T", Some("S"))));
    }

    #[test]
    fn a_mark_hides_the_first_line() {
        assert!(read_lead("# T\n\ninfo", true).is_none());
        assert!(read_lead("# T\n# U\n\ninfo", true).is_some());
    }

    #[test]
    fn links_as_its_expression_sees_them() {
        let seen = |line| link_in(line).map(|link| (link.name, link.url, link.note));
        assert_eq!(seen("- [a](u): n"), Some(("a", "u", Some("n"))));
        assert_eq!(seen("  text -[a](u_(b))"), Some(("a", "u_(b", None)));
        assert_eq!(seen("- [a](u) : n"), Some(("a", "u", None)));
        assert_eq!(seen("* [a](u)"), None);
        assert_eq!(seen("- [](u) - [b](v)"), Some(("b", "v", None)));
        assert_eq!(seen("- [a] (u)"), None);
    }
}
