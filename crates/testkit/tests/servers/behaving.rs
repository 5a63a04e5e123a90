//! Correct replies, scripts, and the log of an origin.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use testkit::servers::{Origin, Reply, Script};

use crate::raw::{ask, ask_with, connect, parts, unchunk};

/// Reads one answer with `Content-Length` and leaves the connection open.
fn read_one(stream: &mut impl Read) -> String {
    let mut heard = Vec::new();
    let mut octet = [0];
    while !heard.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut octet).expect("more of the header");
        heard.push(octet[0]);
    }
    let head = String::from_utf8(heard).expect("a header in UTF-8");
    let length =
        head.split("Content-Length: ").nth(1).expect("a length").split('\r').next().expect("a value");
    let mut body = vec![0; length.parse().expect("a number")];
    stream.read_exact(&mut body).expect("the body");
    head + &String::from_utf8(body).expect("a body in UTF-8")
}

#[test]
fn path_without_script_answers_404() {
    let origin = Origin::start();
    assert!(ask(&origin, "/x").starts_with("HTTP/1.1 404 Not Found\r\n"));
    origin.otherwise(Reply::ok("any"));
    assert!(ask(&origin, "/x").ends_with("\r\n\r\nany"));
}

#[test]
fn answer_has_its_header_and_body() {
    let origin = Origin::start();
    origin.on("/robots.txt", Reply::ok("User-agent: *\n").header("ETag", "\"1\"").header("etag", "\"2\""));
    let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\netag: \"2\"\r\n\
                    Content-Length: 14\r\n\r\nUser-agent: *\n";
    assert_eq!(ask(&origin, "/robots.txt"), expected);
    origin.on("/robots.txt", Reply::ok("").add_header("X", "1").add_header("X", "2"));
    assert!(ask(&origin, "/robots.txt").contains("X: 1\r\nX: 2\r\n"), "replaced while running");
}

#[test]
fn connection_serves_several_requests() {
    let origin = Origin::start();
    origin.on("/a", Reply::ok("one")).on("/b", Reply::ok("two"));
    let mut stream = connect(origin.address());
    for (path, body) in [("/a", "one"), ("/b", "two"), ("/a", "one")] {
        // The body of a request is skipped.
        write!(stream, "GET {path} HTTP/1.1\r\nContent-Length: 5\r\n\r\nGET /").expect("sent");
        assert!(read_one(&mut stream).ends_with(&format!("\r\n\r\n{body}")));
    }
    assert_eq!((origin.connections(), origin.requests().len()), (1, 3));
    write!(stream, "HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n").expect("sent");
    let (heard, end) = crate::raw::listen(stream);
    end.expect("closed in order");
    assert!(heard.ends_with(b"Content-Length: 3\r\n\r\n"), "HEAD has no body");
}

#[test]
fn script_answers_in_order_and_repeats_the_last() {
    let origin = Origin::start();
    origin.on("/x", Reply::status(503).times(2).then(Reply::status(429)).then(Reply::ok("up")));
    let statuses: Vec<_> = (0..5).map(|_| ask(&origin, "/x")[9..12].to_owned()).collect();
    assert_eq!(statuses, ["503", "503", "429", "200", "200"]);
    origin.on("/x", Script::from(Reply::status(500)).then(Reply::ok("")).times(2).then(Reply::status(410)));
    let statuses: Vec<_> = (0..5).map(|_| ask(&origin, "/x")[9..12].to_owned()).collect();
    assert_eq!(statuses, ["500", "200", "500", "200", "410"], "a new script begins at its start");
}

#[test]
fn closure_receives_the_request() {
    let origin = Origin::start();
    origin.on_request("/x", |asked| {
        Reply::ok(format!("{} {} {} {:?}", asked.method, asked.target, asked.nth, asked.header("host")))
    });
    ask(&origin, "/x");
    assert!(ask(&origin, "/x?q=1").ends_with("GET /x?q=1 2 Some(\"origin.test\")"));
}

#[test]
fn query_has_its_own_script() {
    let origin = Origin::start();
    origin.on("/x", Reply::ok("any")).on("/x?q=1", Reply::ok("one"));
    assert!(ask(&origin, "/x?q=1").ends_with("one"));
    assert!(ask(&origin, "/x?q=2").ends_with("any"));
    assert_eq!((origin.count("/x"), origin.count("/x?q=1"), origin.count("/y")), (2, 1, 0));
}

#[test]
fn origin_logs_every_request() {
    let origin = Origin::start();
    ask_with(&origin, "http://else.test/p?q", "User-Agent: one\r\n").1.expect("in order");
    ask(&origin, "/p");
    let [first, second] = &origin.requests()[..] else { panic!("two requests") };
    assert_eq!((&*first.method, &*first.target, &*first.path), ("GET", "http://else.test/p?q", "/p"));
    assert_eq!((first.header("user-agent"), second.header("user-agent")), (Some("one"), None));
    assert_eq!((first.connection, second.connection), (1, 2));
    assert!(first.remote.ip().is_loopback() && first.local == origin.address());
    assert_eq!(origin.gaps("/p"), [second.at - first.at]);
}

#[test]
fn loopback_address_is_a_separate_origin() {
    let (one, two) = (Origin::start(), Origin::start_on("127.0.0.2"));
    assert_eq!(two.address().ip().to_string(), "127.0.0.2");
    ask(&one, "/");
    ask(&two, "/");
    assert_eq!((one.count("/"), two.count("/")), (1, 1));

    let all = Origin::start_on("0.0.0.0");
    for ip in ["127.0.0.1", "127.9.8.7"] {
        let mut stream = connect(SocketAddr::new(ip.parse().expect("an address"), all.address().port()));
        write!(stream, "GET / HTTP/1.0\r\n\r\n").expect("sent");
        crate::raw::listen(stream).1.expect("in order");
    }
    let asked: Vec<_> = all.requests().iter().map(|seen| seen.local.ip().to_string()).collect();
    assert_eq!(asked, ["127.0.0.1", "127.9.8.7"]);
}

#[test]
fn dropped_origin_frees_its_port() {
    let origin = Origin::start();
    let address = origin.address();
    let mut idle = connect(address);
    write!(idle, "GET / HTTP/1.1\r\n\r\n").expect("sent");
    read_one(&mut idle);
    drop(origin);
    assert_eq!(idle.read(&mut [0]).expect("the end"), 0, "its connections end");
    let refused = std::net::TcpStream::connect(address).expect_err("no listener");
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);

    let back = Origin::start_at(address);
    ask(&back, "/");
    assert_eq!((back.address(), back.count("/")), (address, 1));
}

#[test]
fn url_has_the_port_of_the_origin_with_any_host() {
    let origin = Origin::start();
    let port = origin.address().port();
    assert_eq!(origin.url("/x"), format!("http://127.0.0.1:{port}/x"));
    assert_eq!(origin.url_as("a.test", "/x"), format!("http://a.test:{port}/x"));
}

#[test]
fn unchanged_body_is_answered_with_304() {
    let origin = Origin::start();
    origin.on("/etag", Reply::not_modified_if("\"v1\"", "body"));
    assert!(ask(&origin, "/etag").contains("ETag: \"v1\"\r\n"));
    for (asked, status) in [
        ("\"v1\"", 304),
        ("W/\"v1\"", 304),
        ("\"v0\", \"v1\"", 304),
        ("*", 304),
        ("\"v2\"", 200),
        ("v1", 200),
    ] {
        let (heard, _) = ask_with(&origin, "/etag", &format!("If-None-Match: {asked}\r\n"));
        let (head, body) = parts(&heard);
        assert_eq!(head[9..12], status.to_string(), "{asked}");
        assert_eq!(body, if status == 304 { "" } else { "body" }.as_bytes());
        assert!(head.contains("ETag: \"v1\"\r\n"));
        assert_eq!(head.contains("Content-"), status == 200);
    }

    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    origin.on("/date", Reply::not_modified_since(noon, "body"));
    assert!(ask(&origin, "/date").contains("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
    for (asked, status) in [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "304"),
        ("Sun, 06 Nov 1994 08:49:38 GMT", "304"),
        ("Sun, 06 Nov 1994 08:49:36 GMT", "200"),
        ("yesterday", "200"),
    ] {
        let (heard, _) = ask_with(&origin, "/date", &format!("If-Modified-Since: {asked}\r\n"));
        assert_eq!(&parts(&heard).0[9..12], status, "{asked}");
    }
}

#[test]
fn changing_etag_differs_for_every_request() {
    let origin = Origin::start();
    origin.on("/x", Reply::changing_etag("body"));
    assert!(ask(&origin, "/x").contains("ETag: \"1\"\r\n"));
    let (heard, _) = ask_with(&origin, "/x", "If-None-Match: \"1\"\r\n");
    let head = parts(&heard).0;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("ETag: \"2\"\r\n"), "{head}");
}

#[test]
fn retry_after_has_seconds_or_a_date() {
    let origin = Origin::start();
    let date = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    origin.on("/x", Reply::retry_after(429, 120).then(Reply::retry_after_date(503, date)));
    let first = ask(&origin, "/x");
    assert!(
        first.starts_with("HTTP/1.1 429 Too Many Requests\r\n") && first.contains("Retry-After: 120\r\n")
    );
    let second = ask(&origin, "/x");
    assert!(second.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
    assert!(second.contains("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
}

#[test]
fn body_is_framed_in_three_ways() {
    let origin = Origin::start();
    origin.on("/chunked", Reply::chunked("0123456789", 4)).on("/close", Reply::until_close("0123456789"));
    assert!(ask(&origin, "/chunked").ends_with("\r\n\r\n4\r\n0123\r\n4\r\n4567\r\n2\r\n89\r\n0\r\n\r\n"));
    let heard = ask(&origin, "/close");
    assert!(heard.ends_with("\r\n\r\n0123456789") && !heard.contains("Content-Length"));
}

#[test]
fn gzip_reply_is_compressed() {
    let origin = Origin::start();
    origin.on("/x", Reply::gzip("User-agent: *\n"));
    let (heard, _) = ask_with(&origin, "/x", "");
    let (head, body) = parts(&heard);
    assert!(head.contains("Content-Encoding: gzip\r\n"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(body).read_to_string(&mut text).expect("gzip");
    assert_eq!(text, "User-agent: *\n");
}

#[test]
fn redirect_has_its_location() {
    let origin = Origin::start();
    origin.on("/a", Reply::redirect(308, "//b.test/c")).on("/loop", Reply::redirect_loop());
    origin.on("/file", Reply::redirect_to_file());
    assert!(ask(&origin, "/a").starts_with("HTTP/1.1 308 Permanent Redirect\r\n"));
    assert!(ask(&origin, "/a").contains("Location: //b.test/c\r\n"));
    assert!(ask(&origin, "/loop?x=1").contains("Location: /loop?x=1\r\n"));
    assert!(ask(&origin, "/file").contains("Location: file:///etc/passwd\r\n"));

    origin.on("/chain", Reply::redirect_chain(2, Reply::ok("there")));
    assert!(ask(&origin, "/chain").contains("Location: /chain?hop=1\r\n"));
    assert!(ask(&origin, "/chain?hop=1").contains("Location: /chain?hop=2\r\n"));
    assert!(ask(&origin, "/chain?hop=2").ends_with("there"));
}

#[test]
fn wrong_charset_and_soft_404_are_sent() {
    let origin = Origin::start();
    origin.on("/charset", Reply::wrong_charset("utf-8", &b"Disallow: /\xE9\n"[..]));
    origin.on("/soft", Reply::html_soft_404());
    let (heard, _) = ask_with(&origin, "/charset", "");
    let (head, body) = parts(&heard);
    assert!(head.contains("charset=utf-8\r\n") && std::str::from_utf8(body).is_err());
    let soft = ask(&origin, "/soft");
    assert!(
        soft.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html") && soft.contains("Page not found")
    );
}

#[test]
fn gzip_bomb_is_small_on_the_wire() {
    let origin = Origin::start();
    let bytes = 20_000_000;
    origin.on("/x", Reply::gzip_bomb(bytes));
    let (heard, end) = ask_with(&origin, "/x", "");
    end.expect("in order");
    assert!((heard.len() as u64) < bytes / 500, "{} bytes on the wire", heard.len());
    let (packed, whole) = unchunk(parts(&heard).1);
    assert!(whole, "the last chunk came");
    let mut body = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut body).expect("gzip");
    assert!(body.len() as u64 == bytes && body.iter().all(|&byte| byte == b'#'));
}
