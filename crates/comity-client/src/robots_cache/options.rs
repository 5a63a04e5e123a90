//! Options for requesting robots.txt and applying its rules.

use std::num::NonZeroU32;
use std::time::Duration;

use comity::policy::{Mode, OnUnreachable, Overrides, Preset};

use crate::setting::section::section;

section! {
    /// Options for requesting robots.txt and applying its rules.
    pub struct RobotsOptions = "robots" {
        /// Preset that decides the effect of each answer to a robots.txt request.
        preset: Preset = Preset::default(), "preset", flag "preset";
        /// Effect of a decision: respect, report_only or ignore; unset: the preset decides.
        mode: Option<Mode> = None, "mode", flag "mode";
        /// Decision while robots.txt is unreachable: deny, warn (allow with a warning) or allow; unset: the preset
        /// decides.
        on_unreachable: Option<OnUnreachable> = None, "on_unreachable", flag "on-unreachable";
        /// Maximum age of a robots.txt before it is requested again; unset: the preset decides.
        max_age: Option<Duration> = None, "max_age_seconds", flag "robots-max-age";
        /// Timeout of a robots.txt request, redirects included; unset: the timeout for pages.
        ///
        /// Waits for slots are not included. Values above the client's
        /// [`FetchOptions::timeout`](crate::FetchOptions::timeout) are reduced to it.
        timeout: Option<Duration> = None, "timeout_seconds";
        /// Maximum number of redirects followed for robots.txt.
        ///
        /// RFC 9309 §2.3.1.2 recommends at least 5.
        max_redirects: usize = 5, "max_redirects";
        /// Maximum number of bytes read of a robots.txt.
        ///
        /// Bytes are counted after decoding content codings. RFC 9309 §2.5 requires at least 500 KiB. In a longer body,
        /// the lines that end within the limit apply.
        max_bytes: usize = 512_000, "max_bytes";
        /// Maximum size of the rules in memory, in bytes.
        memory_bytes: u64 = 64 << 20, "memory_bytes";
        /// Maximum number of requests per minute to one origin for the robots.txt of other origins that redirect to it.
        ///
        /// Further requests wait.
        redirected_per_minute: NonZeroU32 = NonZeroU32::MIN.saturating_add(59), "redirected_per_minute";
    }
}

impl RobotsOptions {
    /// Returns the settings that override the preset.
    pub(crate) fn overrides(&self) -> Overrides {
        let mut overrides = Overrides::default();
        if let Some(choice) = self.on_unreachable {
            overrides = overrides.with_on_unreachable(choice);
        }
        if let Some(max_age) = self.max_age {
            overrides = overrides.with_max_age(max_age);
        }
        overrides
    }
}
