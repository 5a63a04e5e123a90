//! `comity identity`: keys for signed requests, and their publication.

mod args;
#[cfg(feature = "live")]
mod check;
mod snippets;

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use comity_identity::{Discovery, Identity, PrivateKey, ReadIdentityError, Validity};
use zeroize::Zeroizing;

pub(crate) use self::args::IdentityArgs;
use self::args::{DirectoryArgs, IdentityCommand, NewIdentityArgs, RotateArgs};
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::render;
use comity_answers::files;

/// Runs a subcommand.
pub(crate) fn run(args: &IdentityArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        IdentityCommand::New(args) => new(args, output)?,
        IdentityCommand::Directory(args) => directory(args, output)?,
        IdentityCommand::ServeSnippets(args) => {
            let identity = read(&args.file.path, output)?;
            snippets::print(args.server, &identity, &args.file.path, output)?;
        }
        IdentityCommand::Rotate(args) => rotate(args, output)?,
        #[cfg(feature = "live")]
        IdentityCommand::Check(args) => return check::run(args, output),
    }
    Ok(Exit::Success)
}

fn new(args: &NewIdentityArgs, output: &mut Output) -> Result<(), Failure> {
    let identity = Identity::new(discovery(&args.url)?).with_key(random_key()?, Validity::unbounded());
    files::new_private(&args.output, identity.to_json().as_bytes())?;
    let path = shown(&args.output);
    let url = identity.discovery().url();
    output.note(&format!(
        "wrote {path}, readable by you only; publish the output of `comity identity directory {path}` at {url}"
    ));
    Ok(())
}

/// Parses the location of keys: an origin, or else the URL of a key set.
fn discovery(url: &str) -> Result<Discovery, Failure> {
    url.parse::<Discovery>().map_err(|error| {
        let shown = render::text(url.as_bytes());
        Failure::new(format!("`{shown}`: {error}"))
            .hint("name an origin such as https://bot.example, or the URL of a key set")
    })
}

fn directory(args: &DirectoryArgs, output: &mut Output) -> Result<(), Failure> {
    let identity = read(&args.file.path, output)?;
    let now = SystemTime::now();
    // The published file ends with a line break, and the signatures cover every byte of it.
    let body = format!("{}\n", identity.directory(now).to_json());
    if !args.headers {
        return Ok(output.write_all(body.as_bytes())?);
    }
    let fields = identity.sign_directory(body.as_bytes(), now, args.lifetime);
    for (name, value) in fields.map_err(|error| Failure::new(error.to_string()))? {
        writeln!(output, "{name}: {value}")?;
    }
    Ok(())
}

fn rotate(args: &RotateArgs, output: &mut Output) -> Result<(), Failure> {
    let mut identity = read(&args.file.path, output)?;
    let now = SystemTime::now();
    let start = now.checked_add(args.start);
    let end = start.and_then(|start| start.checked_add(args.overlap));
    let (start, end) = start.zip(end).ok_or_else(|| Failure::new("--start or --overlap is too long"))?;
    identity.rotate(random_key()?, now, start, end).map_err(|error| Failure::new(error.to_string()))?;
    files::replace(&args.file.path, identity.to_json().as_bytes())?;
    let path = shown(&args.file.path);
    let (begins, url) = (render::span(args.start), identity.discovery().url());
    output.note(&format!(
        "{path} has a new key, which starts to sign in {begins}; publish the output of `comity identity directory {path}` at {url} now"
    ));
    Ok(())
}

/// Creates a key from the operating system's source of randomness.
fn random_key() -> Result<PrivateKey, Failure> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes)
        .map_err(|error| Failure::new(format!("cannot read random bytes from the system: {error}")))?;
    Ok(PrivateKey::from_random(&bytes))
}

/// Reads an identity file.
fn read(file: &Path, output: &mut Output) -> Result<Identity, Failure> {
    let source = Source::new(file);
    let name = source.name();
    let read = Identity::read(source.open()?);
    if let Some(warning) = files::warning_if_shared(file, "private keys") {
        output.warning(&warning);
    }
    read.map_err(|error| match error {
        ReadIdentityError::Io(error) => source.unreadable(&error),
        error => Failure::new(format!("`{name}` is not an identity file: {error}"))
            .hint("`comity identity new` creates one"),
    })
}

/// Formats a path for messages.
fn shown(path: &Path) -> String {
    render::text(path.as_os_str().as_encoded_bytes()).into_owned()
}
