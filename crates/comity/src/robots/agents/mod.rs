//! The crawlers that ask, and the groups of a file that speak to them.

pub(crate) mod agent;
pub(crate) mod product_token;
pub(crate) mod select;
