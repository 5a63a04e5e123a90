//! The pages of `docs/reference/commands` are printed from the help of the command; `UPDATE_DOCS=1` updates them.

use testkit::printed::{assert_pages, assert_printed, table};

use crate::comity;

const PRINTED: &str = "<!-- Printed from the code: UPDATE_DOCS=1 cargo test -p comity-cli docs -->";

fn help(command: &str, flag: &str) -> String {
    comity(command).arg(flag).run().exits(0).stdout
}

/// Returns the commands in a help text, in its order.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let name = |line: &str| Some(line.strip_prefix("  ")?.split_once(' ')?.0.to_owned());
    listed.filter_map(name).filter(|name| !name.is_empty() && name != "help").collect()
}

/// Returns the part of a long help text about exit codes, as a table or as one sentence.
fn exit_status(help: &str) -> String {
    let (_, text) = help.split_once("Exit status:").unwrap_or_default();
    let text = text.split("\n\n").next().unwrap_or_default().trim_end();
    if !text.starts_with('\n') {
        return text.split_whitespace().fold("Exit status:".to_owned(), |line, word| line + " " + word)
            + "\n";
    }
    let mut rows: Vec<[String; 2]> = Vec::new();
    for line in text.lines().skip(1) {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match (words.split_once(' '), rows.last_mut()) {
            (Some((code @ ("0" | "1" | "2"), meaning)), _) => {
                rows.push([code.to_owned(), meaning.to_owned()])
            }
            (_, Some([_, meaning])) => *meaning += &format!(" {words}"),
            (_, None) => {}
        }
    }
    table(["exit status", "meaning"], rows)
}

/// Returns the sections of a command and its subcommands. `level` is the mark of the heading.
fn sections(level: &str, command: &str) -> String {
    let (short, long) = (help(command, "-h"), help(command, "--help"));
    let printed = if level == "#" { format!("{PRINTED}\n\n") } else { String::new() };
    let mut section = format!("{level} comity {command}\n\n{printed}```text\n{}\n```\n", short.trim_end());
    if long.contains("Exit status:") {
        section += &format!("\n{}", exit_status(&long));
    }
    for subcommand in commands(&short) {
        section += &format!("\n{}", sections("##", &format!("{command} {subcommand}")));
    }
    section
}

#[test]
fn documentation_of_commands_matches_their_help() {
    let main = help("", "--help");
    let commands = commands(&main);
    let rows = commands.iter().map(|command| {
        let summary = help(command, "-h").lines().next().unwrap_or_default().to_owned();
        [format!("[comity {command}]({command}.md)"), summary]
    });
    let tables = [("exit status", exit_status(&main)), ("commands", table(["command", "purpose"], rows))];
    assert_printed("docs/reference/commands/README.md", &tables);
    let page = |command: &String| (command.clone(), sections("#", command));
    assert_pages("docs/reference/commands", &commands.iter().map(page).collect::<Vec<_>>());
}
