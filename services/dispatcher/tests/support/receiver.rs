//! A receiver of webhooks that keeps the bytes as they came.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_runtime::clock;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_rustls::TlsAcceptor;

use super::soon;

#[derive(Clone, Debug)]
pub struct Received {
    pub request_line: String,
    /// Names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

pub enum Reply {
    Status(u16),
    /// With these header lines.
    With(u16, &'static str),
    /// These bytes, whatever they are, and the end of the connection.
    Raw(&'static [u8]),
    /// A status line, then a body that never ends.
    Endless(u16),
    /// Nothing, while the connection stays open.
    Silence,
    /// The status, after so long; called when it begins and when it ends.
    Slow(u16, Duration, Arc<dyn Fn(bool) + Send + Sync>),
}

pub struct Receiver {
    pub addr: SocketAddr,
    pub connections: Arc<AtomicUsize>,
    requests: UnboundedReceiver<Received>,
}

type Behaviour = Arc<dyn Fn(&Received) -> Reply + Send + Sync>;

impl Receiver {
    pub async fn start(reply: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(None, reply).await
    }

    /// Answers well after `delay`; `watch` hears of each beginning and end.
    pub async fn slow(delay: Duration, watch: impl Fn(bool) + Send + Sync + 'static) -> Self {
        let watch: Arc<dyn Fn(bool) + Send + Sync> = Arc::new(watch);
        Self::start(move |_| Reply::Slow(200, delay, watch.clone())).await
    }

    pub async fn listen(
        tls: Option<TlsAcceptor>,
        reply: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::listen_on("127.0.0.1:0".parse().unwrap(), tls, reply).await
    }

    pub async fn listen_on(
        addr: SocketAddr,
        tls: Option<TlsAcceptor>,
        reply: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(addr).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (sender, requests) = unbounded_channel();
        let connections = Arc::<AtomicUsize>::default();
        let (count, reply): (_, Behaviour) = (connections.clone(), Arc::new(reply));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let (sender, reply, tls) = (sender.clone(), reply.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, sender, reply).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => serve(stream, sender, reply).await,
                            Err(_) => None,
                        },
                    }
                });
            }
        });
        Self { addr, connections, requests }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook?k=secret", self.addr)
    }

    pub async fn next(&mut self) -> Received {
        soon(self.requests.recv()).await.unwrap()
    }

    pub fn is_silent(&mut self) -> bool {
        self.requests.try_recv().is_err()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn number(&self, name: &str) -> u64 {
        self.header(name).unwrap().parse().unwrap()
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    sender: UnboundedSender<Received>,
    reply: Behaviour,
) -> Option<()> {
    loop {
        let received = read(&mut stream).await?;
        let answer = reply(&received);
        sender.send(received).ok()?;
        match answer {
            Reply::Status(status) => stream.write_all(plain(status, "").as_bytes()).await.ok()?,
            Reply::With(status, lines) => stream.write_all(plain(status, lines).as_bytes()).await.ok()?,
            Reply::Raw(bytes) => {
                stream.write_all(bytes).await.ok()?;
                return stream.shutdown().await.ok();
            }
            Reply::Endless(status) => {
                let head = format!("HTTP/1.1 {status} X\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n");
                stream.write_all(head.as_bytes()).await.ok()?;
                std::future::pending::<()>().await;
            }
            Reply::Slow(status, delay, watch) => {
                watch(true);
                clock::pause(delay).await;
                watch(false);
                stream.write_all(plain(status, "").as_bytes()).await.ok()?;
            }
            Reply::Silence => std::future::pending::<()>().await,
        }
    }
}

fn plain(status: u16, lines: &str) -> String {
    format!("HTTP/1.1 {status} X\r\n{lines}content-length: 0\r\n\r\n")
}

async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Received> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let request_line = lines.next().unwrap().to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let mut received = Received { request_line, headers: lines.map(header).collect(), body: String::new() };
    let mut body = vec![0; received.number("content-length") as usize];
    stream.read_exact(&mut body).await.ok()?;
    received.body = String::from_utf8(body).unwrap();
    Some(received)
}
