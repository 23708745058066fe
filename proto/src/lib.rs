//! The A2A v1.0.1 protocol (`lf.a2a.v1`), the agent API (`a2a.agent.v1`) and the
//! delivery admin API (`a2a.push.v1`): generated types, their descriptors, and
//! ProtoJSON.
//!
//! The `.proto` files stand beside this crate's manifest.

pub mod json;

/// The A2A protocol: what clients call.
pub use generated::lf::a2a::v1 as a2a;

/// The agent API: what workers call.
pub use generated::a2a::agent::v1 as agent;

/// The delivery admin API: what operators call.
pub use generated::a2a::push::v1 as push;

/// All descriptors, encoded as a `google.protobuf.FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The packages as nested modules: generated code refers to its neighbours so.
#[allow(
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    deprecated
)]
mod generated {
    pub mod lf {
        pub mod a2a {
            pub mod v1 {
                tonic::include_proto!("lf.a2a.v1");
            }
        }
    }
    pub mod a2a {
        pub mod agent {
            pub mod v1 {
                tonic::include_proto!("a2a.agent.v1");
            }
        }
        pub mod push {
            pub mod v1 {
                tonic::include_proto!("a2a.push.v1");
            }
        }
    }
}
