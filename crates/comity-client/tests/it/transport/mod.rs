//! Tests of the transport, alone and in a client: codings, connections that end early, descriptors, cookies, and
//! proxies.

mod codings;
mod cookies;
mod descriptors;
mod endings;
mod proxies;
mod times;
