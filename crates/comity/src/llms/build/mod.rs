//! Converts the lines of a file to a title, a summary, sections and links.
//!
//! [`Build`] is a state machine with five stages. `blocks` determines the kind of a line, and the stage determines its
//! meaning. The lines are read once.

mod links;

use std::collections::{HashMap, HashSet};

use url::Url;

use super::blocks::{Blocks, HeadingStyle, Kind, Line, indent};
use super::file::{Link, LinkPlace, LlmsTxt, Passage, Section};
use super::file_findings::FileFindings;
use super::grade::Grade;
use super::inline;
use super::kind::BodyKind;
use super::kinds;
use super::limits::MAX_SECTIONS;
use super::untrusted;

/// The part of the file that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    BeforeTitle,
    /// Directly after the title, or after further H1 lines that follow it. A summary may follow.
    AfterTitle,
    InSummary,
    Details,
    /// Below a heading.
    Sections,
}

/// A file that is being read.
pub(super) struct Build {
    max_links: usize,
    findings: FileFindings,
    pub(super) out: LlmsTxt,
    stage: Stage,
    /// True if the summary is directly after the title.
    is_summary_after_title: bool,
    /// The level of the heading that made the current section optional.
    optional_level: Option<u8>,
    /// True if the last line was an H1.
    after_h1: bool,
    /// The indentation of the current item, if its note may continue on the next line.
    open_note: Option<usize>,
    section_names: HashMap<String, u32>,
    targets: HashSet<String>,
    link_count: usize,
    in_items: usize,
    with_notes: usize,
    has_link_section: bool,
    /// The level of the last H1 or H2. An H2 with an item that has a link is a link section.
    parent_level: u8,
}

impl Build {
    /// Creates the state before the first line of the file at `url`, with the findings about the bytes of the file.
    pub(super) fn new(url: Option<Url>, max_links: usize, findings: FileFindings) -> Self {
        Build {
            max_links,
            findings,
            out: LlmsTxt {
                url,
                kind: BodyKind::Empty,
                grade: Grade::NotMarkdown,
                lines: 0,
                is_truncated: false,
                front_matter: None,
                preamble: None,
                title: None,
                summary: None,
                details: None,
                links: Vec::new(),
                sections: Vec::new(),
                findings: Vec::new(),
            },
            stage: Stage::BeforeTitle,
            is_summary_after_title: false,
            optional_level: None,
            after_h1: false,
            open_note: None,
            section_names: HashMap::new(),
            targets: HashSet::new(),
            link_count: 0,
            in_items: 0,
            with_notes: 0,
            has_link_section: false,
            parent_level: 0,
        }
    }

    /// Reads every line.
    pub(super) fn read(&mut self, text: &str) {
        let mut blocks = Blocks::new(text);
        for line in blocks.by_ref() {
            self.out.lines = line.number;
            if line.is_cut {
                self.findings.add(&kinds::LONG_LINE, line.number, "");
            }
            self.line(&line);
        }
        match blocks.unclosed_block() {
            Some(Kind::Code) => self.findings.add(&kinds::UNCLOSED_FENCE, self.out.lines, ""),
            Some(_) => self.findings.add(&kinds::UNCLOSED_COMMENT, self.out.lines, ""),
            None => {}
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let after_h1 = std::mem::take(&mut self.after_h1);
        let open_note = self.open_note.take();
        match line.kind {
            Kind::Blank => self.blank(),
            Kind::Heading { level, name, style } => self.heading(line, level, name, style, after_h1),
            Kind::Underline | Kind::Comment => {}
            Kind::Quote { text, is_escaped } => self.quote(line, text, is_escaped),
            Kind::Item { indent, text, .. } => self.item(line, indent, text),
            Kind::Table => {
                self.keep(line.text, line.number);
                self.links_of(line, line.text, LinkPlace::Table);
            }
            Kind::Rule | Kind::Code => self.keep(line.text, line.number),
            Kind::FrontMatter => self.front_matter(line),
            Kind::Text => self.text(line, open_note),
        }
    }

    fn blank(&mut self) {
        match self.stage {
            Stage::InSummary => self.stage = Stage::Details,
            Stage::Details | Stage::Sections | Stage::BeforeTitle => self.keep("", 0),
            Stage::AfterTitle => {}
        }
    }

    fn front_matter(&mut self, line: &Line<'_>) {
        if self.out.front_matter.is_none() {
            self.findings.add(&kinds::FRONT_MATTER, line.number, "");
        }
        if !matches!(line.text.trim(), "---" | "...") {
            append(&mut self.out.front_matter, line.text, line.number);
        } else if self.out.front_matter.is_none() {
            self.out.front_matter = Some(Passage { text: String::new(), line: line.number });
        }
    }

    fn heading(&mut self, line: &Line<'_>, level: u8, name: &str, style: HeadingStyle, after_h1: bool) {
        self.check_untrusted(line.number, name);
        if style == HeadingStyle::Unspaced {
            self.findings.add(&kinds::HEADING_WITHOUT_SPACE, line.number, line.text.trim());
        }
        let plain = inline::plain(name);
        let is_decoration = !plain.is_empty() && !plain.chars().any(char::is_alphanumeric);
        if plain.is_empty() {
            self.findings.add(&kinds::EMPTY_HEADING, line.number, "");
        }
        if level == 1 {
            self.after_h1 = true;
            if self.out.title.is_none() && !is_decoration && !plain.is_empty() {
                self.title(line, plain);
                self.links_of(line, name, LinkPlace::Heading);
                return;
            }
            if self.out.title.is_some() && !is_decoration && !plain.is_empty() {
                self.findings.add(&kinds::MULTIPLE_H1, line.number, &plain);
            }
            // An H1 directly after another one, or without letters and digits, is a comment and not a section.
            let is_comment = is_decoration || plain.is_empty() || after_h1 || self.stage == Stage::AfterTitle;
            if is_comment {
                self.keep_without_stage(line.text, line.number);
                self.links_of(line, name, LinkPlace::Heading);
                return;
            }
        } else if is_decoration || plain.is_empty() {
            self.keep(line.text, line.number);
            return;
        }
        self.section(line, level, plain);
        self.links_of(line, name, LinkPlace::Heading);
    }

    fn title(&mut self, line: &Line<'_>, title: String) {
        let is_first = self.out.preamble.is_none() && self.out.sections.is_empty();
        if !is_first {
            self.findings.add(&kinds::H1_NOT_FIRST, line.number, &title);
        }
        self.out.title = Some(Passage { text: title, line: line.number });
        // After a title below sections, the stage remains, since no summary may follow.
        if self.stage == Stage::BeforeTitle {
            self.stage = Stage::AfterTitle;
        }
    }

    fn section(&mut self, line: &Line<'_>, level: u8, name: String) {
        self.stage = Stage::Sections;
        if self.out.sections.len() == MAX_SECTIONS {
            self.findings.add(&kinds::TOO_MANY_SECTIONS, line.number, &name);
            return;
        }
        self.close_section();
        if level > 2 {
            self.findings.add(&kinds::DEEP_HEADINGS, line.number, &name);
        }
        if self.optional_level.is_some_and(|optional| level <= optional) {
            self.optional_level = None;
        }
        if name.eq_ignore_ascii_case("optional") && self.optional_level.is_none() {
            self.optional_level = Some(level);
            if name != "Optional" {
                self.findings.add(&kinds::OPTIONAL_SPELLING, line.number, &name);
            }
        }
        if level <= 2 {
            self.parent_level = level;
            if self.section_names.insert(name.clone(), line.number).is_some() {
                self.findings.add(&kinds::DUPLICATE_SECTION, line.number, &name);
            }
        }
        let is_optional = self.optional_level.is_some();
        self.out.sections.push(Section {
            name,
            level,
            line: line.number,
            is_optional,
            text: None,
            links: Vec::new(),
        });
    }

    /// Removes blank lines at the end of the last section, and reports it if it is an H2 without links.
    fn close_section(&mut self) {
        if let Some(section) = self.out.sections.last_mut() {
            trim(&mut section.text);
            if section.links.is_empty() && section.level == 2 {
                self.findings.add(&kinds::SECTION_WITHOUT_LINKS, section.line, &section.name);
            }
        }
    }

    fn quote(&mut self, line: &Line<'_>, text: &str, is_escaped: bool) {
        if is_escaped {
            self.findings.add(&kinds::ESCAPED_QUOTE, line.number, text);
        }
        self.check_untrusted(line.number, text);
        let is_expected =
            self.out.summary.is_none() && matches!(self.stage, Stage::AfterTitle | Stage::Details);
        match self.stage {
            Stage::InSummary => self.more_summary(text),
            _ if is_expected && !text.is_empty() => {
                self.is_summary_after_title = self.stage == Stage::AfterTitle;
                if !self.is_summary_after_title {
                    self.findings.add(&kinds::SUMMARY_LATE, line.number, text);
                }
                self.out.summary = Some(Passage { text: inline::plain(text), line: line.number });
                self.stage = Stage::InSummary;
            }
            _ => self.keep(line.text, line.number),
        }
        self.links_of(line, text, LinkPlace::Text);
    }

    fn more_summary(&mut self, text: &str) {
        let Some(summary) = &mut self.out.summary else { return };
        if text.is_empty() {
            summary.text.push('\n');
        } else {
            if !summary.text.ends_with('\n') {
                summary.text.push(' ');
            }
            summary.text.push_str(&inline::plain(text));
        }
    }

    fn text(&mut self, line: &Line<'_>, open_note: Option<usize>) {
        self.check_untrusted(line.number, line.text);
        // An indented line continues the note of the item.
        if open_note.is_some_and(|columns| indent(line.text) > columns) {
            self.continue_note(line.text);
            self.open_note = open_note;
        } else {
            self.keep(line.text, line.number);
        }
        self.links_of(line, line.text, LinkPlace::Text);
    }

    fn continue_note(&mut self, text: &str) {
        if let Some(note) = self.current_links().last_mut().and_then(|link| link.note.as_mut()) {
            note.push(' ');
            note.push_str(&inline::plain(text));
        }
    }

    fn item(&mut self, line: &Line<'_>, indent: usize, text: &str) {
        self.check_untrusted(line.number, text);
        let before = self.current_links().len();
        self.links_of(line, text, LinkPlace::Item);
        let added = self.current_links().get(before..).unwrap_or_default();
        let about = added.first().filter(|link| link.place == LinkPlace::Item);
        let is_about_link = about.is_some();
        let has_note = added.len() == 1 && about.is_some_and(|link| link.note.is_some());
        self.open_note = has_note.then_some(indent);
        if !is_about_link {
            self.keep(line.text, line.number);
        }
        if matches!(self.stage, Stage::AfterTitle | Stage::InSummary) {
            self.stage = Stage::Details;
        }
    }

    /// Stores text in the current part of the file. A summary can no longer follow directly after the title.
    fn keep(&mut self, text: &str, number: u32) {
        if matches!(self.stage, Stage::AfterTitle | Stage::InSummary) {
            self.stage = Stage::Details;
        }
        self.keep_without_stage(text, number);
    }

    fn keep_without_stage(&mut self, text: &str, number: u32) {
        let passage = match self.stage {
            Stage::BeforeTitle => &mut self.out.preamble,
            Stage::Sections => match self.out.sections.last_mut() {
                Some(section) => &mut section.text,
                None => return,
            },
            _ => &mut self.out.details,
        };
        append(passage, text, number);
    }

    fn current_links(&mut self) -> &mut Vec<Link> {
        match self.out.sections.last_mut() {
            Some(section) => &mut section.links,
            None => &mut self.out.links,
        }
    }

    fn check_untrusted(&mut self, number: u32, text: &str) {
        if let Some(order) = untrusted::order_in(text) {
            self.findings.add(&kinds::INSTRUCTION_LIKE, number, order);
        }
    }

    /// Finishes the file after its last line and returns it.
    pub(super) fn finish(mut self) -> LlmsTxt {
        self.close_section();
        for passage in [&mut self.out.preamble, &mut self.out.details, &mut self.out.front_matter] {
            trim(passage);
        }
        if let Some(summary) = &mut self.out.summary {
            summary.text.truncate(summary.text.trim_end().len());
        }
        if self.out.kind == BodyKind::Markdown {
            self.finish_markdown();
        }
        self.out.grade = self.grade();
        self.out.findings = self.findings.finish();
        self.out
    }

    fn finish_markdown(&mut self) {
        match &self.out.title {
            None => self.findings.add(&kinds::NO_H1, 1, ""),
            Some(title) if self.out.summary.is_none() => {
                self.findings.add(&kinds::NO_SUMMARY, title.line, "")
            }
            Some(_) => {}
        }
        let links = self.link_count;
        if links == 0 {
            self.findings.add(&kinds::NO_LINKS, 1, "");
        } else if self.with_notes == 0 {
            self.findings.add(&kinds::LINKS_WITHOUT_NOTES, 1, "");
        }
        if links > 0 && self.in_items * 2 < links {
            let outside = links - self.in_items;
            self.findings.detail(&kinds::LINKS_OUTSIDE_BULLETS, 1, || format!("{outside} of {links}"));
        }
    }

    fn grade(&self) -> Grade {
        if self.out.kind != BodyKind::Markdown {
            Grade::NotMarkdown
        } else if self.out.title.is_none() {
            Grade::NoH1
        } else if !self.is_summary_after_title {
            Grade::H1Only
        } else if !self.has_link_section {
            Grade::Summary
        } else {
            Grade::LinkSections
        }
    }
}

/// Appends a line to a passage. Blank lines before the first text are dropped.
fn append(passage: &mut Option<Passage>, text: &str, line: u32) {
    match passage {
        Some(passage) => {
            if !passage.text.is_empty() {
                passage.text.push('\n');
            }
            passage.text.push_str(text.trim_end());
        }
        None if text.trim().is_empty() => {}
        None => *passage = Some(Passage { text: text.trim().to_owned(), line }),
    }
}

/// Removes blank lines at the end of a passage.
fn trim(passage: &mut Option<Passage>) {
    if let Some(passage) = passage {
        passage.text.truncate(passage.text.trim_end().len());
    }
}
