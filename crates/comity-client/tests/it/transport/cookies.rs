//! Cookies: for their own scope, never for a whole public suffix, never with requests for robots.txt.

use std::io;
use std::net::IpAddr;

use comity_client::BoxFuture;
use comity_client::guard::Resolver;
use comity_client::transport::NetworkOptions;
use testkit::servers::{Origin, Reply};

use crate::client::{builder, loopback};

/// Every name is this machine.
#[derive(Debug)]
struct Here;

impl Resolver for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, io::Error>> {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

#[tokio::test]
async fn a_cookie_for_a_public_suffix_goes_to_nobody_else() {
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
