{{- define "tollgate.fullname" -}}
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
{{- end }}

{{/* What selects the pods of one service: dict root, name. Never changed, because selectors are immutable. */}}
{{- define "tollgate.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ default .root.Chart.AppVersion .root.Values.image.tag | quote }}
app.kubernetes.io/part-of: tollgate
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* name, namespace and labels of an object: dict root, name, and suffix of its own name. */}}
{{- define "tollgate.metadata" -}}
name: {{ include "tollgate.fullname" .root }}-{{ .name }}{{ .suffix | default "" }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "tollgate.labels" . | nindent 2 }}
{{- end }}

{{- define "tollgate.image" -}}
{{- $tag := default .root.Values.image.tag (dig "tag" "" (get .root.Values (.tagOf | default .name) | default dict)) -}}
{{ .root.Values.image.prefix }}/{{ .name }}:{{ default .root.Chart.AppVersion $tag }}
{{- end }}

{{- define "tollgate.secretName" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-secrets" (include "tollgate.fullname" .)) -}}
{{- end }}

{{/* The ports of each service, which NetworkPolicies name too. */}}
{{- define "tollgate.ports" -}}
edge: { http: 8080, ops: 8083 }
policy: { grpc: 50051, ops: 8082 }
catalog: { http: 8081, grpc: 50052, ops: 8084 }
runner: { http: 8085, ops: 8086 }
admin: { http: 3000 }
simulator: { http: 9090 }
postgresql: { sql: 5432 }
redis: { redis: 6379 }
{{- end }}

{{/* Whether the schema can be migrated before anything is installed. */}}
{{- define "tollgate.migratesFirst" -}}
{{- if and .Values.migrations.enabled .Values.secrets.existingSecret (not .Values.postgresql.enabled) -}}
true
{{- end -}}
{{- end }}
