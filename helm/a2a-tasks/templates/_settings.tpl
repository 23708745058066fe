{{/* A settings map as environment: workLeaseMs: 5 becomes A2A_WORK_LEASE_MS. Lists are joined by commas.
     Numbers come as floats from YAML and must not turn into 8.64e+07. */}}
{{- define "a2a-tasks.settings" -}}
{{- range $name, $value := . }}
{{- if not (kindIs "invalid" $value) }}
- name: A2A_{{ $name | snakecase | upper }}
  {{- if kindIs "slice" $value }}
  value: {{ join "," $value | quote }}
  {{- else if and (kindIs "float64" $value) (eq (floor $value) $value) }}
  value: {{ $value | int64 | toString | quote }}
  {{- else }}
  value: {{ $value | toString | quote }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Where to listen: (list $ 50051) */}}
{{- define "a2a-tasks.listen" -}}
{{- $address := (index . 0).Values.listenAddress -}}
{{- printf "%s:%d" (ternary (printf "[%s]" $address) $address (contains ":" $address)) (index . 1 | int) -}}
{{- end -}}

{{/* The address of Redis; it may hold a password, so it comes from a Secret unless Redis is bundled. */}}
{{- define "a2a-tasks.redisEnv" -}}
{{- $redis := .Values.redis -}}
{{- if $redis.bundled.enabled -}}
{{- $host := printf "%s:6379" (include "a2a-tasks.component" (list . "redis")) -}}
{{- if $redis.bundled.existingSecret.name }}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $redis.bundled.existingSecret.name }}
      key: {{ $redis.bundled.existingSecret.key }}
- name: A2A_REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ $host }}
{{- else }}
- name: A2A_REDIS_URL
  value: redis://{{ $host }}
{{- end }}
{{- else }}
- name: A2A_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ default (include "a2a-tasks.component" (list . "redis-url")) $redis.existingSecret.name }}
      key: {{ ternary $redis.existingSecret.key "url" (ne $redis.existingSecret.name "") }}
{{- end }}
{{- end -}}

{{/* The environment of a service. A dict as for "a2a-tasks.pod", where addresses are the setting and port of each
     listener. */}}
{{- define "a2a-tasks.env" -}}
{{- $root := .root -}}
{{- range $setting, $port := .addresses }}
- name: {{ $setting }}
  value: {{ include "a2a-tasks.listen" (list $root $port) | quote }}
{{- end }}
{{- include "a2a-tasks.redisEnv" $root }}
{{- include "a2a-tasks.fileEnv" .files }}
{{- with (.values.egressProxy | default dict).existingSecret }}
{{- if .name }}
- name: A2A_EGRESS_PROXY
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- include "a2a-tasks.settings" $root.Values.settings }}
{{- include "a2a-tasks.settings" .values.settings }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Pods are replaced when what the chart itself gives them changes. */}}
{{- define "a2a-tasks.checksums" -}}
{{- if .Values.redis.url }}
checksum/redis-url: {{ .Values.redis.url | sha256sum }}
{{- end }}
{{- end -}}
