//! A name server over UDP whose answers take turns, with a time to live of 0.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use a2a_dispatcher::webhook::Lookup;
use tokio::net::UdpSocket;

const HEADER: usize = 12;
/// An answer: a pointer to the name, A, IN, TTL 0, four bytes.
const ANSWER: [u8; 12] = [0xc0, HEADER as u8, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4];

pub struct NameServer {
    addr: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl NameServer {
    /// The n-th question is answered with the n-th address, round and round.
    pub async fn start(answers: &[&str]) -> Self {
        let answers: Vec<Ipv4Addr> = answers.iter().map(|ip| ip.parse().unwrap()).collect();
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let addr = socket.local_addr().unwrap();
        let asked = Arc::<AtomicUsize>::default();
        let count = asked.clone();
        tokio::spawn(async move {
            let mut packet = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut packet).await {
                let ip = answers[count.fetch_add(1, Ordering::SeqCst) % answers.len()];
                let _ = socket.send_to(&answer(&packet[..length], ip), from).await;
            }
        });
        Self { addr, asked }
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// A resolver without a cache that asks this server.
    pub fn lookup(&self) -> Lookup {
        let addr = self.addr;
        Arc::new(move |name| Box::pin(ask(addr, name)))
    }
}

fn answer(question: &[u8], ip: Ipv4Addr) -> Vec<u8> {
    let mut packet = question.to_vec();
    packet[2] |= 0x80;
    packet[7] = 1;
    packet.extend(ANSWER);
    packet.extend(ip.octets());
    packet
}

async fn ask(server: SocketAddr, name: String) -> io::Result<Vec<IpAddr>> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let mut question = vec![0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.') {
        question.push(u8::try_from(label.len()).unwrap());
        question.extend(label.as_bytes());
    }
    question.extend([0, 0, 1, 0, 1]);
    socket.send_to(&question, server).await?;
    let mut packet = [0; 512];
    let (length, _) = socket.recv_from(&mut packet).await?;
    let address: [u8; 4] = packet[length - 4..length].try_into().unwrap();
    Ok(vec![IpAddr::from(address)])
}
