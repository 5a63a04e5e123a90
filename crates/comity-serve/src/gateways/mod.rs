//! Gateways: proxies that ask before each request that passes through them whether it may be sent.
//!
//! Each asks in a way of its own; what is judged, and how, is the same for all: robots.txt for the agent that is meant, the guard,
//! and a slot in the shared pace. No request is held: one that has to wait is told when to come back.
//!
//! | module | holds |
//! |---|---|
//! | `original` | the request that is judged, as a gateway describes it |
//! | `target` | hosts and targets, and every reading of a target |
//! | `judge` | what is answered about it |
//! | `over_http` | nginx, Traefik, Caddy, and Envoy's `ext_authz` over HTTP |
//! | `over_grpc`, `messages` | Envoy's `ext_authz` over gRPC |

mod judge;
mod messages;
mod original;
mod over_grpc;
mod over_http;
mod target;

pub(crate) use self::over_grpc::check;
pub(crate) use self::over_http::{EXT_AUTHZ, auth_request, ext_authz, forward_auth};

/// The field with the address to dial, and the one by which Envoy takes it.
const DIAL: &str = "comity-dial";
const ENVOY_DIAL: &str = "x-envoy-original-dst-host";
