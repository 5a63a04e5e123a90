//! The crawlers for which rules are evaluated, and the choice of the groups that apply to them.

pub(crate) mod agent;
pub(crate) mod product_token;
pub(crate) mod select;
