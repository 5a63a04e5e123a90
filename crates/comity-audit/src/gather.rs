//! Collects the robots.txt answers of a job from its sources and, with `--live`, from sites.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use comity_answers::files::Pending;

use crate::answers::{AnswerTables, RobotsAnswers};
use crate::captures;
use crate::checkpoint::Checkpoint;
use crate::context::JobContext;
use crate::error::AuditError;
use crate::input_file::InputFile;
use crate::manifest::{ManifestInput, ManifestLive};
use crate::pass::{beside, collect_sites};
use crate::request::AuditRequest;
use crate::signals::TdmrepAnswers;
use crate::sites::UnansweredSites;

/// Suffix of the file with answers of sites, after the name of the output.
const LIVE: &str = ".live.parquet";

/// Name of the file with answers of sites in a checkpoint.
const LIVE_PART: &str = "live.parquet";

/// Name of the description of that file.
const LIVE_DONE: &str = "live.json";

/// The inputs of the decisions.
pub(crate) struct DecisionInputs {
    pub tables: AnswerTables,
    pub tdmrep: TdmrepAnswers,
    /// The sources.
    pub robots: Vec<ManifestInput>,
    pub live: Option<ManifestLive>,
}

/// Reads the sources, and requests robots.txt from sites with `--live`.
pub(crate) fn gather(
    request: &AuditRequest,
    files: &[InputFile],
    sources: &[InputFile],
    checkpoint: Option<&Checkpoint>,
    scratch: &Path,
    context: &mut JobContext<'_>,
) -> Result<DecisionInputs, AuditError> {
    let mut answers = match request.memory {
        // Half of the memory is for answers: a quarter for the collection, and a quarter for the tables.
        Some(memory) => RobotsAnswers::within(memory / 4, scratch)?,
        None => RobotsAnswers::new(),
    };
    let mut tdmrep = TdmrepAnswers::new();
    let mut sites = request.live.then(|| UnansweredSites::new(request.live_limit() as usize));
    let mut robots = captures::read(sources, context, &mut |batch, beside| {
        tdmrep.add(beside);
        if let Some(sites) = &mut sites {
            sites.add_answers(batch);
        }
        answers.add(batch)
    })?;
    let live = match sites {
        Some(sites) => {
            let (read, live) = gather_live(request, files, sites, checkpoint, &mut answers, context)?;
            robots.push(read);
            Some(live)
        }
        None => None,
    };
    if answers.is_empty() && live.is_none() {
        return Err(AuditError::NoAnswers);
    }
    let tables = answers.into_tables()?;
    Ok(DecisionInputs { tables, tdmrep, robots, live })
}

/// Requests robots.txt from the sites of the inputs. A resumed job reuses the stored answers.
fn gather_live(
    request: &AuditRequest,
    files: &[InputFile],
    mut sites: UnansweredSites,
    checkpoint: Option<&Checkpoint>,
    answers: &mut RobotsAnswers,
    context: &mut JobContext<'_>,
) -> Result<(ManifestInput, ManifestLive), AuditError> {
    let folder = checkpoint.map(Checkpoint::folder);
    if let Some(folder) = folder
        && let Some(done) = done_before(folder)?
    {
        let file = InputFile::of_path(&folder.join(LIVE_PART), None)?;
        captures::read(&[file], context, &mut |batch, _| answers.add(batch))?;
        return Ok(done);
    }
    collect_sites(request, files, &mut sites, context)?;
    let is_limited = sites.is_full();
    if is_limited {
        let most = request.live_limit();
        let message = format!(
            "the pages belong to more than {most} sites without an answer; the other sites are not requested and stay unknown"
        );
        context.warning_about(&message, "live_limit");
    }
    let file = match folder {
        Some(folder) => Some(folder.join(LIVE_PART)),
        None => request.output.as_deref().map(live_file),
    };
    let take = |batch: &_| answers.add(batch);
    let (read, mut live) = crate::live::fetch_answers(sites.into_origins(), file.as_deref(), context, take)?;
    (live.limit, live.is_limited) = (request.live_limit().into(), is_limited);
    if let Some(folder) = folder {
        live.answers = request.output.as_deref().map(|path| shown(&live_file(path)));
        Pending::write(
            &folder.join(LIVE_DONE),
            &serde_json::to_vec(&(&read, &live)).map_err(io::Error::from).map_err(AuditError::Scratch)?,
        )?;
    }
    Ok((read, live))
}

/// Returns the answers that were stored before the job was stopped.
fn done_before(folder: &Path) -> Result<Option<(ManifestInput, ManifestLive)>, AuditError> {
    match fs::read(folder.join(LIVE_DONE)) {
        Ok(json) => {
            serde_json::from_slice(&json).map(Some).map_err(|error| AuditError::Scratch(error.into()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AuditError::Scratch(error)),
    }
}

/// Moves the answers of sites next to the output, before the checkpoint is removed.
pub(crate) fn keep_live(folder: &Path, output: &Path) -> Result<(), AuditError> {
    match fs::rename(folder.join(LIVE_PART), live_file(output)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(AuditError::Scratch(error)),
        _ => Ok(()),
    }
}

/// Returns the path of the file with the answers of sites.
pub(crate) fn live_file(output: &Path) -> PathBuf {
    beside(output, LIVE)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
