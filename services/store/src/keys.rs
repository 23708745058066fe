//! Every key in Redis: its name, type, fields and lifetime. Nothing else in the
//! project formats one.
//!
//! A task's keys carry the hash tag of its shard, `{NN}`, so that one script may
//! touch them all on Redis Cluster. `NN = fnv1a(task id) mod shards`.
//!
//! | key | type | what | until |
//! |---|---|---|---|
//! | `shards` | string | the number of shards; a mismatch stops a process | ever |
//! | `{NN}:idempotency:<digest>` | string | what a key was first used for: digest of the request, task id, change id | its time is over |
//! | `{NN}:quota:<tenant>` | string | tasks of a tenant, where they are limited | ever |
//! | `{NN}:reply:<task>` | hash | `payload` (StreamResponse), `id`: the message that answered in place of a task | its time is over |
//! | `{NN}:taken:<task>` | hash | change id of a message sent with a key -> revision | its time is over |
//! | `{NN}:task:<task>` | hash | `revision`, `state`, `tenant`, `owner`, `context`, `status` (TaskStatus), `status_at` (ms), `status_revision`, `metadata` (Struct), `member` (of the indexes), `messages` (in the history), `cancelable`, `provisional` (set while only its agent sees it) | the task expires |
//! | `{NN}:history:<task>` | list | 8 bytes of revision, then a Message; in the order appended | the task expires |
//! | `{NN}:artifacts:<task>` | hash | `count`; for each artifact `index:<id>`, `chunks:<id>`, `closed:<id>`; for each chunk `<index>:<n>`, an Artifact whose parts follow those before it | the task expires |
//! | `{NN}:events:<task>` | stream | the log: `<revision>-0` -> `kind`, `payload` (StreamResponse, empty when silent), `trace`, `id`, `at` | bounded in length |
//! | `{NN}:changes` | stream | `v`=1, `kind`, `task`, `tenant`, `revision`, `payload`, `trace` | acknowledged by every group |
//! | `{NN}:requests:<task>` | list | 8 bytes of revision, then a WorkRequest; what the agent has yet to deal with | the turn ends |
//! | `{NN}:push:<task>` | hash | config id -> TaskPushNotificationConfig | deleted, or the task expires |
//! | `{NN}:lane:<task>/work` | hash | `sent` (revision handed to the holder), `deliveries` | the turn ends |
//! | `{NN}:lane:<task>/push/<config>` | hash | `cursor`, `snapshot`, `snapshot_id`, `head` (id of the event under way), `attempts`, `first_at`, `starts`, `starter` (token under which the last one was made), `replay` (ids of dead letters to send again, a space behind each), `replaying` (the one under way), `disabled`, `dead_in_a_row`, `exhausted` (of them, for want of attempts or time), `last_success_at`, `last_failure`, `last_status`, `recent` (the last attempts) | the config is deleted |
//! | `{NN}:due:work:<tenant>` | sorted set | task -> when it is due, or its lease ends, ms | nothing is left to do |
//! | `{NN}:due:push` | sorted set | `<task>/<config>` -> the same | nothing is left to send |
//! | `{NN}:leases:work`, `{NN}:leases:push` | hash | member of the due set -> token | the lease ends |
//! | `{NN}:dead` | stream | dead letters: `task`, `config`, `revision`, `kind`, `body`, `id`, `reason`, `status`, `attempts` | bounded in length |
//! | `{NN}:tenants` | set | tenants with tasks in the shard | ever |
//! | `{NN}:index:tenant:<tenant>` | sorted set, scores 0 | member of each task: 12 hex digits of ms, `:`, task, `:`, state | the task expires |
//! | `{NN}:index:state:<state>:<tenant>` | the same | | |
//! | `{NN}:index:context:<length of tenant>:<tenant>:<context>` | the same | | |
//! | `{NN}:janitor` | string | the replica that removes what has expired, for a while | its time is over |
//! | `{NN}:expiry` | sorted set | terminal task -> when it ended, ms | the task expires |

use std::fmt;

use a2a_lifecycle::State;

/// One of the parts that the key space is divided into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard(u16);

/// All keys of a deployment.
#[derive(Clone, Debug)]
pub struct Keyspace {
    prefix: String,
    shards: u16,
}

/// The keys of one shard.
#[derive(Clone, Debug)]
pub(crate) struct ShardKeys {
    stem: String,
}

/// The keys of one task.
#[derive(Clone, Debug)]
pub(crate) struct TaskKeys<'a> {
    shard: ShardKeys,
    task: &'a str,
}

/// A lane from a task to one of its webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PushLane {
    /// The task.
    pub task: String,
    /// The config.
    pub config: String,
}

impl Keyspace {
    /// The keys behind `prefix`, in `shards` parts.
    #[must_use]
    pub fn new(prefix: &str, shards: u16) -> Self {
        Self { prefix: prefix.to_owned(), shards: shards.max(1) }
    }

    /// The number of shards.
    #[must_use]
    pub fn shard_count(&self) -> u16 {
        self.shards
    }

    /// Every shard.
    pub fn shards(&self) -> impl Iterator<Item = Shard> + use<> {
        (0..self.shards).map(Shard)
    }

    /// The shard of a task, or of anything else that has one name.
    #[must_use]
    pub fn shard_of(&self, task: &str) -> Shard {
        let hash = u64::from(self.shards);
        #[allow(clippy::cast_possible_truncation, reason = "less than the number of shards")]
        Shard((fnv1a(task.as_bytes()) % hash) as u16)
    }

    pub(crate) fn shards_key(&self) -> String {
        format!("{}shards", self.prefix)
    }

    pub(crate) fn shard(&self, shard: Shard) -> ShardKeys {
        ShardKeys { stem: format!("{}{{{shard}}}:", self.prefix) }
    }

    pub(crate) fn task<'a>(&self, task: &'a str) -> TaskKeys<'a> {
        self.task_in(self.shard_of(task), task)
    }

    /// The keys of a task that is known to be in `shard`.
    pub(crate) fn task_in<'a>(&self, shard: Shard, task: &'a str) -> TaskKeys<'a> {
        TaskKeys { shard: self.shard(shard), task }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}", self.0)
    }
}

impl Shard {
    /// Its number, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl ShardKeys {
    pub(crate) fn changes(&self) -> String {
        self.key("changes")
    }

    pub(crate) fn due_work(&self, tenant: &str) -> String {
        self.key(&format!("due:work:{tenant}"))
    }

    pub(crate) fn due_push(&self) -> String {
        self.key("due:push")
    }

    pub(crate) fn leases_work(&self) -> String {
        self.key("leases:work")
    }

    pub(crate) fn leases_push(&self) -> String {
        self.key("leases:push")
    }

    pub(crate) fn idempotency(&self, digest: &str) -> String {
        self.key(&format!("idempotency:{digest}"))
    }

    pub(crate) fn quota(&self, tenant: &str) -> String {
        self.key(&format!("quota:{tenant}"))
    }

    pub(crate) fn dead(&self) -> String {
        self.key("dead")
    }

    pub(crate) fn tenants(&self) -> String {
        self.key("tenants")
    }

    pub(crate) fn janitor(&self) -> String {
        self.key("janitor")
    }

    pub(crate) fn expiry(&self) -> String {
        self.key("expiry")
    }

    pub(crate) fn tenant_index(&self, tenant: &str) -> String {
        self.key(&format!("index:tenant:{tenant}"))
    }

    pub(crate) fn state_index(&self, tenant: &str, state: State) -> String {
        self.key(&format!("index:state:{}:{tenant}", state.number()))
    }

    pub(crate) fn context_index(&self, tenant: &str, context: &str) -> String {
        // The length keeps tenant "a:b" apart from tenant "a" with context "b:..".
        self.key(&format!("index:context:{}:{tenant}:{context}", tenant.len()))
    }

    fn key(&self, rest: &str) -> String {
        format!("{}{rest}", self.stem)
    }
}

impl TaskKeys<'_> {
    pub(crate) fn shard(&self) -> &ShardKeys {
        &self.shard
    }

    pub(crate) fn task(&self) -> String {
        self.key("task")
    }

    pub(crate) fn history(&self) -> String {
        self.key("history")
    }

    pub(crate) fn artifacts(&self) -> String {
        self.key("artifacts")
    }

    pub(crate) fn events(&self) -> String {
        self.key("events")
    }

    pub(crate) fn requests(&self) -> String {
        self.key("requests")
    }

    pub(crate) fn reply(&self) -> String {
        self.key("reply")
    }

    pub(crate) fn taken(&self) -> String {
        self.key("taken")
    }

    pub(crate) fn push(&self) -> String {
        self.key("push")
    }

    pub(crate) fn work_lane(&self) -> String {
        self.key("lane") + "/work"
    }

    pub(crate) fn push_lane(&self, config: &str) -> String {
        format!("{}/push/{config}", self.key("lane"))
    }

    fn key(&self, kind: &str) -> String {
        format!("{}{kind}:{}", self.shard.stem, self.task)
    }
}

impl PushLane {
    /// The lane that a member of the due set names.
    #[must_use]
    pub fn from_member(member: &str) -> Option<Self> {
        let (task, config) = member.split_once('/')?;
        Some(Self { task: task.to_owned(), config: config.to_owned() })
    }

    /// Its member in the due set. Task ids hold no slash; config ids may.
    #[must_use]
    pub fn member(&self) -> String {
        format!("{}/{}", self.task, self.config)
    }
}

/// The index member of a task: sorts by time, then by id; ends with the state.
pub(crate) fn member(status_at_ms: i64, task: &str, state: State) -> String {
    format!("{:012x}:{task}:{}", status_at_ms.max(0), state.number())
}

/// The task that an index member names.
pub(crate) fn task_of_member(member: &str) -> Option<&str> {
    Some(member.split_once(':')?.1.rsplit_once(':')?.0)
}

/// The lower bound of the members at or after a time.
pub(crate) fn member_floor(at_ms: i64) -> String {
    format!("[{:012x}", at_ms.max(0))
}

/// FNV-1a, 64 bits: stable across versions and languages.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn all_keys_of_a_task_share_its_tag_and_differ() {
        let keyspace = Keyspace::new("a2a:", 16);
        let keys = keyspace.task("t");
        let tag = format!("a2a:{{{}}}:", keyspace.shard_of("t"));
        let all = [
            keys.task(),
            keys.history(),
            keys.artifacts(),
            keys.events(),
            keys.requests(),
            keys.reply(),
            keys.taken(),
            keys.push(),
            keys.work_lane(),
            keys.push_lane("c"),
            keys.shard().changes(),
            keys.shard().due_work(""),
            keys.shard().due_push(),
            keys.shard().leases_work(),
            keys.shard().leases_push(),
            keys.shard().dead(),
            keys.shard().idempotency("d"),
            keys.shard().quota(""),
            keys.shard().tenants(),
            keys.shard().expiry(),
            keys.shard().janitor(),
            keys.shard().tenant_index(""),
            keys.shard().state_index("", State::Working),
            keys.shard().context_index("", "c"),
        ];
        assert!(all.iter().all(|key| key.starts_with(&tag)), "{all:?}");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }

    #[test]
    fn a_config_named_work_is_not_the_work_lane() {
        let keyspace = Keyspace::new("a2a:", 1);
        let keys = keyspace.task("t");
        assert_ne!(keys.work_lane(), keys.push_lane("work"));
    }

    proptest! {
        #[test]
        fn lanes_round_trip(task in "[0-9a-f-]{1,36}", config in "\\PC{1,20}") {
            let lane = PushLane { task, config };
            prop_assert_eq!(PushLane::from_member(&lane.member()), Some(lane));
        }

        #[test]
        fn members_name_their_task_and_sort_by_time(a in 0i64..1 << 47, b in 0i64..1 << 47) {
            let (first, second) = (member(a, "x", State::Working), member(b, "y", State::Failed));
            prop_assert_eq!(task_of_member(&first), Some("x"));
            if a != b {
                prop_assert_eq!(first < second, a < b);
            }
            prop_assert!(first.as_str() >= &member_floor(a)[1..]);
        }

        #[test]
        fn contexts_of_different_tenants_have_different_indexes(
            a in "[a:]{0,4}", b in "[a:]{0,4}", c in "[a:]{0,4}", d in "[a:]{0,4}",
        ) {
            let keys = Keyspace::new("", 1).shard(Shard(0));
            let same = a == c && b == d;
            prop_assert_eq!(keys.context_index(&a, &b) == keys.context_index(&c, &d), same);
        }
    }
}
