//! `comity new`: a robots.txt from wishes.
//!
//! The library's builder writes it, so that it reads back as what was wished for; what is written is linted before anybody
//! sees it.

mod args;

use std::io::Write;

use comity::agents::{self, Compliance, KnownAgent, Purpose, Status};
use comity::finding::Severity;
use comity::robots::lint::lint;
use comity::robots::{Builder, InvalidRecord};

pub(crate) use self::args::NewArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::write_file;

/// Writes the file.
pub(crate) fn run(args: &NewArgs, output: &mut Output) -> Result<Exit, Failure> {
    let wishes = Wishes::new(args)?;
    let text = wishes.text(args).map_err(|error| Failure::new(error.to_string()))?;
    warn(args, &text, output);
    match &args.output {
        None => output.write_all(text.as_bytes())?,
        Some(path) => {
            write_file::new(path, text.as_bytes())?;
            let path = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
            output.note(&format!("{path} is written; `comity matrix --robots {path}` shows whom it lets in"));
        }
    }
    Ok(Exit::Success)
}

/// Says what a reader of the file should know.
fn warn(args: &NewArgs, text: &str, output: &mut Output) {
    let blocks = |purpose| args.block_purpose.contains(&purpose);
    if blocks(Purpose::Training) && !blocks(Purpose::ControlOnly) {
        output.note(
            "tokens such as Google-Extended, which forbid training on what another crawler fetched, are of the purpose \
             control_only: --block-purpose training,control_only forbids that, too",
        );
    }
    for finding in lint(text.as_bytes()).iter().filter(|finding| finding.severity() != Severity::Note) {
        let line = finding.place().line.unwrap_or(1);
        output.warning(&format!("line {line}: {} [{}]", finding.message(), finding.code()));
    }
}

/// A name, and why it is there.
struct Named {
    token: String,
    known: Option<&'static KnownAgent>,
}

impl Named {
    /// `GPTBot: OpenAI, AI training; verified 2026-11-21`.
    fn reason(&self) -> String {
        let Some(known) = self.known else {
            return format!("{}: named by hand; it is in no catalogue", self.token);
        };
        let purpose = known.purpose().title();
        let heed = match known.robots_txt() {
            Compliance::Ignores => "; its operator says that it ignores robots.txt",
            Compliance::MayIgnore => "; its operator says that it may ignore robots.txt",
            _ => "",
        };
        format!(
            "{}: {}, {purpose}{heed}; {} {}",
            known.token(),
            known.operator(),
            known.sourcing(),
            known.checked()
        )
    }
}

/// Whom to let in and whom to keep out.
struct Wishes {
    blocked: Vec<Named>,
    allowed: Vec<Named>,
}

impl Wishes {
    fn new(args: &NewArgs) -> Result<Self, Failure> {
        let allowed = names(&args.allow, &args.allow_purpose);
        let mut blocked = names(&args.block, &args.block_purpose);
        let is_named =
            |names: &[String], token: &str| names.iter().any(|name| name.eq_ignore_ascii_case(token));
        let has =
            |names: &[Named], token: &str| names.iter().any(|name| name.token.eq_ignore_ascii_case(token));
        if let Some(both) = args.allow.iter().find(|token| is_named(&args.block, token)) {
            return Err(Failure::new(format!("`{both}` is both to be let in and to be kept out")));
        }
        if let Some(both) = args.allow_purpose.iter().find(|purpose| args.block_purpose.contains(purpose)) {
            return Err(Failure::new(format!("`{both}` is both to be let in and to be kept out")));
        }
        // A crawler that is named by hand is an exception from its purpose.
        blocked.retain(|name| !is_named(&args.allow, &name.token));
        let allowed = allowed.into_iter().filter(|name| !has(&blocked, &name.token)).collect();
        Ok(Wishes { blocked, allowed })
    }

    fn text(&self, args: &NewArgs) -> Result<String, InvalidRecord> {
        let mut builder = Builder::new();
        if !self.blocked.is_empty() {
            builder = builder.comment("Kept out:");
            builder = self.blocked.iter().fold(builder, |builder, name| builder.comment(&name.reason()));
            builder = builder.group(self.blocked.iter().map(|name| &name.token))?.disallow("/")?;
        }
        if !self.allowed.is_empty() {
            builder = builder.comment("Let in:");
            builder = self.allowed.iter().fold(builder, |builder, name| builder.comment(&name.reason()));
            builder = builder.group(self.allowed.iter().map(|name| &name.token))?;
            builder = paths(builder, args)?;
        }
        builder = builder.comment("Everyone else:").group(["*"])?;
        builder = if args.block_everyone { builder.disallow("/")? } else { paths(builder, args)? };
        args.sitemap
            .iter()
            .try_fold(builder, |builder, url| builder.sitemap(url))
            .map(|builder| builder.to_string())
    }
}

/// The rules for whoever is let in. An empty `Disallow` allows everything.
fn paths(mut builder: Builder, args: &NewArgs) -> Result<Builder, InvalidRecord> {
    if let Some(terms) = &args.content_signal {
        builder = builder.extension("Content-Signal", terms)?;
    }
    if let Some(terms) = &args.content_usage {
        builder = builder.extension("Content-Usage", terms)?;
    }
    if args.disallow.is_empty() {
        return builder.disallow("");
    }
    args.disallow.iter().try_fold(builder, |builder, path| builder.disallow(path))
}

/// The crawlers that are named, and those of the purposes, each once. Retired ones are left out unless they are named.
fn names(tokens: &[String], purposes: &[Purpose]) -> Vec<Named> {
    let mut names: Vec<Named> = tokens
        .iter()
        .map(|token| match agents::known(token) {
            Some(known) => Named { token: known.token().to_owned(), known: Some(known) },
            None => Named { token: token.clone(), known: None },
        })
        .collect();
    for purpose in purposes {
        let active = agents::with_purpose(*purpose).filter(|known| known.status() != Status::Retired);
        names.extend(active.map(|known| Named { token: known.token().to_owned(), known: Some(known) }));
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.token.to_ascii_lowercase()));
    names
}
