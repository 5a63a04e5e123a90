//! The robots.txt answers that a job decides by: those of its sources, and, with `--live`, what sites say today.

use std::fs;
use std::path::{Path, PathBuf};

use comity_audit::{
    AnswerTables, Checkpoint, ManifestInput, ManifestLive, RobotsAnswers, TdmrepAnswers, UnansweredSites,
};

use super::args::AuditRunArgs;
use super::failures::failed_job;
use super::inputs::JobFile;
use super::pass::collect_sites;
use super::result::beside;
use super::{live, robots};
use crate::exit::{Failure, reason};
use crate::output::Output;
use crate::write_file::Pending;

/// How the name of the file with the answers of sites goes on behind that of the output.
const LIVE: &str = ".live.parquet";

/// The same file, and what was asked, among the parts of a job that may be stopped.
const LIVE_PART: &str = "live.parquet";
const LIVE_DONE: &str = "live.json";

/// What a job decides by.
pub(super) struct Gathered {
    pub tables: AnswerTables,
    pub tdmrep: TdmrepAnswers,
    /// The sources.
    pub robots: Vec<ManifestInput>,
    pub live: Option<ManifestLive>,
}

/// Reads the sources, and asks sites if that is wanted.
pub(super) fn gather(
    args: &AuditRunArgs,
    files: &[JobFile],
    sources: &[JobFile],
    checkpoint: Option<&Checkpoint>,
    scratch: &Path,
    output: &mut Output,
) -> Result<Gathered, Failure> {
    let mut answers = match args.memory {
        // A half is for the answers of all sites, or for those of one part of them; what was read of them takes its own.
        Some(memory) => RobotsAnswers::within(memory / 4, scratch).map_err(failed_job)?,
        None => RobotsAnswers::new(),
    };
    let mut tdmrep = TdmrepAnswers::new();
    let mut sites = args.live.then(|| UnansweredSites::new(args.live_limit as usize));
    let mut robots = robots::read(sources, output, |batch, beside| {
        tdmrep.add(beside);
        if let Some(sites) = &mut sites {
            sites.add_answers(batch);
        }
        answers.add(batch).map_err(failed_job)
    })?;
    let live = match sites {
        Some(sites) => {
            let (read, live) = ask(args, files, sites, checkpoint, &mut answers, output)?;
            robots.push(read);
            Some(live)
        }
        None => None,
    };
    if answers.is_empty() && live.is_none() {
        return Err(Failure::new("the sources named by --robots hold no answer to a request for robots.txt"));
    }
    let tables = answers.into_tables().map_err(failed_job)?;
    Ok(Gathered { tables, tdmrep, robots, live })
}

/// Asks the sites of the inputs. A job that goes on takes what they said before it was stopped.
fn ask(
    args: &AuditRunArgs,
    files: &[JobFile],
    mut sites: UnansweredSites,
    checkpoint: Option<&Checkpoint>,
    answers: &mut RobotsAnswers,
    output: &mut Output,
) -> Result<(ManifestInput, ManifestLive), Failure> {
    let folder = checkpoint.map(Checkpoint::folder);
    if let Some(folder) = folder
        && let Some(done) = done_before(folder)?
    {
        let file = JobFile::of_path(&folder.join(LIVE_PART), None)?;
        robots::read(&[file], output, |batch, _| answers.add(batch).map_err(failed_job))?;
        return Ok(done);
    }
    collect_sites(args, files, &mut sites, output)?;
    let is_limited = sites.is_full();
    if is_limited {
        output.warning(&format!(
            "the pages are of more than {} sites without an answer; the others are not asked and stay unknown; \
             --live-limit says how many to ask",
            args.live_limit
        ));
    }
    let file = match folder {
        Some(folder) => Some(folder.join(LIVE_PART)),
        None => args.output.as_deref().map(live_file),
    };
    let take = |batch: &_| answers.add(batch).map_err(failed_job);
    let (read, mut live) = live::ask(args, sites.into_origins(), file.as_deref(), output, take)?;
    (live.limit, live.is_limited) = (args.live_limit.into(), is_limited);
    if let Some(folder) = folder {
        live.answers = args.output.as_deref().map(|path| shown(&live_file(path)));
        Pending::write(&folder.join(LIVE_DONE), &serde_json::to_vec(&(&read, &live))?)?;
    }
    Ok((read, live))
}

/// Returns what was asked before a job was stopped.
fn done_before(folder: &Path) -> Result<Option<(ManifestInput, ManifestLive)>, Failure> {
    match fs::read(folder.join(LIVE_DONE)) {
        Ok(json) => Ok(Some(serde_json::from_slice(&json)?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_keep(&error)),
    }
}

/// Puts the answers of sites beside the output, before the parts of the job are removed.
pub(super) fn keep_live(folder: &Path, output: &Path) -> Result<(), Failure> {
    match fs::rename(folder.join(LIVE_PART), live_file(output)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(cannot_keep(&error)),
        _ => Ok(()),
    }
}

/// Returns the path of the file with the answers of sites.
pub(super) fn live_file(output: &Path) -> PathBuf {
    beside(output, LIVE)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn cannot_keep(error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot keep what sites said: {}", reason(error)))
}
