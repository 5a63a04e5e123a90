//! `comity llms`: the content of an llms.txt, its findings and its candidates for a URL.

mod args;
#[cfg(feature = "live")]
mod links;
#[cfg(feature = "live")]
mod site;

use comity::llms::Reader;
use comity_answers::llms::{LlmsOptions, LlmsRow};
use url::Url;

pub(crate) use self::args::LlmsArgs;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::location;
use crate::output::Output;
use crate::sites::Session;
#[cfg(not(feature = "live"))]
use crate::sites::{offline as links, offline as site};
use crate::text;

/// Reads one file.
pub(crate) fn run(args: &LlmsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let is_url = location::is_url(&args.file);
    let needs_session = is_url || args.check_links;
    let session = needs_session.then(|| Session::new(&args.document.network, output)).transpose()?;
    let file = if let Some(session) = session.as_ref().filter(|_| is_url) {
        match site::fetch(args, session, output) {
            Ok(file) => file,
            Err(exit) => return Ok(exit),
        }
    } else {
        let source = Source::new(&args.file);
        File { name: source.name(), body: source.read()?, url: None, charset: None }
    };
    let File { name, body, .. } = file;
    let mut reader = Reader::new();
    if let Some(url) = args.url.clone().or(file.url) {
        reader = reader.url(url);
    }
    if let Some(charset) = args.charset.clone().or(file.charset) {
        reader = reader.charset(charset);
    }
    let llms = reader.read(&body);
    let options = LlmsOptions { strict: args.strict, resolve: args.resolve.clone(), strategy: args.strategy };
    let mut row = LlmsRow::new(name, &body, &llms, &options);
    if let Some(session) = &session {
        row.link_check = args.check_links.then(|| links::check(&llms, session, output));
    }
    let fails = args.check && row.fails_check() || row.fails_strict() || row.fails_link_check();
    session.into_iter().for_each(Session::finish);
    text::print(&[row], args.document.format.get(), &mut args.all.clone(), output)?;
    Ok(if fails { Exit::Objection } else { Exit::Success })
}

/// The file that is read.
struct File {
    name: String,
    body: Vec<u8>,
    /// The file's URL, if it was fetched.
    url: Option<Url>,
    /// The charset of the answer.
    charset: Option<String>,
}
