//! Messages of Envoy's `envoy.service.auth.v3.Authorization`, with the fields that are used here. Other fields are
//! ignored.

use std::collections::HashMap;

/// A question of Envoy: whether a request may be forwarded.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CheckRequest {
    #[prost(message, optional, tag = "1")]
    pub(super) attributes: Option<AttributeContext>,
}

/// The attributes of the request.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct AttributeContext {
    /// The peer of the connection on which the request arrived.
    #[prost(message, optional, tag = "1")]
    pub(super) source: Option<Peer>,
    #[prost(message, optional, tag = "4")]
    pub(super) request: Option<Request>,
    /// Values from the configuration of the gateway.
    #[prost(map = "string, string", tag = "10")]
    pub(super) context_extensions: HashMap<String, String>,
}

/// One end of a connection.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Peer {
    #[prost(message, optional, tag = "1")]
    pub(super) address: Option<Address>,
}

/// `envoy.config.core.v3.Address`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Address {
    #[prost(message, optional, tag = "1")]
    pub(super) socket_address: Option<SocketAddress>,
}

/// `envoy.config.core.v3.SocketAddress`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SocketAddress {
    #[prost(string, tag = "2")]
    pub(super) address: String,
}

/// A request of any protocol.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Request {
    #[prost(message, optional, tag = "2")]
    pub(super) http: Option<HttpRequest>,
}

/// An HTTP request.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct HttpRequest {
    #[prost(string, tag = "2")]
    pub(super) method: String,
    #[prost(map = "string, string", tag = "3")]
    pub(super) headers: HashMap<String, String>,
    /// The path with the query.
    #[prost(string, tag = "4")]
    pub(super) path: String,
    #[prost(string, tag = "5")]
    pub(super) host: String,
    #[prost(string, tag = "6")]
    pub(super) scheme: String,
}

/// The answer to a [`CheckRequest`].
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CheckResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(super) denied_response: Option<DeniedHttpResponse>,
    #[prost(message, optional, tag = "3")]
    pub(super) ok_response: Option<OkHttpResponse>,
}

/// `google.rpc.Status`: code 0 allows the request.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Status {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
}

/// The answer that Envoy sends to the agent if the request is refused.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DeniedHttpResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<HttpStatus>,
    #[prost(message, repeated, tag = "2")]
    pub(super) headers: Vec<HeaderValueOption>,
    #[prost(string, tag = "3")]
    pub(super) body: String,
}

/// Header fields that Envoy adds to an allowed request, and to the site's answer to it.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct OkHttpResponse {
    #[prost(message, repeated, tag = "2")]
    pub(super) headers: Vec<HeaderValueOption>,
    #[prost(message, repeated, tag = "6")]
    pub(super) response_headers_to_add: Vec<HeaderValueOption>,
}

/// A status code.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct HttpStatus {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
}

/// A header field to add.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct HeaderValueOption {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<HeaderValue>,
    /// `HeaderAppendAction`; 2 overwrites a field of the same name.
    #[prost(int32, tag = "3")]
    pub(super) append_action: i32,
}

/// The name and the value of a field.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct HeaderValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}
