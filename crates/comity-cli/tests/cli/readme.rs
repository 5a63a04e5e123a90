//! Tests of the README: the output of its first command, the commands of its tour, and the picture that
//! `tools/picture.py` draws.

use std::fs;
use std::path::Path;

use crate::comity;

/// The folder in which the README's commands run.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(REPOSITORY).join(path)).expect("a file of the repository")
}

/// Returns the output of `comity` in the repository's folder, with these arguments.
fn printed(arguments: &str) -> String {
    comity(arguments).dir(Path::new(REPOSITORY)).run().exits(0).stdout
}

#[test]
fn first_command_of_readme_prints_its_output() {
    let readme = read("README.md");
    let command = readme.lines().find(|line| line.starts_with("cargo run ")).expect("the first command");
    let (_, arguments) = command.split_once(" -- ").expect("arguments of comity");
    let (_, screen) = readme.split_once("```text\n").expect("a screen");
    let (screen, _) = screen.split_once("```").expect("its end");
    assert_eq!(printed(arguments), screen, "README.md must show the output of `{command}`");
}

#[test]
fn tour_of_readme_has_twenty_commands_that_exist() {
    let readme = read("README.md");
    let (_, tour) = readme.split_once("```console\n").expect("a tour");
    let (tour, _) = tour.split_once("```").expect("its end");
    let lines: Vec<&str> =
        tour.lines().map(|line| line.strip_prefix("$ comity ").expect("a command")).collect();
    assert_eq!(lines.len(), 20);
    let mut ran = 0;
    for line in lines {
        let arguments = line.split(" #").next().unwrap_or_default().trim_end();
        let command =
            arguments.split(' ').take_while(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
        comity(&format!("{} --help", command.collect::<Vec<_>>().join(" "))).run().exits(0);
        if arguments.contains("samples/robots.txt") && !arguments.contains("new.txt") {
            let run = comity(arguments).dir(Path::new(REPOSITORY)).run();
            assert!(run.stderr.is_empty() && !run.stdout.is_empty(), "{arguments}: {}", run.stderr);
            ran += 1;
        }
    }
    assert_eq!(ran, 6);
}

#[test]
fn picture_of_readme_matches_its_command() {
    let picture = read("docs/images/matrix.svg");
    let within = |text: &str, start: &str, end: &str| {
        let (_, text) = text.split_once(start)?;
        Some(text.split_once(end)?.0.to_owned())
    };
    let title = within(&picture, "<title id=\"title\">comity ", "</title>").expect("a title");
    let shown: Vec<String> = picture
        .lines()
        .filter(|line| line.starts_with("<text "))
        .map(|row| plain(&within(row, ">", "</text>").expect("a row")))
        .collect();
    assert!(!shown.is_empty());
    assert_eq!(shown, printed(&title).lines().collect::<Vec<_>>(), "python3 tools/picture.py draws it");
}

/// Returns the text of an SVG element.
fn plain(markup: &str) -> String {
    let pieces = markup.split('<').enumerate();
    let text: String = pieces
        .map(|(n, piece)| if n == 0 { piece } else { piece.split_once('>').map_or("", |it| it.1) })
        .collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
