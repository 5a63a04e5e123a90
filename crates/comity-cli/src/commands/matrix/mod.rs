//! `comity matrix`: the known crawlers that a robots.txt allows.
//!
//! `comity_answers` computes the matrix; `probe` requests pages of the site.

mod args;
#[cfg_attr(not(feature = "live"), allow(dead_code, reason = "only a build with the network requests pages"))]
mod probe;
mod require;

use comity::robots::Agent;
use comity_answers::matrix::{MAX_URLS, Matrix, Selection};
use comity_answers::notice::NoticeLog;
use comity_answers::url::{UrlKind, has_web_scheme, is_host, parse};

pub(crate) use self::args::MatrixArgs;
use self::require::Requirement;
use crate::args::Format;
use crate::decisions::urls::Next;
use crate::decisions::{Notices, Urls, guess, print_notices};
use crate::exit::{Exit, Failure};
use crate::files::RobotsFilesArgs;
use crate::location::Location;
use crate::output::Output;
use crate::robots_txt::without_page;
use crate::sites::reader::{Reader, RobotsReadError};
use crate::text::Printer;

/// Prints the matrix of each file.
pub(crate) fn run(args: &MatrixArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (mut urls, mut exit) = urls(args, output)?;
    let locations = match site(args, &urls)? {
        Some((site, is_whole_site)) => {
            if is_whole_site {
                urls.clear();
            }
            vec![site]
        }
        None => {
            let files = RobotsFilesArgs { given: args.robots.clone(), files_from: args.files_from.clone() };
            files.locations(Some("robots.txt"))?
        }
    };
    if args.format.get() == Format::Html && locations.len() > 1 {
        return Err(Failure::new(format!(
            "an HTML page shows one robots.txt, and {} are named",
            locations.len()
        ))
        .hint("name one, or use --format csv, which has the file in each row"));
    }
    if args.probe && args.format.get() == Format::Csv {
        return Err(Failure::new(
            "CSV has a row per crawler, and --probe adds answers that are not about a crawler",
        )
        .hint("use --json, or --format html"));
    }
    let mut reader = Reader::new(&args.network);
    let mut notices = Notices::new(&args.network.files);
    let agents: Vec<Agent> = args.agent.iter().map(Agent::unchecked_token).collect();
    let mut printer = Printer::new::<Matrix>(args.format.get(), output)?;
    for location in &locations {
        let pages = if args.probe { probe::pages(location, &urls)? } else { Vec::new() };
        let file = match reader.read(location, output) {
            Ok(file) => without_page(file, output),
            Err(RobotsReadError::Again) => continue,
            Err(unread) if locations.len() == 1 => return Err(unread.failure()),
            Err(unread) => {
                exit = Exit::Error;
                output.failure(&unread.failure());
                continue;
            }
        };
        let robots = args.reading.read(&file);
        notices.warn(&agents, Some(&robots), output);
        let crawlers = selection(args).crawlers(&robots);
        let mut matrix = Matrix::new(&file, &robots, crawlers, &urls).map_err(|(index, error)| {
            Failure::new(format!("URL {}: {}", index + 1, guess::of_url(&urls[index], &error)))
        })?;
        if args.probe {
            let (probe, met) = probe::request_pages(reader.session(output)?, &pages, output);
            matrix.probe = Some(probe);
            exit = exit.max(met);
        }
        printer.print(&matrix, &mut (), output)?;
        if require::report(&args.require, &matrix, output)? {
            exit = exit.max(Exit::Objection);
        }
    }
    reader.finish();
    let mut log = NoticeLog::default();
    urls.iter().for_each(|url| log.add_url(url));
    let file = args.robots.first().filter(|_| locations.len() == 1).map(|robots| robots.to_string_lossy());
    print_notices(log.into_notices(file.as_deref()), output);
    Ok(exit)
}

/// Returns the crawlers that the arguments select.
fn selection(args: &MatrixArgs) -> Selection {
    Selection {
        agents: args.agent.clone(),
        user_agents: args.user_agent.clone(),
        purposes: args.purpose.clone(),
        all: args.all,
        also: args.require.iter().filter_map(Requirement::crawler).map(str::to_owned).collect(),
    }
}

/// Returns the URLs to judge, unchanged, and the exit code, which is an error if a text is not a URL.
fn urls(args: &MatrixArgs, output: &mut Output) -> Result<(Vec<Vec<u8>>, Exit), Failure> {
    let named = args.urls();
    let mut exit = Exit::Success;
    if named.is_empty() {
        return Ok((Vec::new(), exit));
    }
    // A host alone names the site, as in every argument for a robots.txt.
    let is_site = |url: &[u8]| {
        named.lists.is_empty() && named.given.len() == 1 && str::from_utf8(url).is_ok_and(is_host)
    };
    let is_stdin = args.robots.iter().any(|robots| robots == "-");
    let mut urls = Urls::new(&named, is_stdin.then_some(&Location::Stdin))?;
    let mut found = Vec::new();
    while let Some(next) = urls.next()? {
        let problem = match next {
            Next::Warning(message) => {
                output.warning(&message);
                continue;
            }
            Next::Bad(_, message) => Some(message),
            Next::Url(url, place) => match UrlKind::of(url) {
                Err(problem) if !is_site(url) => Some(format!("{place}: {}", guess::of_url(url, &problem))),
                _ => {
                    found.push(url.to_vec());
                    None
                }
            },
        };
        if let Some(problem) = problem {
            output.error(&problem);
            exit = Exit::Error;
        }
        if found.len() > MAX_URLS {
            return Err(Failure::new(format!("more than {} URLs cannot be judged at once", MAX_URLS))
                .hint("`comity check --agent TOKEN --urls FILE` takes any number of URLs"));
        }
    }
    if found.is_empty() && exit == Exit::Error {
        return Err(Failure::new("there is no valid URL to judge"));
    }
    Ok((found, exit))
}

/// Returns the site whose robots.txt judges the URLs, and true if its rules are judged as a whole. Returns `None` if
/// the arguments name a robots.txt, or no site.
fn site(args: &MatrixArgs, urls: &[Vec<u8>]) -> Result<Option<(Location, bool)>, Failure> {
    if !args.robots.is_empty() || args.files_from.is_some() {
        return Ok(None);
    }
    let mut site: Option<(url::Url, url::Origin)> = None;
    for text in urls {
        let is_host = std::str::from_utf8(text).ok().filter(|text| is_host(text));
        if let (Some(host), 1) = (is_host, urls.len()) {
            // A host alone names the site, as in every argument for a robots.txt.
            return Ok(Some((Location::of(host), true)));
        }
        if !has_web_scheme(text) {
            continue;
        }
        let url = parse(text).map_err(|problem| Failure::new(problem.to_string()))?;
        let origin = url.origin();
        match &site {
            Some((_, first)) if origin != *first => {
                let (first, other) = (first.ascii_serialization(), origin.ascii_serialization());
                return Err(Failure::new(format!(
                    "{first} and {other} are two sites, each with its own robots.txt"
                ))
                .hint("name the URLs of one site, or a file with --robots"));
            }
            _ => site = Some((url, origin)),
        }
    }
    Ok(site.map(|(url, _)| {
        let is_whole = urls.len() == 1 && url.query().is_none() && matches!(url.path(), "/" | "/robots.txt");
        (Location::Site { url: url.into(), is_assumed: false }, is_whole)
    }))
}
