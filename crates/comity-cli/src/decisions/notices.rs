//! Prints notices as warnings.

use std::collections::HashSet;

use comity::robots::{Agent, RobotsTxt};
use comity_answers::notice::Notice;

use crate::args::FilesArgs;
use crate::output::Output;

/// Printer of notices about names of crawlers. Prints each notice once.
///
/// The crawler of the settings gets no notice: its name was chosen by the person who configured it.
pub(crate) struct Notices<'a> {
    files: &'a FilesArgs,
    printed: HashSet<String>,
}

impl<'a> Notices<'a> {
    pub(crate) fn new(files: &'a FilesArgs) -> Notices<'a> {
        Notices { files, printed: HashSet::new() }
    }

    /// Prints the notices about the names of crawlers.
    pub(crate) fn warn<'n>(
        &mut self,
        agents: impl IntoIterator<Item = &'n Agent>,
        robots: Option<&RobotsTxt<'_>>,
        output: &mut Output,
    ) {
        self.print(Notice::of_agents(agents, robots), output);
    }

    /// Prints the notices that were not printed before.
    pub(crate) fn print(&mut self, notices: Vec<Notice>, output: &mut Output) {
        let new = self.select(notices).into_iter();
        print_notices(new.filter(|notice| self.printed.insert(notice.message.clone())), output);
    }

    /// Removes the notices about the crawler of the settings.
    pub(crate) fn select(&self, mut notices: Vec<Notice>) -> Vec<Notice> {
        if !notices.is_empty()
            && let Some(own) = own_agent(self.files)
        {
            notices.retain(|notice| !notice.is_about(&own));
        }
        notices
    }
}

/// Returns the crawler of the settings; `None` if the settings are invalid. Commands that need the settings report the
/// error.
#[cfg(feature = "live")]
fn own_agent(files: &FilesArgs) -> Option<Agent> {
    let settings = crate::settings::effective(files, Vec::new()).ok()?.settings;
    Some(Agent::unchecked_token(settings.agent.token))
}

#[cfg(not(feature = "live"))]
fn own_agent(_: &FilesArgs) -> Option<Agent> {
    None
}

/// Prints the notices about the crawler that a flag names. A name in a file of settings or in the environment gets no
/// notice.
#[cfg(feature = "live")]
pub(crate) fn warn_of_flag(overrides: &[crate::settings::Override], agent: &Agent, output: &mut Output) {
    if overrides.iter().any(|(setting, _)| setting.path() == "agent.token") {
        print_notices(Notice::of_agents([agent], None), output);
    }
}

/// Prints notices as warnings.
pub(crate) fn print_notices(notices: impl IntoIterator<Item = Notice>, output: &mut Output) {
    for notice in notices {
        output.warning(&notice.to_string());
    }
}
