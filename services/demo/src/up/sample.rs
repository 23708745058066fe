//! One message, streamed and pushed at once.

use std::{error::Error, fmt, time::Duration};

use a2a_proto::a2a::{
    AuthenticationInfo, Message, Part, Role, SendMessageConfiguration, SendMessageRequest, StreamResponse,
    TaskPushNotificationConfig, a2a_service_client::A2aServiceClient, part::Content,
};
use a2a_runtime::random;
use tokio::{sync::mpsc, time::timeout};
use tonic::Streaming;

use super::{
    Failure, Settings,
    stack::{AGENT, DISPATCHER, TASK_SERVICE},
    verify,
};
use crate::{
    event::{Line, task_id},
    receiver::Delivery,
};

const TEXT: &str = "The quick brown fox";

type Source = Box<dyn Error + Send + Sync>;

/// What the webhook is shown, made anew for each run.
pub(super) struct Secrets {
    pub(super) token: String,
    pub(super) credentials: String,
}

/// The sample: what is sent, and how what comes back is compared.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    settings: &'a Settings,
    secrets: Secrets,
}

impl<'a> Sample<'a> {
    pub(super) fn new(settings: &'a Settings) -> Self {
        let secrets = Secrets { token: random::uuid().to_string(), credentials: random::uuid().to_string() };
        Self { settings, secrets }
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Sends the message, prints what the client and the webhook see, and
    /// compares the two.
    pub(super) async fn show(&self, lines: &mut mpsc::Receiver<String>) -> Result<(), Failure> {
        println!("\nSending {TEXT:?}, with a webhook. The client's stream:");
        let streamed = self.stream().await?;
        println!("\nThe webhook, with the headers that it checked:");
        let delivered = self.deliveries(lines, &streamed).await?;
        verify::same(&streamed, &delivered)
            .map_err(|source| Failure::Mismatch { log: self.settings.log(DISPATCHER), source })?;
        println!("\nThe webhook got all {} events of the stream, in order, authenticated.", streamed.len());
        Ok(())
    }

    async fn stream(&self) -> Result<Vec<StreamResponse>, Failure> {
        let waited = self.settings.step_timeout();
        let streamed = async { read(self.send().await?).await };
        match timeout(waited, streamed).await {
            Ok(streamed) => {
                streamed.map_err(|source| Failure::Send { log: self.settings.log(TASK_SERVICE), source })
            }
            Err(_) => Err(Failure::Stream { waited, log: self.settings.log(AGENT) }),
        }
    }

    async fn send(&self) -> Result<Streaming<StreamResponse>, Source> {
        let mut client = A2aServiceClient::connect(format!("http://{}", self.settings.grpc())).await?;
        Ok(client.send_streaming_message(self.request()).await?.into_inner())
    }

    /// As many deliveries as the stream had events.
    async fn deliveries(
        &self,
        lines: &mut mpsc::Receiver<String>,
        streamed: &[StreamResponse],
    ) -> Result<Vec<Delivery>, Failure> {
        let waited = self.settings.step_timeout();
        let task = streamed.first().map(task_id).unwrap_or_default();
        let mut delivered = Vec::new();
        while delivered.len() < streamed.len() {
            let Some(delivery) = next(lines, task, waited).await else {
                let (received, expected) = (delivered.len(), streamed.len());
                let log = self.settings.log(DISPATCHER);
                return Err(Failure::Webhook { received, expected, waited, log });
            };
            println!("  webhook  {delivery}");
            delivered.push(delivery);
        }
        Ok(delivered)
    }

    fn request(&self) -> SendMessageRequest {
        let part = Part { content: Some(Content::Text(TEXT.to_owned())), ..Part::default() };
        let message = Message {
            message_id: random::uuid().to_string(),
            role: Role::User.into(),
            parts: vec![part],
            ..Message::default()
        };
        let configuration = SendMessageConfiguration {
            task_push_notification_config: Some(self.push_config()),
            ..SendMessageConfiguration::default()
        };
        SendMessageRequest {
            message: Some(message),
            configuration: Some(configuration),
            ..SendMessageRequest::default()
        }
    }

    fn push_config(&self) -> TaskPushNotificationConfig {
        let credentials = self.secrets.credentials.clone();
        TaskPushNotificationConfig {
            url: format!("http://{}/webhook", self.settings.receiver()),
            token: self.secrets.token.clone(),
            authentication: Some(AuthenticationInfo { scheme: "Bearer".to_owned(), credentials }),
            ..TaskPushNotificationConfig::default()
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

async fn read(mut stream: Streaming<StreamResponse>) -> Result<Vec<StreamResponse>, Source> {
    let mut events = Vec::new();
    while let Some(event) = stream.message().await? {
        println!("  stream   {}", Line(&event));
        events.push(event);
    }
    Ok(events)
}

/// The next delivery about `task`; those of earlier runs are passed over.
async fn next(lines: &mut mpsc::Receiver<String>, task: &str, waited: Duration) -> Option<Delivery> {
    let about_task = async {
        loop {
            let delivery = Delivery::from_line(&lines.recv().await?).ok();
            if let Some(delivery) = delivery.filter(|delivery| task_id(&delivery.event) == task) {
                return Some(delivery);
            }
        }
    };
    timeout(waited, about_task).await.ok().flatten()
}
