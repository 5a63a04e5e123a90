//! `comity audit`: audits crawls and tables by the robots.txt answers of their time, and checks one live site for
//! contradictions.
//!
//! `comity-audit` runs the jobs. This command builds their requests, shows their progress and prints their summaries.

mod args;
mod failures;
mod findings;
mod job;
mod text;
mod whom;

use std::io::Write;

use comity_answers::schema::RowSchema;
use comity_audit::{AuditOutcome, IndexSummary, Manifest, Verification, VerifyRequest};

pub(crate) use self::args::AuditArgs;
use self::args::{AuditCommand, AuditReportArgs, AuditVerifyArgs, PrintArgs};
use self::failures::failure;
use crate::args::FilesArgs;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::render;
use comity_answers::files::Pending;

/// Runs the subcommand.
pub(crate) fn run(args: &AuditArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        AuditCommand::Index(args) => {
            let request = args.request()?;
            let stdin = job::standard_input(&request.sources)?;
            let files = FilesArgs::default();
            let made =
                job::run(&files, None, stdin, output, |context| comity_audit::index(&request, context))?;
            print_index(&made, args.quiet, args.format.is_json(), output)
        }
        AuditCommand::Run(args) => {
            let request = args.request()?;
            let stdin = job::standard_input(request.inputs.iter().chain(&request.robots))?;
            let live = request.live.then(|| job::overrides(&args.asking, request.preset));
            let outcome = job::run(&args.asking.files, live, stdin, output, |context| {
                comity_audit::run(&request, context)
            })?;
            args.printed.print(&outcome.manifest, output)?;
            Ok(exit(&outcome, true, output))
        }
        AuditCommand::Site(args) => {
            if let Err(trouble) = crate::sites::parse_location(&args.url) {
                return Ok(trouble.report(output));
            }
            let request = args.request();
            let live = Some(job::overrides(&args.asking, args.preset));
            let outcome = job::run(&args.asking.files, live, None, output, |context| {
                comity_audit::site(&request, context)
            })?;
            args.printed.print(&outcome.manifest, output)?;
            Ok(exit(&outcome, !args.fail_if.is_empty(), output))
        }
        AuditCommand::Report(args) => report(args, output),
        AuditCommand::Verify(args) => verify(args, output),
    }
}

/// Writes the report of a manifest if `--output` names a file, and prints its summary.
fn report(args: &AuditReportArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = Source::new(&args.manifest);
    let bytes = source.read()?;
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::new(format!("`{}` is not the manifest of an audit: {error}", source.name()))
            .hint("`comity audit run` writes the manifest next to its output: OUTPUT.manifest.json")
    })?;
    if let Some(path) = &args.output {
        Pending::write(path, comity_audit::report(&manifest).map_err(failure)?.as_bytes())?;
    }
    args.printed.print(&manifest, output)?;
    Ok(Exit::Success)
}

/// Checks a table against its manifest, and prints the comparisons.
fn verify(args: &AuditVerifyArgs, output: &mut Output) -> Result<Exit, Failure> {
    let AuditVerifyArgs { manifest, table, inputs, .. } = args;
    let request = VerifyRequest { manifest: manifest.clone(), table: table.clone(), inputs: *inputs };
    let files = FilesArgs::default();
    let found = job::run(&files, None, None, output, |context| comity_audit::verify(&request, context))?;
    if args.format.is_json() {
        output.json_line(&found)?;
    } else if !args.quiet {
        for check in &found.checks {
            let item = render::text(check.item.as_bytes());
            writeln!(
                output,
                "{:<8} {item}: {}",
                check.outcome.as_str(),
                render::text(check.message.as_bytes())
            )?;
        }
        let verdict = if found.is_verified { "verified" } else { "not verified" };
        writeln!(output, "{verdict}: {}", render::text(found.manifest.as_bytes()))?;
    }
    Ok(if found.is_verified { Exit::Success } else { Exit::Objection })
}

impl PrintArgs {
    /// Prints the result of an audit.
    fn print(&self, manifest: &Manifest, output: &mut Output) -> Result<(), Failure> {
        if self.format.is_json() {
            output.json_line(manifest)?;
        } else if !self.quiet {
            text::print(manifest, self.summary, output)?;
        }
        Ok(())
    }
}

fn print_index(
    made: &IndexSummary,
    is_quiet: bool,
    is_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if is_json {
        output.json_line(made)?;
    } else if !is_quiet {
        writeln!(output, "{}", text::answers(&made.answers))?;
        let (rows, bytes) = (render::count_of(made.rows, "row"), render::bytes(made.bytes));
        writeln!(output, "{}: {rows}, {bytes}", made.output)?;
    }
    Ok(Exit::Success)
}

/// Returns status 1 if a condition holds. `are_named` is true if the user gave the conditions.
fn exit(outcome: &AuditOutcome, are_named: bool, output: &mut Output) -> Exit {
    for objection in outcome.objections.iter().filter(|_| are_named) {
        let of = render::text(objection.of.as_bytes());
        output.note(&format!("--fail-if {} holds for {of}", objection.condition));
    }
    if outcome.objections.is_empty() { Exit::Success } else { Exit::Objection }
}

pub(crate) const SCHEMA: RowSchema = RowSchema::unconditional::<Manifest>(
    "audit",
    "the manifest that `comity audit run` and `comity audit site` write next to their output, and print with --json",
);

pub(crate) const VERIFY_SCHEMA: RowSchema =
    RowSchema::new::<Verification>("audit-verify", "the output of `comity audit verify`");

pub(crate) const INDEX_SCHEMA: RowSchema =
    RowSchema::new::<IndexSummary>("audit-index", "the output of `comity audit index`");
