//! Any usage signals of a site are parsed, and every known preference has evidence.
#![no_main]

use comity::html::Facts;
use comity::http::Headers;
use comity::robots::{Agent, RobotsTxt};
use comity::usage::{LicenseDocument, Refusal, SignalReport, Stance, Tdmrep, Usage};
use libfuzzer_sys::fuzz_target;

/// Number of parts of an input, separated by lines with `=`: robots.txt, header, page, tdmrep.json, RSL, URL.
const PARTS: usize = 6;

fuzz_target!(|input: &[u8]| {
    let mut parts = [&b""[..]; PARTS];
    let mut rest = input;
    for part in &mut parts {
        let end = rest.windows(3).position(|window| window == b"\n=\n");
        *part = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or(&[], |end| &rest[end + 3..]);
    }
    let [robots, header, page, tdmrep, rsl, url] = parts;
    let at = String::from_utf8_lossy(url);
    let robots = RobotsTxt::parse(robots);
    let facts = Facts::read(page);
    let headers = Headers::parse(header).unwrap_or_default();
    let tdmrep = Tdmrep::parse(tdmrep).ok();
    let document = LicenseDocument::parse(rsl).ok().map(|document| document.at(&at));
    for status in [200, 202, 402, 403] {
        let refusal = Refusal::of_page(status, &headers, page);
        assert!(status < 400 || refusal.is_some());
    }
    for name in ["examplebot", "Google-Extended"] {
        let agent = Agent::unchecked_token(name);
        let mut usage =
            Usage::for_agent(&agent).robots(&robots).headers(&headers).html(&facts).user("personal");
        usage = tdmrep.iter().fold(usage, |usage, tdmrep| usage.tdmrep(tdmrep));
        usage = document.iter().fold(usage, |usage, document| usage.rsl(document));
        let Ok(report) = usage.report(url) else { continue };
        for preference in report.signals().iter().flat_map(SignalReport::preferences) {
            assert!(preference.stance() == Stance::Unknown || !preference.evidence().is_empty());
        }
        for finding in report.findings() {
            assert!(!finding.message().contains('\n'));
        }
        assert!(report.findings().len() < 10_000);
    }
});
