//! Runs a job: prints its warnings, shows its progress on a terminal, and cancels it at SIGINT or SIGTERM.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use comity::policy::Preset;
use comity_audit::{AuditError, CancellationToken, Event, JobContext, Stage};
use comity_client::settings::Settings;
use toml::Value;

use super::failures::failure;
use crate::args::{FilesArgs, RobotsRequestArgs};
use crate::decisions::Notices;
use crate::exit::{Failure, reason};
use crate::output::{Output, Progress};
use crate::render;
use crate::settings::Override;
use crate::signals;
use crate::sites::Network;

/// Maximum number of bytes read from standard input. They are stored in a file, because some formats need random
/// access.
const MAX_STDIN: u64 = 64 << 30;

/// Copies standard input to a file if one of the paths is `-`, and returns the file.
pub(super) fn standard_input<'p>(
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<Option<File>, Failure> {
    if !paths.into_iter().any(|path| path == Path::new("-")) {
        return Ok(None);
    }
    let keep = || -> io::Result<(File, u64)> {
        let mut file = tempfile::tempfile()?;
        let bytes = io::copy(&mut io::stdin().lock().take(MAX_STDIN + 1), &mut file)?;
        file.rewind()?;
        Ok((file, bytes))
    };
    match keep() {
        Ok((_, bytes)) if bytes > MAX_STDIN => {
            Err(Failure::new(format!("standard input is larger than {}", render::bytes(MAX_STDIN)))
                .hint("write it to a file and name the file"))
        }
        Ok((file, _)) => Ok(Some(file)),
        Err(error) => {
            Err(Failure::new(format!("cannot save standard input to a temporary file: {}", reason(&error))))
        }
    }
}

/// Runs a job to completion. With settings in `live`, the job may send requests to sites.
pub(super) fn run<T>(
    files: &FilesArgs,
    live: Option<Vec<Override>>,
    stdin: Option<File>,
    output: &mut Output,
    job: impl FnOnce(&mut JobContext<'_>) -> Result<T, AuditError>,
) -> Result<T, Failure> {
    let network = match live {
        Some(overrides) => {
            let network = Network::of(files, overrides, output)?;
            network.warn_if_anonymous(output);
            Some(network)
        }
        None => None,
    };
    let cancel = CancellationToken::new();
    let _watching = signals::cancel_on_signal(&cancel)?;
    let mut reporter = Reporter { output, notices: Notices::new(files), progress: None };
    let done = {
        let mut context = JobContext::new(&cancel, |event| reporter.report(event));
        if let Some(stdin) = stdin {
            context = context.standard_input(stdin);
        }
        if let Some(network) = &network {
            context = context.client(network.client()?, network.handle());
        }
        job(&mut context)
    };
    drop(reporter);
    if let Some(network) = network {
        network.finish();
    }
    done.map_err(failure)
}

/// A printer of the events of a job.
struct Reporter<'a> {
    output: &'a mut Output,
    notices: Notices<'a>,
    progress: Option<(Stage, Progress)>,
}

impl Reporter<'_> {
    fn report(&mut self, event: Event<'_>) {
        match event {
            Event::Warning(message, None) => self.above(|output| output.warning(message)),
            Event::Warning(message, Some(field)) => {
                let option = field.replace('_', "-");
                self.above(|output| output.warning(&format!("{message} (--{option})")));
            }
            Event::Note(message) => self.above(|output| output.note(message)),
            Event::Notice(notice) => {
                let wanted = self.notices.select(vec![notice.clone()]);
                wanted.iter().for_each(|notice| self.above(|output| output.warning(&notice.message)));
            }
            Event::Progress(progress) => self.advance(progress),
            _ => {}
        }
    }

    /// Hides the progress, prints something, and shows the progress again.
    fn above(&mut self, print: impl FnOnce(&mut Output)) {
        let Reporter { output, progress, .. } = self;
        match progress {
            Some((_, progress)) => progress.hide_while(|| print(output)),
            None => print(output),
        }
    }

    fn advance(&mut self, now: comity_audit::Progress) {
        if self.progress.as_ref().is_none_or(|(stage, _)| *stage != now.stage) {
            // The old progress display is cleared before the new one is drawn.
            self.progress = None;
            let shown = self.output.job_progress(now.total, now.stage.as_str(), now.stage.is_in_bytes());
            self.progress = Some((now.stage, shown));
        }
        let Some((_, shown)) = &self.progress else { return };
        match now.stage.is_in_bytes() {
            true => shown.set(now.done, now.rows),
            false => shown.at(now.done),
        }
    }
}

/// Returns the settings of the arguments, and the mode and the preset of the job. These override settings files.
pub(super) fn overrides(asking: &RobotsRequestArgs, preset: Option<Preset>) -> Vec<Override> {
    let named = |path: &str| Settings::all().find(|setting| setting.path() == path);
    let text = |text: &str| Value::String(text.to_owned());
    let mode = named("robots.mode").map(|mode| (mode, text("respect")));
    let preset = preset.and_then(|preset| Some((named("robots.preset")?, text(preset.name()))));
    asking.overrides().into_iter().chain(mode).chain(preset).collect()
}
