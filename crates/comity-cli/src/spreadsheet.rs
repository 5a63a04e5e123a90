//! Tables for spreadsheets: RFC 4180. No cell is taken for a formula, and none holds what must not be shown.

use std::borrow::Cow;
use std::io::Write;

use comity::shown;

use crate::exit::Failure;

/// Prints a row.
pub(crate) fn row<C: AsRef<str>>(
    cells: impl IntoIterator<Item = C>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    Ok(out.write_all(&line(cells)?)?)
}

fn line<C: AsRef<str>>(cells: impl IntoIterator<Item = C>) -> std::io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .buffer_capacity(256)
        .from_writer(Vec::new());
    for cell in cells {
        writer.write_field(harmless(cell.as_ref()).as_bytes())?;
    }
    writer.write_record(None::<&[u8]>)?;
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// A cell as spreadsheets read it. What they would take for a formula gets an apostrophe: names come from strangers.
fn harmless(cell: &str) -> Cow<'_, str> {
    let is_bad = |c: char| c != '\n' && shown::is_unsafe(c);
    let cell: Cow<'_, str> = match cell.contains(is_bad) {
        true => cell.chars().map(|c| if is_bad(c) { char::REPLACEMENT_CHARACTER } else { c }).collect(),
        false => cell.into(),
    };
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { format!("'{cell}").into() } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_if_need_be_and_are_no_formulas() {
        let row = |cells: &[&str]| String::from_utf8(line(cells).expect("memory")).expect("UTF-8");
        assert_eq!(row(&["https://a/?b", "", "c"]), "https://a/?b,,c\r\n");
        assert_eq!(row(&["a,\"b\"", "c\nd"]), "\"a,\"\"b\"\"\",\"c\nd\"\r\n");
        assert_eq!(row(&["=1+1", "-1"]), "'=1+1,'-1\r\n");
        assert_eq!(row(&["a\u{1b}[2Jb\u{202e}"]), "a\u{fffd}[2Jb\u{fffd}\r\n");
    }
}
