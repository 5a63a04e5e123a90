//! CSV tables for spreadsheets (RFC 4180). Spreadsheets read no cell as a formula, and no cell contains unsafe
//! characters.
//!
//! The columns of a table come from the schema of its rows, and the cells from their JSON, so a new field needs no code
//! here.

use std::borrow::Cow;
use std::io::Write;

use comity::shown;
use comity_answers::schema;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::exit::Failure;

/// The columns of rows of one type: one for each field, in the order of the schema.
///
/// A field of a nested record has a column named `RECORD_FIELD`, such as `place_line`. The columns of the deciding rule
/// have the names of the tables of `comity audit`: `rule` is its pattern, `line` is its line. A list or a map is JSON
/// in one cell.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// The path of the value in a row: a JSON pointer (RFC 6901).
    pointer: String,
}

impl Table {
    /// Returns the columns of rows of a type.
    pub(crate) fn of<T: JsonSchema>() -> Table {
        let schema = schema::answer::<T>().to_value();
        let mut table = Table::default();
        table.add(&schema, &schema, "", "");
        table
    }

    /// Returns the columns of rows with this `kind`, of a type that has rows of several kinds.
    pub(crate) fn of_kind<T: JsonSchema>(kind: &str) -> Table {
        let schema = schema::answer::<T>().to_value();
        let mut table = Table::default();
        let forms = schema["oneOf"].as_array().into_iter().flatten();
        let is_meant = |form: &&Value| form["properties"]["kind"]["const"] == kind;
        forms.filter(is_meant).for_each(|form| table.add(&schema, form, "", ""));
        table
    }

    /// Adds the columns of a value. `document` contains the definitions that schemas refer to.
    fn add(&mut self, document: &Value, schema: &Value, name: &str, pointer: &str) {
        let form = schema["anyOf"].as_array().and_then(|forms| forms.first()).unwrap_or(schema);
        let shape = form["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        let form = shape.map_or(form, |shape| &document["$defs"][shape]);
        let Some(fields) = form["properties"].as_object() else {
            self.columns.push(Column { name: name.to_owned(), pointer: pointer.to_owned() });
            return;
        };
        // The schema lists the required fields in the order of the row, and all fields in alphabetical order.
        let required = form["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<&str> = required.collect();
        let optional = fields.keys().map(String::as_str).filter(|field| !required.contains(field));
        for field in required.iter().copied().chain(optional) {
            let column = match (shape, field) {
                (Some("rule"), "pattern") => name.to_owned(),
                (Some("rule"), "line") => field.to_owned(),
                _ if name.is_empty() => field.to_owned(),
                _ => format!("{name}_{field}"),
            };
            self.add(document, &fields[field], &column, &format!("{pointer}/{field}"));
        }
    }

    /// Prints the names of the columns.
    pub(crate) fn header(&self, out: &mut impl Write) -> Result<(), Failure> {
        Ok(out.write_all(&line(self.columns.iter().map(|column| &column.name))?)?)
    }

    /// Prints a row.
    pub(crate) fn row<T: Serialize + ?Sized>(&self, row: &T, out: &mut impl Write) -> Result<(), Failure> {
        // Converted through text, because direct conversion to a `Value` would add digits to an `f32`.
        let row: Value = serde_json::from_str(&serde_json::to_string(row)?)?;
        let cells =
            self.columns.iter().map(|column| row.pointer(&column.pointer).map_or_else(String::new, cell));
        Ok(out.write_all(&line(cells)?)?)
    }
}

/// Returns a value as text; an empty text for null, an empty list and an empty map.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        // Formats `10.0` as `10`.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
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

/// Makes a cell safe for spreadsheets. A text that a spreadsheet would read as a formula gets an apostrophe, because
/// the text can come from a site.
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

    #[derive(Serialize, JsonSchema)]
    struct Row {
        url: &'static str,
        rule: Option<comity::decision::RuleRecord>,
        place: Option<Place>,
        delay: f32,
        lines: Vec<u32>,
        note: Option<&'static str>,
    }

    #[derive(Clone, Serialize, JsonSchema)]
    struct Place {
        line: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        column: Option<u32>,
    }

    #[test]
    fn row_with_nested_record_has_the_columns_of_the_schema() {
        let table = Table::of::<Row>();
        let mut out = Vec::new();
        table.header(&mut out).expect("memory");
        let place = Some(Place { line: 3, column: None });
        let row = Row { url: "/x", rule: None, place, delay: 0.1, lines: vec![1, 2], note: None };
        table.row(&row, &mut out).expect("memory");
        let empty = Row { place: None, delay: 10.0, lines: Vec::new(), note: Some("a"), ..row };
        table.row(&empty, &mut out).expect("memory");
        let expected = "url,rule_kind,rule,line,rule_allows,place_line,place_column,delay,lines,note\r\n\
                        /x,,,,,3,,0.1,\"[1,2]\",\r\n/x,,,,,,,10,,a\r\n";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    #[test]
    fn cell_with_special_characters_is_quoted_or_escaped() {
        let row = |cells: &[&str]| String::from_utf8(line(cells).expect("memory")).expect("UTF-8");
        assert_eq!(row(&["https://a/?b", "", "c"]), "https://a/?b,,c\r\n");
        assert_eq!(row(&["a,\"b\"", "c\nd"]), "\"a,\"\"b\"\"\",\"c\nd\"\r\n");
        assert_eq!(row(&["=1+1", "-1"]), "'=1+1,'-1\r\n");
        assert_eq!(row(&["a\u{1b}[2Jb\u{202e}"]), "a\u{fffd}[2Jb\u{fffd}\r\n");
    }
}
