//! A collector of findings. It stores a limited number of findings of each kind and counts the others.

use super::{Finding, Kind, LIMIT, Place, Severity};

/// The advice of a finding that represents omitted findings.
const AS_ABOVE: &str = "follow the advice of the findings above";

/// Findings in the order in which they were reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    /// Maximum number of findings of a kind that are stored.
    limit: usize,
    /// One tally for each kind that was reported.
    tallies: Vec<Tally>,
}

/// The number of findings of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tally {
    kind: &'static Kind,
    found: u64,
    beyond: Option<Overflow>,
}

/// The findings of a kind that are counted but not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Overflow {
    first: Place,
    last_line: Option<u64>,
    severity: Severity,
}

impl Default for Findings {
    fn default() -> Self {
        Findings::new()
    }
}

impl Findings {
    pub(crate) fn new() -> Self {
        Findings::up_to(LIMIT)
    }

    /// Makes a collector that stores at most `limit` findings of each kind.
    pub(crate) fn up_to(limit: usize) -> Self {
        Findings { kept: Vec::new(), limit, tallies: Vec::new() }
    }

    /// Adds a finding with its own message. The message is computed only if the finding is stored.
    pub(crate) fn add(&mut self, kind: &'static Kind, place: Place, message: impl FnOnce() -> String) {
        if let Some(place) = self.count_one(kind, place, kind.severity) {
            self.kept.push(Finding::new(kind, place, message()));
        }
    }

    /// Adds a finding whose message is the kind's summary, followed by details of the place, with its own advice.
    /// `words` returns the details and the advice.
    pub(crate) fn advise(
        &mut self,
        kind: &'static Kind,
        place: Place,
        words: impl FnOnce() -> (String, String),
    ) {
        if let Some(place) = self.count_one(kind, place, kind.severity) {
            let (detail, help) = words();
            let message = format!("{}: {detail}", kind.message());
            self.kept.push(Finding::new(kind, place, message).with_help(help));
        }
    }

    /// Returns true if there are no findings.
    pub(crate) fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }

    /// Adds a finding whose message is the kind's summary.
    pub(crate) fn note(&mut self, kind: &'static Kind, place: Place) {
        self.add(kind, place, || kind.message());
    }

    /// Adds a finding whose message is the kind's summary, followed by details of the place.
    pub(crate) fn detail(&mut self, kind: &'static Kind, place: Place, detail: impl FnOnce() -> String) {
        self.add(kind, place, || format!("{}: {}", kind.message(), detail()));
    }

    /// Adds a finding.
    pub(crate) fn push(&mut self, finding: Finding) {
        let Finding { kind, place, severity, .. } = &finding;
        if self.count_one(kind, place.clone(), *severity).is_some() {
            self.kept.push(finding);
        }
    }

    /// Counts a finding. Returns its place if it is to be stored.
    fn count_one(&mut self, kind: &'static Kind, place: Place, severity: Severity) -> Option<Place> {
        let at = self.tallies.iter().position(|tally| tally.kind == kind).unwrap_or_else(|| {
            self.tallies.push(Tally { kind, found: 0, beyond: None });
            self.tallies.len() - 1
        });
        let tally = self.tallies.get_mut(at)?;
        tally.found += 1;
        if tally.found <= self.limit as u64 {
            return Some(place);
        }
        match &mut tally.beyond {
            Some(beyond) => {
                beyond.last_line = beyond.last_line.max(place.line);
                beyond.severity = beyond.severity.max(severity);
            }
            beyond => *beyond = Some(Overflow { last_line: place.line, first: place, severity }),
        }
        None
    }

    /// Returns the number of findings of a kind.
    pub(crate) fn count(&self, kind: &'static Kind) -> u64 {
        self.tallies.iter().find(|tally| tally.kind == kind).map_or(0, |tally| tally.found)
    }

    /// Returns the findings that are stored so far.
    pub(crate) fn kept_mut(&mut self) -> &mut Vec<Finding> {
        &mut self.kept
    }

    /// Returns one finding for each kind above the limit, with the number of omitted findings.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = Finding> + '_ {
        self.tallies.iter().filter_map(|tally| {
            let beyond = tally.beyond.as_ref()?;
            let repeats = tally.found.saturating_sub(self.limit as u64);
            let message = match beyond.last_line {
                Some(line) => format!("{repeats} more like this, up to line {line}"),
                None => format!("{repeats} more like this"),
            };
            let finding = Finding::new(tally.kind, beyond.first.clone(), message).with_help(AS_ABOVE);
            Some(Finding { repeats, severity: beyond.severity, ..finding })
        })
    }

    /// Returns the stored findings in the order in which they were reported, then [`left_out`](Findings::left_out).
    pub(crate) fn list(&self) -> Vec<Finding> {
        self.kept.iter().cloned().chain(self.left_out()).collect()
    }

    /// Returns all findings, by place, then code.
    pub(crate) fn sorted(mut self) -> Vec<Finding> {
        let left_out: Vec<_> = self.left_out().collect();
        self.kept.extend(left_out);
        self.kept.sort_by(|a, b| (a.place.order(), a.code()).cmp(&(b.place.order(), b.code())));
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Channel, Reader};
    use super::*;

    #[test]
    fn findings_above_limit_are_counted() {
        let kinds = Reader::RobotsTxt.kinds();
        let mut findings = Findings::new();
        for line in (1..=150).rev() {
            findings.note(kinds[0], Place::stretch(Channel::RobotsTxt, line, 1, 0..1));
            findings.note(kinds[1], Place::new(Channel::RobotsTxt));
        }
        assert_eq!(findings.count(kinds[0]), 150);
        let all = findings.sorted();
        assert_eq!(all.len(), 202);
        let more: Vec<_> = all.iter().filter(|finding| finding.repeats() > 0).collect();
        assert_eq!(more.iter().map(|finding| finding.count()).collect::<Vec<_>>(), [50, 50]);
        assert_eq!(more[0].message(), "50 more like this");
        assert_eq!(more[1].message(), "50 more like this, up to line 50");
        assert!(all.is_sorted_by_key(|finding| finding.place().order()));
    }
}
