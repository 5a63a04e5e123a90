//! A name server on loopback that can change its answer between two questions.
//!
//! Every record has a TTL of zero seconds, so clients must not cache it. Each type of question about a name has
//! its own sequence of answers: a client that requests A and AAAA concurrently gets the first answer for both.

mod message;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use message::{Code, Question};

/// An answer to questions about a name.
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
    /// Creates an answer with these addresses. The answer to a question for A has the IPv4 addresses, and the answer to
    /// a question for AAAA has the IPv6 addresses. Without addresses, the name exists but has no records.
    ///
    /// # Panics
    ///
    /// If a text is not an IP address.
    pub fn addresses<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Self {
        let parsed = addresses.into_iter().map(|ip| ip.parse().expect("an IP address")).collect();
        DnsAnswer(AnswerKind::Addresses(parsed))
    }

    /// Creates an answer with PTR records, for the name of an address (`9.113.0.203.in-addr.arpa`).
    pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        DnsAnswer(AnswerKind::Names(
            names.into_iter().map(|name| name.trim_end_matches('.').to_owned()).collect(),
        ))
    }

    /// Creates an answer with a CNAME record, followed by the records of the target `name`.
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

    /// Creates an answer that is never sent, so that the client times out.
    pub fn silence() -> Self {
        DnsAnswer(AnswerKind::Nothing)
    }

    /// Returns a sequence that begins with this answer and continues with `next`.
    pub fn then(self, next: impl Into<DnsAnswers>) -> DnsAnswers {
        DnsAnswers::from(self).then(next)
    }
}

/// A sequence of answers. The last answer repeats forever. A [`DnsAnswer`] converts to a sequence with one answer.
#[derive(Clone, Debug)]
pub struct DnsAnswers(Vec<DnsAnswer>);

impl DnsAnswers {
    /// Returns a sequence that begins with these answers and continues with `next`.
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
    /// The type of the question: `A`, `AAAA`, `PTR`, or the number of another type.
    pub kind: String,
    /// The time of the question.
    pub at: Instant,
}

/// A name server (UDP, RFC 1035). At first, no name exists. Dropping the server stops it.
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
    /// The number of answers given by name and type, since the answers about the name were set.
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

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the answers to further questions about `name`.
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
        // An empty datagram wakes the thread. If it is lost, the read of the thread times out.
        let _ =
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.send_to(&[], self.address));
        // The panic was reported already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Table {
    /// Records a question and returns the message of its answer; `None` if no answer is sent.
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
        // A loop of aliases must end.
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
