//! Tests of connections that end early. If a reused connection is closed gracefully without an answer, the request is
//! sent again, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use comity::policy::Failure;
use comity_client::transport::NetworkOptions;
use comity_client::{Cause, Client};
use testkit::servers::{Ca, Origin, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::client::{builder, client, options, site};

fn resent(client: &Client) -> (u64, u64) {
    let counted = client.counters().snapshot();
    let of = |name: &str| counted.get(name).copied().unwrap_or_default();
    (of("resent"), of("retries"))
}

#[tokio::test]
async fn closed_idle_connection_is_replaced_without_a_retry() {
    let site = site("");
    site.on("/page", Reply::close().then(Reply::ok("here")));
    let client = client();
    let page = client.fetch(site.url("/page")).await.unwrap();
    assert_eq!(page.text(), "here");
    let attempts = &page.record().hops[0].attempts;
    assert_eq!((attempts.len(), attempts[0].was_resent), (1, true));
    assert_eq!(resent(&client), (1, 0), "a resend does not count as a retry");
    assert_eq!((site.count("/page"), site.connections()), (2, 2));
}

#[tokio::test]
async fn server_that_closes_every_connection_gets_two_requests() {
    let site = site("");
    site.on("/page", Reply::close());
    let client = client();
    let error = client.fetch(site.url("/page")).await.unwrap_err();
    let Cause::Transport(failed) = error.cause() else { panic!("{error}") };
    assert_eq!((failed.failure(), failed.was_resent()), (Failure::Connection, true), "{error}");
    assert_eq!((site.count("/page"), resent(&client)), (2, (1, 0)));
    // If a new connection is closed, the request fails and is not sent again.
    client.fetch(site.url("/page")).await.unwrap_err();
    assert_eq!(site.count("/page"), 3);
}

#[tokio::test]
async fn resends_do_not_multiply_retries() {
    let site = site("");
    site.on("/page", Reply::close());
    let mut retry = comity_client::retry::RetryOptions::default();
    retry.retries = 3;
    retry.backoff_base = Duration::from_millis(1);
    let client = builder().retry(retry).build().unwrap();
    client.fetch(site.url("/page")).await.unwrap_err();
    assert_eq!((site.count("/page"), resent(&client)), (5, (1, 3)), "four attempts, one of them sent twice");
}

#[tokio::test]
async fn request_with_a_partial_answer_is_not_resent() {
    for begun in ["H", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Le"] {
        let site = site("");
        site.on("/page", Reply::raw(begun));
        let error = client().fetch(site.url("/page")).await.unwrap_err();
        assert_eq!(site.count("/page"), 1, "{begun:?}: {error}");
    }
}

#[tokio::test]
async fn connections_are_reused_and_old_idle_ones_closed() {
    let server = Origin::start_on("0.0.0.0");
    server.on("/robots.txt", Reply::ok(""));
    server.otherwise(Reply::ok("page"));
    let url = |number: usize| server.url_as(&format!("127.0.7.{number}"), "/page");
    let mut http = NetworkOptions::default();
    http.idle_connections = 5;
    let client = builder().network(http.clone()).build().unwrap();
    for number in 1..=20 {
        client.fetch(url(number)).await.unwrap();
    }
    assert_eq!(server.connections(), 20, "robots.txt and page share one connection");
    for number in 16..=20 {
        client.fetch(url(number)).await.unwrap();
    }
    assert_eq!(server.connections(), 20);
    client.fetch(url(1)).await.unwrap();
    assert_eq!(server.connections(), 21);

    http.idle_timeout = Duration::from_millis(50);
    let client = builder().network(http).build().unwrap();
    client.fetch(url(1)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    client.fetch(url(1)).await.unwrap();
    assert_eq!(server.connections(), 23);
}

#[tokio::test]
async fn short_unread_rest_keeps_the_connection() {
    let site = site("");
    // The client has the next request ready before the end of each body arrives.
    let slowly =
        |status| Reply::slow_drip("nobody reads this", 10, Duration::from_millis(50)).with_status(status);
    site.on("/a", slowly(302).header("Location", "/b"));
    site.on("/robots.txt", slowly(404));
    let client = client();
    for _ in 0..5 {
        client.fetch(site.url("/a")).await.unwrap();
    }
    assert_eq!((site.requests().len(), site.connections()), (11, 1));
}

#[tokio::test]
async fn long_or_incomplete_rest_closes_the_connection() {
    for rest in [
        Reply::ok("x".repeat(200_000)),
        Reply::chunked("x".repeat(200_000), 1000),
        Reply::endless(),
        Reply::truncated_chunk("nobody reads this"),
        Reply::short_body("nobody reads this"),
    ] {
        let site = site("");
        site.on("/a", rest.with_status(302).header("Location", "/b"));
        let client = client();
        let page = client.fetch(site.url("/a")).await.unwrap();
        assert_eq!(page.record().hops.len(), 2);
        assert_eq!((site.requests().len(), site.connections(), resent(&client)), (3, 2, (0, 0)));
    }
}

#[tokio::test]
async fn body_sent_byte_by_byte_is_rejected() {
    let site = site("");
    site.on("/bytes", Reply::chunked("x".repeat(400_000), 1));
    let mut patient = options();
    patient.body_timeout = Duration::from_secs(60);
    let error = client().fetch_with(site.url("/bytes"), &patient).await.unwrap_err();
    let Cause::Transport(failed) = error.cause() else { panic!("{error}") };
    assert_eq!(failed.failure(), Failure::Protocol, "{error}");
    // Some servers send slightly more than one byte at a time.
    site.on("/lines", Reply::chunked("x".repeat(400_000), 20));
    assert_eq!(client().fetch_with(site.url("/lines"), &patient).await.unwrap().body().len(), 400_000);
}

/// A step of the script of an HTTP/2 server: its behavior for one request.
#[derive(Clone, Copy, Debug)]
enum Step {
    Answer,
    /// An answer 200 with this number of header fields.
    Fields(u16),
    /// `RST_STREAM` with `REFUSED_STREAM`: the request was not processed.
    Refuse,
    /// `RST_STREAM` with `INTERNAL_ERROR`.
    Fail,
    /// `GOAWAY` with `NO_ERROR` and last stream 0, after which the connection is closed.
    GoAway,
    /// `GOAWAY` with `ENHANCE_YOUR_CALM`, after which the connection is closed.
    Calm,
    /// The connection is closed without a frame.
    Close,
}

/// Starts an HTTP/2 server. It answers the first request, for robots.txt, with 404. `steps` lists its behavior for the
/// following requests. It writes frames itself, since libraries do not send these sequences.
async fn http2(ca: &Ca, steps: &'static [Step]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/page", listener.local_addr().unwrap());
    let acceptor = ca.identity(["127.0.0.1"]).acceptor_of("h2");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let (acceptor, asked) = (acceptor.clone(), count.clone());
            tokio::spawn(async move {
                let mut stream = acceptor.accept(tcp).await.ok()?;
                let mut preface = [0; 24];
                stream.read_exact(&mut preface).await.ok()?;
                stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.ok()?;
                loop {
                    let mut head = [0; 9];
                    stream.read_exact(&mut head).await.ok()?;
                    let [a, b, c, kind, flags, id @ ..] = head;
                    let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
                    stream.read_exact(&mut payload).await.ok()?;
                    if kind == 4 && flags == 0 {
                        stream.write_all(&[0, 0, 0, 4, 1, 0, 0, 0, 0]).await.ok()?;
                    }
                    if kind != 1 {
                        continue;
                    }
                    let number = asked.fetch_add(1, Ordering::SeqCst);
                    // The last behavior is repeated.
                    let (step, status) = match number.checked_sub(1) {
                        None => (Step::Answer, 0x8d),
                        Some(number) => (steps[number.min(steps.len() - 1)], 0x88),
                    };
                    let reset = |code: u8| [&[0, 0, 4, 3, 0], &id[..], &[0, 0, 0, code]].concat();
                    let away = |code: u8| vec![0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, code];
                    let (frame, ends) = match step {
                        Step::Answer => ([&[0, 0, 1, 1, 5], &id[..], &[status]].concat(), false),
                        Step::Fields(fields) => (many_fields(&id, fields), false),
                        Step::Refuse => (reset(7), false),
                        Step::Fail => (reset(2), false),
                        Step::GoAway => (away(0), true),
                        Step::Calm => (away(11), true),
                        Step::Close => (Vec::new(), true),
                    };
                    stream.write_all(&frame).await.ok()?;
                    stream.flush().await.ok()?;
                    if ends {
                        return stream.shutdown().await.ok();
                    }
                }
            });
        }
    });
    (url, asked)
}

/// Returns a `HEADERS` frame with status 200 and fields of 41 bytes that are not indexed.
fn many_fields(stream: &[u8], fields: u16) -> Vec<u8> {
    let field = |nth| format!("\0\x0bx-field-{nth:03}\x1e{}", "a".repeat(30)).into_bytes();
    let block = std::iter::once(vec![0x88]).chain((0..fields).map(field)).collect::<Vec<_>>().concat();
    let length = u32::try_from(block.len()).unwrap().to_be_bytes();
    [&length[1..], &[1, 5], stream, &block].concat()
}

#[tokio::test]
async fn http2_answer_with_256_header_fields_is_read_and_one_more_is_refused() {
    let ca = Ca::new();
    for (steps, expected) in
        [(&[Step::Fields(256)] as &'static [Step], Ok(256)), (&[Step::Fields(257)], Err(Failure::Protocol))]
    {
        let (url, _) = http2(&ca, steps).await;
        let mut http = NetworkOptions::default();
        http.extra_roots = vec![ca.der()];
        let client = builder().network(http).build().unwrap();
        let found = match client.fetch(&url).await {
            Ok(page) => Ok(page.headers().len()),
            Err(error) => match error.cause() {
                Cause::Transport(failed) => Err(failed.failure()),
                _ => panic!("{error}"),
            },
        };
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn graceful_http2_close_is_resent_once() {
    use Step::{Answer, Calm, Close, Fail, GoAway, Refuse};
    let ca = Ca::new();
    for (steps, requests, expected) in [
        (&[Answer] as &'static [Step], 2, Ok(false)),
        (&[Refuse, Answer], 3, Ok(true)),
        (&[GoAway, Answer], 3, Ok(true)),
        (&[Close, Answer], 3, Ok(true)),
        // If the second connection is closed gracefully, too, the request fails.
        (&[GoAway], 3, Err(Failure::Connection)),
        (&[Refuse], 3, Err(Failure::Connection)),
        // A close that is not graceful is a failure.
        (&[Calm, Answer], 2, Err(Failure::Protocol)),
        (&[Fail, Answer], 2, Err(Failure::Protocol)),
    ] {
        let (url, asked) = http2(&ca, steps).await;
        let mut http = NetworkOptions::default();
        http.extra_roots = vec![ca.der()];
        let client = builder().network(http).build().unwrap();
        let found = match client.fetch(&url).await {
            Ok(page) => Ok(page.record().hops[0].attempts[0].was_resent),
            Err(error) => match error.cause() {
                Cause::Transport(failed) => Err(failed.failure()),
                _ => panic!("{steps:?}: {error}"),
            },
        };
        assert_eq!(found, expected, "{steps:?}");
        assert_eq!(asked.load(Ordering::SeqCst), requests, "{steps:?}");
        assert_eq!(resent(&client).1, 0, "{steps:?}");
    }
}
