//! Integration tests of the service: requests over loopback, and sites on loopback, some of which misbehave.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a panic fails the test")]

mod access_control;
mod admit;
mod answers;
mod assistants;
mod attacks;
mod batches;
mod ends;
mod fair;
mod gateways;
mod notices;
mod page;
mod router;
mod schema;
mod signatures;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use comity_client::guard::Guard;
use comity_client::pace::PaceOptions;
use comity_client::{Client, ClientBuilder};
use comity_serve::{Listener, Service, ServiceOptions};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Body, Frame};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use testkit::servers::Origin;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A service on a free port.
struct Served {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<usize>,
}

/// A received answer.
#[derive(Debug)]
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// Returns the builder of a client that may connect to these sites on loopback, without delays between requests.
fn builder(sites: &[&Origin]) -> ClientBuilder {
    named("ExampleBot", sites)
}

/// Returns the builder of a client with this product token.
fn named(name: &str, sites: &[&Origin]) -> ClientBuilder {
    let guard = Guard::new().allow_address("127.0.0.0/8".parse().unwrap());
    let guard = sites.iter().fold(guard, |guard, site| guard.allow_port(site.address().port()));
    let pace = PaceOptions::default().min_interval(Duration::ZERO);
    let retry = comity_client::retry::RetryOptions::default().retries(0);
    Client::builder(name).guard(guard).pace(pace).retry(retry).on_web_ports()
}

/// Returns the default options, with a long answer timeout for busy machines.
fn usual_options() -> ServiceOptions {
    ServiceOptions::default().answer_timeout(Duration::from_secs(3_600))
}

async fn serving(sites: &[&Origin]) -> Served {
    serve(builder(sites), usual_options()).await
}

async fn serve(client: ClientBuilder, options: ServiceOptions) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let service = Service::new(client.build().unwrap(), options);
    let task = tokio::spawn(service.serve(Listener::Tcp(listener), async {
        let _ = stopped.await;
    }));
    Served { address, stop: Some(stop), task }
}

/// Opens a connection for requests.
async fn connect(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn send(sender: &mut SendRequest<Full<Bytes>>, request: Request<Full<Bytes>>) -> Reply {
    sender.ready().await.unwrap();
    let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Reply { status: parts.status, headers: parts.headers, body }
}

/// Returns a sender, and a body of the texts that are sent. The body ends when the sender is dropped.
fn body() -> (mpsc::UnboundedSender<String>, impl Body<Data = Bytes, Error = Infallible> + Send + 'static) {
    let (sender, receiver) = mpsc::unbounded_channel::<String>();
    let pieces = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let piece = receiver.recv().await?;
        Some((Ok(Frame::data(Bytes::from(piece))), receiver))
    });
    (sender, StreamBody::new(Box::pin(pieces)))
}

impl Served {
    fn request(&self, method: Method, path: &str) -> http::request::Builder {
        Request::builder().method(method).uri(path).header("host", self.address.to_string())
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Reply {
        send(&mut connect(self.address).await, request).await
    }

    async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path).body(Full::default()).unwrap()).await
    }

    async fn post(&self, path: &str, question: &Value) -> Reply {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        self.send(request.body(Full::from(question.to_string())).unwrap()).await
    }

    /// Sends a batch.
    async fn batch(&self, path: &str, lines: &str) -> Reply {
        let request = self.request(Method::POST, path).header("content-type", "application/x-ndjson");
        self.send(request.body(Full::from(lines.to_owned())).unwrap()).await
    }

    /// Stops the service, and returns the number of connections that were cut off.
    async fn stop(mut self) -> usize {
        let _ = self.stop.take().unwrap().send(());
        self.task.await.unwrap()
    }
}

impl Reply {
    /// Asserts that the reply is an answer in JSON, and returns it.
    #[track_caller]
    fn json(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.headers["content-type"], "application/json");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Asserts that the reply is the answer to a batch, and returns its lines.
    #[track_caller]
    fn lines(&self) -> Vec<Value> {
        assert_eq!(self.status, StatusCode::OK, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.headers["content-type"], "application/x-ndjson");
        let text = std::str::from_utf8(&self.body).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Asserts that the reply is a problem of this kind, and returns it.
    #[track_caller]
    fn problem(&self, status: u16, kind: &str) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status.as_u16(), status, "{text}");
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem["type"], format!("/openapi.json#/x-problems/{kind}"), "{text}");
        assert_eq!(problem["status"], status);
        problem
    }
}
