//! Decides a table of URLs by a folder of robots.txt files, and writes the table with the verdicts.
//!
//! ```sh
//! cargo run -p comity-examples --bin audit -- pages.parquet robots/ verdicts.parquet GPTBot
//! ```
//!
//! The table is Parquet, CSV, JSON Lines or a list of URLs. The name of a robots.txt file contains its host:
//! `robots/example.com.txt`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::sync::Arc;

use comity::Agent;
use comity_arrow::arrow_array::cast::AsArray;
use comity_arrow::{Auditor, AuditorOptions, Columns, Input, RobotsTable};
use comity_formats::{ArchiveInput, CaptureFile, PageOptions, Pages, TableFormat, TableWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pages, folder, output, agent] = arguments.as_slice() else {
        return Err("usage: audit PAGES FOLDER OUTPUT AGENT".into());
    };

    let mut answers = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name is not UTF-8")?;
        match CaptureFile::of_path(name) {
            Some(site) => answers.push(site.capture(&fs::read(&path)?, None, name)?),
            None => eprintln!("{name} does not name a site"),
        }
    }
    let robots = RobotsTable::new(answers, Columns::new())?;

    let pages = Pages::open(ArchiveInput::file(pages, File::open(pages)?), &PageOptions::new())?;
    let columns = Columns::new().with(Input::Url, &pages.columns().url).without(Input::SeenAt);
    let options = AuditorOptions::new().agent(Agent::token(agent)?).columns(columns);
    let mut auditor = Auditor::with_table(options, Arc::new(robots));

    let format =
        TableFormat::of_name(output).ok_or("the output is neither Parquet nor CSV nor JSON Lines")?;
    let schema = auditor.schema(&pages.schema())?;
    let mut table = TableWriter::new(output, File::create(output)?, format, schema)?;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for batch in pages {
        let decided = auditor.decide(&batch?)?;
        for verdict in decided["verdict"].as_string::<i32>() {
            *counts.entry(verdict.unwrap_or("error").to_owned()).or_default() += 1;
        }
        table.write(&decided)?;
    }
    table.finish()?;
    for (verdict, rows) in counts {
        println!("{verdict}: {rows}");
    }
    Ok(())
}
