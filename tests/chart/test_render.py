"""Each values file of ci/ through both helms, and what comes out against the schemas of Kubernetes."""

import json

import kubernetes_validate
import pytest

from conftest import CHART, HELMS, KUBERNETES, MINIMAL, TOOLS, objects, of_kind, pods, rendered, run, template

BUILT_IN = {
    "v1",
    "apps/v1",
    "autoscaling/v2",
    "networking.k8s.io/v1",
    "policy/v1",
}


@pytest.mark.parametrize("helm", HELMS)
def test_lint_is_strict(case, helm):
    done = run(TOOLS / helm, "lint", "--strict", CHART, "--values", CHART / "ci" / case)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kubernetes", KUBERNETES)
def test_kubernetes_takes_every_object(case, kubernetes):
    for o in objects(case, kubernetes=kubernetes):
        if o["apiVersion"] in BUILT_IN:
            kubernetes_validate.validate(o, kubernetes, strict=True)


def test_both_helms_make_the_same(case):
    assert rendered(case, helm="helm3") == rendered(case, helm="helm4")


def test_other_operators_take_their_objects(case):
    others = [o for o in objects(case) if o["apiVersion"] not in BUILT_IN]
    script = TOOLS / "crds.mjs"
    script.write_text((CHART.parents[1] / "tests/chart/crds.mjs").read_text())
    done = run("node", script, input=json.dumps(others))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_operators_schemas_refuse_what_is_wrong():
    (wrong,) = [o for o in objects("keda-values.yaml") if o["kind"] == "ScaledObject"]
    wrong["spec"]["triggers"] = "all"
    done = run("node", TOOLS / "crds.mjs", input=json.dumps([wrong]))
    assert done.returncode == 1 and "triggers" in done.stdout, done.stdout + done.stderr


def test_the_values_files_cover_every_template():
    """No template is left that no values file renders."""
    shown = set()
    for path in (CHART / "ci").glob("*-values.yaml"):
        for line in template("--values", path).stdout.splitlines():
            shown.add(line.removeprefix("# Source: a2a-tasks/"))
    templates = {str(path.relative_to(CHART)) for path in (CHART / "templates").rglob("*.yaml")}
    assert templates <= shown, templates - shown


def test_an_old_kubernetes_is_refused():
    done = template("--values", MINIMAL, "--kube-version", "1.26")
    assert done.returncode != 0 and "kubeVersion" in done.stderr, done.stderr


def test_pods_sleep_before_they_stop_on_every_version():
    def hooks(kubernetes):
        specs = [spec for name, _, spec in pods(objects("minimal-values.yaml", kubernetes=kubernetes)) if "Dep" in name]
        return sorted(json.dumps(spec["containers"][0]["lifecycle"]["preStop"]) for spec in specs)

    assert hooks("1.30") == ['{"sleep": {"seconds": 5}}'] * 2
    assert hooks("1.29") == [
        '{"exec": {"command": ["/a2a-dispatcher", "sleep", "5"]}}',
        '{"exec": {"command": ["/a2a-task-service", "sleep", "5"]}}',
    ]


@pytest.mark.parametrize("helm", HELMS)
def test_it_packages(helm, tmp_path):
    done = run(TOOLS / helm, "package", CHART, "--destination", tmp_path)
    assert done.returncode == 0, done.stderr
    done = run(TOOLS / helm, "template", "rel", *tmp_path.glob("*.tgz"), "--values", CHART / "ci/monitoring-values.yaml")
    assert "A2ADeadLetters" in done.stdout, done.stderr


def test_the_notes_name_the_next_command(case):
    done = run(TOOLS / "helm4", "install", "rel", CHART, "--dry-run=client", "--namespace", "ns",
               "--values", CHART / "ci" / case)
    assert done.returncode == 0, done.stderr
    notes = done.stdout.split("NOTES:")[1]
    assert "helm test rel --namespace ns --logs" in notes
    card = [o for o in of_kind(objects(case), "Deployment") if "A2A_AGENT_CARD" in json.dumps(o)]
    assert ("ATTENTION: no agent card" in notes) == (not any('"A2A_AGENT_CARD"' in json.dumps(o) for o in card))
