use std::{
    convert::Infallible,
    error::Error,
    future::pending,
    io, net,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use a2a_proto::json;
use bytes::Bytes;
use futures::stream;
use http::{Request, Response, request::Parts};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Interval, interval},
};

use super::{
    behaviour::{Action, Behaviour},
    journal::{Journal, Recorded},
};

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) journal: Journal,
    pub(super) connections: AtomicUsize,
    pub(super) default: Mutex<Behaviour>,
    pub(super) paths: Mutex<Vec<(String, Behaviour)>>,
}

/// Why a connection was closed without an answer.
type Unanswered = Box<dyn Error + Send + Sync>;

/// Takes connections until aborted; those that it took end with it.
pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((stream, _)) = listener.accept() => {
                let connection = shared.connections.fetch_add(1, Ordering::SeqCst);
                connections.spawn(converse(stream, connection, Arc::clone(&shared)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn converse(stream: TcpStream, connection: usize, shared: Arc<Shared>) -> io::Result<()> {
    let socket = stream.into_std()?;
    // A second handle on the socket, to reset it while hyper owns the first.
    let handle = socket.try_clone()?;
    let service = service_fn(|request| respond(&shared, &handle, connection, request));
    let stream = TokioIo::new(TcpStream::from_std(socket)?);
    // It ends in an error whenever the client leaves or an answer is withheld.
    _ = http1::Builder::new().serve_connection(stream, service).await;
    Ok(())
}

async fn respond(
    shared: &Shared,
    socket: &net::TcpStream,
    connection: usize,
    request: Request<Incoming>,
) -> Result<Response<Body>, Unanswered> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let _in_progress = shared.journal.begin(&path);
    let body = body.collect().await?.to_bytes();
    let place = shared.journal.record(recorded(&shared.journal, connection, parts, body));
    let action = shared.action(&path);
    let response = perform(action, socket).await?;
    shared.journal.answered(place, response.status().as_u16());
    Ok(response)
}

fn recorded(journal: &Journal, connection: usize, parts: Parts, body: Bytes) -> Recorded {
    Recorded {
        at: journal.since_start(),
        connection,
        method: parts.method,
        path: parts.uri.path().to_owned(),
        headers: parts.headers,
        event: json::from_slice(&body).map_err(|e| format!("{e:?}")),
        body,
        answered: None,
    }
}

impl Shared {
    fn action(&self, path: &str) -> Action {
        let mut paths = self.paths.lock();
        match paths.iter_mut().find(|(known, _)| known == path) {
            Some((_, behaviour)) => behaviour.next(),
            None => self.default.lock().next(),
        }
    }
}

async fn perform(action: Action, socket: &net::TcpStream) -> Result<Response<Body>, Unanswered> {
    match action {
        Action::Answer(status, headers) => answer(status, &headers, empty()),
        Action::AnswerAfter(delay, status) => {
            #[allow(clippy::disallowed_methods, reason = "slowness is what this receiver plays")]
            tokio::time::sleep(delay).await;
            answer(status, &[], empty())
        }
        Action::AnswerBehind(gate) => {
            gate.passed().await;
            answer(200, &[], empty())
        }
        Action::Hang => pending().await,
        // With no time to linger, closing the socket sends a reset.
        Action::Reset => {
            SockRef::from(socket).set_linger(Some(Duration::ZERO))?;
            Err("reset".into())
        }
        Action::Drip(every) => answer(200, &[], drip(every)),
    }
}

fn answer(status: u16, headers: &[(String, String)], body: Body) -> Result<Response<Body>, Unanswered> {
    let response = headers
        .iter()
        .fold(Response::builder().status(status), |response, (name, value)| response.header(name, value));
    Ok(response.body(body)?)
}

fn empty() -> Body {
    Full::default().boxed_unsync()
}

fn drip(every: Duration) -> Body {
    let drops = stream::unfold(interval(every), |mut ticks: Interval| async {
        ticks.tick().await;
        Some((Ok(Frame::data(Bytes::from_static(b" "))), ticks))
    });
    StreamBody::new(drops).boxed_unsync()
}
