//! Forms groups of records.

use super::directive::RecordKind;

/// A way of forming groups of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// User-agent lines collect until a rule; a user-agent line after a rule starts a group.
    Rules,
    /// Works like `Rules`, but rules before any user-agent line belong to `*`.
    RulesOrStar,
    /// urllib's: a blank line ends a group, Crawl-delay and Request-rate count as rules.
    Urllib,
    /// robotexclusionrulesparser's: a blank line ends a group, any known directive ends the list of agents.
    BlankLine,
    /// Each user-agent line starts a section of its own; rules before any belong to `*`.
    EachAgent,
    /// Works like `Rules`, but Crawl-delay and Request-rate end the list of agents, too.
    RulesAndDelays,
    /// Protego's: any directive but Sitemap and Host ends the list of agents, an unknown one, too.
    AnyDirective,
}

/// One group while and after it is built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupData {
    /// The records of known kinds that it spans. File-wide ones may stand among them, everything else is its own.
    pub start: u32,
    pub end: u32,
    /// The line of its first record.
    pub line: u32,
    /// It stands for `*` though no line says so.
    pub implicit_star: bool,
    /// The dialect drops it whole.
    pub dropped: bool,
    /// It has a rule.
    pub has_rules: bool,
}

/// Follows the records of a file and says which group each belongs to.
#[derive(Debug)]
pub(crate) struct Grouper {
    style: Grouping,
    groups: Vec<GroupData>,
    current: Option<usize>,
    /// A further user-agent line joins the current group.
    open: bool,
    /// The current group has something that keeps it (`Grouping::Urllib`).
    kept: bool,
    /// The current group names somebody (`Grouping::BlankLine`).
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

    /// Takes in a line of nothing but white space. `empty` says that there is not even white space.
    pub(crate) fn blank_line(&mut self, empty: bool) {
        match self.style {
            Grouping::BlankLine => self.close(),
            Grouping::Urllib if empty => self.close(),
            _ => {}
        }
    }

    /// Takes in the next record, of a known kind. `line` gives its line and `named` tells whether a user-agent line names
    /// somebody, where that matters.
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

    /// Takes in the next record, of an unknown kind.
    pub(crate) fn unknown_record(&mut self) {
        self.open &= self.style != Grouping::AnyDirective;
    }

    /// Returns the group among whose lines the last record stands, or a further one of an unknown kind would.
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

    /// Takes in a directive that ends the list of agents in this style.
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
