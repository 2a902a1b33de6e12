{{/* A store for development, one pod with a volume: dict root, name, port, dataPath, args, env, ready, config. */}}
{{- define "tollgate.store" -}}
{{- $root := .root -}}
{{- $v := get $root.Values .name -}}
{{- $secure := merge (dict "user" (int64 $v.user)) . -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "tollgate.metadata" . | nindent 2 }}
spec:
  replicas: 1
  serviceName: {{ include "tollgate.fullname" $root }}-{{ .name }}
  selector:
    matchLabels:
      {{- include "tollgate.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "tollgate.labels" . | nindent 8 }}
    spec:
      serviceAccountName: {{ include "tollgate.fullname" $root }}-{{ .name }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        {{- include "tollgate.podSecurity" $secure | nindent 8 }}
      containers:
        - name: {{ .name }}
          image: {{ $v.image }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: {{ toJson .args }}
          securityContext:
            {{- include "tollgate.containerSecurity" (dict) | nindent 12 }}
          {{- with .env }}
          env:
            {{- . | nindent 12 }}
          {{- end }}
          ports: [{ name: {{ .portName }}, containerPort: {{ .port }} }]
          readinessProbe:
            exec: { command: {{ toJson .ready }} }
            periodSeconds: 3
            timeoutSeconds: 3
          resources:
            {{- toYaml $v.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: {{ .dataPath }} }
            - { name: tmp, mountPath: /tmp }
            - { name: run, mountPath: {{ .runPath }} }
            {{- with .config }}
            - { name: config, mountPath: /etc/tollgate, readOnly: true }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: {} }
        - { name: run, emptyDir: {} }
        {{- with .config }}
        - { name: config, configMap: { name: {{ . }} } }
        {{- end }}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $v.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: { requests: { storage: {{ $v.size }} } }
---
apiVersion: v1
kind: Service
metadata:
  {{- include "tollgate.metadata" . | nindent 2 }}
spec:
  selector:
    {{- include "tollgate.selector" . | nindent 4 }}
  ports: [{ name: {{ .portName }}, port: {{ .port }}, targetPort: {{ .portName }} }]
{{- end }}
