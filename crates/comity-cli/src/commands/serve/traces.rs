//! Traces of requests, exported by OpenTelemetry (OTLP over HTTP).

use std::env;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::exit::Failure;
use crate::output::Output;

/// Maximum time of one export, and of the last export when the service ends.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(3);

/// The environment variables with the address of the collector, as all programs with OpenTelemetry read them.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// The export of traces. Spans are exported in the background, in batches.
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts to export traces if the environment names a collector. The SDK reads the other variables `OTEL_*`, such as
    /// the sampler.
    pub(super) fn start(runtime: Handle) -> Result<Option<Traces>, Failure> {
        let Some((name, endpoint)) = ENDPOINTS
            .iter()
            .find_map(|name| Some((name, env::var(name).ok().filter(|value| !value.is_empty())?)))
        else {
            return Ok(None);
        };
        if !endpoint.starts_with("http://") {
            return Err(Failure::new(format!("`{name}` must be an http URL"))
                .hint("send the traces to a collector on this machine, which can forward them over TLS"));
        }
        let cannot = |error: &dyn std::error::Error| Failure::new(format!("cannot export traces: {error}"));
        let client = HyperClient::with_default_connector(EXPORT_TIMEOUT, None);
        let client = OnRuntime { runtime, client, has_failed: AtomicBool::new(false) };
        let exporter = SpanExporter::builder().with_http().with_http_client(client).build();
        let mut resource = Resource::builder();
        if env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("comity");
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter.map_err(|error| cannot(&error))?)
            .build();
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        let own = Targets::new().with_targets(
            ["comity", "comity_answers", "comity_client", "comity_serve"]
                .map(|target| (target, LevelFilter::DEBUG)),
        );
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("comity"));
        let subscriber = tracing_subscriber::registry().with(own).with(layer);
        subscriber.try_init().map_err(|error| cannot(&error))?;
        Ok(Some(Traces(provider)))
    }

    /// Exports the remaining spans.
    pub(super) fn finish(self, output: &mut Output) {
        if let Err(error) = self.0.shutdown_with_timeout(EXPORT_TIMEOUT) {
            output.warning(&format!("the last traces were not exported: {error}"));
        }
    }
}

/// An HTTP client for the thread that exports spans, which is not part of the runtime.
#[derive(Debug)]
struct OnRuntime {
    runtime: Handle,
    client: HyperClient,
    has_failed: AtomicBool,
}

#[async_trait::async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move { client.send_bytes(request).await }).await?;
        if let Err(error) = &sent
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            let _ = writeln!(std::io::stderr(), "warning: traces are not exported: {error}");
        }
        sent
    }
}
