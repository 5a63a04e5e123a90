//! What is kept from batch to batch: bodies, crawlers, and what follows from the two.
//!
//! Bodies are found by hash and then compared, so two that collide stay two. The hash is keyed anew in each process:
//! whoever writes robots.txt files cannot make them collide. When the cache is full, it starts anew; data is usually
//! sorted by origin, so what is dropped is seldom missed.

use std::collections::HashMap;
use std::time::SystemTime;

use ahash::RandomState;
use comity::policy::{Answer, Mode, Policy, Reply, Treatment};
use comity::robots::{Agent, RobotsTxt, Rules};
use comity::usage::Usage;

use crate::options::Options;

/// Where the body of a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    None,
    /// In the cache.
    Cached(u32),
    /// With the answer of this number in the table of answers.
    Keyed(u32),
}

/// An answer for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Case {
    pub(crate) body: Body,
    pub(crate) reply: Option<Reply>,
    pub(crate) agent: u32,
}

/// What follows from a case.
#[derive(Debug)]
pub(crate) struct Ruling {
    pub(crate) policy: Policy,
    /// The rules in another dialect than the preset's, where rules decide.
    pub(crate) rules: Option<Rules>,
    pub(crate) treatment: Option<Treatment>,
    pub(crate) crawl_delay: Option<f64>,
    pub(crate) usage: Option<Usage<'static>>,
}

/// Every verdict is the one at the moment when the answer came; which moment that was changes nothing.
pub(crate) const NOW: SystemTime = SystemTime::UNIX_EPOCH;

impl Ruling {
    fn new(body: &[u8], reply: Option<Reply>, agent: &Agent, options: &Options) -> Self {
        let preset = options.preset;
        let mode = options.mode.unwrap_or(preset.mode());
        let policy = match reply {
            None => Policy::unasked(preset),
            Some(Reply::Failure(failure)) => {
                Policy::new(&preset.read(&Answer::failure(failure, NOW).with_body(body)), agent)
            }
            Some(Reply::Status(code)) => {
                Policy::new(&preset.read(&Answer::status(code, NOW).with_body(body)), agent)
            }
            // A kind of reply that this crate does not know is no answer.
            Some(_) => Policy::unasked(preset),
        };
        let policy = policy.with_mode(mode);
        let treatment = (mode != Mode::Ignore).then(|| policy.treatment(NOW));
        let reads_rules = policy.rules(NOW).is_some();
        let read = &body[..body.len().min(preset.body_limit().unwrap_or(usize::MAX))];
        let other = options.dialect.filter(|dialect| *dialect != preset.dialect());
        let rules = other
            .filter(|_| reads_rules && mode != Mode::Ignore)
            .map(|dialect| RobotsTxt::parse_as(read, dialect).rules_for(agent));
        let crawl_delay = rules.as_ref().or_else(|| policy.rules(NOW)).and_then(Rules::crawl_delay);
        let usage = (reads_rules && !options.usage.is_empty()).then(|| {
            let robots = RobotsTxt::parse_as(read, options.dialect.unwrap_or(preset.dialect()));
            Usage::for_owned_agent(agent.clone()).robots(&robots)
        });
        Ruling { policy, rules, treatment, crawl_delay: crawl_delay.map(|delay| delay.as_secs_f64()), usage }
    }
}

/// The cache.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    hasher: RandomState,
    /// The first body and agent of each hash; the others of it follow from there.
    bodies_by_hash: HashMap<u64, u32, RandomState>,
    bodies: Vec<CachedBody>,
    agents_by_name: HashMap<Box<[u8]>, u32, RandomState>,
    agents: Vec<Agent>,
    one_agent: Option<u32>,
    numbers: HashMap<Case, u32, RandomState>,
    rulings: Vec<Ruling>,
    bytes: usize,
}

#[derive(Debug)]
struct CachedBody {
    octets: Box<[u8]>,
    /// The next body with the same hash.
    next: Option<u32>,
}

impl Cache {
    /// Whether it holds more than `limit` octets.
    pub(crate) fn is_over(&self, limit: usize) -> bool {
        self.bytes > limit
    }

    /// Forgets everything. Numbers that were given out mean nothing any more.
    pub(crate) fn clear(&mut self) {
        *self = Cache { hasher: self.hasher.clone(), ..Cache::default() };
    }

    pub(crate) fn body(&mut self, octets: &[u8]) -> u32 {
        let hash = self.hasher.hash_one(octets);
        let first = self.bodies_by_hash.get(&hash).copied();
        let mut next = first;
        while let Some(body) = next.and_then(|number| self.bodies.get(number as usize)) {
            if *body.octets == *octets {
                return next.unwrap_or_default();
            }
            next = body.next;
        }
        let number = number_of(self.bodies.len());
        self.bodies.push(CachedBody { octets: octets.into(), next: first });
        self.bodies_by_hash.insert(hash, number);
        self.bytes += octets.len() + size_of::<CachedBody>() + 32;
        number
    }

    pub(crate) fn agent(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.agents_by_name.get(name) {
            return number;
        }
        let number = self.add_agent(Agent::token(String::from_utf8_lossy(name)));
        self.agents_by_name.insert(name.into(), number);
        number
    }

    /// The number of the agent that the options name: it may be more than a token, so it is not found by its name.
    pub(crate) fn one_agent(&mut self, agent: &Agent) -> u32 {
        if let Some(number) = self.one_agent {
            return number;
        }
        let number = self.add_agent(agent.clone());
        self.one_agent = Some(number);
        number
    }

    fn add_agent(&mut self, agent: Agent) -> u32 {
        self.bytes += 2 * agent.as_str().len() + size_of::<Agent>() + 64;
        let number = number_of(self.agents.len());
        self.agents.push(agent);
        number
    }

    /// The number of what follows from a case, worked out if it is new. `keyed` is the body of a case that has it in the
    /// table of answers.
    pub(crate) fn ruling(&mut self, case: Case, keyed: Option<&[u8]>, options: &Options) -> usize {
        if let Some(&number) = self.numbers.get(&case) {
            return number as usize;
        }
        let body = match case.body {
            Body::None => &[][..],
            Body::Cached(number) => self.bodies.get(number as usize).map_or(&[][..], |body| &body.octets),
            Body::Keyed(_) => keyed.unwrap_or_default(),
        };
        let nobody = Agent::token("*");
        let agent = self.agents.get(case.agent as usize).unwrap_or(&nobody);
        let ruling = Ruling::new(body, case.reply, agent, options);
        let usage = if ruling.usage.is_some() { body.len() } else { 0 };
        let rules = ruling.rules.as_ref().map_or(0, Rules::heap_bytes);
        self.bytes += ruling.policy.heap_bytes() + rules + usage + size_of::<Ruling>() + 64;
        let number = self.rulings.len();
        self.rulings.push(ruling);
        self.numbers.insert(case, number_of(number));
        number
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Ruling> {
        self.rulings.get(number)
    }
}

/// The cache is emptied long before it holds four billion of anything.
fn number_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
