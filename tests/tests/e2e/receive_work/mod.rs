//! ReceiveWork: what workers are handed, under which lease, and what becomes of
//! it when they stop.

mod cancel;
mod durable;
mod items;
mod leases;
mod lost_worker;
mod worker;
