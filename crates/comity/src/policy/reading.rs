//! Readings: answers as a preset interprets them.

use super::answer::Answer;
use super::body::{self, ClassifiedAnswer};
use super::evidence::{Evidence, Provenance};
use super::freshness::{self, Fresh};
use super::kind::AnswerKind;
use super::preset::Preset;
use super::rows::Cell;
use super::treatment::Treatment;
use crate::robots::{Agent, QuickDecision, RobotsTxt, UrlError};

/// An [`Answer`] as a [`Preset`] interprets it: its kind, its treatment, and the parsed robots.txt if there is one.
///
/// A reading does not depend on the crawler. A [`Policy`](super::Policy) applies it to one crawler.
#[derive(Clone, Debug)]
pub struct Reading<'b> {
    preset: Preset,
    evidence: Evidence,
    /// The time for which the answer is fresh, in seconds.
    fresh: Fresh,
    /// The lifetime of a stored copy that this answer confirms (304), in seconds.
    renewed: Fresh,
    robots: Option<RobotsTxt<'b>>,
}

impl Preset {
    /// Interprets an answer: determines its kind, its treatment and its lifetime, and parses the robots.txt.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, AnswerKind, Preset, Treatment};
    ///
    /// let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_body("<!doctype html><title>Not here</title>");
    /// let reading = Preset::Rfc9309.read(&answer);
    /// assert_eq!(reading.evidence().kind(), AnswerKind::HtmlSoft404);
    /// assert_eq!(reading.evidence().treatment(), Treatment::Warn);
    /// assert!(reading.robots().is_none());
    /// ```
    pub fn read<'b>(self, answer: &Answer<'b>) -> Reading<'b> {
        let row = self.row();
        let ClassifiedAnswer { kind, robots, challenge } = body::read(answer, row);
        let Cell(availability, treatment) = row.answers.get(kind);
        let fresh_for = |kind| {
            let Cell(availability, treatment) = row.answers.get(kind);
            freshness::fresh_for(&row.caching, kind, availability, treatment, answer)
        };
        let fresh = fresh_for(kind);
        let provenance = Provenance {
            redirects: answer.redirects.clone(),
            digest: answer.digest.clone(),
            challenge,
            error: answer.error.clone(),
            certificate: answer.certificate,
        };
        let evidence = Evidence {
            kind,
            availability,
            treatment,
            reply: answer.reply,
            fetched_at: answer.at,
            fresh_for: fresh.seconds,
            // Only an answer whose rules were read can become the last good copy.
            stale_for: if treatment == Treatment::ReadRules { row.caching.stale } else { 0 },
            body_bytes: answer.body.unwrap_or_default().as_bytes().len(),
            provenance: provenance.into_shared(),
        };
        let robots = robots.filter(|_| treatment == Treatment::ReadRules);
        let renewed = if kind == AnswerKind::NotModified { fresh_for(AnswerKind::Success) } else { fresh };
        Reading { preset: self, evidence, fresh, renewed, robots }
    }

    /// Decides one URL for a crawler in a single pass over the body, without storing the rules.
    ///
    /// This is the fastest way to decide a single URL. The result equals the decision by the rules in the result of
    /// [`read`](Preset::read). Returns `None` if a single pass is not sufficient: the answer is not a 2xx
    /// with a whole body that has a record of a robots.txt, the dialect does not support a single pass, or `agent` is
    /// not a single product token.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, Preset};
    /// use comity::robots::Agent;
    ///
    /// let body = "User-agent: *\nCrawl-delay: 2\nDisallow: /private\n";
    /// let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_body(body);
    /// let agent = Agent::token("examplebot")?;
    /// let decision = Preset::Rfc9309.decide_quickly(&answer, &agent, "https://example.com/private/x").unwrap()?;
    /// assert!(!decision.is_allowed());
    /// assert_eq!((decision.line(), decision.pattern_text().as_deref()), (Some(3), Some("/private")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decide_quickly<'b, U: AsRef<[u8]> + ?Sized>(
        self,
        answer: &Answer<'b>,
        agent: &Agent,
        url: &U,
    ) -> Option<Result<QuickDecision<'b>, UrlError>> {
        let row = self.row();
        let is_read = AnswerKind::of(answer.reply) == AnswerKind::Success
            && row.answers.get(AnswerKind::Success).1 == Treatment::ReadRules;
        if !is_read {
            return None;
        }
        body::decide_quickly(answer, row, agent.only_token()?, url.as_ref())
    }
}

impl<'b> Reading<'b> {
    /// Returns the preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Returns the evidence: the kind of the answer, and its freshness.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the lifetime of the answer, in seconds.
    pub(super) fn fresh(&self) -> Fresh {
        self.fresh
    }

    /// Returns the lifetime of a stored copy that this answer confirms (304), in seconds, as if the copy had just been
    /// received.
    pub(super) fn renewed(&self) -> Fresh {
        self.renewed
    }

    /// Returns the robots.txt, if its rules decide.
    pub fn robots(&self) -> Option<&RobotsTxt<'b>> {
        self.robots.as_ref()
    }
}
