{{- define "holdfast.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- /* Labels of every object. */}}
{{- define "holdfast.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* Selector labels of one service's pods: root, name. */}}
{{- define "holdfast.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- /* The name of one image: root, name. */}}
{{- define "holdfast.image" -}}
{{ printf "%s-%s:%s" .root.Values.image.prefix .name (.root.Values.image.tag | default .root.Chart.AppVersion) }}
{{- end }}

{{- /* A service's name in NAME_DB_PASSWORD, the database role and postgres.keys. */}}
{{- define "holdfast.roles" -}}
api-gateway: { role: holdfast_gateway, variable: GATEWAY_DB_PASSWORD, key: gateway }
dispatcher: { role: holdfast_dispatcher, variable: DISPATCHER_DB_PASSWORD, key: dispatcher }
ledger: { role: holdfast_ledger, variable: LEDGER_DB_PASSWORD, key: ledger }
webhook-sender: { role: holdfast_webhook_sender, variable: WEBHOOK_SENDER_DB_PASSWORD, key: webhookSender }
{{- end }}
