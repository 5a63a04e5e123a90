//! `comity sitemap URL`.

use insta::assert_snapshot;
use testkit::servers::{Origin, Reply};

use super::{live, shown, site};
use crate::comity;

fn urlset(origin: &Origin, paths: &[&str]) -> Reply {
    let urls: String =
        paths.iter().map(|path| format!("<url><loc>{}</loc></url>", origin.url(path))).collect();
    Reply::ok(format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"))
}

fn index(origin: &Origin, paths: &[&str]) -> Reply {
    let maps: String =
        paths.iter().map(|path| format!("<sitemap><loc>{}</loc></sitemap>", origin.url(path))).collect();
    Reply::ok(format!(
        "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{maps}</sitemapindex>"
    ))
}

/// Starts a site with an index of three sitemaps, the last of which robots.txt disallows.
fn three_maps() -> Origin {
    let origin = Origin::start();
    let robots = format!("User-agent: *\nDisallow: /c.xml\nSitemap: {}\n", origin.url("/all.xml"));
    origin.on("/robots.txt", Reply::ok(robots));
    origin.on("/all.xml", index(&origin, &["/a.xml", "/b.xml", "/c.xml"]));
    origin.on("/a.xml", urlset(&origin, &["/a1", "/a2"]));
    origin.on("/b.xml", urlset(&origin, &["/b1"]));
    origin
}

#[test]
fn sitemap_of_a_site_is_read_like_a_file() {
    let origin = three_maps();
    assert_snapshot!(shown(live("sitemap").arg(&origin.url("/all.xml")), &origin));
    assert_snapshot!(shown(live("sitemap --check").arg(&origin.url("/a.xml")), &origin));
    assert_eq!(origin.count("/b.xml"), 0);
}

#[test]
fn all_sitemaps_of_a_site_are_read() {
    let origin = three_maps();
    assert_snapshot!(shown(live("sitemap").arg(&origin.url("")), &origin));
    assert_eq!(origin.count("/c.xml"), 0);
    assert_snapshot!(shown(live("sitemap --discover --json").arg(&origin.url("/some/page")), &origin));
}

#[test]
fn limit_ends_reading_early() {
    let origin = three_maps();
    let outcome = live("sitemap --limit 2").arg(&origin.url("/")).run().exits(0);
    assert_eq!(outcome.stdout, format!("{}\n{}\n", origin.url("/a1"), origin.url("/a2")));
    assert_eq!((origin.count("/a.xml"), origin.count("/b.xml")), (1, 0));
    let outcome = comity("sitemap --limit 1 sitemap.xml").run().exits(0);
    assert_eq!(outcome.stdout.lines().count(), 1);
}

#[test]
fn sitemap_at_a_usual_url_is_found() {
    let origin = site("User-agent: *\nDisallow:\n");
    assert_snapshot!(shown(live("sitemap").arg(&origin.url("/")), &origin));
    origin.on("/sitemap.xml", urlset(&origin, &["/x"]));
    let outcome = live("sitemap").arg(&origin.url("/")).run().exits(0);
    assert_eq!(outcome.stdout, format!("{}\n", origin.url("/x")));
}

#[test]
fn missing_sitemap_is_named() {
    let origin = site("User-agent: *\nDisallow: /private\nSitemap: /gone.xml\n");
    assert_snapshot!(shown(live("sitemap").arg(&origin.url("/private/sitemap.xml")), &origin));
    assert_snapshot!(shown(live("sitemap").arg(&origin.url("/gone.xml")), &origin));
    assert_snapshot!(shown(live("sitemap").arg(&origin.url("/")), &origin));
    assert_snapshot!(comity("sitemap --discover sitemap.xml").shown());
}
