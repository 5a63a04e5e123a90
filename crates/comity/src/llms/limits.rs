//! The limits of the reader.

/// The largest number of bytes of a file that are read unless set otherwise: 5 MiB, ten times what crawlers read of a
/// robots.txt.
pub const DEFAULT_MAX_BYTES: usize = 5 * 1024 * 1024;

/// The largest number of links of a file that are kept unless set otherwise; a sitemap may have as many.
pub const DEFAULT_MAX_LINKS: usize = 50_000;

/// The largest number of bytes of one line that are read: 64 KiB.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// The largest number of sections that are kept; what stands below further headings joins the last one.
pub const MAX_SECTIONS: usize = 10_000;
