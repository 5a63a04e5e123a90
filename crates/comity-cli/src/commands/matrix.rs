//! `comity matrix`: which known crawlers a robots.txt lets in.
//!
//! `data` makes the matrix, once, as data: `--json` prints it as it is; `text`, `html` and `csv` are views of it.

mod csv;
mod data;
mod html;
mod rows;
mod text;
mod words;

use comity::robots::RobotsTxt;

use self::data::Matrix;
use crate::args::MatrixArgs;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;

/// Makes the matrix of one file.
pub(crate) fn run(args: &MatrixArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = Source::new(&args.robots);
    let urls = data::urls(&args.urls)?;
    let body = source.read()?;
    let robots = RobotsTxt::parse_with_charset(&body, args.reading.dialect, args.reading.charset.as_deref());
    let asked = rows::asked(args, &robots);
    let matrix = Matrix::new(source.name(), &robots, asked, urls)?;
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
