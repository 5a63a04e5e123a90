//! `comity matrix`: which known crawlers a robots.txt lets in.
//!
//! `data` makes the matrix, once, as data: `--json` prints it as it is; `text`, `html` and `csv` are views of it.

mod args;
mod csv;
mod data;
mod html;
mod rows;
#[cfg(feature = "live")]
mod site;
mod text;
mod words;

use std::path::Path;

pub(crate) use self::args::MatrixArgs;
use self::data::Matrix;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::sites;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;

/// Makes the matrix of one file.
pub(crate) fn run(args: &MatrixArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut urls = data::urls(&args.urls)?;
    let subject = if args.robots.is_none() && args.urls.iter().any(sites::is_url) {
        match site::run(args, output)? {
            Ok(subject) => subject,
            Err(exit) => return Ok(exit),
        }
    } else {
        let source = Source::new(args.robots.as_deref().unwrap_or(Path::new("robots.txt")));
        Subject { name: source.name(), body: source.read()?, charset: None, is_whole_site: false }
    };
    let Subject { name, body, charset, is_whole_site } = subject;
    if is_whole_site {
        urls.clear();
    }
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

/// The robots.txt that the matrix is about.
struct Subject {
    name: String,
    body: Vec<u8>,
    charset: Option<String>,
    /// The only URL is that of the site, or of its robots.txt.
    is_whole_site: bool,
}
