//! `comity help`: commands, and topics that concern all of them.

mod args;

use std::io::Write;

use clap::Command;

pub(crate) use self::args::HelpArgs;
use crate::args::is_about_network;
use crate::exit::{self, Exit, Failure};
use crate::output::Output;
use crate::render;

/// Prints the text about a topic.
type Topic = fn(&Command, &mut Output) -> Result<(), Failure>;

/// Topics by name.
const TOPICS: [(&str, Topic); 4] =
    [("network", network), ("exit", exit_status), ("input", input), ("formats", formats)];

/// Prints the requested text.
pub(crate) fn run(args: &HelpArgs, whole: &Command, output: &mut Output) -> Result<Exit, Failure> {
    let names: Vec<&str> = args.about.iter().map(String::as_str).collect();
    if let [name] = names.as_slice()
        && let Some((_, print)) = TOPICS.iter().find(|(topic, _)| topic == name)
    {
        print(whole, output)?;
        return Ok(Exit::Success);
    }
    let mut main = whole.clone();
    main.build();
    let mut command = &mut main;
    for name in &names {
        let known: Vec<String> = command.get_subcommands().map(|known| known.get_name().to_owned()).collect();
        command = command.find_subcommand_mut(name).ok_or_else(|| unknown(name, &known))?;
    }
    print(command.clone(), output)?;
    Ok(Exit::Success)
}

fn unknown(name: &str, known: &[String]) -> Failure {
    let name = render::text(name.as_bytes());
    let topics: Vec<&str> = TOPICS.iter().map(|(topic, _)| *topic).collect();
    Failure::new(format!("unknown command or topic `{name}`")).hint(format!(
        "the commands are {}; the topics are {}",
        render::list(known),
        render::list(&topics)
    ))
}

/// Prints the long help of a command as clap does.
fn print(mut command: Command, output: &mut Output) -> Result<(), Failure> {
    let help = command.render_long_help();
    match output.palette.is_coloured() {
        true => Ok(writeln!(output, "{}", help.ansi())?),
        false => Ok(writeln!(output, "{help}")?),
    }
}

/// Prints the options of every command that contacts sites.
fn network(whole: &Command, output: &mut Output) -> Result<(), Failure> {
    let strong = output.palette.strong;
    let intro = "Every command that contacts sites has these options: check, explain, lint, inspect, diff, matrix, test, page, \
                 usage, sitemap, llms, fetch, watch, serve, mcp, audit run, audit site, logs and identity check. \
                 Each can also be set by an environment variable or in a settings file; `comity config` shows the effective \
                 settings.";
    writeln!(output, "{}\n", render::wrap(intro, output.width, 0))?;
    writeln!(output, "{strong}Network and politeness{strong:#}")?;
    let Some(check) = whole.find_subcommand("check") else { return Ok(()) };
    for arg in check.get_arguments().filter(|arg| is_about_network(arg)) {
        let value =
            arg.get_value_names().map(|names| names.join("> <")).filter(|_| arg.get_action().takes_values());
        let value = value.map(|value| format!(" <{value}>")).unwrap_or_default();
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        writeln!(output, "  {strong}--{}{strong:#}{value}", arg.get_long().unwrap_or_default())?;
        writeln!(output, "      {}", render::wrap(&help, output.width, 6))?;
    }
    Ok(())
}

/// Prints the meaning of the exit status for each cause.
fn exit_status(_: &Command, output: &mut Output) -> Result<(), Failure> {
    writeln!(output, "{}\n", exit::TABLE)?;
    let intro = "The answer to the request for robots.txt determines the exit status. The first value is for commands that make \
                 a decision (check, explain), the second for commands that need the text (lint, inspect, diff, matrix, test):";
    writeln!(output, "{}\n", render::wrap(intro, output.width, 0))?;
    let strong = output.palette.strong;
    for (cause, decision, text) in exit::CAUSES {
        writeln!(output, "  {strong}{cause}{strong:#}\n    decision  {decision}\n    text      {text}")?;
    }
    let more = "Commands that fetch pages (fetch, page, usage, sitemap, llms) end with 1 if robots.txt disallows the page or is \
                unreachable, and with 2 if there is no answer. A preset or --mode can change this. Ctrl-C ends with 130.";
    Ok(writeln!(output, "\n{}", render::wrap(more, output.width, 0))?)
}

/// Prints the possible sources of URLs and robots.txt files.
fn input(_: &Command, output: &mut Output) -> Result<(), Failure> {
    let paragraphs = [
        "URLs are arguments, lines of standard input (`-`, or no URL at all), or lines of a file (--urls FILE). A line contains \
         one URL; blank lines and lines that begin with # are skipped. A line with white space inside is an error that names the \
         line.",
        "A robots.txt is a file, `-` for standard input, or a site: https://example.com, or just example.com, for which https \
         is assumed. An existing file has precedence. Names that end in .txt, .html and the like are files.",
        "lint, inspect and matrix accept several sources: files, folders (searched for names that contain `robots` and end in .txt; \
         hidden folders are skipped), patterns in quotes ('sites/**/robots.txt'), and lists of paths (--files-from FILE).",
    ];
    print_paragraphs(&paragraphs, output)
}

/// Prints the formats of `--format`.
fn formats(_: &Command, output: &mut Output) -> Result<(), Failure> {
    let paragraphs = [
        "Commands that print answers have text for people, and JSON with --format json or --json: one object per line where \
         there may be several answers, one object for a document (such as config, diff, page, llms). docs/reference/schema/ \
         describes most rows as JSON Schema.",
        "lint and test also print github (annotations for GitHub Actions), sarif (SARIF 2.1.0) and junit (JUnit's XML); check, \
         sitemap, matrix and logs print csv; matrix and logs print html, a self-contained page; logs also prints prometheus.",
        "Text is coloured on a terminal unless NO_COLOR is set or --color never is given. With FORCE_COLOR or --color always, \
         it is coloured everywhere. On a terminal, long URLs are shortened in the middle; elsewhere they are complete.",
    ];
    print_paragraphs(&paragraphs, output)
}

fn print_paragraphs(paragraphs: &[&str], output: &mut Output) -> Result<(), Failure> {
    for (index, paragraph) in paragraphs.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        writeln!(output, "{gap}{}", render::wrap(paragraph, output.width, 0))?;
    }
    Ok(())
}
