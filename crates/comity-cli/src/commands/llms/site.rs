//! The llms.txt of a site.

use super::{File, LlmsArgs};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::{self, Session};

/// Maximum number of bytes to fetch: one more than the reader reads, so that it reports a longer file.
const MAX_BYTES: usize = comity::llms::DEFAULT_MAX_BYTES + 1;

/// Fetches the file at a URL that ends in `.txt` or `.md`. For another URL, fetches the llms.txt of its site.
pub(super) fn run(args: &LlmsArgs, output: &mut Output) -> Result<Result<File, Exit>, Failure> {
    let (url, origin) = match sites::parse_location(args.file.as_os_str()) {
        Ok(located) => located,
        Err(trouble) => return Ok(Err(trouble.report(output))),
    };
    let names_a_file = [".txt", ".md"].iter().any(|suffix| url.path().to_ascii_lowercase().ends_with(suffix));
    let url = if names_a_file { url } else { origin.llms_txt() };
    let session = Session::new(&args.document.network, output)?;
    let page = session.file(url.as_str(), MAX_BYTES);
    session.finish();
    Ok(match page {
        Ok(page) => Ok(File {
            name: page.record().final_url.clone(),
            body: page.body().to_vec(),
            url: page.url(),
            charset: page.charset(),
        }),
        Err(trouble) => Err(trouble.report(output)),
    })
}
