//! Forms groups from records.

use super::directive::RecordKind;

/// A way to form groups from records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// User-agent lines belong to one group until a rule follows. A user-agent line after a rule starts a new group.
    Rules,
    /// As `Rules`, but rules before any user-agent line belong to `*`.
    RulesOrStar,
    /// As in `urllib.robotparser`: an empty line ends a group, and Crawl-delay and Request-rate count as rules.
    Urllib,
    /// As in robotexclusionrulesparser: a blank line ends a group. A rule, a Crawl-delay, a Request-rate or a file-wide
    /// directive ends the list of agents.
    BlankLine,
    /// Each user-agent line starts a new group; rules before the first user-agent line belong to `*`.
    EachAgent,
    /// As `Rules`, but Crawl-delay and Request-rate also end the list of agents.
    RulesAndDelays,
    /// As in Protego: any directive except Sitemap and Host ends the list of agents, even an unknown directive.
    AnyDirective,
    /// As in robots-parser: any line with a key ends the list of agents. A group without a rule and without a
    /// Crawl-delay is dropped.
    AnyKey,
}

/// The data of a group, during and after construction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupData {
    /// The range of the group among the records of known kinds. All records in this range belong to the group, except
    /// file-wide records.
    pub start: u32,
    pub end: u32,
    /// The line of the group's first record.
    pub line: u32,
    /// True if the group applies to `*` although it has no user-agent line.
    pub implicit_star: bool,
    /// True if the dialect ignores the whole group.
    pub dropped: bool,
    /// True if the group has a rule.
    pub has_rules: bool,
}

/// An object that processes the records of a file in order and assigns each record to a group.
#[derive(Debug)]
pub(crate) struct Grouper {
    style: Grouping,
    groups: Vec<GroupData>,
    current: Option<usize>,
    /// True if the list of agents of the current group has not ended.
    open: bool,
    /// True if the current group contains a rule or a delay, without which it is dropped (`Grouping::Urllib`,
    /// `Grouping::AnyKey`).
    kept: bool,
    /// True if the current group contains a name (`Grouping::BlankLine`).
    named: bool,
    /// The number of records so far.
    records: u32,
}

impl Grouper {
    pub(crate) fn new(style: Grouping) -> Self {
        Grouper {
            style,
            groups: Vec::new(),
            current: None,
            open: false,
            kept: false,
            named: false,
            records: 0,
        }
    }

    /// Processes a line that consists of white space. `empty` is true if the line has no byte at all.
    pub(crate) fn blank_line(&mut self, empty: bool) {
        match self.style {
            Grouping::BlankLine => self.close(),
            Grouping::Urllib if empty => self.close(),
            _ => {}
        }
    }

    /// Processes the next record of a known kind. `line` returns the number of its line. `named` returns true if a
    /// user-agent line contains a name; only some dialects call it.
    #[inline]
    pub(crate) fn record(
        &mut self,
        kind: RecordKind,
        line: impl FnOnce() -> u32,
        named: impl FnOnce() -> bool,
    ) {
        if self.style == Grouping::AnyKey && kind != RecordKind::UserAgent {
            self.open = false;
            self.kept |= self.current.is_some() && (kind.is_rule() || kind == RecordKind::CrawlDelay);
        }
        match kind {
            RecordKind::UserAgent => self.user_agent(line, named),
            RecordKind::Allow | RecordKind::Disallow => {
                if self.current.is_none() && matches!(self.style, Grouping::RulesOrStar | Grouping::EachAgent)
                {
                    self.start(line(), true);
                }
                self.end_agents(true);
                if let Some(group) = self.current {
                    self.groups[group].has_rules = true;
                }
            }
            RecordKind::CrawlDelay | RecordKind::RequestRate => self.end_agents(false),
            kind if kind.is_file_wide() && self.style == Grouping::BlankLine => self.open = false,
            RecordKind::Sitemap | RecordKind::Host => {}
            _ => self.unknown_record(),
        }
        self.records += 1;
    }

    /// Processes the next record of an unknown kind.
    pub(crate) fn unknown_record(&mut self) {
        self.open &= !matches!(self.style, Grouping::AnyDirective | Grouping::AnyKey);
    }

    /// Returns the index of the group that contains the last record. The next record of an unknown kind belongs to it,
    /// too.
    pub(crate) fn current(&self) -> Option<usize> {
        self.current
    }

    /// Returns all groups, at the end of the file.
    pub(crate) fn finish(mut self) -> Vec<GroupData> {
        self.close();
        self.groups
    }

    fn user_agent(&mut self, line: impl FnOnce() -> u32, named: impl FnOnce() -> bool) {
        let joins = self.open && self.style != Grouping::EachAgent;
        if self.current.is_none() || !joins {
            self.close();
            self.start(line(), false);
        }
        self.open = true;
        if self.style == Grouping::BlankLine {
            self.named |= named();
        }
    }

    /// Processes a rule or a delay, which may end the list of agents.
    fn end_agents(&mut self, is_rule: bool) {
        match self.style {
            Grouping::Rules | Grouping::RulesOrStar | Grouping::EachAgent => self.open &= !is_rule,
            Grouping::Urllib => {
                self.open = false;
                self.kept |= self.current.is_some();
            }
            Grouping::BlankLine | Grouping::RulesAndDelays | Grouping::AnyDirective => self.open = false,
            Grouping::AnyKey => {}
        }
    }

    fn start(&mut self, line: u32, implicit_star: bool) {
        self.current = Some(self.groups.len());
        self.kept = false;
        self.named = false;
        let (start, end) = (self.records, u32::MAX);
        self.groups.push(GroupData { start, end, line, implicit_star, dropped: false, has_rules: false });
    }

    fn close(&mut self) {
        if let Some(group) = self.current.take() {
            let data = &mut self.groups[group];
            data.end = self.records;
            data.dropped = match self.style {
                Grouping::Urllib | Grouping::AnyKey => !self.kept,
                Grouping::BlankLine => !data.has_rules || !self.named,
                _ => false,
            };
        }
        self.open = false;
    }
}
