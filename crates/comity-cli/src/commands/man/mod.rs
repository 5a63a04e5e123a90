//! `comity man`: prints manual pages, generated from the definition of the command line.

mod args;
use std::fs;
use std::io::Write;
use std::path::Path;

use clap_mangen::Man;

pub(crate) use self::args::ManArgs;
use crate::exit::{Exit, Failure, reason};
use crate::output::Output;
use crate::render;

/// Prints one page, or writes all of them to a folder.
pub(crate) fn run(args: &ManArgs, whole: &clap::Command, output: &mut Output) -> Result<Exit, Failure> {
    let mut pages = pages(whole.clone());
    if let Some(dir) = &args.dir {
        return write_all(&pages, dir, output);
    }
    let name = args.command.as_ref().map_or("comity".to_owned(), |command| format!("comity-{command}"));
    let Some(at) = pages.iter().position(|page| page.get_name() == name) else {
        let known: Vec<_> = pages.iter().filter_map(|page| page.get_name().strip_prefix("comity-")).collect();
        let command = render::text(args.command.as_deref().unwrap_or_default().as_bytes());
        return Err(Failure::new(format!("unknown command `{command}`"))
            .hint(format!("the commands are {}", render::list(&known))));
    };
    output.write_all(&roff(pages.swap_remove(at))?)?;
    Ok(Exit::Success)
}

/// Returns the main command and all subcommands, under the names of their pages.
fn pages(mut whole: clap::Command) -> Vec<clap::Command> {
    whole.build();
    let mut pages = Vec::new();
    collect(&whole, "comity", "comity", &mut pages);
    pages
}

fn collect(command: &clap::Command, name: &str, usage: &str, pages: &mut Vec<clap::Command>) {
    let examples = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let command =
        &command.clone().before_help(None::<&str>).after_long_help(format!("{examples}\n\n{after}"));
    pages
        .push(command.clone().name(name.to_owned()).display_name(name.to_owned()).bin_name(usage.to_owned()));
    for subcommand in command.get_subcommands() {
        let own = subcommand.get_name();
        collect(subcommand, &format!("{name}-{own}"), &format!("{usage} {own}"), pages);
    }
}

fn roff(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}

fn write_all(pages: &[clap::Command], dir: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let trouble = |path: &Path, error: std::io::Error| {
        let path = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        Failure::new(format!("cannot write `{path}`: {}", reason(&error)))
    };
    fs::create_dir_all(dir).map_err(|error| trouble(dir, error))?;
    for page in pages {
        let path = dir.join(format!("{}.1", page.get_name()));
        fs::write(&path, roff(page.clone())?).map_err(|error| trouble(&path, error))?;
        writeln!(output, "{}", render::text(path.as_os_str().as_encoded_bytes()))?;
    }
    Ok(Exit::Success)
}
