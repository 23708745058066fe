"""The Dockerfile and the composition, as far as they can be judged without building."""

import json
import re
import tomllib
from pathlib import Path

import yaml

from conftest import BINARIES, CHART, ROOT, TOOLS, run
from test_settings import known

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
COMPOSE = ROOT / "deploy" / "compose.yaml"


def dockerfile() -> str:
    return DOCKERFILE.read_text()


def test_hadolint_is_content():
    done = run(TOOLS / "venv" / "bin" / "hadolint", "--failure-threshold", "info", DOCKERFILE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_shellcheck_is_content():
    done = run(TOOLS / "venv" / "bin" / "shellcheck", "-x", ROOT / "deploy/dev/chart-tools",
               ROOT / "tests/chart/images", cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_images_are_built_with_the_projects_compiler():
    channel = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    assert f"ARG RUST_VERSION={channel}\n" in dockerfile()


def test_final_images_hold_one_binary_and_the_authorities():
    stages = re.split(r"^FROM ", dockerfile(), flags=re.M)[2:]
    assert stages[0].startswith("scratch AS base") and "USER 65532:65532" in stages[0]
    assert [stage.split()[0] for stage in stages[1:]] == ["base"] * 4
    for stage in stages[1:]:
        (copied,) = re.findall(r"^COPY --from=build (\S+) (\S+)$", stage, re.M)
        assert f'ENTRYPOINT ["{copied[1]}"]' in stage and "RUN" not in stage
        assert "org.opencontainers.image.title" in stage


def test_the_last_stage_is_the_task_service():
    """What a build without --target makes."""
    assert re.findall(r"^FROM \S+ AS (\S+)$", dockerfile(), re.M)[-1] == "task-service"


def test_everything_that_is_copied_is_sent_to_the_builder():
    ignored = (ROOT / ".dockerignore").read_text().split()
    for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile(), re.M):
        for source in line.split()[:-1]:
            assert f"!{source}" in ignored, source
            assert (ROOT / source).exists(), source


def test_chart_and_workspace_have_one_version():
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == workspace
    assert f"ARG VERSION={workspace}\n" in dockerfile()


def test_the_composition_sets_what_the_binaries_know():
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    for name in ("task-service", "dispatcher"):
        unknown = services[name]["environment"].keys() - known(f"a2a-{name}")
        assert not unknown, unknown
    for name in ("agent", "receiver"):
        variables = re.findall(r"\[env: (\w+)", run(BINARIES / f"a2a-demo-{name}", "--help").stdout)
        assert services[name]["environment"].keys() <= set(variables)


def test_the_composition_mounts_files_that_exist():
    compose = yaml.safe_load(COMPOSE.read_text())
    stages = set(re.findall(r"^FROM \S+ AS (\S+)$", dockerfile(), re.M))
    for service in compose["services"].values():
        assert service.get("build", {"target": "base"})["target"] in stages
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (COMPOSE.parent / source).is_file(), volume


def test_the_sample_card_is_taken(tmp_path):
    env = {"A2A_AGENT_CARD": str(ROOT / "deploy/agent-card.json"), "A2A_REDIS_URL": "redis://127.0.0.1:1",
           "A2A_EXTENDED_AGENT_CARD": str(Path("/nonexistent")), "A2A_PLAINTEXT_SECRETS": "true",
           **{f"A2A_{name}_ADDR": "127.0.0.1:0" for name in ("GRPC", "AGENT_GRPC", "HTTP", "ADMIN")}}
    done = run(BINARIES / "a2a-task-service", env=env, timeout=60)
    assert "/nonexistent" in done.stderr and "agent-card.json" not in done.stderr, done.stderr
    assert json.loads((ROOT / "deploy/agent-card.json").read_text())["capabilities"]["pushNotifications"]
