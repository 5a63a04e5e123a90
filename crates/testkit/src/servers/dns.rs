//! A name server on loopback that can change its answer between two questions.
//!
//! Every record has a lifetime of zero seconds, so a client that keeps one does so by its own choice. Questions of
//! different types about one name are separate sequences: a client that asks for A and AAAA at once gets the first
//! answer twice.

mod message;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use message::{Code, Question};

/// The answer of the name server about a name.
#[derive(Clone, Debug)]
pub struct DnsAnswer(AnswerKind);

#[derive(Clone, Debug)]
enum AnswerKind {
    Addresses(Vec<IpAddr>),
    Names(Vec<String>),
    Alias(String),
    Failure(Code),
    Nothing,
}

impl DnsAnswer {
    /// Creates an answer with these addresses, public or private. Questions for A get the IPv4 ones, questions for AAAA
    /// the others. A name without addresses still exists.
    ///
    /// # Panics
    ///
    /// If one of them is not an IP address.
    pub fn addresses<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Self {
        let parsed = addresses.into_iter().map(|ip| ip.parse().expect("an IP address")).collect();
        DnsAnswer(AnswerKind::Addresses(parsed))
    }

    /// Creates an answer with PTR records, for the name that stands for an address (`9.113.0.203.in-addr.arpa`).
    pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        DnsAnswer(AnswerKind::Names(
            names.into_iter().map(|name| name.trim_end_matches('.').to_owned()).collect(),
        ))
    }

    /// Creates an answer with a CNAME record, and the answers about the other name.
    pub fn alias(name: &str) -> Self {
        DnsAnswer(AnswerKind::Alias(plain(name)))
    }

    /// Creates the answer for a name that does not exist.
    pub fn nxdomain() -> Self {
        DnsAnswer(AnswerKind::Failure(Code::NxDomain))
    }

    /// Creates the answer of a server that failed.
    pub fn servfail() -> Self {
        DnsAnswer(AnswerKind::Failure(Code::ServFail))
    }

    /// Creates the absence of an answer: the client waits until its own time-out.
    pub fn silence() -> Self {
        DnsAnswer(AnswerKind::Nothing)
    }

    /// Returns a sequence of this answer once, then `next`.
    pub fn then(self, next: impl Into<DnsAnswers>) -> DnsAnswers {
        DnsAnswers::from(self).then(next)
    }
}

/// A sequence of answers; the last one repeats forever. A [`DnsAnswer`] converts to a sequence of one.
#[derive(Clone, Debug)]
pub struct DnsAnswers(Vec<DnsAnswer>);

impl DnsAnswers {
    /// Returns a sequence of all of these, then `next`.
    #[must_use]
    pub fn then(mut self, next: impl Into<DnsAnswers>) -> Self {
        self.0.extend(next.into().0);
        self
    }
}

impl From<DnsAnswer> for DnsAnswers {
    fn from(answer: DnsAnswer) -> Self {
        DnsAnswers(vec![answer])
    }
}

/// A received question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// The name, in lower case, without a final dot.
    pub name: String,
    /// `A`, `AAAA`, `PTR`, or another type by its number.
    pub kind: String,
    /// The time of the question.
    pub at: Instant,
}

/// A name server (UDP, RFC 1035). At first it has no names; it stops when it is dropped.
///
/// ```
/// use testkit::servers::{DnsAnswer, DnsServer};
///
/// let dns = DnsServer::start();
/// dns.on("rebind.test", DnsAnswer::addresses(["192.0.2.1"]).then(DnsAnswer::addresses(["127.0.0.1"])))
///     .on("mixed.test", DnsAnswer::addresses(["192.0.2.1", "10.0.0.1"]))
///     .on("broken.test", DnsAnswer::servfail());
/// assert!(dns.queries().is_empty());
/// ```
#[derive(Debug)]
pub struct DnsServer {
    address: SocketAddr,
    table: Arc<Mutex<Table>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Table {
    names: BTreeMap<String, DnsAnswers>,
    /// The number of questions of each type since the name got its answers.
    turns: BTreeMap<(String, u16), usize>,
    queries: Vec<Query>,
}

impl DnsServer {
    /// Starts a server on 127.0.0.1, on a free port.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        socket.set_read_timeout(Some(Duration::from_millis(500))).expect("a time-out");
        let address = socket.local_addr().expect("its address");
        let (table, stop) = (Arc::<Mutex<Table>>::default(), Arc::<AtomicBool>::default());
        let (asked, stopped) = (Arc::clone(&table), Arc::clone(&stop));
        let thread = thread::spawn(move || serve(&socket, &asked, &stopped));
        DnsServer { address, table, stop, thread: Some(thread) }
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the answers about `name` from now on.
    pub fn on(&self, name: &str, answers: impl Into<DnsAnswers>) -> &Self {
        let name = plain(name);
        let mut table = lock(&self.table);
        table.turns.retain(|(other, _), _| *other != name);
        table.names.insert(name, answers.into());
        self
    }

    /// Returns every question so far, in order.
    pub fn queries(&self) -> Vec<Query> {
        lock(&self.table).queries.clone()
    }

    /// Returns the number of questions about `name`, of any type.
    pub fn count(&self, name: &str) -> usize {
        let name = plain(name);
        lock(&self.table).queries.iter().filter(|query| query.name == name).count()
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // This wakes the thread; if it fails, the thread's read times out.
        let _ =
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.send_to(&[], self.address));
        // The panic was reported already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Table {
    /// Records a question and finds its answer: `None` for silence.
    fn answer(&mut self, question: &Question) -> Option<Vec<u8>> {
        let kind = match question.kind {
            message::A => "A".to_owned(),
            message::AAAA => "AAAA".to_owned(),
            message::PTR => "PTR".to_owned(),
            other => other.to_string(),
        };
        self.queries.push(Query { name: question.name.clone(), kind, at: Instant::now() });
        let mut answer = question.answer();
        let mut name = question.name.clone();
        // A loop of aliases must end somewhere.
        for _ in 0..8 {
            match self.turn(&name, question.kind) {
                AnswerKind::Nothing => return None,
                AnswerKind::Failure(code) => return Some(answer.end(code)),
                AnswerKind::Addresses(addresses) => {
                    addresses.into_iter().for_each(|ip| answer.address(&name, ip));
                    break;
                }
                AnswerKind::Names(names) => {
                    names.iter().for_each(|other| answer.pointer(&name, other));
                    break;
                }
                AnswerKind::Alias(other) => {
                    answer.alias(&name, &other);
                    name = other;
                }
            }
        }
        Some(answer.end(Code::NoError))
    }

    /// Returns the next answer about a name.
    fn turn(&mut self, name: &str, kind: u16) -> AnswerKind {
        let Some(DnsAnswers(answers)) = self.names.get(name) else {
            return AnswerKind::Failure(Code::NxDomain);
        };
        let turn = self.turns.entry((name.to_owned(), kind)).or_default();
        let answer = answers.get(*turn).or(answers.last());
        *turn += 1;
        answer.map_or(AnswerKind::Nothing, |DnsAnswer(says)| says.clone())
    }
}

fn serve(socket: &UdpSocket, table: &Mutex<Table>, stop: &AtomicBool) {
    let mut datagram = [0; 4096];
    while !stop.load(Ordering::Relaxed) {
        // No question arrived in time, or a client has closed its socket.
        let Ok((length, client)) = socket.recv_from(&mut datagram) else { continue };
        // A message that is not a question gets no answer.
        let Some(question) = datagram.get(..length).and_then(Question::read) else { continue };
        let answer = lock(table).answer(&question);
        if let Some(answer) = answer {
            // A failure means that the client is gone.
            let _ = socket.send_to(&answer, client);
        }
    }
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    // The state after a panic in a test is still valid.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a name in the form of the table: in lower case, without a final dot.
fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}
