//! The engine as a WebAssembly module. The JavaScript layer (`js/src/engine.mjs`) is its only caller.
//!
//! Texts are passed through two regions of memory. JavaScript writes arguments to the **input**, whose address
//! [`input`] returns, and passes their lengths. Functions write texts to the **output** and return its length. Files
//! and rules stay in the module; JavaScript has **handles**, which are indices. A freed handle is an error until
//! another object has its index, and never undefined behaviour.
//!
//! | result | meaning |
//! |---|---|
//! | 0 or more | a handle, an answer, or the length of the output |
//! | `FAILED` | an error; functions that write to the output write its message |
//! | `UNKNOWN_HANDLE` | the handle was freed |

#![deny(unsafe_code)]

mod json;
#[cfg(feature = "operations")]
pub mod operations;
mod slab;

use std::cell::RefCell;

use comity::robots::{self, Agent, Body, Dialect, RecordKind, RobotsTxt, Rules};

use crate::slab::Slab;

/// The result of a call that failed.
const FAILED: i32 = -1;
/// The result of a call with a handle that was freed.
const UNKNOWN_HANDLE: i32 = -2;
/// The answer to a question about a text that is not a URL of the dialect.
const NOT_A_URL: i32 = 2;
/// Size of the input, in bytes, above which it is freed after a call that reads a file.
const LARGE_INPUT: usize = 1 << 20;

/// The state of the module.
#[derive(Debug, Default)]
struct Engine {
    input: Vec<u8>,
    output: Vec<u8>,
    files: Slab<RobotsTxt<'static>>,
    rules: Slab<Rules>,
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
}

fn with_engine<T>(call: impl FnOnce(&mut Engine) -> T) -> T {
    ENGINE.with_borrow_mut(call)
}

impl Engine {
    /// Writes a text to the output and returns its length.
    fn write(&mut self, text: impl AsRef<[u8]>) -> i32 {
        self.output.clear();
        self.output.extend_from_slice(text.as_ref());
        i32::try_from(self.output.len()).unwrap_or(i32::MAX)
    }

    /// Writes the message of an error to the output.
    fn fail(&mut self, error: impl ToString) -> i32 {
        self.write(error.to_string());
        FAILED
    }

    /// Returns a part of the input.
    fn bytes(&self, length: usize) -> &[u8] {
        self.input.get(..length).unwrap_or_default()
    }

    fn free_large_input(&mut self) {
        if self.input.len() > LARGE_INPUT {
            self.input = Vec::new();
        }
    }

    fn text(&self, length: usize) -> String {
        String::from_utf8_lossy(self.bytes(length)).into_owned()
    }
}

/// Declares the functions that the module exports.
macro_rules! exports {
    ($($(#[$about:meta])* fn $name:ident($engine:ident $(, $argument:ident: $type:ty)* $(,)?) -> $result:ty $body:block)*) => {$(
        $(#[$about])*
        #[expect(unsafe_code, reason = "JavaScript finds functions by their names")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> $result {
            with_engine(|$engine| $body)
        }
    )*};
}
#[cfg(feature = "operations")]
pub(crate) use exports;

exports! {
    /// Returns the address of the input, which has at least `size` bytes.
    fn input(engine, size: usize) -> *const u8 {
        if engine.input.len() < size {
            engine.input.resize(size, 0);
        }
        engine.input.as_ptr()
    }

    /// Returns the address of the output.
    fn output(engine) -> *const u8 {
        engine.output.as_ptr()
    }

    /// Reads the file in the input, in the dialect with this index in [`Dialect::ALL`]. Returns a handle.
    fn parse(engine, length: usize, is_text: bool, dialect: usize) -> i32 {
        let Some(&dialect) = Dialect::ALL.get(dialect) else { return FAILED };
        let file = RobotsTxt::parse_as(body(engine.bytes(length), is_text), dialect).into_owned();
        engine.free_large_input();
        engine.files.insert(file)
    }

    /// Returns the length of the output: after an error, that of its message.
    fn message_length(engine) -> usize {
        engine.output.len()
    }

    /// Frees a file.
    fn free_file(engine, file: i32) -> () {
        engine.files.remove(file);
    }

    /// Frees rules.
    fn free_rules(engine, rules: i32) -> () {
        engine.rules.remove(rules);
    }

    /// Returns a handle of the rules for the agent in the input; see `agent`.
    fn rules_for(engine, file: i32, length: usize, kind: u32) -> i32 {
        let agent = agent(&engine.text(length), kind);
        let Some(file) = engine.files.get(file) else { return UNKNOWN_HANDLE };
        let rules = file.rules_for(&agent);
        engine.rules.insert(rules)
    }

    /// Reads a file, and returns a handle of the rules for an agent. The input has the file and then the agent.
    fn read_rules(engine, length: usize, agent_length: usize, is_text: bool, dialect: usize, kind: u32) -> i32 {
        let Some(&dialect) = Dialect::ALL.get(dialect) else { return FAILED };
        let name = engine.input.get(length..length + agent_length).unwrap_or_default();
        let agent = agent(&String::from_utf8_lossy(name), kind);
        let rules = RobotsTxt::parse_as(body(engine.bytes(length), is_text), dialect).rules_for(&agent);
        engine.free_large_input();
        engine.rules.insert(rules)
    }

    /// Reads a file for one question. The input has the file, the agent and the URL. Returns an answer as `is_allowed` does.
    fn ask_once(
        engine, length: usize, agent_length: usize, url_length: usize, is_text: bool, dialect: usize, kind: u32
    ) -> i32 {
        let Some(&dialect) = Dialect::ALL.get(dialect) else { return FAILED };
        let (agent_end, end) = (length + agent_length, length + agent_length + url_length);
        let name = engine.input.get(length..agent_end).unwrap_or_default();
        let agent = agent(&String::from_utf8_lossy(name), kind);
        let url = engine.input.get(agent_end..end).unwrap_or_default();
        let result = robots::is_allowed_as(body(engine.bytes(length), is_text), dialect, &agent, url);
        engine.free_large_input();
        match result {
            Ok(is_allowed) => i32::from(is_allowed),
            Err(error) => {
                engine.fail(error);
                NOT_A_URL
            }
        }
    }

    /// Returns 1 if the URL in the input may be fetched, else 0. If the text is not a URL, returns `NOT_A_URL` and writes
    /// the reason.
    fn is_allowed(engine, rules: i32, length: usize) -> i32 {
        let Some(rules) = engine.rules.get(rules) else { return UNKNOWN_HANDLE };
        match rules.is_allowed(engine.bytes(length)) {
            Ok(is_allowed) => i32::from(is_allowed),
            Err(error) => {
                engine.fail(error);
                NOT_A_URL
            }
        }
    }

    /// Decides the URLs in the input, which are separated by line feeds. Writes a byte for each: 0, 1 or `NOT_A_URL`.
    /// Returns their number.
    fn are_allowed(engine, rules: i32, length: usize) -> i32 {
        let Some(rules) = engine.rules.get(rules) else { return UNKNOWN_HANDLE };
        let answer = |url: &[u8]| rules.is_allowed(url).map_or(NOT_A_URL as u8, u8::from);
        let urls = engine.input.get(..length).unwrap_or_default().split(|byte| *byte == b'\n');
        engine.output.clear();
        engine.output.extend(urls.map(answer));
        i32::try_from(engine.output.len()).unwrap_or(FAILED)
    }

    /// Returns the line of the rule that decides the URL in the input, 0 if no rule decides, or `FAILED` if the text is not
    /// a URL.
    fn deciding_line(engine, rules: i32, length: usize) -> i32 {
        let Some(rules) = engine.rules.get(rules) else { return UNKNOWN_HANDLE };
        match rules.decide(engine.bytes(length)) {
            Ok(decision) => decision.rule().map_or(0, |rule| i32::try_from(rule.line()).unwrap_or(i32::MAX)),
            Err(_) => FAILED,
        }
    }

    /// Writes the decision about the URL in the input as JSON.
    fn decide(engine, rules: i32, length: usize) -> i32 {
        let Some(rules) = engine.rules.get(rules) else { return UNKNOWN_HANDLE };
        match rules.decide(engine.bytes(length)).map(|decision| json::decision(&decision)) {
            Ok(json) => engine.write(json),
            Err(error) => engine.fail(error),
        }
    }

    /// Writes the facts about rules as JSON: `[group, delay, number of rules]`.
    fn describe(engine, rules: i32) -> i32 {
        let Some(rules) = engine.rules.get(rules) else { return UNKNOWN_HANDLE };
        let json = json::rules(rules);
        engine.write(json)
    }

    /// Writes the sitemaps of a file as a JSON array.
    fn sitemaps(engine, file: i32) -> i32 {
        let Some(file) = engine.files.get(file) else { return UNKNOWN_HANDLE };
        let json = json::array(file.sitemaps());
        engine.write(json)
    }

    /// Returns 1 if the end of a file was not read, because the dialect has a limit.
    fn is_truncated(engine, file: i32) -> i32 {
        engine.files.get(file).map_or(UNKNOWN_HANDLE, |file| i32::from(file.is_truncated()))
    }

    /// Writes the values of the records of a kind as written, each with a line feed at its end. The input has the name of
    /// the kind.
    fn values(engine, file: i32, length: usize) -> i32 {
        let kind = engine.text(length);
        let Some(file) = engine.files.get(file) else { return UNKNOWN_HANDLE };
        let records = file.known_records().filter(|record| record.kind().as_str() == kind);
        let values = records.flat_map(|record| [record.value(), b"\n"].concat()).collect::<Vec<_>>();
        engine.write(values)
    }

    /// Writes the values of the `Crawl-delay` records for the agent in the input, each with a line feed at its end.
    fn delays(engine, file: i32, length: usize, kind: u32) -> i32 {
        let agent = agent(&engine.text(length), kind);
        let Some(file) = engine.files.get(file) else { return UNKNOWN_HANDLE };
        let records = file.groups_for(&agent).flat_map(|group| group.records());
        let records = records.filter(|record| record.kind() == RecordKind::CrawlDelay);
        let values = records.flat_map(|record| [record.value(), b"\n"].concat()).collect::<Vec<_>>();
        engine.write(values)
    }

    /// Writes the names of all dialects as a JSON array, in the order of their indices.
    fn dialects(engine) -> i32 {
        let json = json::array(Dialect::ALL.iter().map(|dialect| dialect.name()));
        engine.write(json)
    }

    /// Returns the number of files and rules that were not freed.
    fn live(engine) -> usize {
        engine.files.len() + engine.rules.len()
    }
}

/// Returns the body of a file. JavaScript passes text with lone surrogates as bytes.
fn body(bytes: &[u8], is_text: bool) -> Body<'_> {
    if is_text { Body::utf8(bytes) } else { Body::from(bytes) }
}

/// Bit of the kind of an agent: the first name is a whole User-Agent header.
const IS_HEADER: u32 = 1;

/// Bit of the kind of an agent: the crawler ignores `*`.
const IGNORES_STAR: u32 = 2;

/// Returns the agent with the names in `lines`: the first line is a product token or a header, the others are fallbacks.
///
/// JavaScript checks tokens. `Agent::token` would add the catalogue of crawlers, a quarter of the module.
fn agent(lines: &str, kind: u32) -> Agent {
    let mut names = lines.split('\n');
    let first = names.next().unwrap_or_default();
    let agent = if kind & IS_HEADER != 0 { Agent::header(first) } else { Agent::unchecked_token(first) };
    let agent = names.fold(agent, Agent::or_token);
    if kind & IGNORES_STAR != 0 { agent.ignoring_star() } else { agent }
}
