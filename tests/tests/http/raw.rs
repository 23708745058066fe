//! Plain HTTP, for what no well-behaved client sends.

use std::net::SocketAddr;

use http::{HeaderMap, Method, StatusCode};
use reqwest::RequestBuilder;
use serde_json::Value;

/// A client of the HTTP doors without manners.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    client: reqwest::Client,
    base: String,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Raw {
    pub(crate) fn new(addr: SocketAddr) -> Self {
        Self { client: reqwest::Client::new(), base: format!("http://{addr}") }
    }

    /// The same with a client of another kind.
    pub(crate) fn with_client(&self, client: reqwest::Client) -> Self {
        Self { client, ..self.clone() }
    }

    /// A request with nothing but its path.
    pub(crate) fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    /// One that names the version.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).header("A2A-Version", "1.0")
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    /// One with a JSON body.
    pub(crate) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.post_as(path, "application/json", &body.to_string())
    }

    pub(crate) fn post_as(&self, path: &str, media_type: &str, body: &str) -> RequestBuilder {
        self.request(Method::POST, path).header("Content-Type", media_type).body(body.to_owned())
    }

    /// A JSON-RPC request with this body.
    pub(crate) async fn rpc(&self, body: &Value) -> Reply {
        Reply::of(self.post("/", body)).await
    }

    /// A JSON-RPC call.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Value {
        let request = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.rpc(&request).await.json()
    }
}

impl Reply {
    pub(crate) async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        Self { status, headers, body: response.text().await.expect("a body") }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{self:?} is no JSON: {e}"))
    }

    /// A header as text; empty without it.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
    }
}
