//! Tests of the guard as the resolver of other HTTP stacks: reqwest, and the connector of hyper.

use comity_client::guard::Guard;
use hyper_util::client::legacy::connect::HttpConnector;
use testkit::servers::{Origin, Reply};
use tower_service::Service;

use super::Script;

fn stack(guard: &Guard) -> reqwest::Client {
    let resolver = std::sync::Arc::new(guard.resolver());
    reqwest::Client::builder().dns_resolver(resolver).no_proxy().build().unwrap()
}

/// Returns the error and its causes as one text.
fn told(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[tokio::test]
async fn changed_dns_answer_does_not_change_the_dialled_address() {
    let site = Origin::start();
    site.on("/page", Reply::ok("here"));
    let script = Script::of(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let guard = Guard::new().allow_address("127.0.0.0/8".parse().unwrap()).with_resolver(script.clone());
    guard.resolve("site.example", site.address().port()).await.unwrap();
    let answer = stack(&guard).get(site.url_as("site.example", "/page")).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "here");
    assert_eq!(script.asked(), ["site.example"], "the stack sends no further query");
}

#[tokio::test]
async fn name_with_a_private_address_is_refused_by_the_resolver() {
    let site = Origin::start();
    let guard = Guard::new().with_resolver(Script::of(&[&["127.0.0.1"]]));
    let error = stack(&guard).get(site.url_as("site.example", "/page")).send().await.unwrap_err();
    assert!(error.is_connect() && told(&error).contains("127.0.0.1"), "{}", told(&error));
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn guarded_resolver_works_in_hypers_connector() {
    let site = Origin::start();
    let url = site.url_as("site.example", "/page");
    let refusing = Guard::new().with_resolver(Script::of(&[&["127.0.0.1"]]));
    let allowing = refusing.clone().allow_address("127.0.0.0/8".parse().unwrap());
    let mut connector = HttpConnector::new_with_resolver(refusing.resolver());
    let error = connector.call(url.parse().unwrap()).await.unwrap_err();
    assert!(told(&error).contains("127.0.0.1"), "{}", told(&error));
    let mut connector = HttpConnector::new_with_resolver(allowing.resolver());
    connector.call(url.parse().unwrap()).await.unwrap();
}
