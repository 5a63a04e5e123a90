//! `comity audit report`: the page and the numbers of an audit that was run before.

use comity_audit::{Manifest, report};

use super::args::AuditReportArgs;
use super::text;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::write_file::Pending;

/// Shows what a manifest says.
pub(super) fn run(args: &AuditReportArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = Source::new(&args.manifest);
    let bytes = source.read()?;
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::new(format!("`{}` is not the manifest of an audit: {error}", source.name()))
            .hint("it stands beside the output of `comity audit run`: OUTPUT.manifest.json")
    })?;
    if let Some(path) = &args.output {
        let page = report(&manifest).map_err(|error| Failure::new(error.to_string()))?;
        Pending::write(path, page.as_bytes())?;
    }
    if args.format.is_json() {
        output.json_line(&manifest)?;
    } else if !args.quiet {
        text::print(&manifest, args.summary, output)?;
    }
    Ok(Exit::Success)
}
