//! A server of one page, which says what it saw by asking for `/say/...`.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

const PAGE: &str = r#"<!doctype html><script>
const say = what => fetch("/say/" + encodeURIComponent(what));
const events = new EventSource(new URLSearchParams(location.search).get("stream"));
const seen = [];
events.onopen = () => say("open");
events.onmessage = event => {
  const item = JSON.parse(event.data);
  seen.push(event.lastEventId + " " + Object.keys(item)[0]);
  if (item.statusUpdate && item.statusUpdate.status.state == "TASK_STATE_COMPLETED") {
    events.close();
    say(seen.join());
  }
};
</script>"#;

/// The page, served until dropped.
pub(crate) struct Page {
    addr: SocketAddr,
    said: mpsc::Receiver<String>,
}

impl Page {
    pub(crate) async fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let (sender, said) = mpsc::channel(16);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, sender.clone()));
            }
        });
        Self { addr, said }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The page, told which stream to follow.
    pub(crate) fn url(&self, stream: &str) -> String {
        let query: String = url::form_urlencoded::byte_serialize(stream.as_bytes()).collect();
        format!("{}/?stream={query}", self.origin())
    }

    /// What the page says next.
    pub(crate) async fn said(&mut self, deadline: Duration) -> String {
        let said = tokio::time::timeout(deadline, self.said.recv()).await;
        said.expect("the page says something in time").expect("the page is served")
    }
}

async fn answer(stream: TcpStream, said: mpsc::Sender<String>) {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    if stream.read_line(&mut line).await.is_err() {
        return;
    }
    if let Some(path) = line.split(' ').nth(1).and_then(|path| path.strip_prefix("/say/")) {
        let decoded = url::form_urlencoded::parse(path.as_bytes()).next();
        let _ = said.send(decoded.map(|(text, _)| text.into_owned()).unwrap_or_default()).await;
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: ";
    let _ = stream.write_all(format!("{head}{}\r\n\r\n{PAGE}", PAGE.len()).as_bytes()).await;
}
