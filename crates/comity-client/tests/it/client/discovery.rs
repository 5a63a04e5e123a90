//! Tests of the discovery of pages through the sitemaps of a site.

use comity::sitemap::Item;
use comity_client::{Client, Discovery, DiscoveryStep, Origin as Key};
use testkit::servers::{Origin, Reply};

use super::{builder, client, options, site};

fn key(site: &Origin) -> Key {
    Key::of(&site.url("/").parse().unwrap()).unwrap()
}

fn urlset(pages: &[String]) -> String {
    let entries: String = pages.iter().map(|page| format!("<url><loc>{page}</loc></url>")).collect();
    format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>")
}

fn index(maps: &[String]) -> String {
    let entries: String = maps.iter().map(|map| format!("<sitemap><loc>{map}</loc></sitemap>")).collect();
    format!("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</sitemapindex>")
}

async fn pages(discovery: &mut Discovery) -> Vec<String> {
    let mut pages = Vec::new();
    while let Some(found) = discovery.next().await {
        if let DiscoveryStep::Item { item: Item::Url(url), .. } = found {
            pages.push(url.loc);
        }
    }
    pages
}

async fn discover(client: &Client, site: &Origin) -> Discovery {
    client.discover(&key(site)).await.unwrap()
}

#[tokio::test]
async fn sitemaps_in_robots_txt_are_walked_lazily() {
    let site = Origin::start();
    let urls = |names: &[&str]| names.iter().map(|name| site.url(name)).collect::<Vec<_>>();
    site.on(
        "/robots.txt",
        Reply::ok(format!("Sitemap: {}\nSitemap: /relative.txt\n", site.url("/index.xml"))),
    );
    site.on("/index.xml", Reply::ok(index(&urls(&["/a.xml", "/b.xml.gz", "/index.xml"]))));
    site.on("/a.xml", Reply::ok(urlset(&urls(&["/1", "/2"]))));
    site.on("/b.xml.gz", Reply::ok(gzip(&urlset(&urls(&["/3"])))));
    site.on("/relative.txt", Reply::ok(site.url("/4")));
    let client = client();
    let mut discovery = discover(&client, &site).await;
    assert_eq!(site.count("/index.xml"), 0, "discovery is lazy");
    let mut first = Vec::new();
    while first.is_empty() {
        if let Some(DiscoveryStep::Item { item: Item::Url(url), .. }) = discovery.next().await {
            first.push(url.loc);
        }
    }
    assert_eq!(site.count("/b.xml.gz"), 0, "the next sitemap is fetched only after the first one is read");
    first.extend(pages(&mut discovery).await);
    assert_eq!(first, urls(&["/1", "/2", "/3", "/4"]));
    assert_eq!(site.count("/index.xml"), 1, "an index that lists itself is read once");
}

fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn well_known_sitemaps_are_tried_without_listed_ones() {
    let site = site("User-agent: *\n");
    site.otherwise(Reply::html_soft_404());
    site.on("/sitemap_index.xml", Reply::ok(urlset(&[site.url("/1")])));
    let client = client();
    let mut discovery = discover(&client, &site).await;
    let first = discovery.next().await.unwrap();
    assert!(matches!(&first, DiscoveryStep::Missing { was_named: false, .. }), "{first:?}");
    assert_eq!(pages(&mut discovery).await, [site.url("/1")]);
    assert!(discovery.next().await.is_none());
}

#[tokio::test]
async fn sitemap_passes_robots_txt_and_the_guard() {
    let site = Origin::start();
    site.on(
        "/robots.txt",
        Reply::ok(format!(
            "User-agent: *\nDisallow: /closed\nSitemap: {}\nSitemap: http://169.254.169.254/s.xml\nSitemap: {}\nSitemap: {}\n",
            site.url("/closed.xml"),
            site.url("/missing.xml"),
            site.url("/open.xml"),
        )),
    );
    site.on("/open.xml", Reply::ok(urlset(&[site.url("/1")])));
    let client = client();
    let mut discovery = discover(&client, &site).await;
    let closed = discovery.next().await.unwrap();
    assert!(closed.is_disallowed(), "{closed:?}");
    let private = discovery.next().await.unwrap();
    assert!(
        matches!(&private, DiscoveryStep::Failed { error, .. }
        if matches!(error.cause(), comity_client::Cause::Guard(_))),
        "{private:?}"
    );
    let missing = discovery.next().await.unwrap();
    assert!(matches!(&missing, DiscoveryStep::Missing { status: 404, was_named: true, .. }), "{missing:?}");
    assert_eq!(pages(&mut discovery).await, [site.url("/1")]);
    assert_eq!(site.count("/closed.xml"), 0);
}

#[tokio::test]
async fn header_field_of_the_caller_is_sent_only_to_sitemaps_of_named_sites() {
    let (site, other) = (Origin::start(), site(""));
    let listed = [site.url("/own.xml"), site.url("/moved.xml"), other.url("/direct.xml")];
    site.on("/robots.txt", Reply::ok(listed.map(|url| format!("Sitemap: {url}\n")).concat()));
    site.on("/own.xml", Reply::ok(index(&[site.url("/nested.xml"), other.url("/nested.xml")])));
    site.on("/nested.xml", Reply::ok(urlset(&[site.url("/1")])));
    site.on("/moved.xml", Reply::redirect(302, &other.url("/moved.xml")));
    for path in ["/direct.xml", "/nested.xml", "/moved.xml"] {
        other.on(path, Reply::ok(urlset(&[site.url("/2")])));
    }
    let fetch = options().header("Authorization", "Bearer S3CRET").unwrap();
    let client = builder().fetch(fetch).build().unwrap();
    let sent = |site: &Origin, path: &str| {
        let requests = site.requests_for(path);
        requests
            .last()
            .unwrap_or_else(|| panic!("{path} was not requested"))
            .header("authorization")
            .is_some()
    };
    pages(&mut discover(&client, &site).await).await;
    for path in ["/own.xml", "/nested.xml", "/moved.xml"] {
        assert!(sent(&site, path), "{path}");
    }
    for path in ["/direct.xml", "/nested.xml", "/moved.xml", "/robots.txt"] {
        assert!(!sent(&other, path), "{path}");
    }
    pages(&mut client.walk_sitemaps(&[other.url("/direct.xml")])).await;
    assert!(sent(&other, "/direct.xml"), "the caller named this site");
}
