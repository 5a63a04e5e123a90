//! Spans of requests, for `tracing`.

use http::{HeaderMap, Method};
use tracing::field::{Empty, display};
use tracing::{Span, info_span};

use crate::access_control::Caller;
use crate::log::Entry;

/// The span of a request. Its names are those of OpenTelemetry's semantic conventions for HTTP.
pub(crate) struct RequestSpan(Span);

impl RequestSpan {
    /// Creates the span. With the feature `otel`, it continues the trace that the caller names (`traceparent`).
    pub(crate) fn new(route: &'static str, method: &Method, headers: &HeaderMap) -> RequestSpan {
        let span = info_span!(
            "request",
            otel.name = route,
            otel.kind = "server",
            http.request.method = Entry::method(method),
            http.route = route,
            http.response.status_code = Empty,
            comity.caller = Empty,
        );
        #[cfg(feature = "otel")]
        if !span.is_disabled() {
            use tracing_opentelemetry::OpenTelemetrySpanExt as _;

            let fields = opentelemetry_http::HeaderExtractor(headers);
            let parent = opentelemetry::global::get_text_map_propagator(|format| format.extract(&fields));
            // Fails if the subscriber exports no traces.
            let _ = span.set_parent(parent);
        }
        #[cfg(not(feature = "otel"))]
        let _ = headers;
        RequestSpan(span)
    }

    /// Returns the span, in which the request is answered.
    pub(crate) fn span(&self) -> Span {
        self.0.clone()
    }

    /// Records the answer.
    pub(crate) fn answered(&self, caller: Caller, status: u16) {
        self.0.record("http.response.status_code", status).record("comity.caller", display(caller));
    }
}
