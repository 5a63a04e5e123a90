//! Product tokens of known crawlers.
