//! `comity lint`: findings about files, for people and for programs.
//!
//! The library computes the findings, and `limits` reduces the output. This file decides which findings make the
//! command fail.

mod args;
mod fix;
mod levels;
mod limits;
mod statistics;

use std::io::Write;

use comity::finding::{Finding, Severity};
use comity_answers::lint::{self, Counts, FindingOf};
use comity_answers::robots_file::RobotsFile;

use self::args::Deny;
pub(crate) use self::args::LintArgs;
use self::fix::{FixedFile, LIMIT};
use self::levels::{Level, Levels, Suppressions};
use self::limits::{Hidden, HiddenFindings};
use self::statistics::Statistics;
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::location::Location;
use crate::output::Output;
use crate::render;
#[cfg(feature = "live")]
use crate::settings::{self, Files};
use crate::sites::reader::{self, RobotsReadError};
use crate::text::finding::FindingSource;
use crate::text::lint::{Documentation, DocumentationPage};
use crate::text::{self, Printer};
use comity_answers::files;

/// Lints every file, in the given order.
pub(crate) fn run(args: &LintArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(kind) = args.explain {
        let page = DocumentationPage(Documentation::of(kind));
        text::print(&[page], args.format.text_or_json(), &mut { kind }, output)?;
        return Ok(Exit::Success);
    }
    if args.list {
        let mut columns = args::kinds().map(|kind| kind.code().len()).max().unwrap_or(0);
        let kinds: Vec<Documentation> = args::kinds().map(Documentation::of).collect();
        text::print(&kinds, args.format.text_or_json(), &mut columns, output)?;
        return Ok(Exit::Success);
    }
    let locations = args.files.locations(Some("robots.txt"))?;
    let mut reader = reader::Reader::new(&args.network);
    if args.unsafe_fixes && !args.fix && !args.diff {
        return Err(Failure::new("--unsafe-fixes needs --fix or --diff"));
    }
    let mut report = Report::new(args, levels(args)?, output)?;
    let mut progress = output.progress(Some(locations.len() as u64), "files");
    for location in &locations {
        match reader.read(location, output) {
            Ok(file) if args.fix || args.diff => report.mend(location, file, output)?,
            Ok(file) => report.file(&file, output)?,
            Err(RobotsReadError::Again) => {}
            Err(unread) => {
                report.unreadable += 1;
                output.failure(&unread.failure());
            }
        }
        progress.step();
    }
    drop(progress);
    reader.finish();
    report.finish(output)
}

/// Counts and state of the output while files are linted.
struct Report<'a> {
    args: &'a LintArgs,
    format: Format,
    printer: Printer,
    files: usize,
    unreadable: usize,
    counts: Counts,
    hidden: Hidden,
    statistics: Statistics,
    is_denied: bool,
    /// The settings of the project.
    levels: Levels,
    /// The number of fixes that were applied, or shown as a diff.
    fixes: usize,
    /// The number of findings with a fix that keeps the decisions of the default dialect, and with one that changes them.
    fixable: (u64, u64),
}

/// Returns the levels of the settings file that applies.
fn levels(args: &LintArgs) -> Result<Levels, Failure> {
    #[cfg(feature = "live")]
    {
        match settings::chosen(&args.network.files) {
            Files::None => return Ok(Levels::default()),
            Files::Only(path) => return Levels::read(&path, true),
            Files::Usual => {}
        }
    }
    #[cfg(not(feature = "live"))]
    let _ = args;
    Levels::read("comity.toml".as_ref(), false)
}

impl<'a> Report<'a> {
    fn new(args: &'a LintArgs, levels: Levels, output: &mut Output) -> Result<Self, Failure> {
        let format = args.format.get();
        let printer = Printer::new::<FindingOf<'_>>(format, output)?;
        Ok(Report {
            args,
            format,
            printer,
            files: 0,
            unreadable: 0,
            counts: Counts::default(),
            hidden: Hidden::default(),
            statistics: Statistics::default(),
            is_denied: false,
            levels,
            fixes: 0,
            fixable: (0, 0),
        })
    }

    fn file(&mut self, file: &RobotsFile, output: &mut Output) -> Result<(), Failure> {
        let (name, body) = (file.name.as_str(), file.body.as_slice());
        self.files += 1;
        let mut folds = HiddenFindings::default();
        let is_local = file.provenance.file.is_some();
        let suppressions = if is_local { Suppressions::read(body) } else { Suppressions::default() };
        for (line, problem) in &suppressions.refused {
            output.warning(&format!("{name}:{line}: the comment is ignored: {problem}"));
        }
        for finding in lint::findings(body) {
            if !self.counts(&finding, is_local, &suppressions) {
                continue;
            }
            let is_denied =
                self.denies(&finding) || is_local && self.levels.of(&finding) == Some(Level::Deny);
            self.is_denied |= is_denied;
            self.counts.add(&finding);
            match finding.fix() {
                Some(fix) if fix.is_safe() => self.fixable.0 += 1,
                Some(_) => self.fixable.1 += 1,
                None => {}
            }
            if self.args.statistics {
                self.statistics.add(&finding, self.files);
                continue;
            }
            if self.args.quiet {
                continue;
            }
            if self.is_for_people() {
                let shows_notes = self.args.notes || self.args.all || is_denied;
                if finding.severity() == Severity::Note && !shows_notes {
                    self.hidden.add(&finding);
                    continue;
                }
                if !self.args.all && folds.hides(&finding) {
                    continue;
                }
            }
            let mut source = FindingSource { body, is_denied };
            self.printer.print(&FindingOf { file: name, finding: &finding }, &mut source, output)?;
        }
        for folded in folds.left_out(name).filter(|_| !self.args.quiet) {
            self.printer.print(&folded, &mut (), output)?;
        }
        Ok(())
    }

    /// Returns true unless an argument, a setting or a comment hides the finding.
    fn counts(&self, finding: &Finding, is_local: bool, suppressions: &Suppressions) -> bool {
        let is_allowed = is_local && self.levels.of(finding) == Some(Level::Allow);
        let is_expected = self.args.environment.expects(finding.kind());
        !self.args.allow.contains(&finding.kind())
            && !is_allowed
            && !is_expected
            && !suppressions.allow(finding)
    }

    /// Fixes a file and lints the result, or shows the fixes.
    fn mend(
        &mut self,
        location: &Location,
        mut file: RobotsFile,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let name = file.name.clone();
        let refusal = match location {
            _ if file.body.len() > LIMIT => Some((
                format!("`{name}` is not fixed, because it is longer than 512,000 bytes"),
                "crawlers may ignore the bytes after this limit, and a fix could move bytes before it; shorten the file first",
            )),
            _ if self.args.diff => None,
            Location::Site { .. } => Some((
                format!("`{name}` is on a site, and cannot be fixed in place"),
                "use --diff to print the changes",
            )),
            Location::Stdin => Some((
                "standard input cannot be fixed in place".to_owned(),
                "use --diff to print the changes",
            )),
            Location::File(_) => None,
        };
        if let Some((message, hint)) = refusal {
            self.unreadable += 1;
            output.failure(&Failure::new(message).hint(hint));
            return Ok(());
        }
        let is_local = file.provenance.file.is_some();
        let suppressions = if is_local { Suppressions::read(&file.body) } else { Suppressions::default() };
        let is_wanted = |finding: &Finding| self.counts(finding, is_local, &suppressions);
        let FixedFile { body, kinds } = fix::fix(&file.body, self.args.unsafe_fixes, is_wanted);
        self.fixes += kinds.len();
        if self.args.diff {
            self.files += 1;
            write!(output, "{}", fix::diff(&name, &file.body, &body))?;
            return Ok(());
        }
        if let (Location::File(path), false) = (location, kinds.is_empty()) {
            files::replace(path, &body)?;
            file.body = body;
            let mut codes: Vec<&str> = kinds.iter().map(|kind| kind.code()).collect();
            codes.sort_unstable();
            codes.dedup();
            output.note(&format!(
                "{name}: {} made ({})",
                render::count(kinds.len(), "fix"),
                codes.join(", ")
            ));
        }
        self.file(&file, output)
    }

    /// Returns whether the output is for people, who see fewer findings.
    fn is_for_people(&self) -> bool {
        matches!(self.format, Format::Text | Format::Github)
    }

    /// Returns whether the severity of a finding, or `--deny`, makes the command fail.
    fn denies(&self, finding: &Finding) -> bool {
        finding.severity() == Severity::Error
            || self.args.deny.iter().any(|deny| match deny {
                Deny::Level(level) => finding.severity() >= *level,
                Deny::Kind(kind) => finding.kind() == *kind,
            })
    }

    fn finish(mut self, output: &mut Output) -> Result<Exit, Failure> {
        if self.args.statistics {
            let rows = std::mem::take(&mut self.statistics).rows();
            text::print(&rows, self.args.format.text_or_json(), &mut true, output)?;
        }
        match self.format {
            Format::Text if self.args.diff => {
                output.note(&match self.fixes {
                    0 => "nothing to fix".to_owned(),
                    fixes => format!("--fix makes {}", render::count(fixes, "change")),
                });
                self.is_denied |= self.fixes > 0;
            }
            Format::Text if self.args.quiet => {}
            Format::Text => self.print_summary(output)?,
            _ => {}
        }
        self.printer.finish("comity lint", output)?;
        Ok(match (self.unreadable, self.is_denied) {
            (0, false) => Exit::Success,
            (0, true) => Exit::Objection,
            _ => Exit::Error,
        })
    }

    fn print_summary(&self, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let files = render::count(self.files, "file");
        let found = findings::words(&self.counts, |severity, words| {
            let style = palette.severity(severity);
            format!("{style}{words}{style:#}")
        });
        let unreadable = match self.unreadable {
            0 => String::new(),
            number => format!("; {} with an error", render::count(number, "file")),
        };
        let found = if found.is_empty() { "no findings".to_owned() } else { render::list(&found) };
        writeln!(output, "{found} in {files}{unreadable}")?;
        let faint = palette.faint;
        let fixable = match self.fixable {
            (0, 0) => None,
            (safe, 0) => Some(format!("--fix resolves {safe} of them")),
            (0, changing) => {
                Some(format!("--fix --unsafe-fixes resolves {changing} of them, and changes decisions"))
            }
            (safe, changing) => Some(format!(
                "--fix resolves {safe} of them; --unsafe-fixes resolves {changing} more, and changes decisions"
            )),
        };
        if let Some(words) = fixable {
            writeln!(output, "{faint}{}{faint:#}", render::wrap(&words, output.width, 2))?;
        }
        let hidden = self.hidden.words();
        if !hidden.is_empty() {
            let words = format!("--notes shows hidden notes: {}", hidden.join(", "));
            let words = render::wrap(&words, output.width, 2);
            writeln!(output, "{faint}{words}{faint:#}")?;
        }
        Ok(())
    }
}
