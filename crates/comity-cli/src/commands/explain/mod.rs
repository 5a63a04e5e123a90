//! `comity explain`: a decision with all its reasons.

mod args;

use comity::robots::Agent;
#[cfg(feature = "live")]
use comity::robots::RobotsTxt;
use comity_answers::explain::{Explain, ExplainRow};

pub(crate) use self::args::ExplainArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
#[cfg(feature = "live")]
use crate::render;
use crate::text::Printer;
use crate::text::comparison::{self, Comparison};
use crate::text::explanation::File;
use crate::url_command::{Decider, JOBS, RowPrinter, Run};

/// Explains every URL for every crawler.
pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let question = &args.question;
    let agents = question.agents.agents();
    let explain = Explain::new(agents.as_slice(), question.reading.reading());
    let explain = if args.all_dialects { explain.lenient() } else { explain };
    let printer = Printer::new::<ExplainRow<'_>>(args.format.get(), output)?;
    let printer = Explanations { args, agents: &agents, printer };
    Run::new(&explain, (question, &args.network), JOBS, printer).answer(output)
}

/// A printer of explanations, or of comparisons of dialects.
struct Explanations<'a> {
    args: &'a ExplainArgs,
    agents: &'a [Agent],
    printer: Printer,
}

impl RowPrinter<Explain> for Explanations<'_> {
    fn print(
        &mut self,
        url: &[u8],
        rows: &[ExplainRow<'_>],
        by: Decider<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let is_json = self.args.format.is_json();
        let file = if is_json && !self.args.all_dialects { None } else { file(by, self.args) };
        let readings = match &file {
            Some(file) if self.args.all_dialects => comparison::read(file),
            _ => Vec::new(),
        };
        for (row, agent) in rows.iter().zip(self.agents) {
            match &file {
                // A comparison shows the result of each dialect, even if a result is an error.
                Some(file) if self.args.all_dialects => {
                    if let Some(comparison) = Comparison::new(row, (url, agent), file, &readings) {
                        self.printer.print(&comparison, &mut (), output)?;
                    }
                }
                // The error was already printed.
                _ if row.error.is_some() && (!is_json || self.args.all_dialects) => {}
                file => self.printer.print(row, &mut (agent, file.as_ref()), output)?,
            }
        }
        Ok(())
    }

    fn compares_dialects(&self) -> bool {
        self.args.all_dialects
    }
}

/// Returns the robots.txt that decided; `None` if its text is unknown.
fn file<'a>(by: Decider<'a>, args: &'a ExplainArgs) -> Option<File<'a>> {
    let reading = &args.question.reading;
    match by {
        Decider::File(file) => {
            let charset = file.charset.as_deref();
            let robots = reading.read(file);
            Some(File { name: file.name.clone(), body: &file.body, charset, robots })
        }
        #[cfg(feature = "live")]
        Decider::Site(site) => {
            let file = site.file.as_ref()?;
            let (body, charset) = (file.body.as_deref()?, file.charset.as_deref());
            let transport = crate::sites::phrases::source(&file.decision, std::time::SystemTime::now());
            let name = format!("{} ({transport})", render::text(site.url.as_bytes()));
            let charset = reading.charset.as_deref().or(charset);
            let dialect = reading.dialect.unwrap_or(site.dialect);
            let robots = RobotsTxt::parse_with_charset(body, dialect, charset);
            Some(File { name, body, charset, robots })
        }
        #[cfg(not(feature = "live"))]
        Decider::Site(_) => None,
        Decider::Nothing => None,
    }
}
