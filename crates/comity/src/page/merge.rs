//! Combines statements under a profile.
//!
//! ```text
//! statements ─collect─▶ claims ─cancel─▶ ─soften─▶ ─include─▶ ─embed─▶ ─strictest─▶ warnings
//!           (or set aside)              (a statement that loses its last claim is set aside)
//! ```
//!
//! A claim is a request for one restriction by one statement; `none` makes two claims. Each later step only drops
//! claims or changes their restriction. At the end, a statement with a claim is a cause of a warning. Any other
//! statement has the reason why it made no claim, or why its last claim was dropped.

use std::time::SystemTime;

use super::PageDirectives;
use super::directive::{DirectiveKind, DirectiveValue};
use super::outcome::{PageOutcome, Reason, SetAside, UseWarning};
use super::profile::{Elements, Profile, Row};
use super::restriction::Restriction;
use super::statement::{SourceKind, Statement};

/// A request for a restriction, with the index of the statement that makes it.
#[derive(Clone, Copy)]
struct Claim {
    statement: usize,
    restriction: Restriction,
    value: Option<DirectiveValue>,
}

pub(super) fn outcome<'p>(
    page: &'p PageDirectives,
    token: &str,
    profile: Profile,
    now: SystemTime,
) -> PageOutcome<'p> {
    let statements = page.statements();
    let token = token.trim().to_ascii_lowercase();
    if statements.is_empty() {
        return PageOutcome::new(token, profile, Vec::new(), Vec::new());
    }
    let mut merge = Merge {
        row: profile.row(),
        statements,
        claims: Vec::new(),
        reasons: vec![None; statements.len()],
        now,
    };
    merge.collect(&token);
    merge.cancel();
    merge.soften();
    merge.include();
    merge.embed();
    merge.keep_strictest();
    let (warnings, set_aside) = merge.finish();
    PageOutcome::new(token, profile, warnings, set_aside)
}

struct Merge<'p> {
    row: &'static Row,
    statements: &'p [Statement],
    claims: Vec<Claim>,
    /// For each statement, the reason why it made no claim, or why its last claim was dropped.
    reasons: Vec<Option<Reason>>,
    now: SystemTime,
}

impl<'p> Merge<'p> {
    fn kind(&self, claim: Claim) -> DirectiveKind {
        self.statements[claim.statement].directive()
    }

    fn has(&self, restriction: Restriction) -> bool {
        self.claims.iter().any(|claim| claim.restriction == restriction)
    }

    /// Drops the claims for which `is_dropped` returns true, and records the reason.
    fn drop_claims(&mut self, reason: Reason, is_dropped: impl Fn(Claim) -> bool) {
        let reasons = &mut self.reasons;
        self.claims.retain(|&claim| {
            let is_dropped = is_dropped(claim);
            if is_dropped {
                reasons[claim.statement] = Some(reason);
            }
            !is_dropped
        });
    }

    /// Converts every statement to claims, or sets the statement aside.
    fn collect(&mut self, token: &str) {
        let listener = self.row.listener(token);
        for (index, statement) in self.statements.iter().enumerate() {
            let set_aside = if !listener.obeys(token, statement.agent()) {
                Some(Reason::OtherAgent)
            } else if !self.reads(statement) {
                Some(Reason::SourceNotRead)
            } else {
                self.set_aside(statement)
            };
            match set_aside {
                Some(reason) => self.reasons[index] = Some(reason),
                None => self.claim(index, statement),
            }
        }
    }

    fn reads(&self, statement: &Statement) -> bool {
        let (row, source) = (self.row, statement.source());
        match source.kind() {
            SourceKind::XRobotsTag => !row.only_in_pages.contains(&statement.directive()),
            SourceKind::RobotsTag => row.reads_robots_tag,
            SourceKind::Meta => row.reads_body || !source.is_in_body(),
            SourceKind::DataNoSnippet => match row.nosnippet_elements {
                Elements::None => false,
                Elements::Three => matches!(source.name(), "span" | "div" | "section"),
                Elements::Any => true,
            },
        }
    }

    /// Returns the reason why a statement makes no claim for this crawler.
    fn set_aside(&self, statement: &Statement) -> Option<Reason> {
        let kind = statement.directive();
        if kind == DirectiveKind::Unknown {
            return Some(Reason::Unknown);
        }
        if !self.row.allowed_by(kind).is_empty() {
            return Some(Reason::Allows);
        }
        if matches!(
            kind,
            DirectiveKind::All | DirectiveKind::Index | DirectiveKind::Follow | DirectiveKind::Archive
        ) {
            return Some(Reason::NoEffect);
        }
        if self.row.restrictions(kind).is_none() {
            return Some(Reason::NotUsed);
        }
        match statement.value() {
            None if kind.takes_value() => Some(Reason::BadValue),
            Some(value) if value.is_unlimited() => Some(Reason::NoEffect),
            _ => None,
        }
    }

    fn claim(&mut self, index: usize, statement: &Statement) {
        let kind = match statement.value() {
            // `max-snippet: 0` is another spelling of `nosnippet`.
            Some(DirectiveValue::Limit(Some(0))) if statement.directive() == DirectiveKind::MaxSnippet => {
                DirectiveKind::NoSnippet
            }
            Some(DirectiveValue::Time(time)) if time <= self.now => DirectiveKind::NoIndex,
            _ => statement.directive(),
        };
        let value = statement.value().filter(|_| kind == statement.directive());
        for &restriction in self.row.restrictions(kind).unwrap_or_default() {
            self.claims.push(Claim { statement: index, restriction, value });
        }
    }

    /// Drops the claims that allowing statements cancel. An allowing statement that cancels nothing has no effect.
    fn cancel(&mut self) {
        let requested = Restriction::ALL.map(|restriction| self.has(restriction));
        let mut cancelled = [false; Restriction::ALL.len()];
        for (statement, reason) in self.statements.iter().zip(&mut self.reasons) {
            if *reason == Some(Reason::Allows) {
                let allowed = self
                    .row
                    .allowed_by(statement.directive())
                    .iter()
                    .map(|&restriction| restriction as usize);
                let needed: Vec<usize> = allowed.filter(|&restriction| requested[restriction]).collect();
                if needed.is_empty() {
                    *reason = Some(Reason::NoEffect);
                }
                needed.into_iter().for_each(|restriction| cancelled[restriction] = true);
            }
        }
        self.drop_claims(Reason::Overruled, |claim| cancelled[claim.restriction as usize]);
    }

    /// Drops the claims of a directive if the page also has the less strict directive that replaces it.
    fn soften(&mut self) {
        for &(harder, softer) in self.row.softened {
            if self.claims.iter().any(|&claim| self.kind(claim) == softer) {
                let statements = self.statements;
                self.drop_claims(Reason::Overruled, |claim| {
                    statements[claim.statement].directive() == harder
                });
            }
        }
    }

    /// Drops the restrictions that `nosnippet` includes.
    fn include(&mut self) {
        if self.has(Restriction::DoNotShowSnippet) {
            let included = self.row.nosnippet_includes;
            self.drop_claims(Reason::Weaker, |claim| included.contains(&claim.restriction));
        }
    }

    /// Applies `indexifembedded`, which weakens `noindex`. Without `noindex` it has no effect.
    fn embed(&mut self) {
        if !self.has(Restriction::IndexOnlyEmbedded) {
            return;
        }
        let statements = self.statements;
        let is_noindex = |claim: &Claim| {
            let kind = statements[claim.statement].directive();
            claim.restriction == Restriction::DoNotIndex && kind != DirectiveKind::UnavailableAfter
        };
        if self.claims.iter().any(is_noindex) {
            for claim in self.claims.iter_mut().filter(|claim| is_noindex(claim)) {
                claim.restriction = Restriction::IndexOnlyEmbedded;
            }
        } else {
            self.drop_claims(Reason::NoEffect, |claim| claim.restriction == Restriction::IndexOnlyEmbedded);
        }
    }

    /// Keeps only the strictest of several values for one restriction.
    fn keep_strictest(&mut self) {
        for restriction in Restriction::ALL {
            let ranks = self.claims.iter().filter(|claim| claim.restriction == restriction);
            let strictest = ranks.filter_map(|claim| claim.value.map(DirectiveValue::rank)).min();
            if let Some(strictest) = strictest {
                self.drop_claims(Reason::Weaker, |claim| {
                    claim.restriction == restriction
                        && claim.value.is_some_and(|value| value.rank() > strictest)
                });
            }
        }
    }

    fn finish(self) -> (Vec<UseWarning<'p>>, Vec<SetAside<'p>>) {
        let statements = self.statements;
        let mut is_cause = vec![false; statements.len()];
        let mut warnings = Vec::new();
        for restriction in Restriction::ALL {
            let claims = self.claims.iter().filter(|claim| claim.restriction == restriction);
            let mut value = None;
            let mut causes: Vec<&Statement> = Vec::new();
            for claim in claims {
                is_cause[claim.statement] = true;
                value = claim.value;
                causes.push(&statements[claim.statement]);
            }
            if !causes.is_empty() {
                warnings.push(UseWarning::new(restriction, value, causes));
            }
        }
        let reasons = self.reasons.into_iter().zip(statements).zip(is_cause);
        let set_aside = reasons
            .filter(|(_, is_cause)| !is_cause)
            .map(|((reason, statement), _)| SetAside::new(reason.unwrap_or(Reason::NoEffect), statement))
            .collect();
        (warnings, set_aside)
    }
}
