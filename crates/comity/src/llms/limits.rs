//! The limits of the reader.

/// Default maximum number of bytes of a file that are read: 5 MiB, about ten times the limit for a robots.txt.
pub const DEFAULT_MAX_BYTES: usize = 5 * 1024 * 1024;

/// Default maximum number of links of a file that are stored, equal to the maximum number of entries of a sitemap.
pub const DEFAULT_MAX_LINKS: usize = 50_000;

/// Maximum number of bytes of one line that are read: 64 KiB.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Maximum number of sections that are stored. Text below further headings is added to the last section.
pub const MAX_SECTIONS: usize = 10_000;
