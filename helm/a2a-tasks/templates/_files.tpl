{{/* Files of the pods: what an existing ConfigMap or Secret holds and a setting names. Each is a dict: env (the
     setting), from ("configMap" or "secret"), object (its name; none, no file), key (none: the folder). */}}

{{- define "a2a-tasks.commonFiles" -}}
{{- with .Values.keyRing.existingSecret }}
- {env: A2A_KEY_RING, from: secret, object: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}
{{- end -}}

{{- define "a2a-tasks.taskServiceFiles" -}}
{{- include "a2a-tasks.commonFiles" . }}
{{- with .Values.agentCard }}
{{- $own := ternary (include "a2a-tasks.component" (list $ "agent-card")) "" (not (empty .content)) }}
{{- with .existingConfigMap }}
- {env: A2A_AGENT_CARD, from: configMap, object: {{ default $own .name | quote }}, key: {{ .key | quote }}}
{{- end }}
{{- with $.Values.webhookSigning.jwks.existingSecret }}
- {env: A2A_WEBHOOK_JWKS, from: secret, object: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}
- {env: A2A_AGENT_CARDS, from: configMap, object: {{ .tenants.existingConfigMap.name | quote }}, key: ""}
{{- with .extended.existingSecret }}
- {env: A2A_EXTENDED_AGENT_CARD, from: secret, object: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}
{{- with .signingKey.existingSecret }}
- {env: A2A_CARD_SIGNING_KEY, from: secret, object: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}
{{- end }}
{{- end -}}

{{- define "a2a-tasks.dispatcherFiles" -}}
{{- include "a2a-tasks.commonFiles" . }}
{{- range $env, $file := dict "A2A_WEBHOOK_SIGNING_SECRETS" .Values.webhookSigning.secrets "A2A_WEBHOOK_JWT_KEY" .Values.webhookSigning.jwtKey }}
{{- with $file.existingSecret }}
- {env: {{ $env }}, from: secret, object: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}
{{- end }}
{{- with .Values.dispatcher.webhookCa.existingConfigMap }}
- {env: A2A_WEBHOOK_CA_FILE, from: configMap, object: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}
{{- end -}}

{{/* A2A_KEY_RING is mounted as key-ring. */}}
{{- define "a2a-tasks.fileName" -}}
{{- .env | trimPrefix "A2A_" | lower | replace "_" "-" -}}
{{- end -}}

{{- define "a2a-tasks.fileEnv" -}}
{{- range . }}
{{- if .object }}
- name: {{ .env }}
  value: {{ list "/etc/a2a" (include "a2a-tasks.fileName" .) .key | compact | join "/" }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "a2a-tasks.fileMounts" -}}
{{- range . }}
{{- if .object }}
- name: {{ include "a2a-tasks.fileName" . }}
  mountPath: /etc/a2a/{{ include "a2a-tasks.fileName" . }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{/* Secrets are for the process alone (0440: the pod's group). */}}
{{- define "a2a-tasks.fileVolumes" -}}
{{- range . }}
{{- if .object }}
- name: {{ include "a2a-tasks.fileName" . }}
  {{- if eq .from "secret" }}
  secret:
    secretName: {{ .object }}
    defaultMode: 288
  {{- else }}
  configMap:
    name: {{ .object }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}
