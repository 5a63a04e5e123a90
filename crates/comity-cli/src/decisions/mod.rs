//! The parts that commands about URLs share: the URLs, the exit code, suggestions, notices. Operations are in `comity_answers`.

pub(crate) mod guess;
pub(crate) mod urls;

use comity::robots::Agent;
use comity_answers::notice::Notice;

pub(crate) use self::urls::Urls;
use crate::exit::Exit;
use crate::output::Output;

/// Returns the exit code of one decision.
pub(crate) fn exit_of(allowed: bool) -> Exit {
    if allowed { Exit::Success } else { Exit::Objection }
}

/// Prints the notices about names of crawlers.
pub(crate) fn warn_of_names(agents: &[Agent], output: &mut Output) {
    print_notices(Notice::of_agents(agents, None), output);
}

/// Prints notices as warnings.
pub(crate) fn print_notices(notices: Vec<Notice>, output: &mut Output) {
    for notice in notices {
        output.warning(&notice.to_string());
    }
}
