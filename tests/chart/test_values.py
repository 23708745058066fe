"""Wrong values, and what the person who wrote them is told."""

import pytest

from conftest import CHART, HELMS, template

DIGEST = "sha256:" + "0" * 64

# values set over ci/minimal-values.yaml -> words of the message
WRONG = [
    ("a typo at the top", ["replicas=3"], "replicas"),
    ("a typo below", ["taskService.replicaCuont=3"], "replicaCuont"),
    ("a typo in the security of networks", ["networkPolicy.enable=false"], "enable"),
    ("an unknown setting", ["settings.shard=4"], "shard"),
    ("a setting of the other service", ["dispatcher.settings.workLeaseMs=1000"], "workLeaseMs"),
    ("a setting by its variable", ["taskService.settings.A2A_WORK_LEASE_MS=1000"], "A2A_WORK_LEASE_MS"),
    ("a text for a number", ["taskService.replicaCount=two"], "replicaCount"),
    ("a negative number", ["taskService.replicaCount=-1"], "minimum"),
    ("a fraction of a pod", ["dispatcher.replicaCount=1.5"], "replicaCount"),
    ("no shards", ["settings.shards=0"], "shards"),
    ("too many shards", ["settings.shards=2000"], "shards"),
    ("a prefix with braces", ["settings.keyPrefix={a}"], "keyPrefix"),
    ("a lease too short", ["taskService.settings.workLeaseMs=10"], "workLeaseMs"),
    ("an unknown format", ["settings.logFormat=xml"], "logFormat"),
    ("an unknown mode", ["taskService.settings.lateArtifacts=maybe"], "lateArtifacts"),
    ("a collector without a scheme", ["settings.otlpEndpoint=collector:4317"], "otlpEndpoint"),
    ("a range that is none", ["settings.allowWebhookCidr={inside}"], "allowWebhookCidr"),
    ("a port that is none", ["settings.webhookPorts={70000}"], "webhookPorts"),
    ("a pull policy that is none", ["image.pullPolicy=Sometimes"], "pullPolicy"),
    ("a digest that is none", ["taskService.image.digest=sha256:abc"], "digest"),
    ("a tag within the name", ["taskService.image.repository=a2a:1"], "repository"),
    ("a tag that is none", ["dispatcher.image.tag=a b"], "tag"),
    ("a quantity that is none", ["taskService.resources.limits.memory=1GB"], "memory"),
    ("an unknown key of resources", ["taskService.resources.limit.memory=1Gi"], "limit"),
    ("an unknown probe setting", ["taskService.probes.liveness.timeout=3"], "timeout"),
    ("a service type that is none", ["taskService.httpService.type=Public"], "type"),
    ("a namespace that is none", ["networkPolicy.clientNamespaces={Ingress_NS}"], "clientNamespaces"),
    ("an ingress without hosts", ["ingress.http.enabled=true"], "hosts"),
    ("a host with a scheme", ["ingress.http.enabled=true", "ingress.http.hosts={https://a.example}"], "hosts"),
    ("a route without a gateway", ["gateway.grpc.enabled=true"], "parentRefs"),
    ("a Redis that is none", ["redis.url=localhost:6379", "redis.existingSecret.name="], "redis"),
    ("no Redis", ["redis.existingSecret.name="], "no Redis: set redis.existingSecret.name"),
    ("two of Redis", ["redis.bundled.enabled=true"], "set only one of redis.existingSecret.name, redis.bundled.enabled"),
    ("no key ring", ["keyRing.existingSecret.name="], "set keyRing.existingSecret.name"),
    ("a key ring and none", ["settings.plaintextSecrets=true"], "exclude each other"),
    ("two agent cards", ["agentCard.content.name=x"], "only one of agentCard.content"),
    ("two autoscalers", ["dispatcher.autoscaling.enabled=true", "dispatcher.keda.enabled=true",
                         "dispatcher.keda.redisAddress=r:1"], "enable one of them"),
    ("KEDA without an address", ["dispatcher.keda.enabled=true"], "set dispatcher.keda.redisAddress"),
    ("KEDA with a url", ["dispatcher.keda.enabled=true", "dispatcher.keda.redisAddress=redis://r:1"], "redisAddress"),
    ("replicas the wrong way round", ["taskService.autoscaling.enabled=true", "taskService.autoscaling.minReplicas=20"],
     "minReplicas is more than maxReplicas"),
    ("nothing to scale by", ["dispatcher.autoscaling.enabled=true",
                             "dispatcher.autoscaling.targetCPUUtilizationPercentage=null"], "nothing to scale by"),
    ("a budget of both kinds", ["taskService.podDisruptionBudget.minAvailable=1",
                                "taskService.podDisruptionBudget.maxUnavailable=1"], "one of minAvailable and maxUnavailable"),
    ("a budget that is none", ["taskService.podDisruptionBudget.minAvailable=half"], "minAvailable"),
    ("too little time to stop", ["taskService.terminationGracePeriodSeconds=12"], "write 16 or more"),
    ("too little time for a long drain", ["settings.drainMs=60000", "dispatcher.terminationGracePeriodSeconds=60"],
     "preStop and drain take 65 s"),
    ("an attempt longer than its lease", ["dispatcher.settings.webhookTimeoutMs=14500"], "webhookTimeoutMs to 14000"),
    ("an update that takes pods away", ["taskService.maxSurge=0"], "maxSurge"),
    ("a variable that is none", ["taskService.extraEnv[0].name=A-B", "taskService.extraEnv[0].value=x"], "extraEnv"),
    ("an interval without a unit", ["serviceMonitor.interval=30"], "interval"),
    ("an address to listen on that is a name", ["listenAddress=localhost"], "listenAddress"),
]


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize("values, words", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_it_is_refused_with_a_useful_message(values, words, helm):
    sets = [argument for value in values for argument in ("--set", value)]
    done = template("--values", CHART / "ci" / "minimal-values.yaml", *sets, helm=helm)
    assert done.returncode != 0
    assert words in done.stderr, done.stderr
    assert "nil pointer" not in done.stderr and "wrong type" not in done.stderr, done.stderr


def test_the_table_is_long_enough():
    assert len(WRONG) >= 25
