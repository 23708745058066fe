//! The push notification configs of a task.

use a2a_proto::a2a::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, TaskPushNotificationConfig,
};
use a2a_tests::clients::{push_config, secret_push_config};

use super::{
    Prepared, Row, malformed, not_found,
    values::{CONTROLS, long},
};

const GOOD: &str = "https://example.com/hook";

/// Where no webhook may point unless the deployment says so.
const FORBIDDEN: [&str; 22] = [
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://",
    "example.com",
    "https://localhost/",
    "https://a.localhost./",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://192.168.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://user:password@example.com/",
    "https://example.com/\r\nx: y",
];

#[tokio::test]
async fn create() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |config| TaskPushNotificationConfig { task_id: prepared.live.id.clone(), ..config };
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: &str, config, fields: &[&'static str]| {
        rows.push(malformed(name, callers.create_push(config), fields));
    };
    add("an empty request", TaskPushNotificationConfig::default(), &["taskId", "url"]);
    add("no task", push_config("c", GOOD), &["taskId"]);
    add("no url", of(push_config("c", "")), &["url"]);
    add("a long url", of(push_config("c", &format!("{GOOD}{}", "x".repeat(2_048)))), &["url"]);
    add("a long id", of(push_config(&long(), GOOD)), &["id"]);
    for url in FORBIDDEN {
        add(url, of(push_config("c", url)), &["url"]);
    }
    for control in CONTROLS {
        add(control, of(push_config(control, GOOD)), &["id"]);
    }
    for secret in ["a\r\nx: y", "a\nb", "a\0b", " a", "é", &"x".repeat(8_193)] {
        add(secret, of(secret_push_config("c", GOOD, secret, "good")), &["token"]);
        add(secret, of(secret_push_config("c", GOOD, "good", secret)), &["authentication.credentials"]);
    }
    for scheme in ["", "Be arer", "Bearer\r\nx: y", "Bearer:", "é", &"x".repeat(65)] {
        let authentication = Some(AuthenticationInfo { scheme: scheme.into(), credentials: "x".into() });
        let config = TaskPushNotificationConfig { authentication, ..of(push_config("c", GOOD)) };
        add(scheme, config, &["authentication.scheme"]);
    }
    let nobody = TaskPushNotificationConfig { task_id: "nobody".into(), ..push_config("c", GOOD) };
    rows.push(not_found("no such task", callers.create_push(nobody)));
    let elsewhere = TaskPushNotificationConfig { tenant: "another".into(), ..of(push_config("c", GOOD)) };
    rows.push(not_found("another tenant", callers.create_push(elsewhere)));
    prepared.check(rows).await;
}

#[tokio::test]
async fn get() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |task: &str, id: &str| GetTaskPushNotificationConfigRequest {
        task_id: task.into(),
        id: id.into(),
        ..GetTaskPushNotificationConfigRequest::default()
    };
    let live = prepared.live.id.as_str();
    let elsewhere = GetTaskPushNotificationConfigRequest { tenant: "another".into(), ..of(live, "config") };
    prepared
        .check(vec![
            malformed("no task", callers.get_push(of("", "config")), &["taskId"]),
            malformed("no id", callers.get_push(of(live, "")), &["id"]),
            not_found("no such task", callers.get_push(of("nobody", "config"))),
            not_found("no such config", callers.get_push(of(live, "nothing"))),
            not_found("a long id", callers.get_push(of(live, &long()))),
            not_found("a control character", callers.get_push(of(live, CONTROLS[0]))),
            not_found("of another task", callers.get_push(of(&prepared.finished.id, "config"))),
            not_found("another tenant", callers.get_push(elsewhere)),
        ])
        .await;
}

#[tokio::test]
async fn list() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let live = ListTaskPushNotificationConfigsRequest {
        task_id: prepared.live.id.clone(),
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let mut rows = vec![
        malformed(
            "no task",
            callers.list_pushes(ListTaskPushNotificationConfigsRequest::default()),
            &["taskId"],
        ),
        not_found(
            "another tenant",
            callers.list_pushes(ListTaskPushNotificationConfigsRequest {
                tenant: "another".into(),
                ..live.clone()
            }),
        ),
        not_found(
            "no such task",
            callers.list_pushes(ListTaskPushNotificationConfigsRequest {
                task_id: "nobody".into(),
                ..live.clone()
            }),
        ),
    ];
    for page_size in [-1, 101] {
        let request = ListTaskPushNotificationConfigsRequest { page_size, ..live.clone() };
        rows.push(malformed(format!("{page_size}"), callers.list_pushes(request), &["pageSize"]));
    }
    for token in ["x", "é", "WyJ4IiwieSJd"] {
        let request = ListTaskPushNotificationConfigsRequest { page_token: token.into(), ..live.clone() };
        rows.push(malformed(token, callers.list_pushes(request), &["pageToken"]));
    }
    prepared.check(rows).await;
}

#[tokio::test]
async fn delete() {
    let prepared = Prepared::set().await;
    let callers = prepared.callers();
    let of = |task: &str, id: &str| DeleteTaskPushNotificationConfigRequest {
        task_id: task.into(),
        id: id.into(),
        ..DeleteTaskPushNotificationConfigRequest::default()
    };
    let live = prepared.live.id.as_str();
    let elsewhere =
        DeleteTaskPushNotificationConfigRequest { tenant: "another".into(), ..of(live, "config") };
    prepared
        .check(vec![
            malformed("no task", callers.delete_push(of("", "config")), &["taskId"]),
            malformed("no id", callers.delete_push(of(live, "")), &["id"]),
            not_found("no such task", callers.delete_push(of("nobody", "config"))),
            not_found("another tenant", callers.delete_push(elsewhere)),
        ])
        .await;
}
