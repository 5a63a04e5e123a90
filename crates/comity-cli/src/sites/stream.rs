//! URLs of many origins, answered in order.
//!
//! A separate thread reads lines, so that a slow stream does not block requests. The robots.txt files of the next URLs
//! are requested ahead, a few at a time, because a sequence of 1,000 requests would be slow. A URL is answered as soon
//! as its robots.txt and those of all earlier URLs have arrived, so a URL on a terminal is answered before the next
//! line is typed.

use std::time::SystemTime;

use comity_answers::site::Site;
use comity_answers::sources::{SiteError, Sites};
use comity_answers::url::{UrlKind, has_web_scheme};
use futures_util::{FutureExt, StreamExt, stream};
use tokio::sync::mpsc;

use crate::decisions::guess;
use crate::decisions::urls::{Next, UrlPlace, Urls};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Maximum number of URLs in the queue of lines, and of URLs that wait for their sites.
const QUEUE: usize = 1024;

/// The source of the answer for a URL.
pub(crate) enum Answer<'a> {
    /// The given robots.txt decides, because the URL has no scheme.
    File(&'a [u8]),
    /// The site of the URL decides at this time.
    Site(&'a [u8], &'a Site, SystemTime),
    /// The site of the URL could not be contacted; the text is the place of the URL in the input.
    Failed(&'a [u8], &'a str, &'a SiteError),
    /// The text is not a URL; the message names its place.
    Bad(&'a [u8], &'a str),
}

/// An item from the reading thread.
enum Read {
    Url { url: Vec<u8>, place: String, from_stream: bool },
    Bad(Vec<u8>, String),
    Warning(String),
    Failed(Failure),
}

/// Answers every URL: `answer` prints and returns the exit code, or the error of the URL. Text that is not a URL is an
/// error if `is_strict`.
pub(crate) async fn answer_each(
    sites: &Sites,
    urls: Urls,
    is_strict: bool,
    output: &mut Output,
    mut answer: impl FnMut(Answer<'_>, &mut Output) -> Result<Result<Exit, String>, Failure>,
) -> Result<Exit, Failure> {
    let lines = stream::unfold(read(urls), |mut lines| async { Some((lines.recv().await?, lines)) });
    let known = lines.map(|read| async {
        let site = match &read {
            Read::Url { url, .. } if has_web_scheme(url) => Some(sites.site(url).await),
            _ => None,
        };
        (read, site)
    });
    let mut known = std::pin::pin!(known.buffered(QUEUE));
    let (mut exit, mut progress) = (Exit::Success, None);
    loop {
        // The output is flushed before the wait for the next site.
        let next = match known.next().now_or_never() {
            Some(next) => next,
            None => {
                output.flush()?;
                known.next().await
            }
        };
        let Some((read, site)) = next else { return Ok(exit) };
        let (url, place, from_stream) = match read {
            Read::Url { url, place, from_stream } => (url, place, from_stream),
            Read::Bad(text, message) => {
                exit = exit.max(answer(Answer::Bad(&text, &message), output)?.unwrap_or(Exit::Error));
                continue;
            }
            Read::Warning(message) => {
                output.warning(&message);
                continue;
            }
            Read::Failed(failure) => return Err(failure),
        };
        if from_stream {
            progress.get_or_insert_with(|| output.progress(None, "URLs")).step();
        }
        let answered = match &site {
            Some(Ok(site)) => answer(Answer::Site(&url, site, SystemTime::now()), output)?,
            Some(Err(error)) => answer(Answer::Failed(&url, &place, error), output)?,
            None => match UrlKind::of(&url) {
                Err(problem) if is_strict => Err(problem.to_string()),
                _ => answer(Answer::File(&url), output)?,
            },
        };
        exit = exit.max(match answered {
            Ok(exit) => exit,
            Err(error) => {
                let message = format!("{place}: {}", guess::of_url(&url, &error));
                answer(Answer::Bad(&url, &message), output)?.unwrap_or(Exit::Error)
            }
        });
    }
}

/// Reads URLs on a separate thread.
fn read(mut urls: Urls) -> mpsc::Receiver<Read> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    std::thread::spawn(move || {
        loop {
            let read = match urls.next() {
                Ok(Some(Next::Url(url, place))) => {
                    let from_stream = matches!(place, UrlPlace::Line(..));
                    Read::Url { url: url.to_vec(), place: place.to_string(), from_stream }
                }
                Ok(Some(Next::Bad(text, message))) => Read::Bad(text, message),
                Ok(Some(Next::Warning(message))) => Read::Warning(message),
                Ok(None) => return,
                Err(failure) => Read::Failed(failure),
            };
            let is_last = matches!(read, Read::Failed(_));
            // Sending fails if the receiver was dropped, which happens after standard output was closed.
            if sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}
