"""Alerts, dashboard and runbooks: they name what the binaries export, and each other."""

import json
import os
import re
import signal
import shutil
import socket
import subprocess
import time
import urllib.request

import pytest
import yaml

from conftest import BINARIES, CHART, ROOT, TOOLS, run

RULES = ROOT / "deploy" / "prometheus" / "rules.yaml"
DASHBOARD = ROOT / "deploy" / "grafana" / "dashboard.json"
RUNBOOKS = ROOT / "docs" / "runbooks.md"
PROMTOOL = TOOLS / "promtool"
needs_promtool = pytest.mark.skipif(not PROMTOOL.exists(), reason="no promtool could be had")

REGISTER = re.compile(
    r'\.register(?P<unit>_with_unit)?\(\s*"(?P<name>a2a_[a-z0-9_]+)",\s*"[^"]*",\s*(?:Unit::(?P<suffix>[A-Za-z]+),)?', re.S
)
SUFFIXES = ("", "_total", "_bucket", "_sum", "_count", "_info")


def registered() -> set:
    """Families by the source, since one with labels shows only once it has counted."""
    families = set()
    for path in ROOT.glob("services/*/src/**/*.rs"):
        source = path.read_text().split("#[cfg(test)]")[0]
        for found in REGISTER.finditer(source):
            unit = f"_{found['suffix'].lower()}" if found["suffix"] else ""
            families.add(found["name"] + unit)
    return families


def alerts() -> list:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def expressions() -> list:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    found = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    return found + [(rule["alert"], rule["expr"]) for rule in alerts()]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def redis_server() -> str:
    named = os.environ.get("A2A_TEST_REDIS_SERVER") or shutil.which("redis-server")
    return named or run(ROOT / "deploy/dev/redis-server").stdout.strip()


@pytest.fixture(scope="module")
def scraped(tmp_path_factory) -> str:
    """What both binaries export on a Redis of their own."""
    port = free_port()
    data = tmp_path_factory.mktemp("redis")
    redis = [redis_server(), "--port", str(port), "--save", "", "--dir", str(data), "--maxmemory-policy", "noeviction"]
    addresses = {name: "127.0.0.1:0" for name in ("A2A_GRPC_ADDR", "A2A_ADMIN_ADDR")}
    addresses |= {"A2A_REDIS_URL": f"redis://127.0.0.1:{port}", "A2A_PLAINTEXT_SECRETS": "true"}
    doors = {"A2A_AGENT_GRPC_ADDR": "127.0.0.1:0", "A2A_HTTP_ADDR": "127.0.0.1:0"}
    started = [subprocess.Popen(redis, stdout=subprocess.DEVNULL)]
    text = ""
    try:
        for binary, env in (("a2a-task-service", addresses | doors), ("a2a-dispatcher", addresses)):
            process = subprocess.Popen(
                [BINARIES / binary], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            started.append(process)
            ready = json.loads(process.stdout.readline())["ready"]
            text += until_scraped(f"http://{ready['admin']}/metrics")
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
    return text


def until_scraped(url: str) -> str:
    give_up = time.monotonic() + 30
    while True:
        try:
            return urllib.request.urlopen(url, timeout=5).read().decode()
        except OSError:
            if time.monotonic() > give_up:
                raise


def test_the_source_names_what_is_exported(scraped):
    exported = set(re.findall(r"^# TYPE (\S+) ", scraped, re.M))
    assert exported and exported <= registered(), exported - registered()


@pytest.mark.parametrize("title, expression", expressions(), ids=[title for title, _ in expressions()])
def test_queries_name_metrics_that_are_exported(title, expression):
    names = set(re.findall(r"\ba2a_[a-z0-9_]+", re.sub(r'"[^"]*"', "", expression)))
    known = {family + suffix for family in registered() for suffix in SUFFIXES}
    assert names and names <= known, names - known


def test_labels_of_queries_are_known(scraped):
    ours = {"service", "version", "outcome", "reason", "le"}
    for title, expression in expressions():
        used = set(re.findall(r"[{,]\s*([a-z_]+)\s*(?:=|!=|=~|!~)\"", expression))
        used |= {name for group in re.findall(r"by \(([a-z_, ]+)\)", expression) for name in group.split(", ")}
        assert used <= ours | {"namespace"}, (title, used)


@needs_promtool
def test_promtool_takes_the_rules():
    done = run(PROMTOOL, "check", "rules", RULES)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_alerts_fire_when_they_should():
    done = run(PROMTOOL, "test", "rules", "rules-test.yaml", cwd=RULES.parent)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
@pytest.mark.parametrize("title, expression", expressions(), ids=[title for title, _ in expressions()])
def test_queries_parse(title, expression, tmp_path):
    expression = expression.replace("$__rate_interval", "1m").replace("$namespace", ".*")
    rules = {"groups": [{"name": "panels", "rules": [{"record": "a2a:panel", "expr": expression}]}]}
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump(rules))
    done = run(PROMTOOL, "check", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_is_tested_and_has_a_runbook():
    tested = yaml.safe_load((RULES.parent / "rules-test.yaml").read_text())["tests"]
    fired = {row["alertname"] for test in tested for row in test["alert_rule_test"] if row["exp_alerts"]}
    silent = {row["alertname"] for test in tested for row in test["alert_rule_test"] if not row["exp_alerts"]}
    headings = set(re.findall(r"^## (\w+)$", RUNBOOKS.read_text(), re.M))
    names = {rule["alert"] for rule in alerts()}
    assert names == fired == silent == headings
    for rule in alerts():
        assert rule["annotations"]["runbook_url"] == f"docs/runbooks.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in {"critical", "warning"}


def test_links_within_the_runbooks_lead_somewhere():
    text = RUNBOOKS.read_text()
    anchors = {heading.lower() for heading in re.findall(r"^## (\w+)$", text, re.M)}
    assert set(re.findall(r"\(#([^)]+)\)", text)) <= anchors


def test_the_dashboard_is_whole():
    dashboard = json.loads(DASHBOARD.read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
    places = [tuple(panel["gridPos"][key] for key in "xy") for panel in dashboard["panels"]]
    assert len(places) == len(set(places))
    assert all(panel["description"] and panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in dashboard["panels"])


def test_chart_and_compose_use_the_same_files():
    assert RULES.resolve() == CHART / "files" / "rules.yaml"
    assert DASHBOARD.resolve() == CHART / "files" / "dashboard.json"
