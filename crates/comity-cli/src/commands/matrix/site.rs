//! The robots.txt of a site, for the matrix.

use std::ffi::OsString;

use super::{MatrixArgs, Subject};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::robots::SiteFile;
use crate::sites::trouble::Trouble;
use crate::sites::{self, Session};

/// Asks the site, and says what the matrix is about; or how the command ends.
pub(super) fn run(args: &MatrixArgs, output: &mut Output) -> Result<Result<Subject, Exit>, Failure> {
    Ok(match served(args, output)? {
        Ok(file) => Ok(Subject {
            name: file.name,
            body: file.body,
            charset: file.charset,
            is_whole_site: names_the_site(&args.urls),
        }),
        Err(trouble) => Err(trouble.report(output)),
    })
}

/// The robots.txt of the one site that the URLs are on. One that allows everything by being absent is as good as empty.
fn served(args: &MatrixArgs, output: &mut Output) -> Result<Result<SiteFile, Trouble>, Failure> {
    let mut site = None;
    for url in args.urls.iter().filter(|url| sites::is_url(url)) {
        match (sites::located(url), &site) {
            (Err(trouble), _) => return Ok(Err(trouble)),
            (Ok((_, origin)), Some((_, first))) if origin != *first => {
                let message = format!("{first} and {origin} are two sites, with a robots.txt each");
                return Err(
                    Failure::new(message).hint("ask about one site at a time, or name a file with --robots")
                );
            }
            (Ok((_, origin)), _) => site = Some((url, origin)),
        }
    }
    let Some((url, _)) = site else { return Ok(Err(Trouble::plain("no URL names a site"))) };
    let session = Session::new(&args.network, output)?;
    let file = session.robots(url);
    session.finish();
    Ok(file.and_then(|file| match file {
        Err(none) if none.allows_all() => {
            output.warning(&none.sentence());
            Ok(none.into_empty())
        }
        file => file.map_err(|none| none.trouble()),
    }))
}

/// Returns whether the only URL is that of a site, or of its robots.txt.
fn names_the_site(urls: &[OsString]) -> bool {
    let [url] = urls else { return false };
    sites::located(url)
        .is_ok_and(|(url, _)| url.query().is_none() && matches!(url.path(), "/" | "/robots.txt"))
}
