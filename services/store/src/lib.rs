//! Tasks, their logs and their lanes in Redis.
//!
//! The only crate that knows keys ([`keys`]) and scripts (`src/lua`). It holds
//! no rule of the lifecycle: callers read a task, decide in `a2a-lifecycle`, and
//! commit what was decided on the revision that they read.

mod changes;
mod codec;
pub mod delivery;
pub mod delivery_admin;
mod expire;
mod fault;
pub mod group;
pub mod keys;
mod link;
mod list;
mod once;
mod push;
mod read;
mod reseal;
mod script;
mod seal;
mod settings;
mod start;
mod tail;
pub mod views;
mod work;
mod write;

pub use changes::{Change, ChangeKind};
pub use codec::{CodecError, TaskHead, TaskView};
pub use expire::Expired;
pub use fault::Fault;
pub use list::{Filter, Page, Position};
pub use once::FirstUse;
pub use read::{LogEntry, LogRead, Parts};
pub use reseal::Resealed;
pub use seal::{BadKeyRing, KeyRing};
pub use settings::{BadRedisUrl, RedisUrl, StoreSettings};
pub use start::{StartError, Store};
pub use tail::Tail;
pub use work::{Claimed, Handed, LeaseLost};
pub use write::{
    ArtifactChange, Commit, Created, LeaseTerm, MessageChange, NewPush, NewTask, Reply, StatusChange,
};
