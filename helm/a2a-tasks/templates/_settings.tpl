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

{{/* What both services are told: (list $ $component) */}}
{{- define "a2a-tasks.commonEnv" -}}
{{- $root := index . 0 -}}
- name: A2A_ADMIN_ADDR
  value: {{ include "a2a-tasks.listen" (list $root 9090) | quote }}
{{- include "a2a-tasks.redisEnv" $root }}
{{- if $root.Values.keyRing.existingSecret.name }}
- name: A2A_KEY_RING
  value: /etc/a2a/key-ring/{{ $root.Values.keyRing.existingSecret.key }}
{{- end }}
{{- include "a2a-tasks.settings" $root.Values.settings }}
{{- include "a2a-tasks.settings" (index . 1).settings }}
{{- with (index . 1).extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* (list $ $values $more) */}}
{{- define "a2a-tasks.taskServiceEnv" }}
- name: A2A_GRPC_ADDR
  value: {{ include "a2a-tasks.listen" (list (index . 0) 50051) | quote }}
- name: A2A_AGENT_GRPC_ADDR
  value: {{ include "a2a-tasks.listen" (list (index . 0) 50052) | quote }}
- name: A2A_HTTP_ADDR
  value: {{ include "a2a-tasks.listen" (list (index . 0) 8080) | quote }}
{{- with index . 2 }}
{{ toYaml . }}
{{- end }}
{{ include "a2a-tasks.commonEnv" . }}
{{- end -}}

{{- define "a2a-tasks.dispatcherEnv" }}
- name: A2A_GRPC_ADDR
  value: {{ include "a2a-tasks.listen" (list (index . 0) 50053) | quote }}
{{- with index . 2 }}
{{ toYaml . }}
{{- end }}
{{ include "a2a-tasks.commonEnv" . }}
{{- end -}}

{{- define "a2a-tasks.keyRingVolumes" -}}
{{- with .Values.keyRing.existingSecret -}}
{{- if .name -}}
- name: key-ring
  secret:
    secretName: {{ .name }}
    defaultMode: 288
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.keyRingMounts" -}}
{{- if .Values.keyRing.existingSecret.name -}}
- name: key-ring
  mountPath: /etc/a2a/key-ring
  readOnly: true
{{- end -}}
{{- end -}}

{{/* Pods are replaced when what the chart itself gives them changes. */}}
{{- define "a2a-tasks.checksums" -}}
{{- if .Values.redis.url -}}
checksum/redis-url: {{ .Values.redis.url | sha256sum }}
{{- end -}}
{{- end -}}
