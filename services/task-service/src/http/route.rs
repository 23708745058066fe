//! The paths of HTTP+JSON (A2A section 11.3): each also behind a tenant.

use std::borrow::Cow;

use http::Method;
use percent_encoding::percent_decode_str;

/// What a path asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Send,
    Stream,
    Get(String),
    List,
    Cancel(String),
    Subscribe(String),
    CreatePush(String),
    GetPush(String, String),
    ListPushes(String),
    DeletePush(String, String),
    ExtendedCard,
}

/// A path, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// Empty without one in the path.
    pub(super) tenant: String,
    pub(super) operation: Operation,
}

/// Why a request leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    /// No such path.
    Unknown,
    /// The path has other methods.
    Method(Vec<Method>),
}

/// Finds what `method` on `path` asks for.
pub(super) fn route(method: &Method, path: &str) -> Result<Route, Miss> {
    let segments = segments(path).ok_or(Miss::Unknown)?;
    let bare: Vec<&str> = segments.iter().map(String::as_str).collect();
    let (tenant, rest) = bare.split_first().ok_or(Miss::Unknown)?;
    // No task is called like an operation, but a tenant may be called `tasks`.
    let behind = find(method, rest).map(|operation| Route { tenant: (*tenant).to_owned(), operation });
    behind.or_else(|miss| match find(method, &bare) {
        Ok(operation) => Ok(Route { tenant: String::new(), operation }),
        Err(Miss::Unknown) => Err(miss),
        Err(other) => Err(other),
    })
}

fn segments(path: &str) -> Option<Vec<String>> {
    let decode = |segment: &str| {
        let segment = percent_decode_str(segment).decode_utf8().ok().map(Cow::into_owned);
        segment.filter(|segment| !segment.is_empty())
    };
    path.strip_prefix('/')?.split('/').map(decode).collect()
}

fn find(method: &Method, segments: &[&str]) -> Result<Operation, Miss> {
    let operations = operations(segments);
    if operations.is_empty() {
        return Err(Miss::Unknown);
    }
    let allowed = operations.iter().map(|(method, _)| method.clone()).collect();
    let found = operations.into_iter().find(|(of, _)| of == method);
    found.map(|(_, operation)| operation).ok_or(Miss::Method(allowed))
}

/// What a path offers, by method.
fn operations(segments: &[&str]) -> Vec<(Method, Operation)> {
    let id = |text: &str| text.to_owned();
    match segments {
        ["message:send"] => vec![(Method::POST, Operation::Send)],
        ["message:stream"] => vec![(Method::POST, Operation::Stream)],
        ["extendedAgentCard"] => vec![(Method::GET, Operation::ExtendedCard)],
        ["tasks"] => vec![(Method::GET, Operation::List)],
        ["tasks", task] => match task.rsplit_once(':') {
            Some((task, "cancel")) => vec![(Method::POST, Operation::Cancel(id(task)))],
            Some((task, "subscribe")) => vec![
                (Method::GET, Operation::Subscribe(id(task))),
                (Method::POST, Operation::Subscribe(id(task))),
            ],
            _ => vec![(Method::GET, Operation::Get(id(task)))],
        },
        ["tasks", task, "pushNotificationConfigs"] => vec![
            (Method::POST, Operation::CreatePush(id(task))),
            (Method::GET, Operation::ListPushes(id(task))),
        ],
        ["tasks", task, "pushNotificationConfigs", config] => vec![
            (Method::GET, Operation::GetPush(id(task), id(config))),
            (Method::DELETE, Operation::DeletePush(id(task), id(config))),
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(method: &Method, path: &str) -> (String, Operation) {
        let route = route(method, path).unwrap();
        (route.tenant, route.operation)
    }

    #[test]
    fn every_path_with_and_without_a_tenant() {
        let t = || "t".to_owned();
        let table = [
            (Method::POST, "/message:send", Operation::Send),
            (Method::POST, "/message:stream", Operation::Stream),
            (Method::GET, "/tasks", Operation::List),
            (Method::GET, "/tasks/t", Operation::Get(t())),
            (Method::POST, "/tasks/t:cancel", Operation::Cancel(t())),
            (Method::GET, "/tasks/t:subscribe", Operation::Subscribe(t())),
            (Method::POST, "/tasks/t:subscribe", Operation::Subscribe(t())),
            (Method::POST, "/tasks/t/pushNotificationConfigs", Operation::CreatePush(t())),
            (Method::GET, "/tasks/t/pushNotificationConfigs", Operation::ListPushes(t())),
            (Method::GET, "/tasks/t/pushNotificationConfigs/c", Operation::GetPush(t(), "c".into())),
            (Method::DELETE, "/tasks/t/pushNotificationConfigs/c", Operation::DeletePush(t(), "c".into())),
            (Method::GET, "/extendedAgentCard", Operation::ExtendedCard),
        ];
        for (method, path, operation) in table {
            assert_eq!(found(&method, path), (String::new(), operation.clone()), "{path}");
            for (tenant, escaped) in [("acme/eu", "acme%2Feu"), ("tasks", "tasks")] {
                let found = found(&method, &format!("/{escaped}{path}"));
                assert_eq!(found, (tenant.into(), operation.clone()), "{path}");
            }
        }
    }

    #[test]
    fn a_path_says_which_methods_it_has() {
        assert_eq!(route(&Method::PUT, "/tasks/t"), Err(Miss::Method(vec![Method::GET])));
        assert_eq!(
            route(&Method::DELETE, "/tasks/t:subscribe"),
            Err(Miss::Method(vec![Method::GET, Method::POST]))
        );
    }

    #[test]
    fn other_paths_are_unknown() {
        for path in ["", "/", "/nothing", "/tasks/", "/tasks/t/x", "/a/b/tasks", "//tasks", "/%ff/tasks"] {
            assert_eq!(route(&Method::GET, path), Err(Miss::Unknown), "{path}");
        }
    }
}
