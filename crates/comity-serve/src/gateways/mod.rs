//! Authorization for gateways: proxies that send a question to this service before they forward a request of an agent.
//!
//! Each gateway has its own protocol, but the decision is common: robots.txt for the agent, the address guard, and a
//! slot in the shared pace. The service does not delay its answer until a slot begins: it refuses the request and
//! returns the time to retry.
//!
//! | module | holds |
//! |---|---|
//! | `original` | the original request of the agent, parsed from the question of a gateway |
//! | `target` | hosts and request targets; the URLs that different sites read in one target |
//! | `judge` | the decision about an original request |
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

/// Header field with the address to which the gateway has to connect.
const DIAL: &str = "comity-dial";

/// Header field with the address to which Envoy has to connect.
const ENVOY_DIAL: &str = "x-envoy-original-dst-host";
