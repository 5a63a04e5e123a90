//! `comity test`: compares the verdicts of a robots.txt with expected verdicts.
//!
//! In a TOML file, each robots.txt decides each question; in JSON Lines, each question has its own robots.txt. `cases`
//! reads the test files.

mod args;
mod cases;
mod rows;

use std::io::Write;

use comity_answers::notice::{Notice, NoticeLog};
use comity_answers::robots_file::{Reading, RobotsFile};
use comity_answers::test::{TestAnswer, TestCase, TestRow};

pub(crate) use self::args::TestArgs;
use self::cases::{LoadedTests, Tests};
use self::rows::{Questions, TestWithFile};
use crate::args::Format;
use crate::decisions::{Notices, print_notices};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::robots_txt::without_page;
use crate::sites::reader::Reader;
use crate::text::Printer;
use crate::text::test::TestSource;

/// Decides every question.
pub(crate) fn run(args: &TestArgs, output: &mut Output) -> Result<Exit, Failure> {
    let default = vec!["robots.test.toml".into()];
    let files = if args.files.is_empty() { &default } else { &args.files };
    let mut reader = Reader::new(&args.network);
    let printer = Printer::new::<TestRow<'_>>(args.format.get(), output)?;
    let mut report = Report { args, printer, passed: 0, failed: 0 };
    for path in files {
        let loaded = cases::load(path, &args.robots, &args.reading)?;
        match &loaded.tests {
            Tests::Shared(locations, cases) => {
                for location in locations {
                    let file = reader.read(location, output).map_err(|unread| unread.failure())?;
                    report.decide_file(&loaded, cases, &without_page(file, output), output)?;
                }
            }
            Tests::Each(rows) => report.decide_rows(&loaded, rows, output)?,
        }
    }
    reader.finish();
    report.finish(output)
}

/// Numbers of results, and the state of the output.
struct Report<'a> {
    args: &'a TestArgs,
    printer: Printer,
    passed: usize,
    failed: usize,
}

impl Report<'_> {
    /// Decides the questions of one test file by one robots.txt.
    fn decide_file(
        &mut self,
        loaded: &LoadedTests,
        cases: &[TestCase],
        file: &RobotsFile,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let dialect = loaded.dialect;
        self.heading(&file.name, &format!("tested by {}, read as {dialect}", loaded.name), output)?;
        let charset = self.args.reading.charset.clone();
        let robots = file.read(&Reading { dialect: Some(dialect), charset });
        let notices = Notice::of_agents(cases.iter().map(|case| &case.agent), Some(&robots));
        let notices = Notices::new(&self.args.network.files).select(notices);
        let mut log = NoticeLog::default();
        for case in cases {
            case.question.url().into_iter().for_each(|url| log.add_url(url));
            self.take(case, (loaded, file), case.decide(&robots, &notices), output)?;
        }
        print_notices(log.into_notices(Some(&file.name)), output);
        self.gap(output)
    }

    /// Decides questions that have their own robots.txt.
    fn decide_rows(
        &mut self,
        loaded: &LoadedTests,
        rows: &Questions,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let (name, dialect) = (&loaded.name, loaded.dialect);
        for (reason, number) in &rows.skipped {
            let rows = render::count(*number, "row");
            output.note(&format!("`{name}`: {rows} skipped: {reason}"));
        }
        if rows.questions.is_empty() {
            return Ok(());
        }
        let about = format!("each question with its own robots.txt, read as {dialect}");
        self.heading(name, &about, output)?;
        for TestWithFile { file, case, decision } in &rows.questions {
            let answer = TestAnswer::Decision(Box::new(decision.clone()));
            self.take(case, (loaded, file), Ok(answer), output)?;
        }
        self.gap(output)
    }

    fn is_text(&self) -> bool {
        self.args.format.get() == Format::Text && !self.args.quiet
    }

    fn heading(&self, name: &str, about: &str, output: &mut Output) -> Result<(), Failure> {
        if !self.is_text() {
            return Ok(());
        }
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        Ok(writeln!(output, "{strong}{name}{strong:#}  {faint}{about}{faint:#}")?)
    }

    fn gap(&self, output: &mut Output) -> Result<(), Failure> {
        if self.is_text() { Ok(writeln!(output)?) } else { Ok(()) }
    }

    fn take(
        &mut self,
        case: &TestCase,
        (loaded, file): (&LoadedTests, &RobotsFile),
        answer: Result<TestAnswer, String>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let row = TestRow::new(&loaded.name, case, &file.provenance, answer);
        *(if row.passed { &mut self.passed } else { &mut self.failed }) += 1;
        if self.args.quiet {
            return Ok(());
        }
        let url = case.question.url().unwrap_or(b"the whole site");
        self.printer.print(&row, &mut TestSource { robots: &file.name, url }, output)
    }

    fn finish(self, output: &mut Output) -> Result<Exit, Failure> {
        let all = self.passed + self.failed;
        if all == 0 {
            return Err(Failure::new("no question was decided, so nothing was tested"));
        }
        if self.is_text() {
            let style = output.palette.verdict(self.failed == 0);
            let text = match self.failed {
                0 => format!("{} passed", render::count(all, "question")),
                failed => format!("{failed} of {} failed", render::count(all, "question")),
            };
            writeln!(output, "{style}{text}{style:#}")?;
        }
        self.printer.finish("comity test", output)?;
        Ok(if self.failed == 0 { Exit::Success } else { Exit::Objection })
    }
}
