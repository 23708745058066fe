{{/* An Ingress: (list $ $ingress "http" "port name") */}}
{{- define "a2a-tasks.ingress" -}}
{{- $root := index . 0 -}}
{{- $ingress := index . 1 -}}
{{- $what := index . 2 -}}
{{- $service := index . 3 -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "a2a-tasks.metadata" (list $root "task-service" (include "a2a-tasks.component" (list $root $what)) $ingress.annotations) | nindent 2 }}
spec:
  {{- with $ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  rules:
    {{- range $ingress.hosts }}
    - host: {{ . | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ include "a2a-tasks.component" (list $root "task-service") }}
                port:
                  name: {{ $service }}
    {{- end }}
  {{- with $ingress.tls }}
  tls:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* A route of the Gateway API: (list $ $route "HTTPRoute" "http" port) */}}
{{- define "a2a-tasks.route" -}}
{{- $root := index . 0 -}}
{{- $route := index . 1 -}}
apiVersion: gateway.networking.k8s.io/v1
kind: {{ index . 2 }}
metadata:
  {{- include "a2a-tasks.metadata" (list $root "task-service" (include "a2a-tasks.component" (list $root (index . 3))) $route.annotations) | nindent 2 }}
spec:
  parentRefs:
    {{- toYaml $route.parentRefs | nindent 4 }}
  {{- with $route.hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - backendRefs:
        - name: {{ include "a2a-tasks.component" (list $root "task-service") }}
          port: {{ index . 4 }}
{{- end -}}
