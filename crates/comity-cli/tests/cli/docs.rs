//! `docs/reference/commands.md` is printed from the command's own help; `UPDATE_DOCS=1` writes it again.

use crate::comity;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands.md");
const MARKER: &str = "<!-- Printed from the code: UPDATE_DOCS=1 cargo test -p comity-cli -->\n";

fn help(command: &str, flag: &str) -> String {
    comity(command).arg(flag).run().exits(0).stdout
}

/// The commands that a help text lists, in its order.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let name = |line: &str| Some(line.strip_prefix("  ")?.split_once(' ')?.0.to_owned());
    listed.filter_map(name).filter(|name| !name.is_empty() && name != "help").collect()
}

/// Returns the part of a long help text about exit codes: a table, or its sentence.
fn exit_status(help: &str) -> String {
    let (_, text) = help.split_once("Exit status:").unwrap_or_default();
    let text = text.split("\n\n").next().unwrap_or_default().trim_end();
    if !text.starts_with('\n') {
        return text.split_whitespace().fold("Exit status:".to_owned(), |line, word| line + " " + word)
            + "\n";
    }
    let mut rows: Vec<String> = Vec::new();
    for line in text.lines().skip(1) {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match (words.split_once(' '), rows.last_mut()) {
            (Some((code @ ("0" | "1" | "2"), meaning)), _) => rows.push(format!("| {code} | {meaning}")),
            (_, Some(row)) => *row += &format!(" {words}"),
            (_, None) => {}
        }
    }
    format!("| exit status | |\n|---|---|\n{} |\n", rows.join(" |\n"))
}

/// A section of a command, and those of its subcommands.
fn section(command: &str) -> String {
    let (short, long) = (help(command, "-h"), help(command, "--help"));
    let mut section = format!("\n## `comity {command}`\n\n```text\n{}\n```\n", short.trim_end());
    if long.contains("Exit status:") {
        section += &format!("\n{}", exit_status(&long));
    }
    for below in commands(&short) {
        section += &self::section(&format!("{command} {below}"));
    }
    section
}

#[test]
fn the_documentation_lists_every_command_and_its_exit_status() {
    let main = help("", "--help");
    let mut expected = format!("\n## All commands\n\n{}", exit_status(&main));
    expected += &commands(&main).iter().map(|command| section(command)).collect::<String>();
    let page = std::fs::read_to_string(PAGE).expect("docs/reference/commands.md");
    let (text, printed) = page.split_once(MARKER).expect("the marker");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, format!("{text}{MARKER}{expected}")).expect("docs/reference/commands.md");
    } else {
        assert_eq!(printed, expected, "UPDATE_DOCS=1 cargo test -p comity-cli writes it anew");
    }
}
