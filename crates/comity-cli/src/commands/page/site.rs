//! `comity page URL`: fetches the page.

use comity_answers::page::{Fetched, PageNames, directives};

use super::{PageArgs, show};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::{self, Session};

/// Fetches the page, and shows the directives of the page and its header.
pub(super) fn run(args: &PageArgs, output: &mut Output) -> Result<Exit, Failure> {
    let Some(url) = &args.url else { return Ok(Exit::Success) };
    let session = Session::new(&args.document.network, output)?;
    let limit = session.client().fetch_options().max_bytes;
    let fetched = session.wait(sites::page::fetch(session.client(), url.as_str(), limit));
    session.finish();
    let page = match fetched {
        Ok(page) => page,
        Err(trouble) => return Ok(trouble.report(output)),
    };
    let final_url = page.record().final_url.clone();
    if !page.status().is_success() {
        output.warning(&format!(
            "`{final_url}` answers {}; the output is about that answer",
            sites::page::status(&page)
        ));
    }
    if page.record().content.as_ref().is_some_and(|content| content.truncated) {
        output.warning(&format!("`{final_url}`: only the first {limit} bytes were read"));
    }
    let is_html = page.is_html();
    let body: &[u8] = if is_html { page.body() } else { b"" };
    let directives = directives(&page.fields(), body, args.charset.as_deref());
    let fetched = Fetched {
        requested_url: url.to_string(),
        final_url: final_url.clone(),
        status: page.status().as_u16(),
    };
    let names = PageNames {
        headers: Some(final_url.clone()),
        html: is_html.then_some(final_url),
        fetched: Some(fetched),
    };
    show(args, names, &directives, output)
}
