//! The transport alone and in the pipeline: codings, connections that end, descriptors, cookies, proxies.

mod codings;
mod cookies;
mod descriptors;
mod endings;
mod proxies;
mod times;
