//! `comity new`: a robots.txt from the given options.

mod args;

use std::io::Write;

use comity::agents::Purpose;
use comity::finding::Severity;
use comity_answers::new::{NewRequest, NewRow};

pub(crate) use self::args::NewArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use comity_answers::files::{self, FileError};

/// Generates the robots.txt, and writes or prints it.
pub(crate) fn run(args: &NewArgs, output: &mut Output) -> Result<Exit, Failure> {
    let written = request(args).write().map_err(|error| Failure::new(error.to_string()))?;
    warn(&written, output);
    let text = written.robots.as_bytes();
    match &args.output {
        None => output.write_all(text)?,
        Some(path) => {
            files::new(path, text).map_err(|error| match error {
                FileError::Exists(_) => Failure::from(error).hint(
                    "name another file, or leave --output out and compare: `comity new ... | comity diff FILE -`",
                ),
                error => error.into(),
            })?;
            let path = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
            output.note(&format!(
                "wrote {path}; `comity matrix --robots {path}` shows the crawlers that it allows"
            ));
        }
    }
    Ok(Exit::Success)
}

/// The purposes of `--block-ai`.
const AI: [Purpose; 4] = [Purpose::Training, Purpose::AiSearch, Purpose::UserTriggered, Purpose::ControlOnly];

fn request(args: &NewArgs) -> NewRequest {
    let mut block_purposes = args.block_purpose.clone();
    if args.block_ai {
        let is_new = |purpose: &Purpose| {
            !args.allow_purpose.contains(purpose) && !args.block_purpose.contains(purpose)
        };
        block_purposes.extend(AI.into_iter().filter(is_new));
    }
    NewRequest {
        block_purposes,
        allow_purposes: args.allow_purpose.clone(),
        block: args.block.clone(),
        allow: args.allow.clone(),
        block_everyone: args.block_everyone,
        disallow: args.disallow.clone(),
        sitemaps: args.sitemap.clone(),
        content_signal: args.content_signal.clone(),
        content_usage: args.content_usage.clone(),
    }
}

/// Prints the notes and the warnings about the generated file.
fn warn(written: &NewRow, output: &mut Output) {
    for note in &written.notes {
        output.note(note);
    }
    for finding in written.findings.iter().filter(|finding| finding.severity() != Severity::Note) {
        let line = finding.place().line.unwrap_or(1);
        output.warning(&format!("line {line}: {} [{}]", finding.message(), finding.code()));
    }
}
