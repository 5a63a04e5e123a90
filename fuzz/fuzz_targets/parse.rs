//! Any bytes are parsed as a robots.txt in every dialect. Its records and groups are consistent.
#![no_main]

use comity::robots::{Dialect, RobotsTxt};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (charset, body) = input;
    for dialect in Dialect::ALL {
        for charset in [None, Some(charset)] {
            let robots = RobotsTxt::parse_with_charset(body, dialect, charset);
            let groups = robots.groups().len();
            let mut line = 0;
            for record in robots.records() {
                assert!(record.line() >= line, "records are in the order of the file");
                line = record.line();
                assert!(record.group().is_none_or(|group| group < groups));
                let _ = record.value_text();
            }
            let grouped: usize = robots.groups().map(|group| group.records().count()).sum();
            assert_eq!(grouped, robots.records().filter(|record| record.group().is_some()).count());
            assert_eq!(robots.sitemaps().count(), robots.clone().into_owned().sitemaps().count());
        }
    }
});
