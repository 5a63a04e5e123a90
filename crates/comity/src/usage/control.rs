//! Control tokens: product tokens under which nothing is fetched.
//!
//! Some operators let a site control the use of its content by rules for a product token that none of their crawlers
//! sends. They fetch the content under another token. `Allow` and `Disallow` for such a token state whether the content
//! may be used, never whether it may be fetched.

use super::citation::{Citation, Preference, shown};
use super::words::{Stance, Use};
use crate::finding::Channel;
use crate::robots::{Agent, Decision, Rules, UrlError};

/// A product token whose rules control the use of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ControlToken {
    token: &'static str,
    operator: &'static str,
    uses: &'static [(Use, &'static str)],
    fetched_as: &'static str,
}

/// The known control tokens, as documented by their operators.
static KNOWN: [ControlToken; 2] = [
    // Apple's page on Applebot: "does not crawl webpages", opts out of training.
    ControlToken {
        token: "Applebot-Extended",
        operator: "Apple",
        uses: &[(Use::Train, "training of Apple's foundation models")],
        fetched_as: "Applebot",
    },
    // Google's page on its common crawlers, July 2026: Gemini's training, and grounding in Gemini Apps and Vertex AI.
    ControlToken {
        token: "Google-Extended",
        operator: "Google",
        uses: &[
            (Use::Train, "training of Gemini models"),
            (Use::AiInput, "grounding in Gemini Apps and Vertex AI"),
        ],
        fetched_as: "Googlebot",
    },
];

impl ControlToken {
    /// Returns every known token.
    pub fn all() -> &'static [ControlToken] {
        &KNOWN
    }

    /// Returns the control token with this name, compared without regard to case.
    ///
    /// ```
    /// use comity::usage::{ControlToken, Use};
    ///
    /// let token = ControlToken::known("google-extended").unwrap();
    /// assert_eq!(token.operator(), "Google");
    /// assert!(token.uses().iter().any(|(usage, _)| *usage == Use::AiInput));
    /// assert!(ControlToken::known("Googlebot").is_none());
    /// ```
    pub fn known(token: &str) -> Option<&'static ControlToken> {
        KNOWN.iter().find(|known| known.token.eq_ignore_ascii_case(token))
    }

    /// Returns the token as its operator writes it.
    pub const fn token(&self) -> &'static str {
        self.token
    }

    /// Returns the operator.
    pub const fn operator(&self) -> &'static str {
        self.operator
    }

    /// Returns the uses that the token controls, with the operator's term for each.
    pub const fn uses(&self) -> &'static [(Use, &'static str)] {
        self.uses
    }

    /// Returns the product token under which the content is fetched.
    pub const fn fetched_as(&self) -> &'static str {
        self.fetched_as
    }

    /// Returns the control token that the agent names, if the agent is a control token.
    pub(super) fn of(agent: &Agent) -> Option<&'static ControlToken> {
        if agent.is_header() { None } else { ControlToken::known(agent.as_str()) }
    }

    /// Returns the stances on the uses of the token, as stated by the rules for it. Without a rule, the stance is
    /// unknown, and the operator's default applies.
    pub(super) fn stances(&self, rules: &Rules, url: &[u8]) -> Result<Vec<Preference>, UrlError> {
        let decision = rules.decide(url)?;
        let preferences = self.uses.iter().map(|&(usage, term)| {
            let mut preference = Preference::new(usage, term);
            if let Some(evidence) = rule_evidence(&decision) {
                let stance = if decision.is_allowed() { Stance::Allow } else { Stance::Disallow };
                preference.state(stance);
                preference.push_evidence(|| evidence);
            } else {
                preference.push_condition(format!(
                    "{} uses content that no rule for {} disallows",
                    self.operator, self.token
                ));
            }
            preference
        });
        Ok(preferences.collect())
    }
}

/// Returns the citation of the deciding rule.
pub(super) fn rule_evidence(decision: &Decision<'_>) -> Option<Citation> {
    let rule = decision.rule()?;
    let text = format!("{}: {}", rule.kind().label(), shown(rule.pattern()));
    Some(Citation::line(Channel::RobotsTxt, rule.line(), text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{self, Purpose};

    #[test]
    fn control_tokens_equal_those_of_the_catalogue() {
        let listed =
            agents::with_purpose(Purpose::ControlOnly).map(|agent| (agent.token(), agent.operator()));
        let mut ours: Vec<_> = KNOWN.iter().map(|known| (known.token, known.operator)).collect();
        ours.sort_unstable_by_key(|(token, _)| token.to_ascii_lowercase());
        assert_eq!(ours, listed.collect::<Vec<_>>());
        for known in &KNOWN {
            let crawler = agents::known(known.fetched_as).expect("the crawler is listed");
            assert_eq!((crawler.token(), crawler.operator()), (known.fetched_as, known.operator));
            assert_ne!(crawler.purpose(), Purpose::ControlOnly, "{}", known.fetched_as);
        }
    }
}
