{{/*
The pod of a service. dict:
  root, name, values of the service, env (text),
  graceSeconds: how long the process may take after the signal,
  probePort, live, ready: the port's name and the paths of its probes,
  volumes, mounts: lists beside those of every pod,
  privileged: the container starts as root with the runner's three capabilities.
*/}}
{{- define "tollgate.pod" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $ports := get (include "tollgate.ports" $root | fromYaml) .name -}}
metadata:
  labels:
    {{- include "tollgate.labels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ .name }}
    {{- with $root.Values.secrets.values }}
    checksum/secrets: {{ toJson . | sha256sum }}
    {{- end }}
    {{- if eq .name "runner" }}
    checksum/commands: {{ toJson $values.commands | sha256sum }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "tollgate.fullname" $root }}-{{ .name }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  terminationGracePeriodSeconds: {{ add $values.preStopSeconds .graceSeconds 5 }}
  {{- if .privileged }}
  # Programs leave descendants behind, which the pause process collects.
  shareProcessNamespace: true
  {{- end }}
  securityContext:
    {{- include "tollgate.podSecurity" . | nindent 4 }}
  topologySpreadConstraints:
    {{- if $values.topologySpread }}
    {{- toYaml $values.topologySpread | nindent 4 }}
    {{- else }}
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "tollgate.selector" $ | nindent 10 }}
      matchLabelKeys: [{{ if eq $.name "runner" }}controller-revision-hash{{ else }}pod-template-hash{{ end }}]
    {{- end }}
    {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "tollgate.image" . }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        {{- include "tollgate.containerSecurity" . | nindent 8 }}
      env:
        {{- .env | nindent 8 }}
        {{- range $name, $value := $values.env }}
        - name: {{ $name }}
          value: {{ $value | toString | quote }}
        {{- end }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        {{- range $name, $port := $ports }}
        - { name: {{ $name }}, containerPort: {{ $port }} }
        {{- end }}
      # The process listens, after a start that may wait for its database.
      startupProbe:
        httpGet: { path: {{ .live }}, port: {{ .probePort }} }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 60
      # Requests are served.
      readinessProbe:
        httpGet: { path: {{ .ready }}, port: {{ .probePort }} }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      # The event loop turns. A pod whose dependency is away must not be restarted.
      livenessProbe:
        httpGet: { path: {{ .live }}, port: {{ .probePort }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      lifecycle:
        preStop: { sleep: { seconds: {{ $values.preStopSeconds }} } }
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if and $root.Values.tls.enabled (hasKey $ports "ops") }}
        - { name: tls, mountPath: /etc/tollgate/tls, readOnly: true }
        {{- end }}
        {{- with concat (.mounts | default list) $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if and $root.Values.tls.enabled (hasKey $ports "ops") }}
    - { name: tls, secret: { secretName: {{ include "tollgate.fullname" $root }}-{{ .name }}-tls, defaultMode: 0440 } }
    {{- end }}
    {{- with concat (.volumes | default list) $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* `user`: another user than the images' own. */}}
{{- define "tollgate.podSecurity" -}}
{{- if .privileged }}
runAsUser: 0
{{- else }}
{{- $user := .user | default 1000 }}
runAsNonRoot: true
runAsUser: {{ $user }}
runAsGroup: {{ $user }}
fsGroup: {{ $user }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
  {{- if .privileged }}
  add: [SETUID, SETGID, KILL]
  {{- end }}
{{- end }}

{{/* The Deployment of a service: the dict of "tollgate.pod". */}}
{{- define "tollgate.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "tollgate.metadata" . | nindent 2 }}
spec:
  {{- if not (and (hasKey .values "autoscaling") .values.autoscaling.enabled) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  # A new pod serves before an old one is stopped.
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector:
    matchLabels:
      {{- include "tollgate.selector" . | nindent 6 }}
  template:
    {{- include "tollgate.pod" . | nindent 4 }}
{{- end }}
