//! `comity page`: the directives of a page and its header for a crawler.

mod args;
#[cfg(feature = "live")]
mod site;

use std::time::SystemTime;

use comity::http::{Headers, MAX_HEADER_BYTES};
use comity::page::PageDirectives;
use comity::robots::Agent;
use comity_answers::notice::Notice;
use comity_answers::page::{self, PageNames, PageRow};

pub(crate) use self::args::PageArgs;
use crate::decisions::print_notices;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;
use crate::text;

/// Reads header and page, and shows their directives.
pub(crate) fn run(args: &PageArgs, output: &mut Output) -> Result<Exit, Failure> {
    print_notices(Notice::of_agents([&Agent::unchecked_token(&args.agent)], None), output);
    if args.url.is_some() {
        return site::run(args, output);
    }
    let sources = Sources::new(args)?;
    let header = sources.headers.as_ref().map(Source::read).transpose()?.unwrap_or_default();
    let body = sources.html.as_ref().map(Source::read).transpose()?.unwrap_or_default();
    let headers = sources.parse(&header)?;
    let directives = page::directives(&headers, &body, args.charset.as_deref());
    let names = PageNames {
        headers: sources.headers.as_ref().map(Source::name),
        html: sources.html.as_ref().map(Source::name),
        fetched: None,
    };
    show(args, names, &directives, output)
}

fn show(
    args: &PageArgs,
    names: PageNames,
    directives: &PageDirectives,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let now = args.now.map_or_else(SystemTime::now, SystemTime::from);
    let profiles = page::profiles(args.profile);
    let row = PageRow::new(names, directives, &args.agent, &profiles, now);
    let has_restriction = row.outcomes.iter().any(|outcome| !outcome.warnings().is_empty());
    text::print(&[row], args.document.format.get(), &mut args.agent.as_str(), output)?;
    Ok(if has_restriction { Exit::Objection } else { Exit::Success })
}

/// The saved header and the saved page.
struct Sources {
    headers: Option<Source>,
    html: Option<Source>,
}

impl Sources {
    fn new(args: &PageArgs) -> Result<Self, Failure> {
        let source = |path: &Option<std::path::PathBuf>| path.as_deref().map(Source::new);
        let (headers, html) = (source(&args.headers), source(&args.body));
        if headers == Some(Source::Stdin) && html == Some(Source::Stdin) {
            return Err(Failure::new("header and page cannot both come from standard input")
                .hint("save one of them to a file; `curl -D header.txt -o page.html URL` saves both"));
        }
        Ok(Sources { headers, html })
    }

    fn parse<'h>(&self, header: &'h [u8]) -> Result<Headers<'h>, Failure> {
        let headers = Headers::parse(header).map_err(|error| {
            let name = self.headers.as_ref().map_or_else(|| "headers".to_owned(), Source::name);
            let limit = MAX_HEADER_BYTES / 1024;
            Failure::new(format!("`{name}`: {error}")).hint(format!(
                "the header is longer than {limit} KiB; if it is the page, name it with --body"
            ))
        })?;
        Ok(headers)
    }
}
