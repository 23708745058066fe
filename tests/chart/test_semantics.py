"""What no schema sees: that the objects of a release fit together."""

import ipaddress
import json
import re

import pytest

from conftest import CASES, containers, objects, of_kind, pods

UNITS = {"m": 0.001, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
INSIDE = [
    "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "127.0.0.1", "0.0.0.0",
    "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "fd00::1", "fe80::1", "ff02::1",
    "64:ff9b::a00:1", "2001:db8::1", "2002:a00:1::1",
]
OUTSIDE = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.167.0.1", "2606:4700:4700::1111", "2a00:1450::1"]


def amount(quantity) -> float:
    number, unit = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", str(quantity)).groups()
    return float(number) * UNITS[unit]


def matches(selector: dict, labels: dict) -> bool:
    return selector.items() <= labels.items()


def test_names_are_unique_and_short(case):
    names = [(o["apiVersion"], o["kind"], o["metadata"]["name"]) for o in objects(case)]
    assert len(names) == len(set(names))
    assert all(len(name) <= 63 for _, _, name in names)


def test_selectors_match_the_pods_of_exactly_one(case):
    found = objects(case)
    for o in of_kind(found, "Deployment", "StatefulSet"):
        selector = o["spec"]["selector"]["matchLabels"]
        assert matches(selector, o["spec"]["template"]["metadata"]["labels"])
    selectors = [(o, o["spec"]["selector"]) for o in of_kind(found, "Service")]
    selectors += [(o, o["spec"]["selector"]["matchLabels"]) for o in of_kind(found, "PodDisruptionBudget")]
    selectors += [(o, o["spec"]["podSelector"]["matchLabels"]) for o in of_kind(found, "NetworkPolicy")]
    for o, selector in selectors:
        hits = [name for name, labels, _ in pods(found) if matches(selector, labels)]
        assert len(hits) == 1, (o["kind"], o["metadata"]["name"], hits)


def test_every_pod_has_its_network_policy(case):
    found = objects(case)
    policies = of_kind(found, "NetworkPolicy")
    if case == "extra-values.yaml":
        assert policies == []
        return
    for name, labels, _ in pods(found):
        covered = [p for p in policies if matches(p["spec"]["podSelector"]["matchLabels"], labels)]
        assert covered or name.startswith("Pod "), name
        assert all(set(p["spec"]["policyTypes"]) == {"Ingress", "Egress"} for p in covered)


def test_named_ports_exist(case):
    found = objects(case)
    for o in of_kind(found, "Service"):
        (spec,) = [spec for _, labels, spec in pods(found) if matches(o["spec"]["selector"], labels)]
        named = {port["name"]: port["containerPort"] for c in containers(spec) for port in c.get("ports", [])}
        for port in o["spec"]["ports"]:
            assert port["targetPort"] in named, (o["metadata"]["name"], port)
            if port["name"].endswith("grpc"):
                assert port["appProtocol"] == "kubernetes.io/h2c"
                assert named[port["targetPort"]] == port["port"]


def test_routes_lead_to_ports_of_services(case):
    found = objects(case)
    services = {o["metadata"]["name"]: o["spec"]["ports"] for o in of_kind(found, "Service")}
    for o in of_kind(found, "Ingress"):
        for rule in o["spec"]["rules"]:
            for path in rule["http"]["paths"]:
                backend = path["backend"]["service"]
                assert backend["port"]["name"] in {port["name"] for port in services[backend["name"]]}
    for o in of_kind(found, "HTTPRoute", "GRPCRoute"):
        for backend in o["spec"]["rules"][0]["backendRefs"]:
            assert backend["port"] in {port["port"] for port in services[backend["name"]]}
            assert backend["port"] != 50052, "agents' calls must not come from outside"


def test_monitors_select_a_service_with_their_port(case):
    found = objects(case)
    for o in of_kind(found, "ServiceMonitor"):
        selector = o["spec"]["selector"]["matchLabels"]
        hits = [s for s in of_kind(found, "Service") if matches(selector, s["metadata"]["labels"])]
        assert len(hits) == 1, "two services would be scraped twice"
        assert o["spec"]["endpoints"][0]["port"] in {port["name"] for port in hits[0]["spec"]["ports"]}


def test_autoscalers_have_a_target_without_replicas(case):
    found = objects(case)
    deployments = {o["metadata"]["name"]: o for o in of_kind(found, "Deployment")}
    scaled = [o["spec"]["scaleTargetRef"]["name"] for o in of_kind(found, "HorizontalPodAutoscaler", "ScaledObject")]
    assert len(scaled) == len(set(scaled))
    for name, o in deployments.items():
        assert ("replicas" in o["spec"]) == (name not in scaled)
    assert set(scaled) <= set(deployments)


def test_probes_have_one_handler_that_is_there(case):
    for name, _, spec in pods(objects(case)):
        if name.startswith("Pod "):
            continue
        for c in containers(spec):
            ports = {port["name"]: port["containerPort"] for port in c["ports"]}
            for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
                handlers = c[kind].keys() & {"exec", "grpc", "httpGet", "tcpSocket"}
                assert len(handlers) == 1, (name, kind)
                (handler,) = handlers
                port = c[kind][handler].get("port") if handler != "exec" else None
                assert port is None or port in ports or port in ports.values()


def test_a_restart_is_never_the_answer_to_a_redis_that_is_away(case):
    for o in of_kind(objects(case), "Deployment"):
        (c,) = o["spec"]["template"]["spec"]["containers"]
        for kind in ("startupProbe", "livenessProbe"):
            assert c[kind]["httpGet"] == {"path": "/livez", "port": "admin"}
        assert c["readinessProbe"]["grpc"]["service"] in {"lf.a2a.v1.A2AService", "a2a.push.v1.PushAdminService"}


def test_volumes_and_mounts_belong_together(case):
    for o in of_kind(objects(case), "Deployment", "StatefulSet"):
        spec = o["spec"]["template"]["spec"]
        volumes = [volume["name"] for volume in spec.get("volumes", [])]
        volumes += [claim["metadata"]["name"] for claim in o["spec"].get("volumeClaimTemplates", [])]
        mounts = [mount for c in containers(spec) for mount in c.get("volumeMounts", [])]
        assert sorted(volumes) == sorted({mount["name"] for mount in mounts})
        paths = [mount["mountPath"] for mount in mounts]
        assert len(paths) == len(set(paths))


def test_config_maps_of_the_chart_are_there(case):
    found = objects(case)
    own = {o["metadata"]["name"] for o in of_kind(found, "ConfigMap", "Secret")}
    for _, _, spec in pods(found):
        text = json.dumps(spec)
        for name in re.findall(r'"(?:name|secretName)": "(rel-a2a-tasks-(?:agent-card|redis-url))"', text):
            assert name in own


def test_pods_pass_the_restricted_level(case):
    for name, _, spec in pods(objects(case)):
        pod = spec["securityContext"]
        assert pod["runAsNonRoot"] is True and pod["runAsUser"] > 0, name
        assert pod["seccompProfile"]["type"] == "RuntimeDefault", name
        assert not any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")), name
        allowed = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
        for volume in spec.get("volumes", []):
            assert volume.keys() - {"name"} <= allowed, name
        for c in containers(spec):
            security = c["securityContext"]
            assert security["allowPrivilegeEscalation"] is False, name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert security["readOnlyRootFilesystem"] is True, name
            assert all("hostPort" not in port for port in c.get("ports", [])), name


def test_pods_have_no_token_and_no_service_links(case):
    found = objects(case)
    for name, _, spec in pods(found):
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["enableServiceLinks"] is False, name
    assert all(o["automountServiceAccountToken"] is False for o in of_kind(found, "ServiceAccount"))


def test_requests_are_below_limits(case):
    for name, _, spec in pods(objects(case)):
        for c in containers(spec):
            requests, limits = c["resources"]["requests"], c["resources"]["limits"]
            assert {"cpu", "memory"} <= requests.keys() and "memory" in limits, name
            for resource, limit in limits.items():
                assert amount(requests[resource]) <= amount(limit), (name, resource)


def test_updates_take_no_pod_away_and_stopping_has_its_time(case):
    for o in of_kind(objects(case), "Deployment"):
        update = o["spec"]["strategy"]["rollingUpdate"]
        assert update["maxUnavailable"] == 0 and update["maxSurge"] not in (0, "0%")
        spec = o["spec"]["template"]["spec"]
        (c,) = spec["containers"]
        env = {variable["name"]: variable.get("value") for variable in c["env"]}
        sleep = c.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        drain = int(env.get("A2A_DRAIN_MS") or 10_000) / 1000
        assert spec["terminationGracePeriodSeconds"] > sleep + drain


def test_budgets_say_one_thing(case):
    for o in of_kind(objects(case), "PodDisruptionBudget"):
        assert len(o["spec"].keys() & {"minAvailable", "maxUnavailable"}) == 1


def test_variables_are_set_once_and_are_texts(case):
    for name, _, spec in pods(objects(case)):
        for c in containers(spec):
            names = [variable["name"] for variable in c.get("env", [])]
            assert len(names) == len(set(names)), name
            for variable in c.get("env", []):
                assert isinstance(variable.get("value", ""), str), variable
                assert "e+" not in variable.get("value", ""), variable


def egress(case: str, component: str) -> list:
    (policy,) = [o for o in of_kind(objects(case), "NetworkPolicy")
                 if o["metadata"]["labels"]["app.kubernetes.io/component"] == component]
    return policy["spec"]["egress"]


def lets_out(rules: list, address: str) -> bool:
    ip = ipaddress.ip_address(address)
    for block in (peer["ipBlock"] for rule in rules for peer in rule.get("to", []) if "ipBlock" in peer):
        inside = ip.version == ipaddress.ip_network(block["cidr"]).version and ip in ipaddress.ip_network(block["cidr"])
        if inside and not any(ip in ipaddress.ip_network(e) for e in block.get("except", [])):
            return True
    return False


def test_exceptions_lie_within_their_blocks(case):
    for o in of_kind(objects(case), "NetworkPolicy"):
        for rule in o["spec"].get("egress", []):
            for block in (peer["ipBlock"] for peer in rule.get("to", []) if "ipBlock" in peer):
                outer = ipaddress.ip_network(block["cidr"])
                for inner in map(ipaddress.ip_network, block.get("except", [])):
                    assert inner.subnet_of(outer) and inner != outer
                    mapped = isinstance(inner, ipaddress.IPv6Network) and inner.network_address.ipv4_mapped
                    assert not mapped, "newer versions of Kubernetes refuse mapped addresses"


@pytest.mark.parametrize("address", INSIDE)
def test_webhooks_do_not_reach_the_inside(address):
    assert not lets_out(egress("minimal-values.yaml", "dispatcher"), address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_webhooks_reach_the_outside(address):
    assert lets_out(egress("minimal-values.yaml", "dispatcher"), address)
    assert not lets_out(egress("minimal-values.yaml", "task-service"), address)


def test_an_allowed_range_is_open_in_both_guards():
    rules = egress("trial-values.yaml", "dispatcher")
    assert lets_out(rules, "10.1.2.3") and not lets_out(rules, "192.168.0.1")
    assert {port["port"] for port in rules[-1]["ports"]} == {80, 443, 8099}


def test_nobody_calls_the_dispatcher_unless_named():
    (policy,) = [o for o in of_kind(objects("minimal-values.yaml"), "NetworkPolicy")
                 if o["metadata"]["name"].endswith("dispatcher")]
    (only,) = policy["spec"]["ingress"]
    assert only["from"][0]["podSelector"]["matchLabels"]["app.kubernetes.io/component"] == "test"


def test_keda_watches_every_shard():
    (scaled,) = of_kind(objects("keda-values.yaml"), "ScaledObject")
    triggers = [trigger["metadata"] for trigger in scaled["spec"]["triggers"]]
    assert [t["stream"] for t in triggers] == [f"prod:{{{shard:02}}}:changes" for shard in range(4)]
    assert len(of_kind(objects("keda-bundled-values.yaml"), "ScaledObject")[0]["spec"]["triggers"]) == 16


def test_the_tests_test_something():
    assert len(CASES) >= 10
    assert amount("512Mi") > amount("64Mi") and amount("100m") < amount(1)
