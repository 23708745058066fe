{{/* Objects that both services have. Each takes (list $ "task-service" $values). */}}

{{- define "a2a-tasks.serviceAccount" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
{{- if $values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "a2a-tasks.metadata" (list $root (index . 1) (include "a2a-tasks.serviceAccountName" .) $values.serviceAccount.annotations) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.podDisruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $budget := (index . 2).podDisruptionBudget -}}
{{- if $budget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "a2a-tasks.metadata" (list $root (index . 1) (include "a2a-tasks.component" .) nil) | nindent 2 }}
spec:
  {{- if not (kindIs "invalid" $budget.minAvailable) }}
  minAvailable: {{ $budget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ default 1 $budget.maxUnavailable }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "a2a-tasks.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.horizontalPodAutoscaler" -}}
{{- $root := index . 0 -}}
{{- $scaling := (index . 2).autoscaling -}}
{{- if $scaling.enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "a2a-tasks.metadata" (list $root (index . 1) (include "a2a-tasks.component" .) nil) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "a2a-tasks.component" . }}
  minReplicas: {{ $scaling.minReplicas }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    {{- range $resource, $target := dict "cpu" $scaling.targetCPUUtilizationPercentage "memory" $scaling.targetMemoryUtilizationPercentage }}
    {{- if $target }}
    - type: Resource
      resource:
        name: {{ $resource }}
        target:
          type: Utilization
          averageUtilization: {{ $target }}
    {{- end }}
    {{- end }}
    {{- with $scaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $scaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.serviceMonitor" -}}
{{- $root := index . 0 -}}
{{- $monitor := $root.Values.serviceMonitor -}}
{{- if $monitor.enabled -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "a2a-tasks.metadata" (list $root (index . 1) (include "a2a-tasks.component" .) nil $monitor.labels) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "a2a-tasks.selector" . | nindent 6 }}
      a2a-tasks/scrape: "true"
  namespaceSelector:
    matchNames: [{{ $root.Release.Namespace | quote }}]
  endpoints:
    - port: admin
      path: /metrics
      interval: {{ $monitor.interval }}
      scrapeTimeout: {{ $monitor.scrapeTimeout }}
{{- end -}}
{{- end -}}
