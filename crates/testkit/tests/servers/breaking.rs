//! Replies that end too early or violate HTTP.

use std::io::ErrorKind;

use testkit::servers::{Origin, Reply};

use crate::raw::{ask, ask_with, parts, unchunk};

#[test]
fn reset_reply_is_a_reset_without_an_answer() {
    let origin = Origin::start();
    origin.on("/x", Reply::reset());
    let (heard, end) = ask_with(&origin, "/x", "");
    assert_eq!(end.expect_err("a reset").kind(), ErrorKind::ConnectionReset);
    assert!(heard.is_empty());
    assert_eq!(origin.count("/x"), 1);
}

#[test]
fn reset_midway_follows_the_body() {
    let origin = Origin::start();
    origin.on("/x", Reply::reset_midway("half"));
    let (heard, end) = ask_with(&origin, "/x", "");
    assert_eq!(end.expect_err("a reset").kind(), ErrorKind::ConnectionReset);
    assert!(heard.ends_with(b"Content-Length: 5\r\n\r\nhalf"));
}

#[test]
fn close_reply_ends_the_connection_without_an_answer() {
    let origin = Origin::start();
    origin.on("/x", Reply::close());
    assert_eq!(ask(&origin, "/x"), "");
}

#[test]
fn short_body_reply_announces_more_bytes_than_it_sends() {
    let origin = Origin::start();
    origin.on("/x", Reply::short_body("short"));
    let heard = ask(&origin, "/x");
    assert!(heard.ends_with("Content-Length: 1005\r\n\r\nshort"), "{heard}");
}

#[test]
fn truncated_chunk_lacks_its_last_byte() {
    let origin = Origin::start();
    origin.on("/x", Reply::truncated_chunk("01234567"));
    let heard = ask(&origin, "/x");
    assert!(heard.ends_with("chunked\r\n\r\n4\r\n0123\r\n4\r\n456"), "{heard}");
    assert_eq!(unchunk(parts(heard.as_bytes()).1), (b"0123".to_vec(), false));
}

#[test]
fn bad_chunk_has_an_invalid_length() {
    let origin = Origin::start();
    origin.on("/x", Reply::bad_chunk("01234567"));
    let heard = ask(&origin, "/x");
    assert!(heard.ends_with("chunked\r\n\r\n4\r\n0123\r\nnot a length\r\n4567"), "{heard}");
}

#[test]
fn large_head_has_one_huge_field_or_many_fields() {
    let origin = Origin::start();
    origin.on("/huge", Reply::huge_headers(1_000_000)).on("/many", Reply::many_headers(500));
    assert!(ask(&origin, "/huge").contains(&format!("X-Huge: {}\r\n", "a".repeat(1_000_000))));
    let many = ask(&origin, "/many");
    assert_eq!(many.matches("\r\nX-Field-").count(), 500);
    assert!(many.contains("\r\nX-Field-499: a\r\n"));
}

#[test]
fn raw_bytes_are_sent_unchanged() {
    let origin = Origin::start();
    origin.on("/garbage", Reply::garbage()).on("/raw", Reply::raw("HTTP/1.1 200\nX\n\n"));
    let (heard, end) = ask_with(&origin, "/garbage", "");
    end.expect("in order");
    assert!(!heard.is_empty() && !heard.starts_with(b"HTTP/"));
    assert_eq!(ask(&origin, "/raw"), "HTTP/1.1 200\nX\n\n");
}
