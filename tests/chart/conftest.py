"""The chart, rendered: what the tests share."""

import json
import os
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "a2a-tasks"
TOOLS = Path(os.environ.get("A2A_CHART_TOOLS", ROOT / ".dev" / "chart"))
BINARIES = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
HELMS = ("helm3", "helm4")
# The oldest that the chart takes, the first with a sleep of its own, one between, the newest.
KUBERNETES = ("1.27", "1.30", "1.33", "1.37")
CASES = sorted(path.name for path in (CHART / "ci").glob("*-values.yaml"))
MINIMAL = CHART / "ci" / "minimal-values.yaml"


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def template(*arguments, helm="helm4") -> subprocess.CompletedProcess:
    return run(TOOLS / helm, "template", "rel", CHART, "--namespace", "ns", *arguments)


@lru_cache(maxsize=None)
def rendered(case: str, helm: str = "helm4", kubernetes: str = "1.37") -> str:
    """The objects of a values file, as JSON, so that no test changes another's."""
    done = template("--values", CHART / "ci" / case, "--kube-version", kubernetes, helm=helm)
    assert done.returncode == 0, done.stderr
    found = [document for document in yaml.safe_load_all(done.stdout) if document]
    return json.dumps(sorted(found, key=lambda o: (o["kind"], o["metadata"]["name"])))


def objects(case: str, helm: str = "helm4", kubernetes: str = "1.37") -> list:
    return json.loads(rendered(case, helm, kubernetes))


def of_kind(found: list, *kinds: str) -> list:
    return [o for o in found if o["kind"] in kinds]


def pods(found: list) -> list:
    """(name, labels, spec) of everything that makes pods."""
    made = []
    for o in of_kind(found, "Deployment", "StatefulSet"):
        pod = o["spec"]["template"]
        made.append((f"{o['kind']} {o['metadata']['name']}", pod["metadata"]["labels"], pod["spec"]))
    for o in of_kind(found, "Pod"):
        made.append((f"Pod {o['metadata']['name']}", o["metadata"]["labels"], o["spec"]))
    return made


def containers(spec: dict) -> list:
    return spec.get("initContainers", []) + spec["containers"]


@pytest.fixture(params=CASES)
def case(request) -> str:
    return request.param
