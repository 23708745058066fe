"""The chart's settings are those of the binaries, which refuse to start with one that they do not know."""

import json
import re

import pytest

from conftest import BINARIES, CHART, ROOT, objects, of_kind, run

# Given by the chart itself, not by `settings`.
BY_THE_CHART = {
    "a2a-task-service": {"A2A_GRPC_ADDR", "A2A_AGENT_GRPC_ADDR", "A2A_HTTP_ADDR", "A2A_ADMIN_ADDR", "A2A_REDIS_URL",
                         "A2A_KEY_RING", "A2A_AGENT_CARD", "A2A_AGENT_CARDS", "A2A_EXTENDED_AGENT_CARD",
                         "A2A_CARD_SIGNING_KEY", "A2A_WEBHOOK_JWKS"},
    # Each replica's own name is its best one.
    "a2a-dispatcher": {"A2A_GRPC_ADDR", "A2A_ADMIN_ADDR", "A2A_REDIS_URL", "A2A_KEY_RING", "A2A_WEBHOOK_CA_FILE",
                       "A2A_WORKER_NAME", "A2A_WEBHOOK_SIGNING_SECRETS", "A2A_WEBHOOK_JWT_KEY", "A2A_EGRESS_PROXY"},
}
COMPONENTS = {"a2a-task-service": "taskService", "a2a-dispatcher": "dispatcher"}


def known(binary: str) -> set:
    done = run(BINARIES / binary, "--help")
    assert done.returncode == 0, f"build it first: cargo build -p {binary}"
    return set(re.findall(r"\[env: (A2A_[A-Z0-9_]+)", done.stdout))


def variable(setting: str) -> str:
    return "A2A_" + re.sub(r"(?<!^)([A-Z])", r"_\1", setting).upper()


def in_schema(binary: str) -> set:
    properties = json.loads((CHART / "values.schema.json").read_text())["properties"]
    own = properties[COMPONENTS[binary]]["properties"]["settings"]["properties"]
    return {variable(name) for name in [*properties["settings"]["properties"], *own]}


@pytest.mark.parametrize("binary", COMPONENTS)
def test_every_setting_can_be_set_by_values(binary):
    missing = known(binary) - in_schema(binary) - BY_THE_CHART[binary]
    assert not missing, f"add to values.schema.json: {sorted(missing)}"


@pytest.mark.parametrize("binary", COMPONENTS)
def test_every_value_is_a_setting(binary):
    unknown = in_schema(binary) - known(binary)
    assert not unknown, f"{binary} does not know {sorted(unknown)}: remove them from values.schema.json"


def test_variables_of_the_pods_are_settings(case):
    for o in of_kind(objects(case), "Deployment"):
        (c,) = o["spec"]["template"]["spec"]["containers"]
        binary = f"a2a-{c['name']}"
        names = {variable["name"] for variable in c["env"] if variable["name"].startswith("A2A_")}
        assert names <= known(binary), names - known(binary)
        for address in (v for v in c["env"] if v["name"].endswith("_ADDR")):
            assert address["value"].startswith(("0.0.0.0:", "[::]:")), "a pod that listens on 127.0.0.1 serves nobody"


def test_the_binaries_take_what_the_values_files_say(case):
    """Up to the first thing that a pod has and this machine has not."""
    for o in of_kind(objects(case), "Deployment"):
        (c,) = o["spec"]["template"]["spec"]["containers"]
        env = {v["name"]: v["value"] for v in c["env"] if "value" in v and v["name"].startswith("A2A_")}
        env = {name: value for name, value in env.items() if not value.startswith("/etc/a2a/")}
        env["A2A_KEY_RING"] = "/nonexistent/key-ring"
        env["A2A_REDIS_URL"] = "redis://127.0.0.1:1"
        done = run(BINARIES / f"a2a-{c['name']}", env=env, timeout=60)
        assert "/nonexistent/key-ring" in done.stderr, done.stderr


def test_the_subcommands_of_the_hooks_exist():
    for binary in COMPONENTS:
        assert run(BINARIES / binary, "sleep", "0").returncode == 0
        done = run(BINARIES / binary, "probe", "127.0.0.1:1", "--service", "x", "--wait-ms", "1")
        assert done.returncode == 1 and "cannot be reached" in done.stderr


def test_the_documented_ports_are_the_defaults():
    readme = (ROOT / "README.md").read_text()
    for port in ("50051", "50052", "50053", "9090"):
        assert port in readme
