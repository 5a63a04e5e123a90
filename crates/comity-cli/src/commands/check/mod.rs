//! `comity check`: one decision per URL and crawler, for scripts.

mod args;

use comity_answers::check::{Check, CheckRow};

pub(crate) use self::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::text::Printer;
use crate::text::decision::Columns;
use crate::url_command::{Decider, RowPrinter, Run};

/// Decides every URL for every crawler.
pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit, Failure> {
    let question = &args.question;
    let agents = question.agents.agents();
    let check = Check::new(agents.as_slice(), question.reading.reading());
    let columns = Columns::new(&agents, &question.urls, output);
    let printer = match args.quiet {
        true => None,
        false => Some((Printer::new::<CheckRow<'_>>(args.format.get(), output)?, columns)),
    };
    let run = Run::new(&check, (question, &args.network), args.jobs.into(), printer).quiet(args.quiet);
    run.for_presets("name a preset: --preset google; or use `comity explain --dialect google`").answer(output)
}

/// Prints rows; `None` prints nothing.
impl RowPrinter<Check> for Option<(Printer, Columns)> {
    fn print(
        &mut self,
        url: &[u8],
        rows: &[CheckRow<'_>],
        _: Decider<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Some((printer, columns)) = self else { return Ok(()) };
        rows.iter().try_for_each(|row| printer.print(row, &mut (*columns, url), output))
    }
}
