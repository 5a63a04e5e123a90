//! For any `Retry-After`, the parsed delay is at most the cap.
#![no_main]

use std::time::{Duration, SystemTime};

use comity_client::pace::RetryAfter;
use http::{HeaderMap, HeaderValue, header};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|values: &[u8]| {
    let mut headers = HeaderMap::new();
    for value in values.split(|byte| *byte == b'\n').take(8) {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(header::RETRY_AFTER, value);
        }
    }
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    for cap in [Duration::ZERO, Duration::from_secs(300), Duration::MAX] {
        for now in [SystemTime::UNIX_EPOCH, now] {
            if let Some(read) = RetryAfter::read(&headers, now, cap) {
                assert!(read.duration <= cap, "{read:?}");
                assert!(read.asked.is_none_or(|asked| asked > cap), "{read:?}");
            }
        }
    }
});
