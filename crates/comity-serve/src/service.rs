//! The public type [`Service`]: shared state and router.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use axum::routing::future::RouteFuture;
use comity_client::Client;
use tower_service::Service as _;

use crate::access_control::Peer;
use crate::admission::Arrival;
use crate::connections::ConnectionState;
use crate::context::Shared;
use crate::deadline_timer::DeadlineTimer;
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

    /// Replaces the client, and of the options the tokens, names and further clients. All other options stay as they are.
    /// Requests in progress end with the earlier client. So that pace and answers persist, build the new client with
    /// the store of the earlier one ([`ClientBuilder::shared_store`](comity_client::ClientBuilder::shared_store)).
    ///
    /// A caller with a token is known by the position of the token, so its quota passes to the new token at this position.
    /// The client's metrics begin at zero.
    pub fn reload(&self, client: Client, options: ServiceOptions) {
        self.shared.reload(client, options);
    }

    /// Returns the routes as a router, for an `axum` program that serves them on its own connections, below any prefix. The
    /// router is also a `tower::Service`.
    ///
    /// Callers are distinguished by their addresses, which the program supplies with
    /// `into_make_service_with_connect_info::<SocketAddr>()`. Without addresses, all callers count as one. The program
    /// limits connections and their times itself, and drains the client when it ends ([`Client::drain`]).
    ///
    /// The router checks the `Host` of each request, because a web page can make its hostname resolve to this machine.
    /// It accepts `localhost`, loopback addresses and [`ServiceOptions::names`]. Other hosts get the status 421, unless
    /// [`ServiceOptions::tokens`] requires tokens; with tokens, every host is accepted. A port in `Host` is ignored.
    /// Requests from web pages of other origins get the status 403.
    ///
    /// ```
    /// use comity_client::Client;
    /// use comity_serve::axum::Router;
    /// use comity_serve::axum::body::Body;
    /// use comity_serve::axum::http::{Request, StatusCode};
    /// use comity_serve::{Service, ServiceOptions};
    /// use tower_service::Service as _;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder("ExampleBot").on_web_ports().build()?;
    /// let options = ServiceOptions::default().names(vec!["app.example".to_owned()]);
    /// let mut app: Router = Router::new().nest_service("/comity", Service::new(client, options).into_router());
    ///
    /// for (host, status) in [
    ///     ("app.example", StatusCode::OK),
    ///     ("localhost:8080", StatusCode::OK),
    ///     ("other.example", StatusCode::MISDIRECTED_REQUEST),
    /// ] {
    ///     let request = Request::get("/comity/openapi.json").header("host", host).body(Body::empty())?;
    ///     assert_eq!(app.call(request).await?.status(), status, "{host}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_router(self) -> Router {
        let connection = Arc::new(ConnectionState::foreign());
        let arrive = move |mut request: Request| {
            let remote = request.extensions().get::<ConnectInfo<SocketAddr>>();
            let remote = remote.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
            request.extensions_mut().insert(Arrival {
                peer: Peer::Address { remote, local: None },
                deadline_timer: DeadlineTimer::new(),
                connection: Arc::clone(&connection),
            });
            std::future::ready(request)
        };
        self.router.layer(map_request(arrive))
    }

    /// Answers a request. The router selects the handler, which is an [`AdmittedHandler`](crate::admission::AdmittedHandler).
    pub(crate) fn answer(&self, arrival: Arrival, mut request: Request) -> RouteFuture<Infallible> {
        request.extensions_mut().insert(arrival);
        self.router.clone().call(request)
    }
}
