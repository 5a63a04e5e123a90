//! Tests of proxies: tunnels, and failures between the client and the proxy, which are local.

use std::sync::{Arc, Mutex};

use comity::policy::{Failure, Mode, Preset, Verdict};
use comity_client::transport::NetworkOptions;
use comity_client::{Cause, Client};
use testkit::servers::{Ca, Origin, Reply, free_port};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client::builder;

/// Starts a proxy that answers `CONNECT` with `answer`, and opens a tunnel if the answer is a 200. It records the
/// requests.
async fn proxy(answer: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://user:pass%20word@{}/", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(client.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let place = head.split(' ').nth(1).unwrap().to_owned();
            log.lock().unwrap().push(head);
            client.write_all(answer.as_bytes()).await.unwrap();
            if answer.starts_with("HTTP/1.1 200") {
                let mut site = TcpStream::connect(place).await.unwrap();
                tokio::spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut site).await });
            }
        }
    });
    (url, asked)
}

fn client(proxy: &str, ca: Option<&Ca>) -> Client {
    let mut http = NetworkOptions::default();
    http.proxy = Some(proxy.parse().unwrap());
    http.extra_roots.extend(ca.map(Ca::der));
    builder().network(http).build().unwrap()
}

#[tokio::test]
async fn tunnel_for_tls_has_the_credentials_of_the_proxy() {
    let ca = Ca::new();
    let site = Origin::start_tls(&ca);
    site.otherwise(Reply::ok("through the tunnel"));
    let (url, asked) = proxy("HTTP/1.1 200 Connection established\r\n\r\n").await;
    let page = client(&url, Some(&ca)).fetch(site.url("/page")).await.unwrap();
    assert_eq!(page.text(), "through the tunnel");
    let asked = asked.lock().unwrap();
    let place = site.address();
    // "user:pass word" in Base64.
    let expected = format!(
        "CONNECT {place} HTTP/1.1\r\nHost: {place}\r\nProxy-Authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n\r\n"
    );
    assert_eq!(*asked, [expected], "one tunnel serves robots.txt and page");
    assert_eq!(site.requests()[0].header("proxy-authorization"), None);
}

#[tokio::test]
async fn unreachable_proxy_is_a_local_failure() {
    let url = format!("http://127.0.0.1:{}/", free_port());
    for preset in Preset::ALL {
        let mut http = NetworkOptions::default();
        http.proxy = Some(url.parse().unwrap());
        let client = builder().network(http).preset(preset).mode(Mode::Respect).build().unwrap();
        for site in ["http://127.0.0.1:9999/page", "https://127.0.0.1:9999/page"] {
            let error = client.fetch(site).await.unwrap_err();
            let Cause::Unreachable(unreachable) = error.cause() else { panic!("{preset}: {error}") };
            assert_eq!(unreachable.decision().verdict, Verdict::UnknownUnreachable, "{preset}");
            assert_eq!(unreachable.evidence().unwrap().failure(), Some(Failure::Local), "{preset}");
            assert!(error.cause().is_local(), "{preset}: {error}");
        }
    }
}

#[tokio::test]
async fn refusal_by_the_proxy_and_unreachable_site_are_distinguished() {
    for (answer, expected) in [
        ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", Failure::Local),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", Failure::Local),
        ("SSH-2.0-OpenSSH_9.6\r\n\r\n", Failure::Local),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", Failure::Connection),
    ] {
        let (url, _) = proxy(answer).await;
        let decision = client(&url, None).decide("https://127.0.0.1:9999/page").await.unwrap();
        assert_eq!(decision.evidence.unwrap().failure(), Some(expected), "{answer}");
    }
}

#[tokio::test]
async fn proxy_407_is_not_an_answer_of_the_site() {
    let site = Origin::start();
    site.otherwise(Reply::status(407));
    let decision = client(&site.url("/"), None).decide("http://127.0.0.1:9999/page").await.unwrap();
    assert_eq!(decision.evidence.unwrap().failure(), Some(Failure::Local));
    // If the site itself answers 407, the 407 is an ordinary answer.
    let decision = crate::client::client().decide(site.url("/page")).await.unwrap();
    assert_eq!(decision.evidence.unwrap().status(), Some(407));
}
