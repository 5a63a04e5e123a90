//! The name server, queried with hand-made datagrams.

use std::net::{IpAddr, UdpSocket};

use testkit::servers::{DnsAnswer, DnsServer};

const A: u16 = 1;
const AAAA: u16 = 28;
const HTTPS: u16 = 65;

/// A received answer.
#[derive(Debug, PartialEq)]
struct ReceivedAnswer {
    code: u8,
    addresses: Vec<IpAddr>,
    aliases: Vec<String>,
}

fn addresses<const N: usize>(addresses: [&str; N]) -> ReceivedAnswer {
    let addresses = addresses.iter().map(|ip| ip.parse().expect("an address")).collect();
    ReceivedAnswer { code: 0, addresses, aliases: Vec::new() }
}

fn failure(code: u8) -> ReceivedAnswer {
    ReceivedAnswer { code, addresses: Vec::new(), aliases: Vec::new() }
}

fn send(dns: &DnsServer, message: &[u8]) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_read_timeout(Some(testkit::PATIENCE)).expect("a time-out");
    socket.send_to(message, dns.address()).expect("sent");
    socket
}

fn question(name: &str, kind: u16) -> Vec<u8> {
    // ID, RD, one question, one additional record.
    let mut message = vec![0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1];
    for label in name.split('.') {
        message.push(label.len() as u8);
        message.extend(label.as_bytes());
    }
    message.extend([0, (kind >> 8) as u8, kind as u8, 0, 1]);
    // The additional record is EDNS, which resolvers send.
    message.extend([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]);
    message
}

/// Reads an uncompressed name.
fn name(message: &[u8], at: &mut usize) -> String {
    let mut labels = Vec::new();
    while message[*at] != 0 {
        let length = usize::from(message[*at]);
        labels.push(String::from_utf8(message[*at + 1..*at + 1 + length].to_vec()).expect("a label"));
        *at += 1 + length;
    }
    *at += 1;
    labels.join(".")
}

fn ask(dns: &DnsServer, asked: &str, kind: u16) -> ReceivedAnswer {
    let sent = question(asked, kind);
    let mut buffer = [0; 2048];
    let length = send(dns, &sent).recv(&mut buffer).expect("an answer");
    let message = &buffer[..length];
    assert_eq!(message[..2], sent[..2], "the same ID");
    assert_eq!(message[2], 0b1000_0101, "an authoritative answer, recursion desired");
    assert_eq!((message[4..6].to_vec(), message[8..12].to_vec()), (vec![0, 1], vec![0; 4]));
    let mut at = 12;
    assert_eq!(name(message, &mut at), asked, "the question as sent");
    at += 4;
    let mut heard = failure(message[3] & 15);
    let mut about = asked.to_lowercase();
    for _ in 0..u16::from_be_bytes([message[6], message[7]]) {
        assert_eq!(name(message, &mut at), about);
        let kind = u16::from_be_bytes([message[at], message[at + 1]]);
        assert_eq!(message[at + 2..at + 8], [0, 1, 0, 0, 0, 0], "class IN, TTL 0");
        let length = usize::from(u16::from_be_bytes([message[at + 8], message[at + 9]]));
        let data = &message[at + 10..at + 10 + length];
        match kind {
            A => heard.addresses.push(<[u8; 4]>::try_from(data).expect("four bytes").into()),
            AAAA => heard.addresses.push(<[u8; 16]>::try_from(data).expect("sixteen bytes").into()),
            _ => {
                about = name(data, &mut 0);
                heard.aliases.push(about.clone());
            }
        }
        at += 10 + length;
    }
    assert_eq!(at, length, "no bytes after the records");
    heard
}

#[test]
fn query_for_each_address_type_is_separate() {
    let dns = DnsServer::start();
    dns.on("Mixed.Test.", DnsAnswer::addresses(["192.0.2.1", "10.0.0.1", "2001:db8::1", "::1"]));
    assert_eq!(ask(&dns, "mixed.test", A), addresses(["192.0.2.1", "10.0.0.1"]));
    assert_eq!(ask(&dns, "mIXed.tesT", AAAA), addresses(["2001:db8::1", "::1"]));
    assert_eq!(ask(&dns, "mixed.test", HTTPS), addresses([]), "the name has no such record");
}

#[test]
fn answers_for_a_name_change_in_order() {
    let dns = DnsServer::start();
    dns.on(
        "rebind.test",
        DnsAnswer::addresses(["192.0.2.1", "2001:db8::1"])
            .then(DnsAnswer::addresses(["127.0.0.1", "::1"]))
            .then(DnsAnswer::nxdomain()),
    );
    assert_eq!(ask(&dns, "rebind.test", A), addresses(["192.0.2.1"]));
    assert_eq!(
        ask(&dns, "rebind.test", AAAA),
        addresses(["2001:db8::1"]),
        "A and AAAA are separate sequences"
    );
    assert_eq!(ask(&dns, "rebind.test", A), addresses(["127.0.0.1"]));
    assert_eq!(ask(&dns, "rebind.test", A), failure(3));
    assert_eq!(ask(&dns, "rebind.test", A), failure(3), "the last answer repeats");
    assert_eq!(ask(&dns, "rebind.test", AAAA), addresses(["::1"]));
    dns.on("rebind.test", DnsAnswer::addresses(["10.0.0.1"]));
    assert_eq!(ask(&dns, "rebind.test", A), addresses(["10.0.0.1"]), "replaced while running");
}

#[test]
fn failing_name_has_its_response_code() {
    let dns = DnsServer::start();
    dns.on("broken.test", DnsAnswer::servfail());
    assert_eq!(ask(&dns, "broken.test", A), failure(2));
    assert_eq!(ask(&dns, "unknown.test", A), failure(3));
}

#[test]
fn alias_is_followed_and_a_loop_ends() {
    let dns = DnsServer::start();
    dns.on("www.test", DnsAnswer::alias("host.test")).on("host.test", DnsAnswer::addresses(["10.0.0.1"]));
    let heard = ask(&dns, "www.test", A);
    assert_eq!(
        (heard.aliases, heard.addresses),
        (vec!["host.test".to_owned()], addresses(["10.0.0.1"]).addresses)
    );
    dns.on("self.test", DnsAnswer::alias("self.test"));
    assert_eq!(ask(&dns, "self.test", A).addresses, addresses([]).addresses);
}

#[test]
fn silent_name_and_invalid_message_get_no_answer() {
    let dns = DnsServer::start();
    dns.on("silent.test", DnsAnswer::silence().then(DnsAnswer::addresses(["10.0.0.1"])));
    let mut answer = question("silent.test", A);
    answer[2] |= 0x80;
    for message in [&question("silent.test", A)[..], b"noise", b"", &answer] {
        let socket = send(&dns, message);
        // An answer to a later question shows that the server has read the message.
        assert_eq!(ask(&dns, "else.test", A), failure(3));
        socket.set_nonblocking(true).expect("no waiting");
        socket.recv(&mut [0; 512]).expect_err("no answer");
    }
    assert_eq!(ask(&dns, "silent.test", A), addresses(["10.0.0.1"]));
    assert_eq!((dns.count("Silent.test"), dns.count("else.test"), dns.queries().len()), (2, 4, 6));
    let first = &dns.queries()[0];
    assert_eq!((&*first.name, &*first.kind), ("silent.test", "A"));
}

#[test]
fn dropped_server_frees_its_port() {
    let dns = DnsServer::start();
    let address = dns.address();
    drop(dns);
    UdpSocket::bind(address).expect("its port is free again");
}
