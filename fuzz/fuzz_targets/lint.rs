//! Lint accepts any bytes, and the place of every finding is inside the file.
#![no_main]

use comity::robots::lint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    for finding in lint::lint(body) {
        let span = finding.place().span().expect("a stretch of the file");
        assert!(span.start <= span.end && span.end <= body.len());
        assert!(finding.place().line >= Some(1));
        assert!(!finding.message().contains('\n'));
    }
});
