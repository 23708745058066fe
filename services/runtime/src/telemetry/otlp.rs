//! Spans: where they go.

use http::Uri;
use opentelemetry::KeyValue;
use opentelemetry_otlp::tonic_types::transport::ClientTlsConfig;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;

use super::TelemetryError;

#[derive(Debug, thiserror::Error)]
#[error("write an http or https address such as http://localhost:4317")]
pub(super) struct BadEndpoint;

pub(super) fn endpoint(text: &str) -> Result<Uri, BadEndpoint> {
    let uri: Uri = text.parse().map_err(|_| BadEndpoint)?;
    let known_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    if known_scheme && uri.host().is_some() { Ok(uri) } else { Err(BadEndpoint) }
}

/// Without an endpoint spans still get ids; they end nowhere.
pub(super) fn provider(
    endpoint: Option<&Uri>,
    service_name: &'static str,
    version: &'static str,
) -> Result<SdkTracerProvider, TelemetryError> {
    let resource = Resource::builder()
        .with_service_name(service_name)
        .with_attribute(KeyValue::new("service.version", version))
        .build();
    let builder = SdkTracerProvider::builder().with_resource(resource);
    let builder = match endpoint {
        Some(endpoint) => builder.with_batch_exporter(exporter(endpoint)?),
        None => builder,
    };
    Ok(builder.build())
}

fn exporter(endpoint: &Uri) -> Result<SpanExporter, TelemetryError> {
    let builder = SpanExporter::builder().with_tonic().with_endpoint(endpoint.to_string());
    // The exporter's own default for https trusts no authority at all.
    let builder = match endpoint.scheme_str() {
        Some("https") => builder.with_tls_config(ClientTlsConfig::new().with_native_roots()),
        _ => builder,
    };
    builder.build().map_err(|source| TelemetryError::Exporter { endpoint: endpoint.clone(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_have_a_scheme_and_a_host() {
        assert!(endpoint("http://localhost:4317").is_ok());
        assert!(endpoint("https://collector.example").is_ok());
        for bad in ["", "localhost:4317", "grpc://collector", "/v1/traces", "http://"] {
            assert!(endpoint(bad).is_err(), "{bad}");
        }
    }
}
