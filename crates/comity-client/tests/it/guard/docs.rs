//! The tables of `docs/reference/guard.md` are printed from the code; `UPDATE_DOCS=1` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use comity_client::guard::blocks;

const BEGIN: &str = "<!-- blocks: printed from the code -->\n";
const END: &str = "<!-- end of blocks -->\n";

#[test]
fn the_table_of_the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/guard.md");
    let text = fs::read_to_string(&path).expect("docs/reference/guard.md is read");
    let (head, rest) = text.split_once(BEGIN).expect("the table's beginning");
    let (_, tail) = rest.split_once(END).expect("the table's end");
    let printed = format!("{head}{BEGIN}{}{END}{tail}", table());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &printed).expect("docs/reference/guard.md is written");
    }
    assert_eq!(
        fs::read_to_string(&path).expect("docs/reference/guard.md is read"),
        printed,
        "docs/reference/guard.md is out of date; UPDATE_DOCS=1 cargo test -p comity-client --test it writes it anew"
    );
}

fn table() -> String {
    let mut text = "| network | what it is | says who | the guard |\n|---|---|---|---|\n".to_owned();
    for block in blocks() {
        let verdict = block.reason().map_or("allows".to_owned(), |reason| format!("refuses: `{reason}`"));
        let _ =
            writeln!(text, "| `{}` | {} | {} | {verdict} |", block.network(), block.name(), block.source());
    }
    text
}
