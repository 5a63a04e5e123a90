//! What every audit leaves behind: rows in a file, a manifest beside it, a report, totals for people.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use comity_audit::{Manifest, report};
use comity_formats::TableFormat;

use super::failures::failed_job;
use super::text;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use crate::write_file::Pending;

/// How the name of a manifest goes on behind that of the output.
const MANIFEST: &str = ".manifest.json";

/// Where the result of an audit goes.
pub(super) struct Destination<'a> {
    pub(super) output: Option<&'a Path>,
    pub(super) report: Option<&'a Path>,
    pub(super) is_json: bool,
    pub(super) is_quiet: bool,
    /// Whether all of the summary is printed.
    pub(super) is_whole: bool,
}

impl Destination<'_> {
    /// Refuses to write two things to one file.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if let Some((output, report)) = self.output.zip(self.report)
            && (place(output) == place(report) || place(&beside(output, MANIFEST)) == place(report))
        {
            return Err(Failure::new("--output and --report name one file").hint("name two"));
        }
        Ok(())
    }

    /// Writes manifest and report, and prints what came out.
    pub(super) fn write(&self, manifest: &Manifest, output: &mut Output) -> Result<(), Failure> {
        if let Some(path) = self.output {
            let json = serde_json::to_string_pretty(manifest)?;
            Pending::write(&beside(path, MANIFEST), format!("{json}\n").as_bytes())?;
        }
        if let Some(path) = self.report {
            let page = report(manifest).map_err(failed_job)?;
            Pending::write(path, page.as_bytes())?;
        }
        if self.is_json {
            output.json_line(manifest)?;
        } else if !self.is_quiet {
            text::print(manifest, self.is_whole, output)?;
        }
        Ok(())
    }
}

/// The program and its version, for a manifest.
pub(super) fn program() -> String {
    concat!("comity ", env!("COMITY_VERSION")).to_owned()
}

/// The arguments of the program, for a manifest.
pub(super) fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// The time, as RFC 3339 writes it.
pub(super) fn now() -> String {
    comity::rfc3339::seconds(SystemTime::now()).unwrap_or_default()
}

/// The format of rows that the name of a file says.
pub(super) fn table_format(path: &Path) -> Result<TableFormat, Failure> {
    let name = path.to_string_lossy();
    TableFormat::of_name(&name).ok_or_else(|| {
        let known = render::list(&TableFormat::ENDINGS);
        Failure::new(format!("`{}` does not say in which format to write", render::text(name.as_bytes())))
            .hint(format!("let the name end in {known}"))
    })
}

/// The folder of a file that may not be there yet, without links, and its name in it.
fn place(path: &Path) -> (PathBuf, Option<&std::ffi::OsStr>) {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    (folder.canonicalize().unwrap_or_else(|_| folder.to_owned()), path.file_name())
}

/// A path whose name goes on so.
pub(super) fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
