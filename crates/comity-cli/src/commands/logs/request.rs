//! Builds the request of the job, and adds hints to the errors of the job.

use std::io::Read;
use std::path::PathBuf;

use comity::agents::Ranges;
use comity_logs::{GitError, LogSource, LogsError, LogsRequest, RobotsSource};

use super::LogsArgs;
use crate::exit::{Failure, reason};
use crate::location::Location;
use crate::output::Output;
use crate::render;
use crate::robots_txt::without_page;
use crate::sites::reader::Reader;

/// Maximum size of a configuration with log formats, in bytes.
const MAX_CONFIGURATION: u64 = 1 << 20;

/// Hint for a repository that lacks objects, such as a partial clone.
pub(super) const REPAIR: &str =
    "fetch the missing objects (`git fetch --refetch`), or check the repository with `git fsck`";

/// Returns the request without look-ups of names and keys.
pub(super) fn new(args: &LogsArgs, ranges: Ranges, output: &mut Output) -> Result<LogsRequest, Failure> {
    let source = |path: &PathBuf| match path.as_os_str() == "-" {
        true => LogSource::Stream { name: "stdin".to_owned(), bytes: Box::new(std::io::stdin()) },
        false => LogSource::Path(path.clone()),
    };
    let mut request = LogsRequest::new(args.logs.iter().map(source).collect(), robots(args, output)?);
    request.dialect = args.reading.dialect.unwrap_or_default();
    request.ranges = ranges;
    request.trusted_proxies.clone_from(&args.trusted_proxy);
    request.client_field = args.client_field;
    request.format.template = args.log_format.as_deref().map(log_format).transpose()?;
    request.format.keys.clone_from(&args.map);
    request.host.clone_from(&args.host);
    request.has_whole_addresses = args.show_addresses;
    request.follows = args.follow;
    Ok(request)
}

/// Returns a log format, or the directives in the file that `@FILE` names.
fn log_format(text: &str) -> Result<String, Failure> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let mut bytes = Vec::new();
    let file =
        std::fs::File::open(path).and_then(|file| file.take(MAX_CONFIGURATION + 1).read_to_end(&mut bytes));
    match file {
        Err(error) => {
            Err(Failure::new(format!("cannot read `{}`: {}", render::text(path.as_bytes()), reason(&error))))
        }
        Ok(_) if bytes.len() as u64 > MAX_CONFIGURATION => {
            Err(Failure::new(format!("`{}` is longer than 1 MiB", render::text(path.as_bytes()))))
        }
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Returns the robots.txt, or the source of its versions.
fn robots(args: &LogsArgs, output: &mut Output) -> Result<RobotsSource, Failure> {
    if let Some(path) = args.robots.to_str().and_then(|text| text.strip_prefix("git:")) {
        let deployed_after = args.deployed_after.unwrap_or_default();
        return Ok(RobotsSource::Repository { path: path.into(), deployed_after });
    }
    if args.deployed_after.is_some() {
        return Err(Failure::new(
            "--deployed-after needs the commits of a repository, and --robots is not git:PATH",
        )
        .hint("name a file of the repository: --robots git:public/robots.txt"));
    }
    let location = Location::of(&args.robots);
    let file = match &location {
        Location::File(path) if path.is_dir() => return Ok(RobotsSource::Folder(path.clone())),
        Location::File(path) => Some(path.clone()),
        _ => None,
    };
    let mut reader = Reader::new(&args.network);
    let robots = reader.read(&location, output).map_err(|unread| unread.failure())?;
    let robots = without_page(robots, output);
    reader.finish();
    Ok(RobotsSource::Text { name: robots.name, body: robots.body, charset: robots.charset, file })
}

/// Converts an error of the job to a failure with a hint.
pub(super) fn failure(error: LogsError) -> Failure {
    let hint = match &error {
        LogsError::Format { .. } => {
            "copy nginx's log_format or Apache's LogFormat from the configuration, in single quotes, or give @FILE"
        }
        LogsError::NothingGrows => {
            return Failure::new("--follow waits for logs that grow, and these are compressed")
                .hint("omit --follow, or also name the log that is being written");
        }
        LogsError::NoTime(_) => {
            "name each version by the time from which it was served: robots-2026-11-01.txt, 20261101T060000Z.txt"
        }
        LogsError::Git(GitError::NotCommitted(_)) => "name a file of the repository: git:public/robots.txt",
        LogsError::Git(GitError::Damaged(_)) => REPAIR,
        LogsError::Git(GitError::Start(_)) => "git:PATH needs the program git; a folder of versions does not",
        _ => return Failure::new(error.to_string()),
    };
    Failure::new(error.to_string()).hint(hint)
}
