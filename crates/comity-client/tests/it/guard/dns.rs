//! Tests of the resolver for given DNS servers, with a minimal DNS server.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use comity_client::guard::{DnsResolver, Guard, RefusalReason, ResolveError, Resolver};
use tokio::net::UdpSocket;

const A: u16 = 1;
const AAAA: u16 = 28;

/// Starts a DNS server over UDP. It returns `addresses` for `known.example`, sends no answer for `silent.example`, and
/// answers NXDOMAIN for any other name.
async fn server(addresses: Vec<IpAddr>) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let here = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut packet = [0; 1500];
        while let Ok((length, from)) = socket.recv_from(&mut packet).await {
            if let Some(answer) = answer(&packet[..length], &addresses) {
                socket.send_to(&answer, from).await.unwrap();
            }
        }
    });
    here
}

/// Returns a DNS answer in the format of RFC 1035 §4.1. It contains the header, the received question, and a record for
/// each address. The name of a record is a pointer to the name in the question.
fn answer(packet: &[u8], addresses: &[IpAddr]) -> Option<Vec<u8>> {
    let mut labels = Vec::new();
    let mut place = 12;
    while packet[place] != 0 {
        let length = usize::from(packet[place]);
        labels.push(String::from_utf8_lossy(&packet[place + 1..=place + length]).to_lowercase());
        place += 1 + length;
    }
    let name = labels.join(".");
    if name == "silent.example" {
        return None;
    }
    let kind = u16::from_be_bytes([packet[place + 1], packet[place + 2]]);
    let known = name == "known.example";
    let answers: Vec<Vec<u8>> = addresses
        .iter()
        .filter(|_| known)
        .filter_map(|address| match address {
            IpAddr::V4(it) if kind == A => Some(it.octets().to_vec()),
            IpAddr::V6(it) if kind == AAAA => Some(it.octets().to_vec()),
            _ => None,
        })
        .collect();
    let mut message = packet[..2].to_vec();
    message.extend([0x81, if known { 0x80 } else { 0x83 }, 0, 1]);
    message.extend(u16::try_from(answers.len()).unwrap().to_be_bytes());
    message.extend([0; 4]);
    message.extend(&packet[12..place + 5]);
    for data in answers {
        message.extend([0xc0, 12]);
        message.extend(kind.to_be_bytes());
        message.extend([0, 1, 0, 0, 0, 60]);
        message.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        message.extend(data);
    }
    Some(message)
}

async fn resolver(addresses: &[&str]) -> DnsResolver {
    let server = server(addresses.iter().map(|it| it.parse().unwrap()).collect()).await;
    DnsResolver::new([server], Duration::from_millis(300)).unwrap()
}

#[tokio::test]
async fn both_address_families_are_queried_and_checked() {
    let public = ["93.184.216.34", "93.184.216.35", "2606:4700::1"];
    let guard = Guard::new().with_resolver(resolver(&public).await);
    let mut found: Vec<String> =
        guard.resolve("known.example", 80).await.unwrap().iter().map(|it| it.ip().to_string()).collect();
    found.sort_unstable();
    assert_eq!(found, ["2606:4700::1", "93.184.216.34", "93.184.216.35"]);

    let guard = Guard::new().with_resolver(resolver(&["93.184.216.34", "fd00::1"]).await);
    match guard.resolve("known.example", 80).await {
        Err(ResolveError::Refused(refusal)) => assert_eq!(refusal.reason(), RefusalReason::Private),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn missing_name_timeout_and_hosts_file_are_distinguished() {
    let guard = Guard::new().with_resolver(resolver(&["93.184.216.34"]).await);
    let missing = ResolveError::NotFound("missing.example".to_owned());
    assert_eq!(guard.resolve("missing.example", 80).await, Err(missing));
    assert_eq!(guard.resolve("silent.example", 80).await, Err(ResolveError::Timeout));
    // This name is in the hosts file of many systems, but not on the server.
    let resolver = resolver(&[]).await;
    assert_eq!(resolver.resolve("ip6-localhost").await.unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert!(DnsResolver::new([], Duration::from_secs(1)).is_err());
}
