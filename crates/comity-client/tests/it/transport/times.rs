//! Tests of the timeouts of the transport.

use std::time::Duration;

use comity_client::Cause;
use comity_client::transport::NetworkOptions;
use testkit::servers::Reply;

use crate::client::{builder, options, site};

#[tokio::test]
async fn read_timeout_applies_to_the_body_and_not_to_the_header() {
    let site = site("");
    let late = Duration::from_millis(600);
    site.on("/late", Reply::delay(late, Reply::ok("at last")));
    site.on("/drip", Reply::slow_drip("x".repeat(10), 5, late));
    let mut http = NetworkOptions::default();
    http.read_timeout = Duration::from_millis(100);
    let client = builder().network(http).build().unwrap();
    let mut patient = options();
    patient.timeout = Duration::from_secs(20);
    let page = client.fetch_with(site.url("/late"), &patient).await.unwrap();
    assert_eq!(page.text(), "at last");
    let error = client.fetch_with(site.url("/drip"), &patient).await.unwrap_err();
    assert!(error.to_string().ends_with("no data for 0.1 s"), "{error}");
    let Cause::Transport(failed) = error.cause() else { panic!("{error}") };
    assert_eq!(failed.failure().as_str(), "timeout");
}
