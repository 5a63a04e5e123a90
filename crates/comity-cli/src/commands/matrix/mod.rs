//! `comity matrix`: which known crawlers a robots.txt lets in.
//!
//! `data` makes the matrix, once, as data: `--json` prints it as it is; `text`, `html` and `csv` are views of it.

mod args;
mod csv;
mod data;
mod html;
mod rows;
mod text;
mod words;

use std::ffi::OsString;
use std::path::Path;

pub(crate) use self::args::MatrixArgs;
use self::data::Matrix;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::sites::robots::SiteFile;
use crate::sites::trouble::Trouble;
use crate::sites::{self, Session};

/// Makes the matrix of one file.
pub(crate) fn run(args: &MatrixArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut urls = data::urls(&args.urls)?;
    let (name, body, charset) = if args.robots.is_none() && args.urls.iter().any(sites::is_url) {
        if names_the_site(&args.urls) {
            urls.clear();
        }
        match served(args, output)? {
            Ok(file) => (file.name, file.body, file.charset),
            Err(trouble) => return Ok(trouble.report(output)),
        }
    } else {
        let source = Source::new(args.robots.as_deref().unwrap_or(Path::new("robots.txt")));
        (source.name(), source.read()?, None)
    };
    let robots = args.reading.read(&body, charset.as_deref());
    let asked = rows::asked(args, &robots);
    let matrix = Matrix::new(name, &robots, asked, urls)?;
    if args.json {
        output.json_pretty(&matrix)?;
    } else if args.csv {
        csv::print(&matrix, output)?;
    } else if args.html {
        html::print(&matrix, output)?;
    } else {
        text::print(&matrix, output)?;
    }
    Ok(Exit::Success)
}

/// The robots.txt of the one site that the URLs are on. One that allows everything by being absent is as good as empty.
fn served(args: &MatrixArgs, output: &mut Output) -> Result<Result<SiteFile, Trouble>, Failure> {
    let mut site = None;
    for url in args.urls.iter().filter(|url| sites::is_url(url)) {
        match (sites::located(url), &site) {
            (Err(trouble), _) => return Ok(Err(trouble)),
            (Ok((_, origin)), Some((_, first))) if origin != *first => {
                let message = format!("{first} and {origin} are two sites, with a robots.txt each");
                return Err(
                    Failure::new(message).hint("ask about one site at a time, or name a file with --robots")
                );
            }
            (Ok((_, origin)), _) => site = Some((url, origin)),
        }
    }
    let Some((url, _)) = site else { return Ok(Err(Trouble::plain("no URL names a site"))) };
    let session = Session::new(&args.network, output)?;
    let file = session.robots(url);
    session.finish();
    Ok(file.and_then(|file| match file {
        Err(none) if none.allows_all() => {
            output.warning(&none.sentence());
            Ok(none.into_empty())
        }
        file => file.map_err(|none| none.trouble()),
    }))
}

/// Whether the only URL is that of a site, or of its robots.txt.
fn names_the_site(urls: &[OsString]) -> bool {
    let [url] = urls else { return false };
    sites::located(url)
        .is_ok_and(|(url, _)| url.query().is_none() && matches!(url.path(), "/" | "/robots.txt"))
}
