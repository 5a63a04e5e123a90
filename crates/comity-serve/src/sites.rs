//! The sites that one question is about, each asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use comity::policy::Policy;
use comity::robots::{Agent, Body, RobotsTxt};
use comity_answers::provenance::Provenance;
use comity_answers::site::{self, SiteError, SiteFile};
use comity_client::{Cause, Origin};
use tokio::sync::OnceCell;

use crate::context::{Context, web_url};
use crate::problem::{self, Kind, Problem};

/// The largest number of origins that are remembered within a batch; the client's own cache remembers more.
const REMEMBERED: usize = 1_024;

/// What an origin says to the crawlers of a question.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    /// One for each crawler.
    pub(crate) policies: Vec<Arc<Policy>>,
    /// Its robots.txt, if it was wanted and rules decide.
    pub(crate) file: Option<(RobotsTxt<'static>, Provenance)>,
}

/// The answer of an origin, or why it was not asked.
type Known = Arc<OnceCell<Result<Arc<Site>, String>>>;

/// Asks origins, each once.
#[derive(Debug)]
pub(crate) struct Sites {
    context: Context,
    agents: Arc<[Agent]>,
    wants_file: bool,
    /// A question that is no batch does not wait until it may ask for more.
    waits: bool,
    known: Mutex<HashMap<Origin, Known>>,
}

/// The reason why nothing is known of a URL's site.
#[derive(Debug)]
pub(crate) struct NoSite {
    pub(crate) robots_txt: Provenance,
    pub(crate) error: String,
}

impl From<String> for NoSite {
    fn from(error: String) -> Self {
        NoSite { robots_txt: Provenance::default(), error }
    }
}

impl Sites {
    pub(crate) fn new(context: &Context, agents: Arc<[Agent]>, wants_file: bool, waits: bool) -> Self {
        Sites { context: context.clone(), agents, wants_file, waits, known: Mutex::default() }
    }

    /// Returns what the site of a URL says.
    ///
    /// # Errors
    ///
    /// A [`Problem`] if the caller has asked for too many new origins; the inner error if nothing is known of this one.
    pub(crate) async fn of(&self, text: &str) -> Result<Result<Arc<Site>, NoSite>, Problem> {
        let url = match web_url(text) {
            Ok(url) => url,
            Err(error) => return Ok(Err(error.into())),
        };
        let Some(origin) = Origin::of(&url) else {
            return Ok(Err(format!("`{url}` is not a URL of the web").into()));
        };
        let cell = match self.remembered(&origin) {
            Some(known) => known,
            None => {
                while let Err(retry_in) = self.context.may_ask(&origin) {
                    if !self.waits {
                        return Err(self.context.too_many_origins(retry_in));
                    }
                    tokio::time::sleep(retry_in).await;
                }
                self.remember(&origin)
            }
        };
        let known = cell.get_or_init(|| Box::pin(self.ask(&origin))).await;
        Ok(match known {
            Ok(site) => Ok(Arc::clone(site)),
            Err(error) => Err(NoSite { robots_txt: Provenance::of_url(&origin), error: error.clone() }),
        })
    }

    /// Returns what the site of a URL says if that is in memory. Its file never is.
    pub(crate) fn at_hand(&self, text: &str) -> Option<Arc<Site>> {
        let origin: Origin = text.parse().ok()?;
        // A batch comes back to an origin often, and remembers it. A question is about few URLs.
        if self.waits {
            return self.remembered(&origin)?.get()?.as_ref().ok().cloned();
        }
        if self.wants_file {
            return None;
        }
        let now = SystemTime::now();
        let policies = site::known_policies(self.context.client(), &origin, &self.agents, now)?;
        Some(Arc::new(Site { origin, policies, file: None }))
    }

    /// Returns the cell of an origin, unless its answer is no longer fresh.
    fn remembered(&self, origin: &Origin) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = known.get(origin)?;
        let now = SystemTime::now();
        let is_fresh = match cell.get() {
            Some(Ok(site)) => site.policies.iter().all(|policy| policy.is_fresh(now)),
            _ => true,
        };
        is_fresh.then(|| Arc::clone(cell))
    }

    fn remember(&self, origin: &Origin) -> Known {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        // Another URL of the origin may have come first.
        match known.get(origin) {
            Some(cell) if cell.get().is_none() => Arc::clone(cell),
            _ => {
                let cell = Known::default();
                known.insert(origin.clone(), Arc::clone(&cell));
                cell
            }
        }
    }

    async fn ask(&self, origin: &Origin) -> Result<Arc<Site>, String> {
        let client = self.context.client();
        let policies =
            site::policies(client, origin, &self.agents).await.map_err(|cause| problem::in_words(&cause))?;
        let mut file = None;
        if let Some(policy) = policies.first().filter(|_| self.wants_file) {
            let served = SiteFile::of(client, origin, policy, SystemTime::now()).await.map_err(in_words)?;
            file = served.body.map(|body| {
                let dialect = client.preset().dialect();
                let robots = RobotsTxt::parse_with_charset(&body, dialect, served.charset.as_deref());
                (robots.into_owned(), served.provenance)
            });
        }
        Ok(Arc::new(Site { origin: origin.clone(), policies, file }))
    }
}

fn in_words(error: SiteError) -> String {
    match error {
        SiteError::Client(cause) => problem::in_words(&cause),
        SiteError::Url(error) => error.to_string(),
    }
}

/// A robots.txt that a question is about.
#[derive(Debug)]
pub(crate) struct File {
    /// Its name in answers: its URL, or `robots.txt`.
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    /// Whether it came as text with the question, so that no charset applies to it.
    is_text: bool,
    pub(crate) charset: Option<String>,
    pub(crate) provenance: Provenance,
    /// A page stands in its place.
    pub(crate) is_page: bool,
}

impl File {
    /// Returns the text that came with a question, or what a site serves.
    pub(crate) async fn of(
        context: &Context,
        robots: Option<String>,
        site: Option<String>,
        name: &str,
    ) -> Result<File, Problem> {
        match (robots, site) {
            (Some(text), None) => {
                let body = text.into_bytes();
                let provenance = Provenance::of_body(&body);
                Ok(File {
                    name: name.to_owned(),
                    body,
                    is_text: true,
                    charset: None,
                    provenance,
                    is_page: false,
                })
            }
            (None, Some(site)) => File::of_site(context, &site).await,
            _ => Err(Problem::new(
                Kind::BadQuestion,
                "give either `robots`, the text, or `site`, a URL of the site",
            )),
        }
    }

    /// A robots.txt that is not there (404) is an empty one; a page in its place is that page.
    async fn of_site(context: &Context, site: &str) -> Result<File, Problem> {
        let url = web_url(site).map_err(|error| Problem::new(Kind::BadQuestion, error))?;
        let origin = context.origin_now(&url)?;
        let name = String::from(origin.robots_txt());
        let served = serve(context, &origin).await?;
        let is_page = served.page.is_some();
        if served.body.is_none() && !is_page && !served.allows_all() {
            return Err(Problem::of_cause(&Cause::Robots(Box::new(served.decision))).about(&name));
        }
        let SiteFile { body, page, charset, provenance, .. } = served;
        let body = body.or(page).unwrap_or_default();
        Ok(File { name, body, is_text: false, charset, provenance, is_page })
    }

    /// Returns it as the engine reads it.
    pub(crate) fn robots(&self) -> Body<'_> {
        if self.is_text { Body::utf8(&self.body) } else { Body::from(&self.body) }
    }

    /// Empties what is no robots.txt, for questions that decide by it: a page in its place allows everything.
    pub(crate) fn without_page(self) -> File {
        if self.is_page { File { body: Vec::new(), ..self } } else { self }
    }
}

/// Returns what an origin serves, as the service's own crawler gets it.
pub(crate) async fn serve(context: &Context, origin: &Origin) -> Result<SiteFile, Problem> {
    let client = context.client();
    let agents = std::slice::from_ref(client.agent());
    let policies = site::policies(client, origin, agents).await.map_err(|cause| Problem::of_cause(&cause))?;
    let Some(policy) = policies.first() else {
        return Err(Problem::new(Kind::Internal, "there is no policy"));
    };
    SiteFile::of(client, origin, policy, SystemTime::now()).await.map_err(|error| match error {
        SiteError::Client(cause) => Problem::of_cause(&cause),
        SiteError::Url(error) => Problem::new(Kind::Internal, error.to_string()),
    })
}
