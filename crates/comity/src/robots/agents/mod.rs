//! Who asks, and which groups of a file speak to them.

pub(crate) mod agent;
pub(crate) mod product_token;
pub(crate) mod select;
