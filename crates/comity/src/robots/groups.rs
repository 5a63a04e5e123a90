//! From records to groups: whom a rule speaks to.

use super::quirks::Grouping;
use super::record::DirectiveKind;

/// One group while and after it is built.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupData {
    /// Indices of its user-agent records.
    pub agents: Vec<u32>,
    /// It stands for `*` though no line says so.
    pub implicit_star: bool,
    /// The dialect drops it whole.
    pub dropped: bool,
    /// How many rules it has.
    pub rules: u32,
    /// The records it spans: from its first to before the next group's. File-wide records may stand among them.
    pub span: (u32, u32),
}

/// Follows the records of a file and says which group each belongs to.
#[derive(Debug)]
pub(super) struct Grouper {
    style: Grouping,
    groups: Vec<GroupData>,
    current: Option<usize>,
    /// A further user-agent line joins the current group.
    open: bool,
    /// The current group has something that keeps it (`Grouping::Urllib`).
    kept: bool,
}

impl Grouper {
    pub(super) fn new(style: Grouping) -> Self {
        Grouper { style, groups: Vec::new(), current: None, open: false, kept: false }
    }

    /// A line of nothing but white space; `empty` if not even that.
    pub(super) fn blank_line(&mut self, empty: bool) {
        match self.style {
            Grouping::BlankLine => self.close(),
            Grouping::Urllib if empty => self.close(),
            _ => {}
        }
    }

    /// A record; returns its group. `named` says that a user-agent line names somebody.
    pub(super) fn record(&mut self, index: u32, kind: DirectiveKind, named: bool) -> Option<usize> {
        match kind {
            DirectiveKind::UserAgent => Some(self.user_agent(index, named)),
            DirectiveKind::Allow | DirectiveKind::Disallow => {
                if self.current.is_none() && matches!(self.style, Grouping::RulesOrStar | Grouping::EachAgent) {
                    self.start(index, true);
                }
                self.end_agents(true);
                let group = self.current?;
                self.groups[group].rules += 1;
                Some(group)
            }
            DirectiveKind::CrawlDelay | DirectiveKind::RequestRate => {
                self.end_agents(false);
                self.current
            }
            kind if kind.is_file_wide() => {
                if self.style == Grouping::BlankLine {
                    self.open = false;
                }
                None
            }
            _ => self.current,
        }
    }

    /// All groups, at the end of the file.
    pub(super) fn finish(mut self) -> Vec<GroupData> {
        self.close();
        self.groups
    }

    fn user_agent(&mut self, index: u32, named: bool) -> usize {
        let joins = self.open && self.style != Grouping::EachAgent;
        let group = match self.current {
            Some(group) if joins => group,
            _ => {
                self.close();
                self.start(index, false)
            }
        };
        self.open = true;
        if named || self.style != Grouping::BlankLine {
            self.groups[group].agents.push(index);
        }
        group
    }

    /// A directive that ends the list of agents in this style.
    fn end_agents(&mut self, is_rule: bool) {
        match self.style {
            Grouping::Rules | Grouping::RulesOrStar | Grouping::EachAgent => self.open &= !is_rule,
            Grouping::Urllib => {
                self.open = false;
                self.kept |= self.current.is_some();
            }
            Grouping::BlankLine => self.open = false,
        }
    }

    fn start(&mut self, record: u32, implicit_star: bool) -> usize {
        if let Some(last) = self.groups.last_mut() {
            last.span.1 = record;
        }
        self.groups.push(GroupData { implicit_star, span: (record, u32::MAX), ..GroupData::default() });
        let index = self.groups.len() - 1;
        self.current = Some(index);
        self.kept = false;
        index
    }

    fn close(&mut self) {
        if let Some(group) = self.current.take() {
            let data = &mut self.groups[group];
            data.dropped = match self.style {
                Grouping::Urllib => !self.kept,
                Grouping::BlankLine => data.rules == 0 || data.agents.is_empty(),
                _ => false,
            };
        }
        self.open = false;
    }
}
