//! The lint `placeholder-sitemap`: the host of a sitemap is a placeholder, a local host or a test site.

use crate::finding::{Findings, quoted};
use crate::robots::lint::address::Address;

crate::robots::lint::row! {
    PLACEHOLDER_SITEMAP "placeholder-sitemap" Warning, Sitemap(check);
    "A sitemap's host is a placeholder, a local host or a test site.",
    "Such a host usually comes from a template or from a development system. `example.com` is reserved for documentation \
    (RFC 2606), others cannot reach `localhost`, `10.0.0.1` and `.local`, and `staging.` is not the public site.",
    "write the site's public host",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: http://localhost:3000/sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");
}

/// Placeholder hosts that the author should have replaced.
const PLACEHOLDERS: [&str; 12] = [
    "example.com",
    "example.org",
    "example.net",
    "yoursite.com",
    "your-site.com",
    "yourdomain.com",
    "your-domain.com",
    "yourwebsite.com",
    "your-website.com",
    "mydomain.com",
    "mysite.com",
    "site.com",
];

/// Labels in host names of test sites.
const STAGING: [&str; 12] = [
    "staging",
    "stage",
    "stg",
    "dev",
    "develop",
    "development",
    "uat",
    "qa",
    "preprod",
    "pre-prod",
    "sandbox",
    "test",
];

/// Reports an address whose host is a placeholder, a local host or a test site.
fn check(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let (record, value) = (sitemap.record, sitemap.value);
    let shown_value = quoted(value);
    let (message, help) = if value.iter().any(|byte| matches!(byte, b'{' | b'}')) {
        (format!("{shown_value} contains a placeholder"), "write the address of the sitemap")
    } else {
        let Some(host) = host(value) else { return };
        let shown_host = quoted(host.as_bytes());
        match &host {
            host if is_local(host) => {
                (format!("{shown_host} is a host that others cannot reach"), "write the site's public host")
            }
            host if is_placeholder(host) => {
                (format!("{shown_host} is a placeholder"), "write the site's own host")
            }
            host if is_staging(host) => (
                format!("{shown_host} looks like a test site"),
                "write the public host, unless this file is for the test site",
            ),
            _ => return,
        }
    };
    let span = record.value.clone();
    findings.push(sitemap.context.finding(&PLACEHOLDER_SITEMAP, record.line, span, message, help));
}

/// Returns the host of an HTTP or HTTPS URL, in lower case.
fn host(value: &[u8]) -> Option<String> {
    let rest = [&b"http://"[..], b"https://"].into_iter().find_map(|scheme| {
        let start = value.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| value.get(scheme.len()..))?
    })?;
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let host = authority.rsplit(|byte| *byte == b'@').next()?;
    let host = match host {
        [b'[', ..] => host.split_inclusive(|byte| *byte == b']').next()?,
        _ => host.split(|byte| *byte == b':').next()?,
    };
    // DNS allows at most 253 bytes.
    (host.len() <= 253).then(|| String::from_utf8_lossy(host).to_ascii_lowercase())
}

/// Returns true for loopback, private, link-local and unspecified IPv4 addresses, `[::1]`, and names without a public
/// host.
fn is_local(host: &str) -> bool {
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return address.is_loopback()
            || address.is_private()
            || address.is_unspecified()
            || address.is_link_local();
    }
    let last = host.rsplit('.').next().unwrap_or(host);
    host == "[::1]"
        || matches!(last, "localhost" | "local" | "lan" | "internal" | "intranet" | "test" | "invalid")
}

fn is_placeholder(host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    PLACEHOLDERS.contains(&host) || host.starts_with("your-") && host.contains("domain")
}

/// Returns true if a label of the name marks a test site. The last two labels, the domain itself, are not checked.
fn is_staging(host: &str) -> bool {
    let parts: Vec<&str> = host.split('.').collect();
    let before = parts.get(..parts.len().saturating_sub(2)).unwrap_or_default();
    before
        .iter()
        .flat_map(|part| std::iter::once(*part).chain(part.split('-')))
        .any(|part| STAGING.contains(&part))
}
