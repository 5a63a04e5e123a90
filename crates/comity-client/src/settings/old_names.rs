//! Names of settings in other libraries, for users who migrate from these libraries.

/// Returns the setting that corresponds to a setting of Ladon, WebCanon, robotexclusionrulesparser or the Ruby gem
/// `robotstxt`, or `None` if the name is unknown.
///
/// ```
/// use comity_client::settings::new_name;
///
/// assert_eq!(new_name("max_cache_seconds"), Some("`robots.max_age_seconds`"));
/// assert_eq!(new_name("no_such_setting"), None);
/// ```
pub fn new_name(key: &str) -> Option<&'static str> {
    let found = OLD_NAMES.iter().find(|(old, _)| *old == key);
    found.map(|(_, new)| *new)
}

/// Pairs of a name in another library and the setting of this crate.
const OLD_NAMES: &[(&str, &str)] = &[
    // Ladon: `HttpClientConfig` and `RobotsCache`.
    ("respect_robots_txt", "`robots.mode`, `respect` or `ignore`"),
    ("min_request_interval_seconds", "`pace.min_interval_seconds`"),
    ("timeout_seconds", "`fetch.timeout_seconds`"),
    ("fetch_timeout", "`robots.timeout_seconds`"),
    ("verify_tls", "`network.insecure`, which is its opposite"),
    ("circuit_breaker_failure_threshold", "`breaker.failure_threshold`"),
    ("circuit_breaker_recovery_seconds", "`breaker.recovery_seconds`"),
    // WebCanon: `RobotsConfig`.
    ("max_cache_seconds", "`robots.max_age_seconds`"),
    ("on_unreachable", "`robots.on_unreachable`"),
    // The gem `robotstxt`: the options of `Robotstxt.get`.
    ("http_timeout", "`robots.timeout_seconds`"),
    ("num_redirects", "`robots.max_redirects`"),
    // robotexclusionrulesparser.
    ("MAX_FILESIZE", "`robots.max_bytes`"),
];
