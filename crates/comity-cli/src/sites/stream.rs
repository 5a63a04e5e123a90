//! Many URLs of many origins, answered in order.
//!
//! A thread reads lines, so that a slow stream holds nothing up. Every URL takes its place in a queue, and every origin
//! that turns up in it is asked at once, a few at a time; the head of the queue is answered as soon as its own origin is
//! known. So 1,000 origins are not asked one after the other, and one URL on a terminal is answered without waiting for
//! the next.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::SystemTime;

use comity::robots::Agent;
use comity_answers::provenance::Provenance;
use comity_client::{Client, Origin};
use tokio::sync::{Semaphore, mpsc, watch};

use super::standing::Standing;
use super::trouble::Trouble;
use crate::decisions::guess;
use crate::decisions::urls::{Next, UrlPlace, Urls};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// The largest number of URLs that wait for their turn.
const QUEUE: usize = 1024;

/// The largest number of origins that are remembered between URLs; the client's own cache remembers more.
const REMEMBERED: usize = 4096;

/// A URL to answer.
pub(crate) struct Question<'q> {
    /// The URL as it was written.
    pub(crate) url: &'q [u8],
    /// The URL's origin and its policy for each crawler; `None` for a bare path or other text without a scheme. An error
    /// was printed already, and says why nothing is known.
    pub(crate) site: Result<Option<(&'q Origin, &'q Standing)>, (&'q Provenance, &'q str)>,
    /// When.
    pub(crate) now: SystemTime,
}

/// The channel on which an origin's answer is awaited.
type Awaited = watch::Receiver<Option<Arc<Result<Standing, Trouble>>>>;

/// How questions are answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The robots.txt itself comes with every site.
    pub(crate) wants_file: bool,
    /// The largest number of origins that are asked at once.
    pub(crate) jobs: usize,
}

impl Options {
    /// The number of origins that are asked at once unless somebody says otherwise.
    pub(crate) const JOBS: usize = 16;
}

/// A line, as the reading thread hands it over.
enum Read {
    Url {
        url: Vec<u8>,
        place: String,
        from_stream: bool,
    },
    /// What is no URL, and why.
    Bad(Vec<u8>, String),
    Warning(String),
    Failed(Failure),
}

/// A URL in the queue.
struct Waiting {
    read: Read,
    site: Option<Result<(Origin, Awaited), String>>,
}

/// Answers every URL: `answer` prints, and gives the exit code that its answer asks for, or says what is wrong with the
/// URL.
pub(crate) async fn answer_each(
    client: &Client,
    agents: &[Agent],
    options: Options,
    urls: Urls,
    output: &mut Output,
    answer: impl FnMut(&Question<'_>, &mut Output) -> Result<Result<Exit, String>, Failure>,
) -> Result<Exit, Failure> {
    let mut run = Run {
        asker: Asker::new(client, agents, options),
        lines: read(urls),
        queue: VecDeque::new(),
        has_more: true,
        progress: None,
        exit: Exit::Success,
        answer,
    };
    run.go(output).await?;
    Ok(run.exit)
}

struct Run<A> {
    asker: Asker,
    lines: mpsc::Receiver<Read>,
    queue: VecDeque<Waiting>,
    has_more: bool,
    progress: Option<crate::output::Progress>,
    exit: Exit,
    answer: A,
}

impl<A> Run<A>
where
    A: FnMut(&Question<'_>, &mut Output) -> Result<Result<Exit, String>, Failure>,
{
    async fn go(&mut self, output: &mut Output) -> Result<(), Failure> {
        loop {
            while self.queue.len() < QUEUE
                && let Ok(read) = self.lines.try_recv()
            {
                self.take(read);
            }
            match self.queue.pop_front() {
                Some(first) if first.is_ready() => self.say(first, output)?,
                Some(first) => {
                    self.queue.push_front(first);
                    self.wait(output).await?;
                }
                None if self.has_more => self.wait(output).await?,
                None => return Ok(()),
            }
        }
    }

    /// Until the head of the queue can be answered, or there is another line. What was printed is handed on before.
    async fn wait(&mut self, output: &mut Output) -> Result<(), Failure> {
        output.flush()?;
        let has_room = self.queue.len() < QUEUE && self.has_more;
        let head = async {
            match self.queue.front_mut().and_then(|first| first.site.as_mut()) {
                Some(Ok((_, awaited))) => {
                    let _ = awaited.wait_for(Option::is_some).await;
                }
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            () = head => {}
            read = self.lines.recv(), if has_room => match read {
                Some(read) => self.take(read),
                None => self.has_more = false,
            },
        }
        Ok(())
    }

    /// A line joins the queue, and its origin is asked.
    fn take(&mut self, read: Read) {
        let site = match &read {
            Read::Url { url, .. } if crate::location::has_scheme(url) => {
                Some(super::parse(url).map(|(_, origin)| {
                    let awaited = self.asker.ask(&origin);
                    (origin, awaited)
                }))
            }
            _ => None,
        };
        self.queue.push_back(Waiting { read, site });
    }

    fn say(&mut self, waiting: Waiting, output: &mut Output) -> Result<(), Failure> {
        let (url, place, from_stream) = match waiting.read {
            Read::Url { url, place, from_stream } => (url, place, from_stream),
            Read::Bad(text, message) => {
                return self.trouble(&text, &Provenance::default(), &message, Exit::Trouble, output);
            }
            Read::Warning(message) => {
                output.warning(&message);
                return Ok(());
            }
            Read::Failed(failure) => return Err(failure),
        };
        if from_stream {
            self.progress.get_or_insert_with(|| output.progress(None, "URLs")).step();
        }
        let now = SystemTime::now();
        let answered = match &waiting.site {
            None => (self.answer)(&Question { url: &url, site: Ok(None), now }, output)?,
            Some(Err(error)) => Err(error.clone()),
            Some(Ok((origin, awaited))) => {
                let known = awaited.borrow().clone();
                match known.as_deref() {
                    Some(Ok(standing)) => {
                        let site = Ok(Some((origin, standing)));
                        (self.answer)(&Question { url: &url, site, now }, output)?
                    }
                    Some(Err(trouble)) => {
                        let robots_txt = Provenance::of_url(origin);
                        let message = format!("{place}: {}", trouble.line());
                        return self.trouble(&url, &robots_txt, &message, trouble.exit, output);
                    }
                    None => Err("the task that requests its robots.txt panicked".to_owned()),
                }
            }
        };
        match answered {
            Ok(exit) => {
                self.exit = self.exit.max(exit);
                Ok(())
            }
            Err(error) => {
                let message = format!("{place}: {}", guess::of_url(&url, &error));
                self.trouble(&url, &Provenance::default(), &message, Exit::Trouble, output)
            }
        }
    }

    /// Prints an error, and has its row printed.
    fn trouble(
        &mut self,
        url: &[u8],
        robots_txt: &Provenance,
        message: &str,
        exit: Exit,
        output: &mut Output,
    ) -> Result<(), Failure> {
        output.error(message);
        self.exit = self.exit.max(exit);
        let site = Err((robots_txt, message));
        // The row of an error asks for no exit code of its own.
        let _ = (self.answer)(&Question { url, site, now: SystemTime::now() }, output)?;
        Ok(())
    }
}

impl Waiting {
    /// Returns whether it can be answered without waiting.
    fn is_ready(&self) -> bool {
        match &self.site {
            // The channel is closed without an answer if the task that requests robots.txt panicked.
            Some(Ok((_, awaited))) => awaited.borrow().is_some() || awaited.has_changed().is_err(),
            _ => true,
        }
    }
}

/// Asks origins, each once.
struct Asker {
    client: Client,
    agents: Arc<[Agent]>,
    wants_file: bool,
    window: Arc<Semaphore>,
    asked: HashMap<Origin, Awaited>,
}

impl Asker {
    fn new(client: &Client, agents: &[Agent], options: Options) -> Asker {
        let (wants_file, window) = (options.wants_file, Arc::new(Semaphore::new(options.jobs)));
        Asker { client: client.clone(), agents: agents.into(), wants_file, window, asked: HashMap::new() }
    }

    fn ask(&mut self, origin: &Origin) -> Awaited {
        if let Some(awaited) = self.asked.get(origin).filter(|awaited| still_counts(awaited)) {
            return awaited.clone();
        }
        if self.asked.len() >= REMEMBERED {
            self.asked.clear();
        }
        let (answer, awaited) = watch::channel(None);
        let (client, agents, wants_file) = (self.client.clone(), self.agents.clone(), self.wants_file);
        let (window, place) = (self.window.clone(), origin.clone());
        tokio::spawn(async move {
            // The semaphore is never closed, and its queue is in the order of the URLs.
            let _turn = window.acquire().await;
            let standing = Standing::ask(&client, &place, &agents, wants_file).await;
            let _ = answer.send(Some(Arc::new(standing)));
        });
        self.asked.insert(origin.clone(), awaited.clone());
        awaited
    }
}

/// Returns whether an answer is still awaited, or fresh. A refusal counts for the rest of the run.
fn still_counts(awaited: &Awaited) -> bool {
    match awaited.borrow().as_deref() {
        Some(Ok(standing)) => standing.is_fresh(SystemTime::now()),
        _ => true,
    }
}

/// Reads on a thread of its own.
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
            // Nobody listens any more: standard output was closed.
            if sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}
