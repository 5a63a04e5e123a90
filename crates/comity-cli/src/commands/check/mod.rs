//! `comity check`: one answer per URL and crawler, for scripts.

mod args;
mod printer;

use comity_answers::check::Check;

pub(crate) use self::args::CheckArgs;
use self::printer::Printer;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::url_command::Run;

/// Decides every URL for every crawler.
pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit, Failure> {
    let question = &args.question;
    let agents = question.agents.agents();
    let check = Check::new(agents.as_slice(), question.reading.reading());
    let printer = Printer::new(args, &agents, output)?;
    let run = Run::new(&check, (question, &args.network), args.jobs.into(), printer).quiet(args.quiet);
    run.for_presets("name a preset: --preset google; or explain: `comity explain --dialect google`")
        .answer(output)
}
