{{/* A variable from the Secret: dict root, name, key (default: the name), optional. */}}
{{- define "tollgate.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "tollgate.secretName" .root }}
      key: {{ .key | default .name }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{- define "tollgate.databaseEnv" -}}
{{- if .Values.postgresql.enabled -}}
{{ include "tollgate.secretEnv" (dict "root" . "name" "POSTGRES_PASSWORD") }}
- name: DATABASE_URL
  value: postgres://tollgate:$(POSTGRES_PASSWORD)@{{ include "tollgate.fullname" . }}-postgresql:5432/tollgate
{{- else -}}
{{ include "tollgate.secretEnv" (dict "root" . "name" "DATABASE_URL") }}
{{- end }}
{{- end }}

{{- define "tollgate.serviceEnv" -}}
- name: HOST
  value: 0.0.0.0
- name: LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- end }}

{{- define "tollgate.tlsEnv" -}}
{{- if .Values.tls.enabled }}
- name: GRPC_TLS_CERT
  value: /etc/tollgate/tls/tls.crt
- name: GRPC_TLS_KEY
  value: /etc/tollgate/tls/tls.key
- name: GRPC_TLS_CA
  value: /etc/tollgate/tls/ca.crt
{{- end }}
{{- end }}

{{- define "tollgate.edge.env" -}}
{{- $name := include "tollgate.fullname" . -}}
{{ include "tollgate.serviceEnv" . }}
- name: EDGE_PORT
  value: '8080'
- name: EDGE_OPS_PORT
  value: '8083'
- name: EDGE_WORKERS
  value: {{ .Values.edge.workers | quote }}
- name: POLICY_GRPC_ADDRESSES
  value: {{ $name }}-policy:50051
- name: POLICY_SESSIONS
  value: {{ .Values.edge.policySessions | quote }}
- name: CATALOG_GRPC_ADDRESS
  value: {{ $name }}-catalog-grpc:50052
- name: DRAIN_MS
  value: {{ int64 .Values.edge.drainMs | quote }}
- name: EDGE_LINGER_MS
  value: {{ int64 .Values.edge.lingerMs | quote }}
- name: SPOOL_DIR
  value: /app/spool
{{- with .Values.edge.publicUrl }}
- name: PUBLIC_EDGE_URL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.edge.upstreamAllowedCidrs }}
- name: UPSTREAM_ALLOWED_CIDRS
  value: {{ join "," . | quote }}
{{- end }}
{{- if .Values.runner.enabled }}
- name: RUNNER_URL
  value: http://{{ $name }}-runner:8085
- name: RUNNER_HOSTS
  value: {{ $name }}-runner-*.{{ $name }}-runner-pods:8085
{{- end }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "INTERNAL_TOKEN" "key" "EDGE_TOKEN") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "KEY_ENCRYPTION_KEYS") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "CACHE_INVALIDATION_SECRET" "optional" true) }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "RESPONSE_CACHE_REDIS_URL" "optional" true) }}
{{- include "tollgate.tlsEnv" . }}
{{- end }}

{{- define "tollgate.policy.env" -}}
{{- $root := . -}}
{{ include "tollgate.serviceEnv" . }}
- name: POLICY_GRPC_PORT
  value: '50051'
- name: POLICY_HTTP_PORT
  value: '8082'
- name: POLICY_WORKERS
  value: {{ .Values.policy.workers | quote }}
- name: CATALOG_GRPC_ADDRESS
  value: {{ include "tollgate.fullname" . }}-catalog-grpc:50052
- name: SHUTDOWN_TIMEOUT_MS
  value: {{ int64 .Values.policy.shutdownTimeoutMs | quote }}
{{- if .Values.redis.enabled }}
- name: REDIS_URL
  value: redis://{{ include "tollgate.fullname" . }}-redis:6379
{{- else }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "REDIS_URL") }}
{{- end }}
- name: REDIS_CLUSTER
  value: {{ .Values.policy.redisCluster | quote }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "INTERNAL_TOKEN" "key" "POLICY_TOKEN") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "HOLD_TOKEN_SECRET") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "EDGE_TOKEN") }}
{{- $callers := list "edge=$(EDGE_TOKEN)" }}
{{- range $n, $caller := .Values.policy.callers }}
{{- $variable := printf "CALLER_%d_TOKEN" $n }}
{{- $callers = append $callers (printf "%s=$(%s)" $caller.name $variable) }}
{{ include "tollgate.secretEnv" (dict "root" $root "name" $variable "key" $caller.secretKey) }}
{{- end }}
- name: INTERNAL_TOKENS
  value: {{ join "," $callers }}
{{- include "tollgate.tlsEnv" . }}
{{- end }}

{{- define "tollgate.catalog.env" -}}
{{ include "tollgate.serviceEnv" . }}
- name: CATALOG_PORT
  value: '8081'
- name: CATALOG_GRPC_PORT
  value: '50052'
- name: CATALOG_OPS_PORT
  value: '8084'
{{ include "tollgate.databaseEnv" . }}
- name: DATABASE_POOL_SIZE
  value: {{ .Values.catalog.databasePoolSize | quote }}
- name: RUN_MIGRATIONS
  value: {{ ternary "false" "true" (eq (include "tollgate.migratesFirst" .) "true") | quote }}
- name: PUBLIC_CONSOLE_URL
  value: {{ .Values.catalog.publicConsoleUrl | quote }}
{{- with .Values.catalog.upstreamAllowedCidrs }}
- name: UPSTREAM_ALLOWED_CIDRS
  value: {{ join "," . | quote }}
{{- end }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "JWT_SECRET") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "KEY_ENCRYPTION_KEYS") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "SMTP_URL" "optional" true) }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "OIDC_CLIENT_SECRET" "optional" true) }}
{{- with .Values.catalog.bootstrapAdminEmail }}
- name: BOOTSTRAP_ADMIN_EMAIL
  value: {{ . | quote }}
{{ include "tollgate.secretEnv" (dict "root" $ "name" "BOOTSTRAP_ADMIN_PASSWORD") }}
{{- end }}
{{- $callers := list "edge" "policy" "admin" }}
{{- if .Values.runner.enabled }}
{{- $callers = append $callers "runner" }}
- name: RUNNER_URL
  value: http://{{ include "tollgate.fullname" . }}-runner:8085
{{ include "tollgate.secretEnv" (dict "root" . "name" "INTERNAL_TOKEN" "key" "CATALOG_TOKEN") }}
{{- end }}
{{- include "tollgate.callersEnv" (dict "root" . "callers" $callers) }}
{{- include "tollgate.tlsEnv" . }}
{{- end }}

{{/* INTERNAL_TOKENS of a service, and the variables that it is made of: dict root, callers. */}}
{{- define "tollgate.callersEnv" -}}
{{- $root := .root -}}
{{- $pairs := list -}}
{{- range .callers }}
{{- $variable := printf "%s_TOKEN" (upper .) }}
{{- $pairs = append $pairs (printf "%s=$(%s)" . $variable) }}
{{ include "tollgate.secretEnv" (dict "root" $root "name" $variable) }}
{{- end }}
- name: INTERNAL_TOKENS
  value: {{ join "," $pairs }}
{{- end }}

{{- define "tollgate.runner.env" -}}
{{- $name := include "tollgate.fullname" . -}}
{{ include "tollgate.serviceEnv" . }}
- name: RUNNER_PORT
  value: '8085'
- name: RUNNER_OPS_PORT
  value: '8086'
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: RUNNER_URL_SELF
  value: http://$(POD_NAME).{{ $name }}-runner-pods:8085
- name: CATALOG_GRPC_ADDRESS
  value: {{ $name }}-catalog-grpc:50052
- name: SHUTDOWN_TIMEOUT_MS
  value: {{ int64 .Values.runner.shutdownTimeoutMs | quote }}
- name: RUNNER_COMMANDS_FILE
  value: /etc/tollgate/commands/commands.json
- name: RUNNER_CHILD_UIDS
  value: {{ ternary "20000-20999" "" .Values.runner.programUsers | quote }}
{{- with .Values.runner.upstreamAllowedCidrs }}
- name: UPSTREAM_ALLOWED_CIDRS
  value: {{ join "," . | quote }}
{{- end }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "INTERNAL_TOKEN" "key" "RUNNER_TOKEN") }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "KEY_ENCRYPTION_KEYS") }}
{{- include "tollgate.callersEnv" (dict "root" . "callers" (list "edge" "catalog")) }}
{{- include "tollgate.tlsEnv" . }}
{{- end }}

{{- define "tollgate.admin.env" -}}
{{- $name := include "tollgate.fullname" . -}}
{{ include "tollgate.serviceEnv" . }}
- name: ADMIN_PORT
  value: '3000'
- name: CATALOG_URL
  value: http://{{ $name }}-catalog:8081
- name: EDGE_URL
  value: http://{{ $name }}-edge:{{ .Values.edge.service.port }}
{{- with .Values.edge.publicUrl }}
- name: PUBLIC_EDGE_URL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.admin.trustedProxies }}
- name: CONSOLE_TRUSTED_PROXIES
  value: {{ join "," . | quote }}
{{- end }}
{{ include "tollgate.secretEnv" (dict "root" . "name" "INTERNAL_TOKEN" "key" "ADMIN_TOKEN") }}
{{- end }}
