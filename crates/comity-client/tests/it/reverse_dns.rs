//! Tests of reverse DNS, with a name server whose answers are scripted.

use std::io::ErrorKind;
use std::net::IpAddr;
use std::time::Duration;

use comity_client::ReverseDns;
use testkit::servers::{DnsAnswer, DnsServer};

fn asking(dns: &DnsServer) -> ReverseDns {
    ReverseDns::new([dns.address()], Duration::from_millis(300)).unwrap()
}

async fn names(dns: &ReverseDns, address: &str) -> Result<Vec<String>, ErrorKind> {
    let address: IpAddr = address.parse().unwrap();
    dns.names(address).await.map(|names| names.to_vec()).map_err(|error| error.kind())
}

#[tokio::test]
async fn only_forward_confirmed_names_are_returned() {
    let dns = DnsServer::start();
    dns.on(
        "9.113.0.203.in-addr.arpa",
        DnsAnswer::names(["Crawl-9.Example.COM", "forged.example.org", "gone.example"]),
    )
    .on("crawl-9.example.com", DnsAnswer::addresses(["203.0.113.1", "203.0.113.9"]))
    .on("forged.example.org", DnsAnswer::addresses(["198.51.100.1"]));
    let reverse = asking(&dns);
    assert_eq!(names(&reverse, "203.0.113.9").await, Ok(vec!["crawl-9.example.com".to_owned()]));
    assert_eq!(names(&reverse, "::ffff:203.0.113.9").await, Ok(vec!["crawl-9.example.com".to_owned()]));
    assert_eq!(dns.count("9.113.0.203.in-addr.arpa"), 1, "the answer is cached");
    assert_eq!(names(&reverse, "203.0.113.10").await, Ok(Vec::new()), "an address without a name");
}

#[tokio::test]
async fn ipv4_and_ipv6_addresses_have_names() {
    let dns = DnsServer::start();
    let pointer = "9.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa";
    dns.on(pointer, DnsAnswer::names(["six.example.com"]))
        .on("six.example.com", DnsAnswer::addresses(["2001:db8::9"]));
    assert_eq!(names(&asking(&dns), "2001:db8::9").await, Ok(vec!["six.example.com".to_owned()]));
}

#[tokio::test]
async fn failed_lookup_is_an_error() {
    let dns = DnsServer::start();
    dns.on("1.113.0.203.in-addr.arpa", DnsAnswer::servfail())
        .on("2.113.0.203.in-addr.arpa", DnsAnswer::silence())
        .on("3.113.0.203.in-addr.arpa", DnsAnswer::names(["silent.example"]))
        .on("silent.example", DnsAnswer::silence());
    let reverse = asking(&dns);
    assert_eq!(names(&reverse, "203.0.113.1").await, Err(ErrorKind::InvalidData));
    assert_eq!(names(&reverse, "203.0.113.2").await, Err(ErrorKind::TimedOut));
    assert_eq!(names(&reverse, "203.0.113.3").await, Err(ErrorKind::TimedOut));
    let asked = dns.queries().len();
    assert_eq!(names(&reverse, "203.0.113.2").await, Err(ErrorKind::TimedOut));
    assert_eq!(dns.queries().len(), asked, "the answer is cached");
    assert!(ReverseDns::new([], Duration::from_secs(1)).is_err());
}

#[tokio::test]
async fn only_four_names_of_an_address_are_checked() {
    let dns = DnsServer::start();
    let many: Vec<String> = (0..8).map(|number| format!("n{number}.example")).collect();
    dns.on("9.113.0.203.in-addr.arpa", DnsAnswer::names(many.iter().map(String::as_str)));
    assert_eq!(names(&asking(&dns), "203.0.113.9").await, Ok(Vec::new()));
    let asked = many.iter().filter(|name| dns.count(name) > 0).count();
    assert_eq!(asked, 4);
}
