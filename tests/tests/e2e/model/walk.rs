//! The walk: one random call after another, each answer and the task behind it
//! held against the model.

use a2a_lifecycle::{Move, Refusal, State, transition::StatusCommand};
use a2a_proto::{
    a2a::{CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, SendMessageRequest, Task},
    agent::{TransitionRequest, UpdateArtifactRequest},
};
use a2a_tests::{
    clients::{self, A2aClient, AgentClient},
    process::{Dispatcher, ServiceOptions},
    receiver::{Behaviour, WebhookReceiver},
    seed::Seed,
};
use tonic::Status;

use super::{
    show,
    watch::{Watch, check_webhook},
    world::{Chunk, Known, RULES, reason},
};
use crate::{
    calls::{as_tenant, at_once, message_of},
    stage::{Replica, SOON, Stage, task},
};

const TENANTS: [&str; 2] = ["", "acme"];
/// Of tenants that are not the task's.
const STRANGER: &str = "globex";
const CONTEXTS: [&str; 3] = ["one", "two", "three"];
const ARTIFACTS: [&str; 3] = ["a", "b", "c"];
const MOST_LIVE: usize = 12;
/// Each has three streams and a webhook.
const MOST_WATCHED: usize = 30;

const MOVES: [Move; 12] = [
    Move::StartWorking,
    Move::StartWorking,
    Move::StartWorking,
    Move::StartWorking,
    Move::RequireInput,
    Move::RequireInput,
    Move::RequireInput,
    Move::RequireAuth,
    Move::RequireAuth,
    Move::Complete,
    Move::Fail,
    Move::Reject,
];

pub(super) struct Walk {
    rng: fastrand::Rng,
    steps: usize,
    tasks: Vec<Known>,
    watched: Vec<Watch>,
    clients: Vec<A2aClient>,
    agents: Vec<AgentClient>,
    receiver: WebhookReceiver,
    _dispatcher: Dispatcher,
    _stage: (Stage, Replica),
}

impl Walk {
    pub(super) async fn set(seed: Seed) -> Self {
        let options = || ServiceOptions::default().flag("max-history-messages", RULES.max_history_messages);
        let stage = Stage::set_with(options()).await;
        let other = Replica::start(&stage.redis, options()).await;
        let (mut clients, mut agents) = (Vec::new(), Vec::new());
        for at in [stage.service.at, other.service.at, stage.service.at, other.service.at] {
            clients.push(clients::a2a(at.grpc).await);
            agents.push(clients::agent(at.agent_grpc).await);
        }
        Self {
            rng: seed.rng("walk"),
            steps: 0,
            tasks: Vec::new(),
            watched: Vec::new(),
            clients,
            agents,
            receiver: WebhookReceiver::start(Behaviour::Status(200)).await,
            _dispatcher: Dispatcher::start(&stage.redis, ServiceOptions::default()).await,
            _stage: (stage, other),
        }
    }

    pub(super) async fn step(&mut self) {
        self.steps += 1;
        let live = self.tasks.iter().filter(|task| task.is_live()).count();
        let dice = self.rng.usize(..100);
        match dice {
            _ if self.tasks.is_empty() => self.start_task().await,
            0..12 if live < MOST_LIVE => self.start_task().await,
            0..28 => self.say_more().await,
            28..32 => self.cancel().await,
            32..58 => self.set_status().await,
            58..82 => self.write().await,
            82..90 => self.list().await,
            90..93 => self.ask_as_a_stranger().await,
            _ => self.turn_a_watcher().await,
        }
    }

    /// Ends every task and looks at what everyone saw.
    pub(super) async fn finish(mut self) {
        for place in 0..self.tasks.len() {
            if self.tasks[place].is_live() {
                let command = StatusCommand::Transition { step: Move::Complete, cancelable: None };
                self.command(place, command, "the end", None).await;
            }
        }
        let known = |watch: &Watch| self.tasks[watch.task].clone();
        let owed: usize = self.watched.iter().map(|watch| known(watch).events.len()).sum();
        self.receiver.await_events(owed, SOON * 3).await;
        for watch in self.watched {
            let known = &self.tasks[watch.task];
            check_webhook(&self.receiver, &path(watch.task), known);
            watch.check(known, &mut self.clients[0]).await;
        }
    }

    async fn start_task(&mut self) {
        let (tenant, text) = (self.one_of(&TENANTS), self.words());
        let context = if self.rng.bool() { self.one_of(&CONTEXTS) } else { "" };
        let message = Message { context_id: context.to_owned(), ..clients::user_text(&text) };
        let watched = self.watched.len() < MOST_WATCHED;
        let mut request = at_once(message_of(tenant, message));
        if watched {
            let url = self.receiver.url(&path(self.tasks.len()));
            request = clients::with_push(request, clients::push_config("hook", &url));
        }
        let made = task(self.client().send_message(request).await.expect("send").into_inner());
        if !context.is_empty() {
            assert_eq!(made.context_id, context, "{}", self.at());
        }
        let known = Known::new(&made.id, tenant, &made.context_id, &text, at_ms(&made));
        assert_eq!(show::task(&made), known.shown(), "{}", self.at());
        if watched {
            let mut resuming = self.client();
            let watch = Watch::start(self.tasks.len(), &known, &mut self.client(), &mut resuming).await;
            self.watched.push(watch);
        }
        self.tasks.push(known);
    }

    async fn say_more(&mut self) {
        let (place, text) = (self.some_task(), self.words());
        let context = match self.rng.u8(..8) {
            0 => Some("elsewhere".to_owned()),
            1..4 => None,
            _ => Some(self.tasks[place].now.context.clone()),
        };
        let known = &mut self.tasks[place];
        let message = Message {
            task_id: known.id.clone(),
            context_id: context.clone().unwrap_or_default(),
            ..clients::user_text(&text)
        };
        let expected = known.take(context.as_deref(), &text);
        let request = as_tenant(known.tenant, at_once(message_of("", message)));
        let answer = self.client().send_message(request).await;
        self.hold(place, "a message", expected, answer.map(|answer| Some(task(answer.into_inner())))).await;
    }

    async fn cancel(&mut self) {
        let place = self.some_task();
        let known = &mut self.tasks[place];
        let expected = known.set_status(StatusCommand::Cancel, "", None);
        let (id, tenant) = (known.id.clone(), known.tenant.to_owned());
        let request = CancelTaskRequest { id, tenant, ..CancelTaskRequest::default() };
        let answer = self.client().cancel_task(request).await;
        self.hold(place, "a cancel", expected, answer.map(|answer| Some(answer.into_inner()))).await;
    }

    async fn set_status(&mut self) {
        let place = self.some_task();
        let said = if self.rng.bool() { self.words() } else { String::new() };
        let cancelable = [None, None, Some(true), Some(false)][self.rng.usize(..4)];
        let command = match self.rng.usize(..MOVES.len() + 4) {
            step if step < MOVES.len() => StatusCommand::Transition { step: MOVES[step], cancelable },
            _ => StatusCommand::Progress { cancelable },
        };
        let expected = self.some_revision(place);
        self.command(place, command, &said, expected).await;
    }

    async fn command(&mut self, place: usize, command: StatusCommand, said: &str, revision: Option<u64>) {
        let known = &mut self.tasks[place];
        let (StatusCommand::Transition { cancelable, .. } | StatusCommand::Progress { cancelable }) = command
        else {
            panic!("agents do not cancel")
        };
        let request = TransitionRequest {
            id: known.id.clone(),
            status_message: (!said.is_empty()).then(|| clients::agent_text(said)),
            expected_revision: revision.map(u64::cast_signed),
            cancelable,
            ..TransitionRequest::default()
        };
        let expected = known.set_status(command, said, revision);
        let answer = ask(&mut self.agent(), command, request).await;
        self.hold(place, &format!("{command:?}"), expected, answer.map(|_| None)).await;
    }

    async fn write(&mut self) {
        let (place, part, artifact) = (self.some_task(), self.words(), self.one_of(&ARTIFACTS));
        let (append, last) = (self.rng.u8(..4) > 0, self.rng.u8(..6) == 0);
        let chunk = Chunk { artifact, part: &part, append, last };
        let revision = self.some_revision(place);
        let known = &mut self.tasks[place];
        let request = UpdateArtifactRequest {
            id: known.id.clone(),
            artifact: Some(clients::text_artifact(artifact, &part)),
            append,
            last_chunk: last,
            expected_revision: revision.map(u64::cast_signed),
            ..UpdateArtifactRequest::default()
        };
        let expected = known.write(chunk, revision);
        let answer = self.agent().update_artifact(request).await;
        self.hold(place, "an artifact", expected, answer.map(|_| None)).await;
    }

    /// All pages of a query, in order.
    async fn list(&mut self) {
        let tenant = self.one_of(&TENANTS);
        let context = if self.rng.bool() { self.one_of(&CONTEXTS) } else { "" };
        let state = self.rng.bool().then(|| State::ALL[self.rng.usize(..State::ALL.len())]);
        let mut request = ListTasksRequest {
            tenant: tenant.to_owned(),
            context_id: context.to_owned(),
            status: state.map_or(0, State::number),
            page_size: Some(self.rng.i32(1..=100)),
            include_artifacts: Some(true),
            ..ListTasksRequest::default()
        };
        let mut expected: Vec<&Known> = self.tasks.iter().collect();
        expected.retain(|known| {
            known.tenant == tenant
                && (context.is_empty() || known.now.context == context)
                && state.is_none_or(|state| known.now.state == state)
        });
        expected.sort_by(|a, b| (b.now.status_at_ms, &b.id).cmp(&(a.now.status_at_ms, &a.id)));
        let expected: Vec<(String, String)> =
            expected.into_iter().map(|known| (known.id.clone(), known.shown())).collect();
        let mut found = Vec::new();
        loop {
            let page = self.client().list_tasks(request.clone()).await.expect("a page").into_inner();
            assert_eq!(usize::try_from(page.total_size), Ok(expected.len()), "{} {request:?}", self.at());
            found.extend(page.tasks.iter().map(|task| (task.id.clone(), show::task(task))));
            request.page_token = page.next_page_token;
            if request.page_token.is_empty() {
                break;
            }
        }
        assert_eq!(found, expected, "{} {request:?}", self.at());
    }

    /// Whoever names another tenant finds nothing.
    async fn ask_as_a_stranger(&mut self) {
        let place = self.some_task();
        let (id, tenant) = (self.tasks[place].id.clone(), STRANGER.to_owned());
        let get = GetTaskRequest { id: id.clone(), tenant: tenant.clone(), ..GetTaskRequest::default() };
        let cancel = CancelTaskRequest { id: id.clone(), tenant, ..CancelTaskRequest::default() };
        let more: SendMessageRequest = as_tenant(STRANGER, crate::calls::to_task(&id, "let me in"));
        let refused = [
            self.client().get_task(get).await.expect_err("get"),
            self.client().cancel_task(cancel).await.expect_err("cancel"),
            self.client().send_message(more).await.expect_err("send"),
        ];
        refused.iter().for_each(crate::calls::assert_not_found);
        self.look_at(place).await;
    }

    async fn turn_a_watcher(&mut self) {
        let watch = self.rng.usize(..self.watched.len());
        let (joins, items) = (self.rng.bool(), self.rng.usize(1..20));
        let mut client = self.client();
        let watch = &mut self.watched[watch];
        let known = &self.tasks[watch.task];
        if joins {
            watch.join(known, &mut client).await;
        } else {
            watch.turn(known, &mut client, items).await;
        }
    }

    /// The answer is the one expected, and the task stands as it should.
    async fn hold(
        &mut self,
        place: usize,
        what: &str,
        expected: Result<(), Refusal>,
        answer: Result<Option<Task>, Status>,
    ) {
        let at = format!("{} {what} to {:?}", self.at(), self.tasks[place]);
        match (expected, answer) {
            (Ok(()), Ok(answer)) => {
                let shown = answer.as_ref().map(show::task);
                assert!(shown.is_none_or(|shown| shown == self.tasks[place].shown()), "{at}: {answer:?}");
            }
            (Err(refusal), Err(status)) => assert_eq!(clients::reason(&status), reason(&refusal), "{at}"),
            (expected, answer) => panic!("{at}: {answer:?} in place of {expected:?}"),
        }
        self.look_at(place).await;
    }

    /// The task as some replica holds it; the model learns when its status changed.
    async fn look_at(&mut self, place: usize) {
        let known = &self.tasks[place];
        let (id, tenant) = (known.id.clone(), known.tenant.to_owned());
        let get = GetTaskRequest { id, tenant, ..GetTaskRequest::default() };
        let found = self.client().get_task(get).await.expect("get").into_inner();
        let at = self.at();
        let known = &mut self.tasks[place];
        assert_eq!(show::task(&found), known.shown(), "{at}");
        assert_eq!(found.context_id, known.now.context, "{at}");
        assert!(at_ms(&found) >= known.now.status_at_ms, "{at}: time went back");
        known.now.status_at_ms = at_ms(&found);
    }

    /// A task, most often a live one.
    fn some_task(&mut self) -> usize {
        let live: Vec<usize> = (0..self.tasks.len()).filter(|place| self.tasks[*place].is_live()).collect();
        if live.is_empty() || self.rng.u8(..10) == 0 {
            return self.rng.usize(..self.tasks.len());
        }
        live[self.rng.usize(..live.len())]
    }

    /// None most often; else the revision of the task, or another.
    fn some_revision(&mut self, place: usize) -> Option<u64> {
        let revision = self.tasks[place].now.revision;
        match self.rng.u8(..12) {
            0 => Some(revision + 1),
            1 => Some(revision - 1),
            2..5 => Some(revision),
            _ => None,
        }
    }

    fn client(&mut self) -> A2aClient {
        self.clients[self.rng.usize(..self.clients.len())].clone()
    }

    fn agent(&mut self) -> AgentClient {
        self.agents[self.rng.usize(..self.agents.len())].clone()
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.rng.usize(..texts.len())]
    }

    fn words(&mut self) -> String {
        format!("words of step {}", self.steps)
    }

    fn at(&self) -> String {
        format!("step {}", self.steps)
    }
}

async fn ask(
    agent: &mut AgentClient,
    command: StatusCommand,
    request: TransitionRequest,
) -> Result<tonic::Response<Task>, Status> {
    let StatusCommand::Transition { step, .. } = command else { return agent.report_progress(request).await };
    match step {
        Move::StartWorking => agent.start_working(request).await,
        Move::RequireInput => agent.require_input(request).await,
        Move::RequireAuth => agent.require_auth(request).await,
        Move::Complete => agent.complete_task(request).await,
        Move::Fail => agent.fail_task(request).await,
        Move::Reject => agent.reject_task(request).await,
        Move::Cancel => panic!("agents do not cancel"),
    }
}

fn at_ms(task: &Task) -> i64 {
    let at = task.status.as_ref().and_then(|status| status.timestamp).expect("a timestamp");
    at.seconds * 1_000 + i64::from(at.nanos / 1_000_000)
}

fn path(place: usize) -> String {
    format!("/{place}")
}
