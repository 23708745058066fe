//! ListTasks, and pages of anything.

use a2a_lifecycle::State;
use a2a_proto::a2a::ListTasksRequest;
use a2a_store::{Filter, Position};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use prost_types::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use super::{Violations, history_length};
use crate::error::Error;

const DEFAULT_PAGE_SIZE: usize = 50;
const MAX_PAGE_SIZE: usize = 100;

/// A page of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListTasks {
    /// Which tasks.
    pub filter: Filter,
    /// Where the page starts.
    pub after: Option<Position>,
    /// Most tasks of the page.
    pub page_size: usize,
    /// Most messages of history of each.
    pub history_length: Option<usize>,
    /// With artifacts.
    pub include_artifacts: bool,
}

/// Where a page starts: opaque to callers, and bound to the query it came from.
pub struct PageToken;

impl PageToken {
    /// A token for `position` of `query`.
    pub fn encode(query: &impl Serialize, position: &impl Serialize) -> String {
        let json = serde_json::to_vec(&(query, position)).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(json)
    }

    /// The position of a token, if it is one of `query`.
    pub fn decode<Q, P>(query: &Q, token: &str) -> Option<P>
    where
        Q: DeserializeOwned + PartialEq,
        P: DeserializeOwned,
    {
        let json = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (of, position) = serde_json::from_slice::<(Q, P)>(&json).ok()?;
        (of == *query).then_some(position)
    }
}

/// Reads a request.
pub fn list_tasks(request: ListTasksRequest) -> Result<ListTasks, Error> {
    let mut violations = Violations::default();
    violations.optional_id("tenant", &request.tenant);
    violations.optional_id("contextId", &request.context_id);
    let filter = Filter {
        state: state(&mut violations, request.status),
        status_from_ms: request.status_timestamp_after.and_then(|at| timestamp(&mut violations, at)),
        context: (!request.context_id.is_empty()).then_some(request.context_id),
        tenant: request.tenant,
    };
    let list = ListTasks {
        after: position(&mut violations, &filter, &request.page_token),
        page_size: checked_page_size(&mut violations, request.page_size),
        history_length: history_length(&mut violations, "historyLength", request.history_length),
        include_artifacts: request.include_artifacts.unwrap_or(false),
        filter,
    };
    violations.finish()?;
    Ok(list)
}

/// The size of a page: 1 to 100; unset is 50.
pub fn page_size(size: Option<i32>) -> Result<usize, Error> {
    let mut violations = Violations::default();
    let size = checked_page_size(&mut violations, size);
    violations.finish()?;
    Ok(size)
}

/// What binds a token to its filter.
pub(crate) fn query(filter: &Filter) -> (String, Option<String>, Option<i32>, Option<i64>) {
    (filter.tenant.clone(), filter.context.clone(), filter.state.map(State::number), filter.status_from_ms)
}

fn checked_page_size(violations: &mut Violations, size: Option<i32>) -> usize {
    match size.map(usize::try_from) {
        None => DEFAULT_PAGE_SIZE,
        Some(Ok(size)) if (1..=MAX_PAGE_SIZE).contains(&size) => size,
        Some(_) => {
            violations.add("pageSize", format!("must be from 1 to {MAX_PAGE_SIZE}"));
            DEFAULT_PAGE_SIZE
        }
    }
}

fn position(violations: &mut Violations, filter: &Filter, token: &str) -> Option<Position> {
    if token.is_empty() {
        return None;
    }
    let text: Option<String> = PageToken::decode(&query(filter), token);
    let position = text.and_then(|text| Position::from_text(&text));
    if position.is_none() {
        violations.add("pageToken", "is not a token of this query");
    }
    position
}

fn state(violations: &mut Violations, number: i32) -> Option<State> {
    let state = State::from_number(number);
    if number != 0 && state.is_none() {
        violations.add("status", "is no task state");
    }
    state
}

/// Milliseconds since the epoch, rounded up: the bound is inclusive.
fn timestamp(violations: &mut Violations, at: Timestamp) -> Option<i64> {
    let in_range =
        (-62_135_596_800..=253_402_300_799).contains(&at.seconds) && (0..1_000_000_000).contains(&at.nanos);
    if !in_range {
        violations.add("statusTimestampAfter", "is no timestamp");
        return None;
    }
    Some(at.seconds * 1_000 + i64::from((at.nanos + 999_999) / 1_000_000))
}
