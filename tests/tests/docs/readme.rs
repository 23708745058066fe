//! The README's tables of settings are made from the commands themselves, and
//! its examples are the files that a test runs.
//!
//! `make docs` writes them anew; the test fails while they differ.

use std::{fs, path::PathBuf};

use clap::{Arg, Command, CommandFactory};

const UPDATE: &str = "A2A_UPDATE_DOCS";

#[test]
fn the_readme_shows_settings_and_examples_as_they_are() {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = tests.join("../README.md");
    let readme = fs::read_to_string(&path).expect("the README");
    let example = |name: &str| {
        let code = fs::read_to_string(tests.join("clients").join(name)).expect("an example");
        format!("```python\n{code}```\n")
    };
    let task_service = table(&a2a_task_service::Settings::command());
    let dispatcher = table(&a2a_dispatcher::settings::Settings::command());
    let sections = [
        ("settings of task-service", "end of task-service", task_service),
        ("settings of dispatcher", "end of dispatcher", dispatcher),
        ("client", "end of client", example("readme_client.py")),
        ("agent", "end of agent", example("readme_agent.py")),
    ];
    let updated = sections.iter().fold(readme.clone(), |text, (begin, end, section)| {
        replaced(&text, &format!("<!-- {begin} -->\n"), &format!("<!-- {end} -->"), section)
    });
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, updated).expect("write the README");
    } else {
        assert!(readme == updated, "the README is out of date: run make docs");
    }
}

fn table(command: &Command) -> String {
    let mut table = String::from("| flag | environment | default | what |\n|---|---|---|---|\n");
    for arg in command.get_arguments().filter(|arg| arg.get_env().is_some()) {
        table += &row(arg);
    }
    table
}

fn row(arg: &Arg) -> String {
    let flag = arg.get_long().unwrap_or_default();
    let env = arg.get_env().and_then(|name| name.to_str()).unwrap_or_default();
    let default = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>();
    let default = if default.is_empty() { String::new() } else { format!("`{}`", default.join(",")) };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default().replace('\n', " ");
    format!("| `--{flag}` | `{env}` | {default} | {} |\n", help.replace('|', "\\|"))
}

/// The text with what stands between two markers replaced.
fn replaced(text: &str, begin: &str, end: &str, section: &str) -> String {
    let (before, rest) = text.split_once(begin).expect(begin);
    let (_, after) = rest.split_once(end).expect(end);
    format!("{before}{begin}{section}{end}{after}")
}
