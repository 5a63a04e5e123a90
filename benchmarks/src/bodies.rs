//! The workload `bodies`: bodies in other formats, which servers send as robots.txt, by format and size.

use std::io::Result;

use testkit::bodies::{Family, Kind};

use crate::case::{Case, total_bytes};
use crate::contender::{Clock, Contender};
use crate::corpus::{self, BODY_SIZES};
use crate::measure::{Column, Plan, measure};
use crate::options::Options;
use crate::table::{Cell, Row, Table};

/// Measures one question about each body, and parsing each body. For both, returns a table per size, and a table of
/// ratios that compares Comity with the fastest other engine.
pub(crate) fn bodies(engines: &mut [Contender], options: &Options) -> Result<Vec<Table>> {
    let once = Plan::Ask { questions: 1, clock: Clock::Once };
    let mut tables = by_size("one question", once, engines, options)?;
    tables.extend(by_size("reading", Plan::Parse, engines, options)?);
    Ok(tables)
}

fn by_size(what: &str, plan: Plan, engines: &mut [Contender], options: &Options) -> Result<Vec<Table>> {
    // A quick run skips the largest sizes.
    let sizes = if options.quick { &BODY_SIZES[..3] } else { &BODY_SIZES[..] };
    let mut tables = Vec::new();
    for (bytes, size) in sizes {
        let cases: Vec<(Kind, Vec<Case>)> =
            Kind::ALL.into_iter().map(|kind| (kind, corpus::bodies(kind, *bytes))).collect();
        let columns: Vec<Column<'_>> = cases
            .iter()
            .map(|(kind, cases)| {
                let units = (total_bytes(cases) / 1_000).max(1);
                Column { title: kind.as_str().to_owned(), cases, plan, units }
            })
            .collect();
        let title = format!("{what}, bodies of {size}, ns per KB (best / median)");
        tables.push(measure("bodies", &title, &columns, &[], engines, options)?);
    }
    let lead = lead(what, sizes, &tables);
    tables.push(lead);
    // The general table of ratios omits these tables, because it would be too large.
    tables.iter_mut().for_each(|table| table.is_time = false);
    Ok(tables)
}

/// Returns a table of ratios: the best time of the fastest other engine divided by Comity's best time, by family and by
/// format.
fn lead(what: &str, sizes: &[(usize, &str)], tables: &[Table]) -> Table {
    let row = |name, kinds: &dyn Fn(Kind) -> bool| Row {
        engine: name,
        agreement: None,
        cells: tables.iter().map(|table| lead_over(table, kinds)).collect(),
    };
    let families =
        Family::ALL.into_iter().map(|family| row(family.as_str(), &|kind| kind.family() == family));
    let kinds = Kind::ALL.into_iter().map(|kind| row(kind.as_str(), &|other| other == kind));
    Table {
        workload: "bodies",
        title: format!("{what}: speed of Comity relative to the fastest other engine"),
        columns: sizes.iter().map(|(_, size)| (*size).to_owned()).collect(),
        rows: families.chain(kinds).collect(),
        notes: vec![
            "The first rows are families of formats. The default dialect reads at most 512,000 bytes of a body; the other \
             engines read whole bodies. For engines that take text, the time excludes converting bodies that are not UTF-8."
                .to_owned(),
        ],
        is_time: false,
    }
}

fn lead_over(table: &Table, is_meant: &dyn Fn(Kind) -> bool) -> Cell {
    let time = |row: &Row| -> Option<f64> {
        let meant = Kind::ALL.iter().zip(&row.cells).filter(|(kind, _)| is_meant(**kind));
        meant.map(|(_, cell)| cell.best()).sum()
    };
    let is_own = |row: &&Row| row.engine.starts_with("comity");
    let own = table.row("comity").and_then(time);
    let others = table.rows.iter().filter(|row| !is_own(row)).filter_map(time);
    match (own, others.min_by(f64::total_cmp)) {
        (Some(own), Some(other)) => Cell::of(other / own),
        _ => Cell { samples: Vec::new(), note: "no other engine" },
    }
}
