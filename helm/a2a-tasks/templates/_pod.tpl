{{/* The pod of a service. A dict: root, name (of the component), values (of the component), ports, addresses,
     readiness (the gRPC service asked), readinessPort, files. */}}
{{- define "a2a-tasks.pod" -}}
{{- $root := .root -}}
{{- $values := .values -}}
metadata:
  labels:
    {{- include "a2a-tasks.labels" (list $root .name) | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- $checksums := include "a2a-tasks.checksums" $root | fromYaml }}
  {{- with merge (dict) $values.podAnnotations $checksums ($root.Values.commonAnnotations | default dict) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "a2a-tasks.serviceAccountName" (list $root .name $values) }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- toYaml $values.podSecurityContext | nindent 4 }}
  terminationGracePeriodSeconds: {{ include "a2a-tasks.gracePeriod" . }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "a2a-tasks.image" (list $root $values.image) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        {{- toYaml $values.securityContext | nindent 8 }}
      ports:
        {{- range .ports }}
        - name: {{ .name }}
          containerPort: {{ .port }}
          protocol: TCP
        {{- end }}
      env:
        {{- include "a2a-tasks.env" . | trim | nindent 8 }}
      {{- with $values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- include "a2a-tasks.probes" . | nindent 6 }}
      {{- include "a2a-tasks.preStop" . | nindent 6 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      {{- with concat (include "a2a-tasks.fileMounts" .files | fromYamlArray) $values.extraVolumeMounts }}
      volumeMounts:
        {{- toYaml . | nindent 8 }}
      {{- end }}
  {{- with concat (include "a2a-tasks.fileVolumes" .files | fromYamlArray) $values.extraVolumes }}
  volumes:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- include "a2a-tasks.placement" . | trim | nindent 2 }}
{{- end -}}

{{/* Ready is what the gRPC health check says, which follows Redis. Starting and living are only that the process
     answers: a restart does not bring Redis back. */}}
{{- define "a2a-tasks.probes" -}}
{{- $probes := .values.probes -}}
startupProbe:
  httpGet:
    path: /livez
    port: admin
  {{- toYaml $probes.startup | nindent 2 }}
livenessProbe:
  httpGet:
    path: /livez
    port: admin
  {{- toYaml $probes.liveness | nindent 2 }}
readinessProbe:
  grpc:
    port: {{ .readinessPort }}
    service: {{ .readiness | quote }}
  {{- toYaml $probes.readiness | nindent 2 }}
{{- end -}}

{{/* Endpoints leave the load balancers while the process still serves. Kubernetes before 1.30 has no sleep of its
     own, and the image no shell: the binary sleeps. */}}
{{- define "a2a-tasks.preStop" -}}
{{- $seconds := .values.preStopSeconds | int -}}
{{- if gt $seconds 0 -}}
lifecycle:
  preStop:
    {{- if semverCompare ">=1.30.0-0" .root.Capabilities.KubeVersion.Version }}
    sleep:
      seconds: {{ $seconds }}
    {{- else }}
    exec:
      command: ["/a2a-{{ .name }}", "sleep", "{{ $seconds }}"]
    {{- end }}
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.drainSeconds" -}}
{{- $drain := .root.Values.settings.drainMs -}}
{{- divf (ternary 10000 $drain (kindIs "invalid" $drain)) 1000 | ceil | int -}}
{{- end -}}

{{- define "a2a-tasks.gracePeriod" -}}
{{- $needed := add (include "a2a-tasks.drainSeconds" . | int) (.values.preStopSeconds | int) -}}
{{- $given := .values.terminationGracePeriodSeconds -}}
{{- if kindIs "invalid" $given -}}
{{- add $needed 5 -}}
{{- else if le (int $given) (int $needed) -}}
{{- fail (printf "terminationGracePeriodSeconds of the %s is %d, but its preStop and drain take %d s: write %d or more, or leave it out" .name (int $given) (int $needed) (add $needed 1)) -}}
{{- else -}}
{{- int $given -}}
{{- end -}}
{{- end -}}

{{- define "a2a-tasks.placement" -}}
{{- $values := .values -}}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
{{- if $values.topologySpreadConstraints }}
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- else }}
  {{- $selector := include "a2a-tasks.selector" (list .root .name) }}
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}
