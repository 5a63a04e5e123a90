//! A name server on loopback that can change its mind between two questions.
//!
//! Everything it says holds for zero seconds, so whoever keeps an answer does so on their own account. Questions of
//! another type about the same name are another sequence: who asks for A and AAAA at once hears the first answer twice.

mod message;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use message::{Code, Question};

/// What the name server says about a name.
#[derive(Clone, Debug)]
pub struct Answer(Says);

#[derive(Clone, Debug)]
enum Says {
    Addresses(Vec<IpAddr>),
    Alias(String),
    Failure(Code),
    Nothing,
}

impl Answer {
    /// These addresses, public and private ones as they come: A questions hear the IPv4 ones, AAAA questions the others.
    /// A name without addresses exists all the same.
    ///
    /// # Panics
    ///
    /// If one is not an IP address.
    pub fn addresses<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Self {
        let parsed = addresses.into_iter().map(|ip| ip.parse().expect("an IP address")).collect();
        Answer(Says::Addresses(parsed))
    }

    /// A CNAME record, and what the table says about the other name.
    pub fn alias(name: &str) -> Self {
        Answer(Says::Alias(plain(name)))
    }

    /// There is no such name.
    pub fn nxdomain() -> Self {
        Answer(Says::Failure(Code::NxDomain))
    }

    /// The server failed.
    pub fn servfail() -> Self {
        Answer(Says::Failure(Code::ServFail))
    }

    /// No answer: the client waits until it has enough.
    pub fn silence() -> Self {
        Answer(Says::Nothing)
    }

    /// This answer once, then `next`.
    pub fn then(self, next: impl Into<Answers>) -> Answers {
        Answers::from(self).then(next)
    }
}

/// Answers in their order; the last one goes on for ever. An [`Answer`] is such a sequence.
#[derive(Clone, Debug)]
pub struct Answers(Vec<Answer>);

impl Answers {
    /// All of these, then `next`.
    #[must_use]
    pub fn then(mut self, next: impl Into<Answers>) -> Self {
        self.0.extend(next.into().0);
        self
    }
}

impl From<Answer> for Answers {
    fn from(answer: Answer) -> Self {
        Answers(vec![answer])
    }
}

/// A question that was asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// About which name, in lower case, without a dot at its end.
    pub name: String,
    /// `A`, `AAAA`, or another type by its number.
    pub kind: String,
    /// When.
    pub at: Instant,
}

/// A name server (UDP, RFC 1035). It knows no name until told, and is gone when it is dropped.
///
/// ```
/// use testkit::servers::{Answer, DnsServer};
///
/// let dns = DnsServer::start();
/// dns.on("rebind.test", Answer::addresses(["192.0.2.1"]).then(Answer::addresses(["127.0.0.1"])))
///     .on("mixed.test", Answer::addresses(["192.0.2.1", "10.0.0.1"]))
///     .on("broken.test", Answer::servfail());
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
    names: BTreeMap<String, Answers>,
    /// How many questions of a type were answered since the name got its answers.
    turns: BTreeMap<(String, u16), usize>,
    queries: Vec<Query>,
}

impl DnsServer {
    /// On 127.0.0.1, on a free port.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn start() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        socket.set_read_timeout(Some(Duration::from_millis(500))).expect("a time-out");
        let address = socket.local_addr().expect("its address");
        let (table, stop) = (Arc::<Mutex<Table>>::default(), Arc::<AtomicBool>::default());
        let (asked, stopped) = (Arc::clone(&table), Arc::clone(&stop));
        let thread = thread::spawn(move || serve(&socket, &asked, &stopped));
        DnsServer { address, table, stop, thread: Some(thread) }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on, this is what is said about `name`.
    pub fn on(&self, name: &str, answers: impl Into<Answers>) -> &Self {
        let name = plain(name);
        let mut table = lock(&self.table);
        table.turns.retain(|(other, _), _| *other != name);
        table.names.insert(name, answers.into());
        self
    }

    /// Every question so far, in order.
    pub fn queries(&self) -> Vec<Query> {
        lock(&self.table).queries.clone()
    }

    /// How many questions there were about `name`, of any type.
    pub fn count(&self, name: &str) -> usize {
        let name = plain(name);
        lock(&self.table).queries.iter().filter(|query| query.name == name).count()
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Wakes the thread; if that fails, its read times out.
        let _ =
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.send_to(&[], self.address));
        // A panic there was shown already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Table {
    /// Notes a question and finds what to say: `None` for silence.
    fn answer(&mut self, question: &Question) -> Option<Vec<u8>> {
        let kind = match question.kind {
            message::A => "A".to_owned(),
            message::AAAA => "AAAA".to_owned(),
            other => other.to_string(),
        };
        self.queries.push(Query { name: question.name.clone(), kind, at: Instant::now() });
        let mut answer = question.answer();
        let mut name = question.name.clone();
        // An alias of an alias of itself ends somewhere.
        for _ in 0..8 {
            match self.turn(&name, question.kind) {
                Says::Nothing => return None,
                Says::Failure(code) => return Some(answer.end(code)),
                Says::Addresses(addresses) => {
                    addresses.into_iter().for_each(|ip| answer.address(&name, ip));
                    break;
                }
                Says::Alias(other) => {
                    answer.alias(&name, &other);
                    name = other;
                }
            }
        }
        Some(answer.end(Code::NoError))
    }

    /// What is said about a name this time.
    fn turn(&mut self, name: &str, kind: u16) -> Says {
        let Some(Answers(answers)) = self.names.get(name) else { return Says::Failure(Code::NxDomain) };
        let turn = self.turns.entry((name.to_owned(), kind)).or_default();
        let answer = answers.get(*turn).or(answers.last());
        *turn += 1;
        answer.map_or(Says::Nothing, |Answer(says)| says.clone())
    }
}

fn serve(socket: &UdpSocket, table: &Mutex<Table>, stop: &AtomicBool) {
    let mut datagram = [0; 4096];
    while !stop.load(Ordering::Relaxed) {
        // Nothing came in time, or a client is gone.
        let Ok((length, client)) = socket.recv_from(&mut datagram) else { continue };
        // What is not a question gets no answer.
        let Some(question) = datagram.get(..length).and_then(Question::read) else { continue };
        let answer = lock(table).answer(&question);
        if let Some(answer) = answer {
            // A client that is gone does not mind.
            let _ = socket.send_to(&answer, client);
        }
    }
}

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    // What a panicking test left behind is still true.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name as the table has it.
fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}
