//! `noai` and `noimageai`: page directives against training on a page or its images.
//!
//! DeviantArt introduced them in 2022. No other page directive is about training alone; the module
//! [`page`](crate::page) reads all page directives.

use super::citation::{Citation, Preference};
use super::signal::Signal;
use super::words::{Stance, Use};
use crate::finding::Channel;
use crate::page::{DirectiveKind, PageDirectives};
use crate::robots::Agent;

/// A page directive about training.
#[derive(Clone, Debug)]
pub(super) struct TrainingDirective {
    /// The crawler that it names, in lower case; `None` if it is for all.
    agent: Option<String>,
    /// True for `noimageai`.
    is_for_images: bool,
    evidence: Citation,
}

impl TrainingDirective {
    /// Returns the directives about training among those of a header or a page.
    pub(super) fn of(directives: &PageDirectives) -> Vec<TrainingDirective> {
        let statements = directives.statements().iter();
        let about_training = statements.filter_map(|statement| {
            let is_for_images = match statement.directive() {
                DirectiveKind::NoAi => false,
                DirectiveKind::NoImageAi => true,
                _ => return None,
            };
            let source = statement.source();
            let text = format!("{}: {}", source.name(), statement.text());
            let evidence = match source.line().and_then(|line| u32::try_from(line).ok()) {
                Some(line) => Citation::line(Channel::Html, line, text),
                None => Citation::index(Channel::HttpHeader, source.number().saturating_sub(1), text),
            };
            let agent = statement.agent().map(str::to_owned);
            Some(TrainingDirective { agent, is_for_images, evidence })
        });
        about_training.collect()
    }

    fn is_for(&self, agent: &Agent) -> bool {
        self.agent.as_ref().is_none_or(|name| {
            let mut names = std::iter::once(agent.product_token()).chain(agent.fallbacks());
            names.any(|own| own.eq_ignore_ascii_case(name))
        })
    }
}

/// Returns the preference on training that the directives state for a crawler, or `None` if they state none.
pub(super) fn preference<'a>(
    directives: impl Iterator<Item = &'a TrainingDirective>,
    agent: &Agent,
) -> Option<Preference> {
    let mut preference = Preference::new(Use::Train, Signal::PageDirectives.terms()[0].1);
    let mut is_for_images = true;
    for directive in directives.filter(|directive| directive.is_for(agent)) {
        preference.combine(Stance::Disallow, || directive.evidence.clone());
        is_for_images &= directive.is_for_images;
    }
    if is_for_images {
        preference.push_condition("`noimageai` applies only to the images of the page".to_owned());
    }
    (preference.stance() != Stance::Unknown).then_some(preference)
}
