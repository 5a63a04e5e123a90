//! The public type [`Service`]: shared state and router.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::future::RouteFuture;
use comity_client::Client;
use tower_service::Service as _;

use crate::admission::Arrival;
use crate::context::Shared;
use crate::options::ServiceOptions;
use crate::routes;

/// The service: a client with access control and limits. Clones share all state.
#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) shared: Arc<Shared>,
    router: Router,
}

impl Service {
    /// Creates a service that sends its requests through `client`. If untrusted callers can reach the service, build
    /// the client with [`ClientBuilder::on_web_ports`](comity_client::ClientBuilder::on_web_ports). Then the service
    /// cannot be used to scan for open ports.
    pub fn new(client: Client, options: ServiceOptions) -> Service {
        let shared = Arc::new(Shared::new(client, options));
        Service { router: routes::router(Arc::clone(&shared)), shared }
    }

    /// Answers a request. The router selects the handler, which is an
    /// [`AdmittedHandler`](crate::admission::AdmittedHandler).
    pub(crate) fn answer(&self, arrival: Arrival, mut request: Request) -> RouteFuture<Infallible> {
        request.extensions_mut().insert(arrival);
        self.router.clone().call(request)
    }
}
