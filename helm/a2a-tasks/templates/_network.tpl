{{/* Peers: all pods of the namespaces named. */}}
{{- define "a2a-tasks.namespaces" -}}
- namespaceSelector:
    matchExpressions:
      - key: kubernetes.io/metadata.name
        operator: In
        values:
          {{- toYaml . | nindent 10 }}
{{- end -}}

{{/* Who may reach ports: (list $ports $namespaces $ownNamespaceToo) */}}
{{- define "a2a-tasks.ingressRule" -}}
{{- $own := index . 2 -}}
{{- if or $own (index . 1) }}
- from:
    {{- if $own }}
    - podSelector: {}
    {{- end }}
    {{- with index . 1 }}
    {{- include "a2a-tasks.namespaces" . | nindent 4 }}
    {{- end }}
  ports:
    {{- range index . 0 }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end }}
{{- end -}}

{{/* What both services have to reach: names, Redis, and where spans go. */}}
{{- define "a2a-tasks.commonEgress" -}}
{{- $policy := .Values.networkPolicy }}
- ports:
    {{- range $port := $policy.dns.ports }}
    {{- range list "UDP" "TCP" }}
    - port: {{ $port }}
      protocol: {{ . }}
    {{- end }}
    {{- end }}
  {{- with $policy.dns.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
- ports:
    - port: {{ ternary 6379 $policy.redis.port .Values.redis.bundled.enabled }}
      protocol: TCP
  {{- if .Values.redis.bundled.enabled }}
  to:
    - podSelector:
        matchLabels:
          {{- include "a2a-tasks.selector" (list . "redis") | nindent 10 }}
  {{- else if $policy.redis.to }}
  to:
    {{- toYaml $policy.redis.to | nindent 4 }}
  {{- end }}
{{- if .Values.settings.otlpEndpoint }}
- ports:
    - port: {{ $policy.otlp.port }}
      protocol: TCP
  {{- with $policy.otlp.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Where webhooks may be: public addresses, and the ranges that the services are told to allow. */}}
{{- define "a2a-tasks.webhookEgress" -}}
{{- $webhooks := .Values.networkPolicy.webhooks }}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- toYaml $webhooks.exceptIPv4 | nindent 10 }}
    - ipBlock:
        cidr: ::/0
        except:
          {{- toYaml $webhooks.exceptIPv6 | nindent 10 }}
    {{- range .Values.settings.allowWebhookCidr }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
  {{- with default $webhooks.ports .Values.settings.webhookPorts }}
  ports:
    {{- range . }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
  {{- end }}
{{- end -}}

{{/* The pod of helm test: (list $ $ports) */}}
{{- define "a2a-tasks.fromTest" -}}
{{- if (index . 0).Values.test.enabled }}
- from:
    - podSelector:
        matchLabels:
          {{- include "a2a-tasks.selector" (list (index . 0) "test") | nindent 10 }}
  ports:
    {{- range index . 1 }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end }}
{{- end -}}
