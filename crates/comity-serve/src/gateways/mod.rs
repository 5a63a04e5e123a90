//! Gateways: proxies that ask, before they forward a request, whether it may be sent.
//!
//! Each gateway has its own protocol, but the decision is common: robots.txt for the agent in question, the address guard, and a
//! slot in the shared pace. Requests are not held: a request that has to wait is refused with the time to retry.
//!
//! | module | holds |
//! |---|---|
//! | `original` | the request to be judged, as a gateway describes it |
//! | `target` | hosts and request targets, and every reading of a target |
//! | `judge` | the decision |
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

/// Header fields with the address to connect to: the general one, and the one that Envoy uses.
const DIAL: &str = "comity-dial";
const ENVOY_DIAL: &str = "x-envoy-original-dst-host";
