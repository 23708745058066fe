//! Health and reflection over a real socket.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use a2a_runtime::grpc::{Health, bind, incoming, introspection};
use a2a_runtime::readiness::Readiness;
use a2a_runtime::shutdown::Shutdown;
use tokio_stream::StreamExt;
use tonic::transport::{Channel, Server};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{FILE_DESCRIPTOR_SET, HealthCheckRequest};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

const SERVICE: &str = "test.v1.Tasks";

async fn serve(shutdown: Shutdown) -> (Channel, Health) {
    let (listener, addr) = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (routes, health) = introspection(FILE_DESCRIPTOR_SET, &[SERVICE]).await.unwrap();
    let server = Server::builder().add_routes(routes);
    tokio::spawn(async move {
        server.serve_with_incoming_shutdown(incoming(listener), shutdown.stopping()).await
    });
    let channel = Channel::from_shared(format!("http://{addr}")).unwrap().connect().await.unwrap();
    (channel, health)
}

async fn reflect(channel: Channel, request: MessageRequest) -> MessageResponse {
    let request = ServerReflectionRequest { host: String::new(), message_request: Some(request) };
    let requests = tokio_stream::once(request);
    let mut answers =
        ServerReflectionClient::new(channel).server_reflection_info(requests).await.unwrap().into_inner();
    let ServerReflectionResponse { message_response, .. } = answers.next().await.unwrap().unwrap();
    message_response.unwrap()
}

#[tokio::test]
async fn health_follows_readiness() {
    let shutdown = Shutdown::without_signals();
    let readiness = Readiness::new(shutdown.clone());
    let redis = readiness.component("redis");
    let (channel, health) = serve(shutdown.clone()).await;
    let mut client = HealthClient::new(channel);
    let request = HealthCheckRequest { service: SERVICE.to_owned() };
    let mut statuses = client.watch(request).await.unwrap().into_inner().map(|status| status.unwrap().status);

    let not_serving = i32::from(ServingStatus::NotServing);
    assert_eq!(statuses.next().await, Some(not_serving));
    tokio::spawn(health.follow(readiness));
    redis.set(true);
    assert_eq!(statuses.next().await, Some(i32::from(ServingStatus::Serving)));
    shutdown.trigger();
    assert_eq!(statuses.next().await, Some(not_serving));
}

#[tokio::test]
async fn reflection_lists_the_services_of_the_port() {
    let (channel, _health) = serve(Shutdown::without_signals()).await;

    let MessageResponse::ListServicesResponse(list) =
        reflect(channel.clone(), MessageRequest::ListServices(String::new())).await
    else {
        panic!("not a list of services");
    };
    let mut names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection",
            SERVICE,
        ]
    );

    for symbol in ["grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"] {
        let answer = reflect(channel.clone(), MessageRequest::FileContainingSymbol(symbol.to_owned())).await;
        assert!(matches!(answer, MessageResponse::FileDescriptorResponse(_)), "{symbol}: {answer:?}");
    }
}

#[tokio::test]
async fn a_taken_address_is_named() {
    let (_listener, addr) = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let error = bind(addr).await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {addr}"));
}

#[tokio::test]
async fn descriptors_that_are_none_are_refused() {
    assert!(introspection(b"\xff\xff", &[SERVICE]).await.is_err());
}
