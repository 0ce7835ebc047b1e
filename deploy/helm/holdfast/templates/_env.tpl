{{- /* A variable from a Secret: variable, secret, key. */}}
{{- define "holdfast.secretVariable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}

{{- /* Variables from a map of names and values. toJson, because a large number would be written as 3e+06. */}}
{{- define "holdfast.plainVariables" -}}
{{- range $name, $value := . }}
{{- $text := ternary $value (toJson $value) (kindIs "string" $value) }}
{{- if $text }}
- name: {{ $name }}
  value: {{ $text | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* DATABASE_URL and the password in it: root, role, variable (of its password), key, host, port. */}}
{{- define "holdfast.databaseUrl" -}}
{{- $postgres := .root.Values.postgres -}}
{{ include "holdfast.secretVariable" (dict "variable" .variable "secret" $postgres.secret "key" (get $postgres.keys .key)) }}
- name: DATABASE_URL
  value: {{ include "holdfast.postgresUrl" . | quote }}
{{- end }}

{{- /* `host` may name the servers of a cluster: a,b becomes a:5432,b:5432. */}}
{{- define "holdfast.postgresUrl" -}}
{{- $postgres := .root.Values.postgres -}}
{{- $servers := replace "," (printf ":%d," (int .port)) .host -}}
{{ printf "postgresql://%s:$(%s)@%s:%d/%s%s" .role .variable $servers (int .port) $postgres.database (ternary "" (printf "?%s" $postgres.parameters) (empty $postgres.parameters)) }}
{{- end }}

{{- define "holdfast.s3Secrets" -}}
{{ include "holdfast.secretVariable" (dict "variable" "S3_ACCESS_KEY" "secret" .Values.s3.secret "key" .Values.s3.keys.accessKey) }}
{{ include "holdfast.secretVariable" (dict "variable" "S3_SECRET_KEY" "secret" .Values.s3.secret "key" .Values.s3.keys.secretKey) }}
{{- end }}

{{- define "holdfast.encryptionKeys" -}}
{{ include "holdfast.secretVariable" (dict "variable" "ENCRYPTION_KEYS" "secret" .Values.secrets.name "key" .Values.secrets.keys.encryptionKeys) }}
{{- end }}

{{- /* The plain settings of the store, as JSON; the caller adds the addresses for clients and providers. */}}
{{- define "holdfast.s3Settings" -}}
{{ dict "FILE_STORE" "s3" "S3_ENDPOINT" .Values.s3.endpoint "S3_REGION" .Values.s3.region "S3_BUCKET" .Values.s3.bucket | toJson }}
{{- end }}

{{- define "holdfast.egressSettings" -}}
{{ dict "PUBLIC_URL" .Values.publicUrl "EGRESS_ALLOW_CIDRS" (join "," .Values.egress.allowCidrs) "EGRESS_HIGH_PORTS" .Values.egress.highPorts | toJson }}
{{- end }}

{{- /* The plain settings of a service that the chart decides, as JSON: root, name. */}}
{{- define "holdfast.settings" -}}
{{- $values := .root.Values -}}
{{- $service := get $values.services .name -}}
{{- $settings := dict "METRICS_PORT" "9464" "DATABASE_POOL_SIZE" $service.connections -}}
{{- if $values.tracing.endpoint -}}
{{- $settings = merge $settings (dict "OTEL_EXPORTER_OTLP_ENDPOINT" $values.tracing.endpoint "OTEL_TRACES_SAMPLER_ARG" $values.tracing.ratio) -}}
{{- end -}}
{{- if ne .name "ledger" -}}
{{- $settings = merge $settings (include "holdfast.egressSettings" .root | fromJson) -}}
{{- end -}}
{{- if or (eq .name "api-gateway") (eq .name "dispatcher") -}}
{{- $settings = merge $settings (include "holdfast.s3Settings" .root | fromJson) -}}
{{- end -}}
{{- if or (eq .name "api-gateway") (eq .name "webhook-sender") -}}
{{- $settings = merge $settings (dict "WEBHOOK_ALLOW_HTTP" $values.egress.allowHttp) -}}
{{- end -}}
{{- if eq .name "api-gateway" -}}
{{- $settings = merge $settings (dict "PORT" "8080" "ADMIN_PORT" "8081" "TRUST_PROXY" $values.trustProxy "S3_PUBLIC_ENDPOINT" $values.s3.publicEndpoint) -}}
{{- else if eq .name "dispatcher" -}}
{{- $callbackUrl := ternary (printf "http://%s-api-gateway:8080" (include "holdfast.fullname" .root)) "" $values.demo.enabled -}}
{{- $settings = merge $settings $values.providers.env (include "holdfast.demoSettings" .root | fromJson) (dict "CALLBACK_URL" ($values.callbackUrl | default $callbackUrl) "S3_PUBLIC_ENDPOINT" ($values.s3.providerEndpoint | default $values.s3.publicEndpoint)) -}}
{{- end -}}
{{ toJson $settings }}
{{- end }}

{{- define "holdfast.demoSettings" -}}
{{- if .Values.demo.enabled -}}
{{ dict "SANDBOX_BASE_URL" (printf "http://%s-sandbox:8090" (include "holdfast.fullname" .)) | toJson }}
{{- else -}}
{}
{{- end -}}
{{- end }}

{{- /* All variables of a service: root, name. */}}
{{- define "holdfast.serviceEnv" -}}
{{- $values := .root.Values -}}
{{- $service := get $values.services .name -}}
{{- $role := get (include "holdfast.roles" .root | fromYaml) .name -}}
{{ include "holdfast.databaseUrl" (dict "root" .root "role" $role.role "variable" $role.variable "key" $role.key "host" $values.postgres.host "port" $values.postgres.port) }}
{{- $replica := $values.postgres.replica }}
{{- if and (eq .name "api-gateway") $replica.host }}
- name: DATABASE_REPLICA_URL
  value: {{ include "holdfast.postgresUrl" (dict "root" .root "role" $role.role "variable" $role.variable "host" $replica.host "port" $replica.port) | quote }}
{{- end }}
{{ include "holdfast.secretVariable" (dict "variable" "REDIS_URL" "secret" $values.redis.secret "key" $values.redis.keys.url) }}
{{- if or (eq .name "api-gateway") (eq .name "dispatcher") }}
{{ include "holdfast.s3Secrets" .root }}
{{- end }}
{{- if or (eq .name "api-gateway") (eq .name "webhook-sender") }}
{{ include "holdfast.encryptionKeys" .root }}
{{- end }}
{{- if eq .name "api-gateway" }}
{{ include "holdfast.secretVariable" (dict "variable" "ADMIN_TOKEN" "secret" $values.secrets.name "key" $values.secrets.keys.adminToken) }}
{{- if $values.consoleOidc.secret }}
{{ include "holdfast.secretVariable" (dict "variable" "CONSOLE_OIDC_CLIENT_SECRET" "secret" $values.consoleOidc.secret "key" $values.consoleOidc.key) }}
{{- end }}
{{- end }}
{{- if and (eq .name "webhook-sender") $values.alerts.secret }}
{{- range $variable, $key := dict "SMTP_URL" $values.alerts.keys.smtpUrl "ALERT_WEBHOOK_URLS" $values.alerts.keys.webhookUrls "ALERT_WEBHOOK_SECRET" $values.alerts.keys.webhookSecret }}
{{- if $key }}
{{ include "holdfast.secretVariable" (dict "variable" $variable "secret" $values.alerts.secret "key" $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if $values.tracing.secret }}
{{ include "holdfast.secretVariable" (dict "variable" "OTEL_EXPORTER_OTLP_HEADERS" "secret" $values.tracing.secret "key" $values.tracing.key) }}
{{- end }}
{{- if and $values.egress.proxy.secret (ne .name "ledger") }}
{{ include "holdfast.secretVariable" (dict "variable" "EGRESS_PROXY_URL" "secret" $values.egress.proxy.secret "key" $values.egress.proxy.key) }}
{{- end }}
{{- include "holdfast.plainVariables" (merge (deepCopy $service.env) $values.env (include "holdfast.settings" . | fromJson)) }}
{{- end }}

{{- /* All variables of `migrate` and of the tools pod. */}}
{{- define "holdfast.ownerEnv" -}}
{{- $postgres := .Values.postgres -}}
{{- $host := $postgres.migrate.host | default $postgres.host -}}
{{- $port := ternary $postgres.port $postgres.migrate.port (empty $postgres.migrate.host) -}}
{{ include "holdfast.databaseUrl" (dict "root" . "role" $postgres.owner "variable" "OWNER_DB_PASSWORD" "key" "owner" "host" $host "port" $port) }}
{{- range $name, $role := include "holdfast.roles" . | fromYaml }}
{{ include "holdfast.secretVariable" (dict "variable" $role.variable "secret" $postgres.secret "key" (get $postgres.keys $role.key)) }}
{{- end }}
{{ include "holdfast.s3Secrets" . }}
{{ include "holdfast.encryptionKeys" . }}
{{- if .Values.demo.enabled }}
{{ include "holdfast.secretVariable" (dict "variable" "DEMO_KEY_SECRET" "secret" .Values.demo.secret "key" .Values.demo.key) }}
{{- end }}
{{- $models := ternary "/models" "" (or (not (empty .Values.models.files)) (not (empty .Values.models.configMap))) -}}
{{- include "holdfast.plainVariables" (merge (deepCopy .Values.env) .Values.providers.env (include "holdfast.s3Settings" . | fromJson) (include "holdfast.demoSettings" . | fromJson) (dict "PUBLIC_URL" .Values.publicUrl "S3_PUBLIC_ENDPOINT" .Values.s3.publicEndpoint "MODELS_DIR" $models)) }}
{{- end }}

{{- /* Further variables for `holdfast doctor`, `queues` and the commands that use the admin API. */}}
{{- define "holdfast.toolsEnv" -}}
{{- $fullname := include "holdfast.fullname" . -}}
{{ include "holdfast.secretVariable" (dict "variable" "REDIS_URL" "secret" .Values.redis.secret "key" .Values.redis.keys.url) }}
{{ include "holdfast.secretVariable" (dict "variable" "ADMIN_TOKEN" "secret" .Values.secrets.name "key" .Values.secrets.keys.adminToken) }}
- name: HOLDFAST_ADMIN_URL
  value: http://{{ $fullname }}-admin:8081
- name: HOLDFAST_HEALTH_URLS
  value: {{ range $at, $name := list "api-gateway" "dispatcher" "ledger" "webhook-sender" }}{{ if $at }},{{ end }}{{ $name }}=http://{{ $fullname }}-{{ $name }}-health:9464{{ end }}
{{- end }}
