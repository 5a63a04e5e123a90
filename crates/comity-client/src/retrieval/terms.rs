//! Terms of use of a page: its directives, usage preferences, and the refusal of the server.

use std::time::SystemTime;

use comity::html;
use comity::page::{PageDirectives, Profile, Source, SourceKind, UseWarning};
use comity::robots::Agent;
use comity::usage::{self, Usage};
use http::{HeaderMap, StatusCode};

use super::content::fields_of;
use super::record::{FetchRecord, Warning};
use crate::Origin;
use crate::robots_cache::RobotsCache;

impl FetchRecord {
    /// Adds the refusal of the server, if the answer is one.
    pub(crate) fn note_refusal(&mut self, status: StatusCode, headers: &HeaderMap, body: &[u8]) {
        self.refusal = usage::Refusal::of_page(status.as_u16(), &fields_of(headers), body);
        if let Some(refusal) = &self.refusal {
            let warning = Warning::of_refusal(refusal, &self.final_url, &self.user_agent);
            self.warnings.push(warning);
        }
    }

    /// Adds page directives and usage preferences: those of the header, of the body and of robots.txt.
    pub(crate) async fn read_terms(
        &mut self,
        (headers, body): (&HeaderMap, &[u8]),
        (agent, profile): (&Agent, Profile),
        (robots, origin): (&RobotsCache, &Origin),
        now: SystemTime,
    ) {
        let headers = fields_of(headers);
        let facts = html::Facts::of_answer(&headers, body);
        // If robots.txt is not available, the other signals still apply.
        let robots = robots.usage(origin).await.ok().flatten();
        let mut directives = PageDirectives::of_header(&headers);
        let mut usage = Usage::for_agent(agent).headers(&headers);
        if let Some(facts) = &facts {
            directives = directives.and_page(facts);
            usage = usage.html(facts);
        }
        if let Some(robots) = robots {
            usage = usage.robots_usage(robots);
        }
        let outcome = directives.outcome(agent.as_str(), profile, now);
        self.warnings.extend(outcome.warnings().iter().map(Warning::of_directive));
        self.usage = usage.report(&self.final_url).ok();
        self.warnings.extend(self.usage.iter().flat_map(Warning::of_usage));
    }
}

impl Warning {
    /// Returns the warning for a page that the server refused.
    fn of_refusal(refusal: &usage::Refusal, url: &str, user_agent: &str) -> Self {
        let status = refusal.status();
        let challenge = refusal.challenge().map(|sign| format!(" with a browser challenge ({sign})"));
        let challenge = challenge.unwrap_or_default();
        Warning {
            kind: "refusal",
            name: refusal.kind().as_str().to_owned(),
            message: format!(
                "{url} answers {status}{challenge} to `{user_agent}`; other crawlers may get another answer"
            ),
        }
    }

    fn of_directive(warning: &UseWarning<'_>) -> Self {
        let causes: Vec<String> = warning
            .causes()
            .iter()
            .map(|cause| format!("`{}` in {}", cause.text(), place(cause.source())))
            .collect();
        let value = warning.value().map(|value| format!(" ({value})")).unwrap_or_default();
        let restriction = warning.restriction();
        Warning {
            kind: "page_directive",
            name: restriction.as_str().to_owned(),
            message: format!("{}{value}: {}", restriction.summary(), causes.join(", ")),
        }
    }

    /// Returns a warning for every use that a signal disallows.
    fn of_usage(report: &usage::Report) -> Vec<Self> {
        let mut warnings = Vec::new();
        for signal in report.signals() {
            let disallowed =
                signal.preferences().iter().filter(|one| one.stance() == usage::Stance::Disallow);
            for preference in disallowed {
                let quote = preference.evidence().first().map(|evidence| format!(": `{}`", evidence.text()));
                let conditions = match preference.conditions() {
                    [] => String::new(),
                    conditions => format!(" (unless: {})", conditions.join("; ")),
                };
                let warning = Warning {
                    kind: "usage_preference",
                    name: preference.usage().as_str().to_owned(),
                    message: format!(
                        "{} disallows `{}`{conditions}{}",
                        signal.signal().as_str(),
                        preference.term(),
                        quote.unwrap_or_default()
                    ),
                };
                // Two preferences of one signal may cause equal warnings. Keep only one.
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        warnings
    }
}

/// Returns the place of a directive for a message.
fn place(source: &Source) -> String {
    let name = source.name();
    match source.kind() {
        SourceKind::Meta => format!("<meta name={name}>"),
        SourceKind::DataNoSnippet => format!("data-nosnippet of <{name}>"),
        _ => format!("the header field {name}"),
    }
}
