//! Tests of cookies. A cookie is sent only in its own scope, never for a whole public suffix, and never with a request
//! for robots.txt.

use std::io;
use std::net::IpAddr;

use comity_client::guard::Resolver;
use comity_client::transport::NetworkOptions;
use comity_client::{BoxFuture, Client};
use testkit::servers::{Origin, Reply};

use crate::client::{builder, loopback};

/// A resolver that maps every name to this machine.
#[derive(Debug)]
struct Here;

impl Resolver for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

#[tokio::test]
async fn cookie_for_a_public_suffix_is_limited_to_its_host() {
    let site = Origin::start();
    site.otherwise(Reply::ok("page"));
    for (number, (setter, domain, other, expected)) in [
        ("www.one.co.uk", "one.co.uk", "shop.one.co.uk", Some("n=1")),
        ("two.co.uk", "co.uk", "three.co.uk", None),
        ("two.co.uk", ".CO.UK", "three.co.uk", None),
        ("a.github.io", "github.io", "b.github.io", None),
        ("four.example", "example", "five.example", None),
        ("six.example", "seven.example", "seven.example", None),
        ("eight.example", "", "www.eight.example", None),
    ]
    .into_iter()
    .enumerate()
    {
        let mut http = NetworkOptions::default();
        http.cookies = true;
        let client = builder().network(http).guard(loopback().with_resolver(Here)).build().unwrap();
        let scope = if domain.is_empty() { String::new() } else { format!("; Domain={domain}") };
        let path = format!("/set{number}");
        site.on(&path, Reply::ok("set").header("Set-Cookie", format!("n=1; Path=/{scope}")));
        client.fetch(site.url_as(setter, &path)).await.unwrap();
        let page = format!("/page{number}");
        client.fetch(site.url_as(other, &page)).await.unwrap();
        assert_eq!(
            site.requests_for(&page)[0].header("cookie"),
            expected,
            "{domain} from {setter} to {other}"
        );
    }
    assert!(site.requests_for("/robots.txt").iter().all(|seen| seen.header("cookie").is_none()));
}

/// Returns a client that keeps cookies and resolves every name to this machine.
fn with_cookies() -> Client {
    let mut network = NetworkOptions::default();
    network.cookies = true;
    builder().network(network).guard(loopback().with_resolver(Here)).build().unwrap()
}

/// Fetches the path `/set` of a host. The answer sets these cookies.
async fn set(client: &Client, site: &Origin, host: &str, cookies: impl IntoIterator<Item = String>) {
    let set =
        cookies.into_iter().fold(Reply::ok("set"), |reply, cookie| reply.add_header("Set-Cookie", cookie));
    site.on("/set", set);
    client.fetch(site.url_as(host, "/set")).await.unwrap();
}

/// Returns the `Cookie` field of a request to a host.
async fn sent(client: &Client, site: &Origin, host: &str, path: &str) -> Option<String> {
    client.fetch(site.url_as(host, path)).await.unwrap();
    site.requests_for(path).last().unwrap().header("cookie").map(str::to_owned)
}

#[tokio::test]
async fn cookie_that_is_set_again_or_deleted_is_not_counted_twice() {
    let site = Origin::start();
    site.otherwise(Reply::ok("page"));
    let client = with_cookies();
    set(&client, &site, "a.example", ["first=1; Path=/".to_owned()]).await;
    // The cookies are changed more often than the maximum number of cookies of a site.
    for round in 0..8 {
        let changes =
            (0..25).flat_map(|n| [format!("n=r{round}.{n}; Path=/"), "n=; Path=/; Max-Age=0".to_owned()]);
        set(&client, &site, "a.example", changes).await;
    }
    assert_eq!(sent(&client, &site, "a.example", "/page").await.unwrap(), "first=1");
    set(&client, &site, "a.example", ["first=2; Path=/".to_owned()]).await;
    assert_eq!(sent(&client, &site, "a.example", "/page").await.unwrap(), "first=2");
    set(&client, &site, "a.example", ["first=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT".to_owned()])
        .await;
    assert_eq!(sent(&client, &site, "a.example", "/page").await, None);
}

#[tokio::test]
async fn site_over_its_limit_of_cookies_evicts_only_its_own_oldest_cookies() {
    let site = Origin::start();
    site.otherwise(Reply::ok("page"));
    let client = with_cookies();
    set(&client, &site, "other.example", ["kept=1; Path=/".to_owned()]).await;
    let named = |range: std::ops::Range<u32>| range.map(|n| format!("n{n}={n}; Path=/{n}"));
    // Hosts of one registrable domain share one limit.
    set(&client, &site, "www.full.example", named(0..50).map(|cookie| cookie + "; Domain=full.example"))
        .await;
    for start in [50, 100, 150] {
        set(&client, &site, "full.example", named(start..start + 50)).await;
    }
    // 200 cookies were set, but only the last 180 are kept.
    for (path, expected) in [("/0", None), ("/19", None), ("/20", Some("n20=20")), ("/199", Some("n199=199"))]
    {
        assert_eq!(sent(&client, &site, "full.example", path).await.as_deref(), expected, "{path}");
    }
    assert_eq!(sent(&client, &site, "other.example", "/page").await.as_deref(), Some("kept=1"));
}
