// Validates objects of other operators against their own schemas: JSON array on stdin, a line for each bad object.
import { ScaledObject, TriggerAuthentication } from "@kubernetes-models/keda/keda.sh/v1alpha1";
import { GRPCRoute, HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";

const models = { ScaledObject, TriggerAuthentication, HTTPRoute, GRPCRoute, PrometheusRule, ServiceMonitor };

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
let failed = false;
for (const object of JSON.parse(Buffer.concat(chunks).toString())) {
  const Model = models[object.kind];
  try {
    if (!Model) throw new Error("no schema for this kind");
    new Model(object).validate();
  } catch (error) {
    failed = true;
    console.log(`${object.kind} ${object.metadata.name}: ${error.message}`);
  }
}
process.exit(failed ? 1 : 0);
