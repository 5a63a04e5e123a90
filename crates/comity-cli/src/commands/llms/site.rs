//! The llms.txt of a site.

use super::{File, LlmsArgs};
use crate::exit::Exit;
use crate::output::Output;
use crate::sites::{self, Session};

/// Maximum number of bytes to fetch: one more than the reader reads, so that it reports a longer file.
const MAX_BYTES: usize = comity::llms::DEFAULT_MAX_BYTES + 1;

/// Fetches the file at a URL that ends in `.txt` or `.md`. For another URL, fetches the llms.txt of its site. If that
/// fails, prints the error and returns the exit code.
pub(super) fn fetch(args: &LlmsArgs, session: &Session, output: &mut Output) -> Result<File, Exit> {
    let page = sites::parse_location(args.file.as_os_str()).and_then(|(url, origin)| {
        let names_a_file =
            [".txt", ".md"].iter().any(|suffix| url.path().to_ascii_lowercase().ends_with(suffix));
        let url = if names_a_file { url } else { origin.llms_txt() };
        session.file(url.as_str(), MAX_BYTES)
    });
    let page = page.map_err(|failure| failure.report(output))?;
    Ok(File {
        name: page.record().final_url.clone(),
        body: page.body().to_vec(),
        url: page.url(),
        charset: page.charset(),
    })
}
