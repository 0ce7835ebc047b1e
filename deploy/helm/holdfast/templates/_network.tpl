{{- /* A server: to (peers; none: anywhere), ports. */}}
{{- define "holdfast.reach" -}}
- ports:
    {{- range .ports }}
    - { protocol: TCP, port: {{ int . }} }
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- /* The start of a rule to public addresses. */}}
{{- define "holdfast.public" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- toYaml .Values.networkPolicy.exceptIPv4 | nindent 10 }}
    - ipBlock:
        cidr: ::/0
        except:
          {{- toYaml .Values.networkPolicy.exceptIPv6 | nindent 10 }}
{{- end }}

{{- /* Public addresses at the ports of the egress policy, and egress.allowCidrs at all ports. */}}
{{- define "holdfast.internet" -}}
{{ include "holdfast.public" . }}
  ports:
    - { protocol: TCP, port: 443 }
    - { protocol: TCP, port: 8443 }
    {{- if .Values.egress.allowHttp }}
    - { protocol: TCP, port: 80 }
    {{- end }}
    {{- if .Values.egress.highPorts }}
    - { protocol: TCP, port: 1024, endPort: 65535 }
    {{- end }}
{{- with .Values.egress.allowCidrs }}
- to:
    {{- range . }}
    - ipBlock:
        cidr: {{ . | quote }}
    {{- end }}
{{- end }}
{{- end }}

{{- /* Allowed sources: root, name. */}}
{{- define "holdfast.callers" -}}
{{- $values := .root.Values -}}
{{- if and (not (has .name (list "migrate" "tools" "test"))) $values.networkPolicy.metrics }}
- from:
    {{- toYaml $values.networkPolicy.metrics | nindent 4 }}
  ports:
    - { protocol: TCP, port: metrics }
{{- end }}
{{- if and $values.tools.enabled (get $values.services .name) }}
- from:
    - podSelector:
        matchLabels:
          {{- include "holdfast.selector" (dict "root" .root "name" "tools") | nindent 10 }}
  ports:
    - { protocol: TCP, port: metrics }
    {{- if eq .name "api-gateway" }}
    - { protocol: TCP, port: admin }
    {{- end }}
{{- end }}
{{- if eq .name "api-gateway" }}
- from:
    - podSelector:
        matchLabels:
          {{- include "holdfast.selector" (dict "root" .root "name" "test") | nindent 10 }}
  ports:
    - { protocol: TCP, port: http }
{{- with $values.networkPolicy.api }}
- from:
    {{- toYaml . | nindent 4 }}
  ports:
    - { protocol: TCP, port: http }
{{- end }}
{{- with $values.networkPolicy.admin }}
- from:
    {{- toYaml . | nindent 4 }}
  ports:
    - { protocol: TCP, port: admin }
{{- end }}
{{- if $values.demo.enabled }}
- from:
    - podSelector:
        matchLabels:
          {{- include "holdfast.selector" (dict "root" .root "name" "sandbox") | nindent 10 }}
  ports:
    - { protocol: TCP, port: http }
{{- end }}
{{- else if eq .name "sandbox" }}
- from:
    - podSelector:
        matchLabels:
          {{- include "holdfast.selector" (dict "root" .root "name" "dispatcher") | nindent 10 }}
  ports:
    - { protocol: TCP, port: http }
{{- end }}
{{- end }}
