{{- /* What `migrate` and the tools pod share, the image and the owner's login: root, pod, resources, env (further variables). */}}
{{- define "holdfast.ownerContainer" -}}
image: {{ include "holdfast.image" (dict "root" .root "name" "migrate") | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  {{- include "holdfast.ownerEnv" .root | nindent 2 }}
  {{- with .env }}
  {{- . | nindent 2 }}
  {{- end }}
{{- with .root.Values.providers.secret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
resources:
  {{- toYaml .resources | nindent 2 }}
{{- include "holdfast.containerSecurity" .root | nindent 0 }}
{{- include "holdfast.mounts" . | nindent 0 }}
{{- if or .root.Values.models.files .root.Values.models.configMap }}
  - name: models
    mountPath: /models
    readOnly: true
{{- end }}
{{- end }}

{{- define "holdfast.modelsVolume" -}}
{{- if or .Values.models.files .Values.models.configMap -}}
- name: models
  configMap:
    name: {{ .Values.models.configMap | default (printf "%s-models" (include "holdfast.fullname" .)) }}
{{- end -}}
{{- end }}
