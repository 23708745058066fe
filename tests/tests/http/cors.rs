//! Pages of other origins.

use a2a_tests::process::ServiceOptions;
use http::Method;

use crate::{raw::Reply, stage::Stage};

const ORIGIN: &str = "https://app.example.com";
const ALLOW: &str = "access-control-allow-origin";

async fn allowing(origins: &str) -> Stage {
    Stage::set_with(ServiceOptions::default().flag("cors-allow-origin", origins)).await
}

#[tokio::test]
async fn off_by_default() {
    let stage = Stage::set().await;
    let reply = Reply::of(stage.raw.get("/tasks").header("Origin", ORIGIN)).await;
    assert_eq!((reply.status.as_u16(), reply.header(ALLOW)), (200, ""));
    assert_eq!(preflight(&stage, ORIGIN).await.header(ALLOW), "");
}

#[tokio::test]
async fn a_listed_origin_and_another() {
    let stage = allowing("https://other.example.com,https://app.example.com").await;
    let asked = preflight(&stage, ORIGIN).await;
    assert_eq!((asked.status.as_u16(), asked.header(ALLOW)), (200, ORIGIN));
    for method in ["GET", "POST", "DELETE"] {
        assert!(asked.header("access-control-allow-methods").contains(method), "{asked:?}");
    }
    for header in ["a2a-version", "content-type", "last-event-id", "idempotency-key", "authorization"] {
        let allowed = asked.header("access-control-allow-headers").to_ascii_lowercase();
        assert!(allowed.contains(header), "{header}: {allowed}");
    }
    for path in ["/tasks", "/nothing", "/.well-known/agent-card.json"] {
        let reply = Reply::of(stage.raw.get(path).header("Origin", ORIGIN)).await;
        assert_eq!(reply.header(ALLOW), ORIGIN, "{path}");
        assert!(reply.header("vary").to_ascii_lowercase().contains("origin"), "{reply:?}");
    }
    assert_eq!(preflight(&stage, "https://evil.example.com").await.header(ALLOW), "");
    let other = Reply::of(stage.raw.get("/tasks").header("Origin", "https://evil.example.com")).await;
    assert_eq!(other.header(ALLOW), "");
}

#[tokio::test]
async fn every_origin() {
    let stage = allowing("*").await;
    assert_eq!(preflight(&stage, ORIGIN).await.header(ALLOW), "*");
    let reply = Reply::of(stage.raw.get("/tasks").header("Origin", ORIGIN)).await;
    assert_eq!(reply.header(ALLOW), "*");
    assert!(reply.header("access-control-expose-headers").contains("x-request-id"), "{reply:?}");
}

async fn preflight(stage: &Stage, origin: &str) -> Reply {
    let request = stage
        .raw
        .bare(Method::OPTIONS, "/message:send")
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "a2a-version, content-type");
    Reply::of(request).await
}
