//! Compares the signals that allow a use of a page with those that disallow it.

use crate::finding::{Channel, Severity, quoted};
use crate::page::{PageOutcome, Restriction, SourceKind};
use crate::usage::{Citation, Interpretation, Report, Signal, Stance, Use};

/// Maximum number of statements per stance that a message names.
const NAMED: usize = 3;

/// One statement about one use, with its place.
pub(super) struct UsageStatement {
    usage: Use,
    stance: Stance,
    /// `None` for a page directive such as `noindex`.
    signal: Option<Signal>,
    channel: Channel,
    /// The statement for messages: `` `Content-Usage: train-ai=n` (robots.txt, line 2) ``.
    shown: String,
}

/// A use that one place allows and another disallows.
pub(super) struct Contradiction {
    pub(super) message: String,
    pub(super) severity: Severity,
}

impl UsageStatement {
    /// Returns the statements of a report about one document.
    pub(super) fn of_report(report: &Report) -> impl Iterator<Item = UsageStatement> {
        // It is disputed whether preferences outside the crawler's group apply, so a contradiction must not depend on them.
        let signals = report.signals().iter();
        let signals = signals.filter(|signal| signal.interpretation() != Some(Interpretation::WholeFile));
        signals.flat_map(|signal| {
            signal.preferences().iter().filter_map(|preference| {
                let citation = preference.evidence().first()?;
                (preference.stance() != Stance::Unknown).then(|| UsageStatement {
                    usage: preference.usage(),
                    stance: preference.stance(),
                    signal: Some(signal.signal()),
                    channel: citation.channel(),
                    shown: shown(citation),
                })
            })
        })
    }

    /// Returns the uses that the directives of a page disallow.
    pub(super) fn of_outcome(outcome: &PageOutcome<'_>) -> impl Iterator<Item = UsageStatement> {
        outcome.warnings().iter().filter_map(|warning| {
            let usage = match warning.restriction() {
                Restriction::DoNotIndex => Use::Search,
                Restriction::DoNotUseInAiAnswers => Use::AiInput,
                Restriction::DoNotTrainAi => Use::Train,
                _ => return None,
            };
            let source = warning.causes().first()?.source();
            let channel = if source.kind() == SourceKind::Meta { Channel::Html } else { Channel::HttpHeader };
            let shown = directive(outcome, warning.restriction())?;
            Some(UsageStatement { usage, stance: Stance::Disallow, signal: None, channel, shown })
        })
    }

    /// Returns true if the statement applies to the whole site, not to one page.
    fn is_of_site(&self) -> bool {
        matches!(self.channel, Channel::RobotsTxt | Channel::TdmrepJson)
    }
}

/// Returns the first directive that requests a restriction, with its place: `` `noindex` (X-Robots-Tag) ``.
pub(super) fn directive(outcome: &PageOutcome<'_>, restriction: Restriction) -> Option<String> {
    let cause = outcome.warning(restriction)?.causes().first().copied()?;
    let place = match cause.source().kind() {
        SourceKind::Meta => "meta element",
        SourceKind::RobotsTag => "Robots-Tag",
        _ => "X-Robots-Tag",
    };
    Some(format!("{} ({place})", quoted(cause.text())))
}

fn shown(citation: &Citation) -> String {
    let text = quoted(citation.text());
    match (citation.channel(), citation.line_number()) {
        // Messages about pages contain no line, so that equal messages of several pages can be merged.
        (Channel::RobotsTxt, Some(line)) => format!("{text} (robots.txt, line {line})"),
        (channel, _) => format!("{text} ({})", channel.name()),
    }
}

/// Returns the uses that some statements allow and others disallow.
pub(super) fn contradictions(statements: &[UsageStatement]) -> Vec<Contradiction> {
    let of_use = |usage: Use| {
        let allows: Vec<&UsageStatement> =
            statements.iter().filter(|one| one.usage == usage && one.stance == Stance::Allow).collect();
        let is_disallowed = |one: &&UsageStatement| {
            // Training a model is text and data mining, but a permission to mine is not a statement about training.
            let is_same = one.usage == usage || usage == Use::Train && one.usage == Use::TextAndDataMining;
            is_same && one.stance == Stance::Disallow
        };
        let denies: Vec<&UsageStatement> = statements.iter().filter(is_disallowed).collect();
        if allows.is_empty() || denies.is_empty() {
            return None;
        }
        let what = match denies.iter().all(|one| one.usage != usage) {
            true => format!("{} is", words(Use::TextAndDataMining)),
            false => "it is".to_owned(),
        };
        let message = format!(
            "{} is allowed by {}, and {what} disallowed by {}",
            words(usage),
            named(&allows),
            named(&denies)
        );
        let severity = if is_settled(&allows, &denies) { Severity::Note } else { Severity::Warning };
        Some(Contradiction { message, severity })
    };
    Use::ALL.into_iter().filter_map(of_use).collect()
}

/// Returns true if the signal's own specification resolves the contradiction: a page's statement replaces that of its
/// site in TDMRep (§6), and narrows it in `Content-Usage` (draft-ietf-aipref-vocab-08 §5.1).
fn is_settled(allows: &[&UsageStatement], denies: &[&UsageStatement]) -> bool {
    let all = || allows.iter().chain(denies);
    let is_all = |signal| all().all(|one| one.signal == Some(signal));
    let is_narrowed = allows.iter().all(|one| one.is_of_site()) && denies.iter().all(|one| !one.is_of_site());
    is_all(Signal::Tdmrep) || is_all(Signal::ContentUsage) && is_narrowed
}

fn named(statements: &[&UsageStatement]) -> String {
    let mut shown: Vec<&str> = statements.iter().map(|one| &*one.shown).collect();
    shown.dedup();
    let more = shown.len().saturating_sub(NAMED);
    shown.truncate(NAMED);
    match more {
        0 => shown.join(" and by "),
        more => format!("{} and {more} more", shown.join(", by ")),
    }
}

fn words(usage: Use) -> &'static str {
    match usage {
        Use::Train => "training",
        Use::Search => "search",
        Use::AiInput => "use in AI answers",
        Use::AiIndex => "use in AI indexes",
        Use::TextAndDataMining => "text and data mining",
    }
}
