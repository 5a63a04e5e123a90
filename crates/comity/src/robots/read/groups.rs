//! Forms groups from records.

use super::directive::RecordKind;

/// A way to form groups from records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// User-agent lines collect until a rule; a user-agent line after a rule starts a group.
    Rules,
    /// Works like `Rules`, but rules before any user-agent line belong to `*`.
    RulesOrStar,
    /// urllib's rules: a blank line ends a group, and Crawl-delay and Request-rate count as rules.
    Urllib,
    /// robotexclusionrulesparser's rules: a blank line ends a group, and any known directive ends the list of agents.
    BlankLine,
    /// Each user-agent line starts its own section; rules before the first user-agent line belong to `*`.
    EachAgent,
    /// Works like `Rules`, but Crawl-delay and Request-rate also end the list of agents.
    RulesAndDelays,
    /// Protego's rules: any directive except Sitemap and Host ends the list of agents, including an unknown one.
    AnyDirective,
}

/// One group, during and after construction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupData {
    /// The range of the records of known kinds in the span of the group. File-wide records in this range do not belong to the
    /// group, all others do.
    pub start: u32,
    pub end: u32,
    /// The line of its first record.
    pub line: u32,
    /// True if the group applies to `*` without a line that states it.
    pub implicit_star: bool,
    /// True if the dialect ignores the whole group.
    pub dropped: bool,
    /// True if the group has a rule.
    pub has_rules: bool,
}

/// Processes the records of a file in order and assigns each to a group.
#[derive(Debug)]
pub(crate) struct Grouper {
    style: Grouping,
    groups: Vec<GroupData>,
    current: Option<usize>,
    /// True if a further user-agent line joins the current group.
    open: bool,
    /// True if the current group contains a record for which it is stored (`Grouping::Urllib`).
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

    /// Processes a line of only white space. `empty` is true if the line has no byte at all.
    pub(crate) fn blank_line(&mut self, empty: bool) {
        match self.style {
            Grouping::BlankLine => self.close(),
            Grouping::Urllib if empty => self.close(),
            _ => {}
        }
    }

    /// Processes the next record of a known kind. `line` returns its line number. `named` returns true if a user-agent line
    /// contains a name; only some dialects call it.
    #[inline]
    pub(crate) fn record(
        &mut self,
        kind: RecordKind,
        line: impl FnOnce() -> u32,
        named: impl FnOnce() -> bool,
    ) {
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
        self.open &= self.style != Grouping::AnyDirective;
    }

    /// Returns the group that encloses the last record, and that would enclose a further record of an unknown kind.
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

    /// Processes a directive that ends the list of agents in this style.
    fn end_agents(&mut self, is_rule: bool) {
        match self.style {
            Grouping::Rules | Grouping::RulesOrStar | Grouping::EachAgent => self.open &= !is_rule,
            Grouping::Urllib => {
                self.open = false;
                self.kept |= self.current.is_some();
            }
            Grouping::BlankLine | Grouping::RulesAndDelays | Grouping::AnyDirective => self.open = false,
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
                Grouping::Urllib => !self.kept,
                Grouping::BlankLine => !data.has_rules || !self.named,
                _ => false,
            };
        }
        self.open = false;
    }
}
