{{/* What the schema cannot see: values that do not go together. Each message says what to write. */}}
{{- define "a2a-tasks.validate" -}}
{{- $redis := .Values.redis -}}
{{- $sources := list -}}
{{- if $redis.url }}{{ $sources = append $sources "redis.url" }}{{ end -}}
{{- if $redis.existingSecret.name }}{{ $sources = append $sources "redis.existingSecret.name" }}{{ end -}}
{{- if $redis.bundled.enabled }}{{ $sources = append $sources "redis.bundled.enabled" }}{{ end -}}
{{- if eq (len $sources) 0 -}}
{{- fail "no Redis: set redis.existingSecret.name, or redis.url, or, for a trial, redis.bundled.enabled=true" -}}
{{- else if gt (len $sources) 1 -}}
{{- fail (printf "more than one Redis: set only one of %s" (join ", " $sources)) -}}
{{- end -}}
{{- if and .Values.keyRing.existingSecret.name .Values.settings.plaintextSecrets -}}
{{- fail "keyRing.existingSecret.name and settings.plaintextSecrets exclude each other: unset one" -}}
{{- else if not (or .Values.keyRing.existingSecret.name .Values.settings.plaintextSecrets) -}}
{{- fail "webhook secrets have no key: set keyRing.existingSecret.name, or, for a trial, settings.plaintextSecrets=true" -}}
{{- end -}}
{{- if and .Values.agentCard.content .Values.agentCard.existingConfigMap.name -}}
{{- fail "two agent cards: set only one of agentCard.content and agentCard.existingConfigMap.name" -}}
{{- end -}}
{{- include "a2a-tasks.validateScaling" . -}}
{{- include "a2a-tasks.validateWebhooks" . -}}
{{- end -}}

{{- define "a2a-tasks.validateScaling" -}}
{{- $dispatcher := .Values.dispatcher -}}
{{- $keda := $dispatcher.keda -}}
{{- if and $dispatcher.autoscaling.enabled $keda.enabled -}}
{{- fail "dispatcher.autoscaling and dispatcher.keda would fight over the replicas: enable one of them" -}}
{{- end -}}
{{- if and $keda.enabled (not .Values.redis.bundled.enabled) (not $keda.redisAddress) -}}
{{- fail "dispatcher.keda cannot read the address of Redis from a Secret: set dispatcher.keda.redisAddress to host:port" -}}
{{- end -}}
{{- if and $keda.enabled (gt (int $keda.minReplicas) (int $keda.maxReplicas)) -}}
{{- fail "dispatcher.keda.minReplicas is more than maxReplicas" -}}
{{- end -}}
{{- range $name, $values := dict "taskService" .Values.taskService "dispatcher" $dispatcher -}}
{{- $scaling := $values.autoscaling -}}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- fail (printf "%s.autoscaling.minReplicas is more than maxReplicas" $name) -}}
{{- end -}}
{{- if and $scaling.enabled (not (or $scaling.targetCPUUtilizationPercentage $scaling.targetMemoryUtilizationPercentage $scaling.metrics)) -}}
{{- fail (printf "%s.autoscaling has nothing to scale by: set targetCPUUtilizationPercentage, targetMemoryUtilizationPercentage or metrics" $name) -}}
{{- end -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- if and $budget.enabled (not (kindIs "invalid" $budget.minAvailable)) (not (kindIs "invalid" $budget.maxUnavailable)) -}}
{{- fail (printf "%s.podDisruptionBudget takes one of minAvailable and maxUnavailable: set the other to null" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The dispatcher refuses to start with an attempt that may outlast its lease. */}}
{{- define "a2a-tasks.validateWebhooks" -}}
{{- $settings := .Values.dispatcher.settings -}}
{{- $timeout := default 10000 $settings.webhookTimeoutMs | int -}}
{{- $lease := default 15000 $settings.pushLeaseMs | int -}}
{{- if gt (add $timeout 1000) $lease -}}
{{- fail (printf "dispatcher.settings: an attempt of %d ms may outlast its lease of %d ms: set webhookTimeoutMs to %d or less, or pushLeaseMs to %d or more" $timeout $lease (sub $lease 1000) (add $timeout 1000)) -}}
{{- end -}}
{{- end -}}
