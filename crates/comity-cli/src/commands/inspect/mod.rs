//! `comity inspect`: the content of a robots.txt.

mod args;

use comity_answers::inspect::InspectRow;

pub(crate) use self::args::InspectArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::reader::{Reader, RobotsReadError};
use crate::text::Printer;

/// Maximum number of rules of a group that are shown without `--all`.
const RULES_SHOWN: usize = 20;

/// Prints the content of each file.
pub(crate) fn run(args: &InspectArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut reader = Reader::new(&args.document.network);
    let mut printer = Printer::new::<InspectRow>(args.document.format.get(), output)?;
    let mut shown = if args.all { usize::MAX } else { RULES_SHOWN };
    let mut exit = Exit::Success;
    for location in &args.files.locations(Some("robots.txt"))? {
        let file = match reader.read(location, output) {
            Ok(file) => file,
            Err(RobotsReadError::Again) => continue,
            Err(unread) => {
                exit = Exit::Error;
                output.failure(&unread.failure());
                continue;
            }
        };
        let robots = args.reading.read(&file);
        let row = InspectRow::new(&file, &robots);
        printer.print(&row, &mut shown, output)?;
    }
    reader.finish();
    Ok(exit)
}
