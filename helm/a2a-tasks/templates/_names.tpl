{{/* Room is left for the longest suffix below 63 characters. */}}
{{- define "a2a-tasks.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* What a component's objects are called: (list $ "task-service") */}}
{{- define "a2a-tasks.component" -}}
{{- printf "%s-%s" (include "a2a-tasks.fullname" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* Labels that never change, for selectors: (list $ "task-service") */}}
{{- define "a2a-tasks.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "a2a-tasks.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* All labels of an object: (list $ "task-service") */}}
{{- define "a2a-tasks.labels" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "a2a-tasks.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/part-of: a2a-tasks
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The head of every object: (list $ "task-service" "name" $annotations); a fifth item is more labels. */}}
{{- define "a2a-tasks.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 2 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "a2a-tasks.labels" (list $root (index . 1)) | nindent 2 }}
  {{- if gt (len .) 4 }}
  {{- with index . 4 }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
{{- with merge (dict) (index . 3 | default dict) ($root.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "a2a-tasks.serviceAccountName" -}}
{{- $root := index . 0 -}}
{{- $account := (index . 2).serviceAccount -}}
{{- if $account.create -}}
{{- default (include "a2a-tasks.component" (list $root (index . 1))) $account.name -}}
{{- else -}}
{{- default "default" $account.name -}}
{{- end -}}
{{- end -}}

{{/* A digest wins over a tag: (list $ $image) */}}
{{- define "a2a-tasks.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- $registry := default $root.Values.image.registry $image.registry -}}
{{- $name := ternary (printf "%s/%s" $registry $image.repository) $image.repository (ne $registry "") -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $root.Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}
