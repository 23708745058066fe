//! The Lua scripts. Each file's header is its contract; none holds a rule of
//! the lifecycle.

use std::sync::LazyLock;

use redis::Script;

const LANE: &str = include_str!("lua/lane.lua");
const CHANGE: &str = include_str!("lua/change.lua");
const SNAPSHOT: &str = include_str!("lua/snapshot.lua");
const PUSH: &str = include_str!("lua/push.lua");

macro_rules! scripts {
    ($($name:ident = [$($prelude:ident),*] $file:literal;)*) => {
        $(pub(crate) static $name: LazyLock<Script> =
            LazyLock::new(|| Script::new(&[$($prelude,)* include_str!(concat!("lua/", $file))].join("\n")));)*
    };
}

scripts! {
    CREATE = [LANE, CHANGE] "create.lua";
    PROMOTE = [LANE, CHANGE] "promote.lua";
    REPLY = [LANE, CHANGE] "reply.lua";
    QUOTA = [] "quota.lua";
    STATUS = [LANE, CHANGE] "status.lua";
    MESSAGE = [LANE, CHANGE, SNAPSHOT] "message.lua";
    ARTIFACT = [LANE, CHANGE] "artifact.lua";
    READ = [] "read.lua";
    LIST = [] "list.lua";
    PUSH_PUT = [LANE, CHANGE, SNAPSHOT] "push_put.lua";
    PUSH_DELETE = [LANE, CHANGE] "push_delete.lua";
    PUSH_SWAP = [] "push_swap.lua";
    EXPIRE = [] "expire.lua";
    CLAIM = [LANE] "claim.lua";
    WORK_LOAD = [LANE] "work_load.lua";
    WORK_EXTEND = [LANE] "work_extend.lua";
    WORK_PEEK = [LANE] "work_peek.lua";
    WORK_RELEASE = [LANE] "work_release.lua";
    FANOUT = [LANE] "fanout.lua";
    TRIM = [LANE] "trim.lua";
    FORGET = [] "forget.lua";
    PUSH_LOAD = [LANE, SNAPSHOT, PUSH] "push_load.lua";
    PUSH_DONE = [LANE, SNAPSHOT, PUSH] "push_done.lua";
    PUSH_PARK = [LANE, SNAPSHOT, PUSH] "push_park.lua";
    PUSH_LATER = [LANE] "push_later.lua";
    PUSH_DISABLE = [LANE] "push_disable.lua";
    PUSH_VIEW = [] "push_view.lua";
    PUSH_HOLD = [LANE] "push_hold.lua";
    DEAD_LIST = [] "dead_list.lua";
    DEAD_REPLAY = [LANE] "dead_replay.lua";
}
