//! `comity lint`: findings about files, for people and for programs.
//!
//! The library finds; `text` and `machine` show, and `quiet` says how much. This file decides what fails.

mod args;
mod machine;
mod quiet;
mod text;

use std::io::Write;

use comity::finding::{Finding, Kind, Reader, Severity};
use comity::robots::lint::lint;

pub(crate) use self::args::LintArgs;
use self::args::{Deny, LintFormat};
use self::machine::Sarif;
use self::quiet::{Folds, Hidden};
use crate::exit::{Exit, Failure};
use crate::findings::{Counts, FindingOf};
use crate::input::Source;
use crate::output::Output;
use crate::render;
use crate::sites::{self, Session};

/// Lints every file, in the order given.
pub(crate) fn run(args: &LintArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(kind) = args.explain {
        return explain(kind, output);
    }
    if args.list {
        return list(args.json, output);
    }
    let session = Session::for_any(&args.files, &args.network, output)?;
    let mut report = Report::new(args);
    let mut progress = output.progress(Some(args.files.len() as u64), "files");
    let mut stdin_is_read = false;
    for path in &args.files {
        if let Some(session) = session.as_ref().filter(|_| sites::is_url(path)) {
            match session.robots_file(path.as_os_str()) {
                Ok(file) => report.file(&file.name, &file.body, output)?,
                Err(trouble) => {
                    report.unreadable += 1;
                    trouble.report(output);
                }
            }
            progress.step();
            continue;
        }
        let source = Source::new(path);
        if source == Source::Stdin && std::mem::replace(&mut stdin_is_read, true) {
            continue;
        }
        match source.read() {
            Ok(body) => report.file(&source.name(), &body, output)?,
            Err(failure) => {
                report.unreadable += 1;
                output.failure(&failure);
            }
        }
        progress.step();
    }
    drop(progress);
    session.into_iter().for_each(Session::finish);
    report.finish(output)
}

/// The findings so far.
struct Report<'a> {
    args: &'a LintArgs,
    format: LintFormat,
    sarif: Sarif,
    files: usize,
    unreadable: usize,
    counts: Counts,
    hidden: Hidden,
    is_denied: bool,
}

impl<'a> Report<'a> {
    fn new(args: &'a LintArgs) -> Self {
        let format = if args.json { LintFormat::Json } else { args.format };
        Report {
            args,
            format,
            sarif: Sarif::default(),
            files: 0,
            unreadable: 0,
            counts: Counts::default(),
            hidden: Hidden::default(),
            is_denied: false,
        }
    }

    fn file(&mut self, name: &str, body: &[u8], output: &mut Output) -> Result<(), Failure> {
        self.files += 1;
        let mut folds = Folds::default();
        for finding in lint(body) {
            if self.args.allow.contains(&finding.kind()) {
                continue;
            }
            let is_denied = self.denies(&finding);
            self.is_denied |= is_denied;
            self.counts.add(&finding);
            if self.is_for_people() {
                let shows_notes = self.args.notes || self.args.all || is_denied;
                if finding.severity() == Severity::Note && !shows_notes {
                    self.hidden.add(&finding);
                    continue;
                }
                if !self.args.all && folds.takes(&finding) {
                    continue;
                }
            }
            match self.format {
                LintFormat::Text => text::print(name, body, &finding, output)?,
                LintFormat::Json => output.json_line(&FindingOf { file: name, finding: &finding })?,
                LintFormat::Github => machine::github(name, body, &finding, output)?,
                LintFormat::Sarif => self.sarif.add(name, body, &finding),
            }
        }
        for folded in folds.left_out() {
            match self.format {
                LintFormat::Github => machine::github_folded(name, &folded, output)?,
                _ => text::print_folded(name, &folded, output)?,
            }
        }
        Ok(())
    }

    /// Returns whether the output is for people, who are shown less.
    fn is_for_people(&self) -> bool {
        matches!(self.format, LintFormat::Text | LintFormat::Github)
    }

    /// Returns whether a finding makes the command fail. Errors always do.
    fn denies(&self, finding: &Finding) -> bool {
        finding.severity() == Severity::Error
            || self.args.deny.iter().any(|deny| match deny {
                Deny::Level(level) => finding.severity() >= *level,
                Deny::Kind(kind) => finding.kind() == *kind,
            })
    }

    fn finish(self, output: &mut Output) -> Result<Exit, Failure> {
        match self.format {
            LintFormat::Text => self.print_summary(output)?,
            LintFormat::Sarif => output.json_pretty(&self.sarif.document())?,
            LintFormat::Json | LintFormat::Github => {}
        }
        Ok(match (self.unreadable, self.is_denied) {
            (0, false) => Exit::Success,
            (0, true) => Exit::Objection,
            _ => Exit::Trouble,
        })
    }

    fn print_summary(&self, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let files = render::count(self.files, "file");
        let found = self.counts.words(|severity, words| {
            let style = palette.severity(severity);
            format!("{style}{words}{style:#}")
        });
        let unreadable = match self.unreadable {
            0 => String::new(),
            number => format!("; {} could not be read", render::count(number, "file")),
        };
        let found = if found.is_empty() { "no findings".to_owned() } else { render::list(&found) };
        writeln!(output, "{found} in {files}{unreadable}")?;
        let hidden = self.hidden.words();
        if !hidden.is_empty() {
            let faint = palette.faint;
            let words = format!("notes are shown by --notes: {}", hidden.join(", "));
            writeln!(output, "{faint}{words}{faint:#}")?;
        }
        Ok(())
    }
}

/// Prints the documentation of a kind of findings.
fn explain(kind: &Kind, output: &mut Output) -> Result<Exit, Failure> {
    let (strong, faint, width) = (output.palette.strong, output.palette.faint, output.width);
    let mut is_example = false;
    for line in kind.documentation().lines() {
        if line.starts_with("```") {
            is_example = !is_example;
        } else if is_example {
            writeln!(output, "    {line}")?;
        } else if let Some(heading) = line.strip_prefix("## ") {
            writeln!(output, "{strong}{heading}{strong:#}")?;
        } else {
            writeln!(output, "{}", render::wrap(line, width, 0))?;
        }
    }
    writeln!(output, "{faint}See {}.{faint:#}", kind.page())?;
    Ok(Exit::Success)
}

/// Prints every lint with its summary.
fn list(as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    if as_json {
        output.json_pretty(&machine::catalogue())?;
        return Ok(Exit::Success);
    }
    let kinds = Reader::RobotsTxt.kinds();
    let columns = kinds.iter().map(|kind| kind.code().len()).max().unwrap_or(0);
    let (strong, width) = (output.palette.strong, output.width);
    for kind in kinds {
        let style = output.palette.severity(kind.severity());
        let summary = render::wrap(kind.summary(), width, columns + 11);
        let (code, severity) = (kind.code(), kind.severity());
        writeln!(output, "{strong}{code:<columns$}{strong:#}  {style}{severity:<7}{style:#}  {summary}")?;
    }
    Ok(Exit::Success)
}
