//! Tests of the guard with the data files in `conformance/guard/`.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use comity_client::guard::{Guard, ResolveError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::{Script, verdict};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<T> {
    group: Vec<Group<T>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group<T> {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    #[serde(default)]
    networks: Vec<String>,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    translators: Vec<String>,
    ask: Vec<T>,
}

impl<T> Group<T> {
    fn guard(&self) -> Guard {
        let guard =
            self.networks.iter().fold(Guard::new(), |guard, it| guard.allow_address(it.parse().unwrap()));
        let guard = self.hosts.iter().fold(guard, |guard, it| guard.allow_host(it));
        self.translators.iter().fold(guard, |guard, it| guard.translating(it.parse().unwrap()).unwrap())
    }
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/guard").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Panics if there are wrong answers, with a message that lists all of them.
fn assert_none_wrong(wrong: &[String], asked: usize, at_least: usize) {
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked >= at_least, "only {asked} cases were checked");
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelling {
    url: String,
    host: Option<String>,
    expect: String,
    #[serde(rename = "why")]
    _why: Option<String>,
}

#[test]
fn every_spelling_of_a_url_is_normalized() {
    let file: File<Spelling> = read("spellings.toml");
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for group in &file.group {
        let guard = group.guard();
        for case in &group.ask {
            asked += 1;
            let url = Url::parse(&case.url);
            let host = url.as_ref().ok().and_then(Url::host_str);
            let answer = url.as_ref().map_or("unparsable".to_owned(), |url| verdict(guard.check_url(url)));
            if answer != case.expect || (case.host.is_some() && case.host.as_deref() != host) {
                wrong.push(format!("{}: {:?}: {host:?} {answer}, not {}", group.id, case.url, case.expect));
            }
        }
    }
    assert_none_wrong(&wrong, asked, 200);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Address {
    address: IpAddr,
    expect: String,
    #[serde(rename = "why")]
    _why: Option<String>,
}

#[test]
fn every_address_has_its_verdict() {
    let file: File<Address> = read("addresses.toml");
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for group in &file.group {
        let guard = group.guard();
        for case in &group.ask {
            asked += 1;
            let answer = verdict(guard.check_address("host.example", case.address));
            if answer != case.expect {
                wrong.push(format!("{}: {}: {answer}, not {}", group.id, case.address, case.expect));
            }
        }
    }
    assert_none_wrong(&wrong, asked, 150);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    host: String,
    resolves: Option<Vec<String>>,
    expect: String,
    #[serde(default)]
    dials: Vec<IpAddr>,
}

#[tokio::test]
async fn names_have_the_verdict_of_their_addresses() {
    let file: File<Name> = read("names.toml");
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for group in &file.group {
        for case in &group.ask {
            asked += 1;
            let script = case.resolves.as_ref().map_or_else(Script::default, |answer| {
                Script::of(&[&answer.iter().map(String::as_str).collect::<Vec<_>>()])
            });
            let guard = group.guard().with_resolver(script.clone());
            let (answer, dials) = match guard.resolve(&case.host, 443).await {
                Ok(addresses) => {
                    assert!(addresses.iter().all(|it| it.port() == 443), "{}", case.host);
                    ("allowed".to_owned(), addresses.iter().map(|it| it.ip()).collect())
                }
                Err(ResolveError::Refused(refusal)) => (verdict(Err(refusal)), Vec::new()),
                Err(ResolveError::NotFound(_)) => ("not_found".to_owned(), Vec::new()),
                Err(error) => (error.to_string(), Vec::new()),
            };
            let times = usize::from(case.resolves.is_some());
            if answer != case.expect || dials != case.dials || script.asked().len() != times {
                let asked = script.asked();
                wrong.push(format!("{}: {:?}: {answer} {dials:?}, queried {asked:?}", group.id, case.host));
            }
        }
    }
    assert_none_wrong(&wrong, asked, 70);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ranges {
    range: Vec<Range>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    network: String,
    reason: String,
    before: Option<String>,
    after: Option<String>,
}

impl Range {
    fn edges(&self) -> (IpAddr, IpAddr) {
        if let Some((first, last)) = self.network.split_once('-') {
            return (first.parse().unwrap(), last.parse().unwrap());
        }
        let network: ipnet::IpNet = self.network.parse().unwrap();
        assert_eq!(network.network(), network.addr(), "{} is not a network", self.network);
        // `broadcast` returns the last address of any network.
        (network.network(), network.broadcast())
    }
}

fn neighbour(address: IpAddr, up: bool) -> Option<IpAddr> {
    let v4 = |bits: u32| if up { bits.checked_add(1) } else { bits.checked_sub(1) };
    let v6 = |bits: u128| if up { bits.checked_add(1) } else { bits.checked_sub(1) };
    match address {
        IpAddr::V4(it) => v4(it.to_bits()).map(|bits| Ipv4Addr::from_bits(bits).into()),
        IpAddr::V6(it) => v6(it.to_bits()).map(|bits| Ipv6Addr::from_bits(bits).into()),
    }
}

#[test]
fn edges_of_ranges_have_their_verdicts() {
    let Ranges { range } = read("ranges.toml");
    let guard = Guard::new();
    let reason = |address: IpAddr| match guard.check_address("host.example", address) {
        Ok(()) => "allowed",
        Err(refusal) => refusal.reason().as_str(),
    };
    let mut wrong = Vec::new();
    for it in &range {
        let (first, last) = it.edges();
        let edges = [
            ("before", neighbour(first, false).map(&reason), it.before.as_deref()),
            ("first", Some(reason(first)), Some(it.reason.as_str())),
            ("last", Some(reason(last)), Some(it.reason.as_str())),
            ("after", neighbour(last, true).map(&reason), it.after.as_deref()),
        ];
        for (edge, answer, expected) in edges {
            if answer != expected {
                wrong.push(format!("{} {edge}: {answer:?}, not {expected:?}", it.network));
            }
        }
    }
    assert_none_wrong(&wrong, range.len(), 60);
}
