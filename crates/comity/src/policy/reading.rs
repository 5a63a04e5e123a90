//! An answer as a preset reads it.

use super::answer::Answer;
use super::body::{self, Found};
use super::evidence::{Evidence, Provenance};
use super::freshness::{self, Fresh};
use super::kind::AnswerKind;
use super::preset::Preset;
use super::rows::Cell;
use super::treatment::Treatment;
use crate::robots::{Agent, Glance, RobotsTxt, UrlError};

/// An [`Answer`] as a [`Preset`] reads it: its kind, what follows from it, and the robots.txt if it is one.
///
/// It holds for every crawler. A [`Policy`](super::Policy) is what follows for one of them.
#[derive(Clone, Debug)]
pub struct Reading<'b> {
    preset: Preset,
    evidence: Evidence,
    /// The time for which the answer is fresh, in seconds.
    fresh: Fresh,
    /// The time for which a copy is fresh that the answer confirms, in seconds.
    renewed: Fresh,
    robots: Option<RobotsTxt<'b>>,
}

impl Preset {
    /// Reads an answer.
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
        let Found { kind, robots, challenge } = body::read(answer, row);
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
            // Only what was read can serve again later.
            stale_for: if treatment == Treatment::ReadRules { row.caching.stale } else { 0 },
            body_bytes: answer.body.unwrap_or_default().as_bytes().len(),
            provenance: provenance.kept(),
        };
        let robots = robots.filter(|_| treatment == Treatment::ReadRules);
        let renewed = if kind == AnswerKind::NotModified { fresh_for(AnswerKind::Success) } else { fresh };
        Reading { preset: self, evidence, fresh, renewed, robots }
    }

    /// Says what the rules in an answer say to a crawler about one URL, in one walk over the body and without keeping
    /// anything.
    ///
    /// It is the quickest way for an answer that is asked about once. The rules say the same as those of
    /// [`read`](Preset::read); whether they decide at all is up to the [`Policy`](super::Policy). `None` if one walk does
    /// not tell: the body is not plainly a robots.txt, the dialect reads files another way, or the crawler is not given by
    /// one product token alone.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, Preset};
    /// use comity::robots::Agent;
    ///
    /// let body = "User-agent: *\nCrawl-delay: 2\nDisallow: /private\n";
    /// let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_body(body);
    /// let agent = Agent::token("examplebot");
    /// let glance = Preset::Rfc9309.glance(&answer, &agent, "https://example.com/private/x").unwrap()?;
    /// assert!(!glance.is_allowed());
    /// assert_eq!((glance.line(), glance.pattern_text().as_deref()), (Some(3), Some("/private")));
    /// # Ok::<(), comity::robots::UrlError>(())
    /// ```
    pub fn glance<'b, U: AsRef<[u8]> + ?Sized>(
        self,
        answer: &Answer<'b>,
        agent: &Agent,
        url: &U,
    ) -> Option<Result<Glance<'b>, UrlError>> {
        let row = self.row();
        let is_read = AnswerKind::of(answer.reply) == AnswerKind::Success
            && row.answers.get(AnswerKind::Success).1 == Treatment::ReadRules;
        if !is_read {
            return None;
        }
        body::glance(answer, row, agent.only_token()?, url.as_ref())
    }
}

impl<'b> Reading<'b> {
    /// Returns the preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Returns what the answer is, and how long it counts.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the time for which it is fresh, in seconds.
    pub(super) fn fresh(&self) -> Fresh {
        self.fresh
    }

    /// Returns the time for which a copy is fresh that this answer confirms (304), in seconds: as if the copy had just
    /// come.
    pub(super) fn renewed(&self) -> Fresh {
        self.renewed
    }

    /// Returns the robots.txt, if its rules decide.
    pub fn robots(&self) -> Option<&RobotsTxt<'b>> {
        self.robots.as_ref()
    }
}
