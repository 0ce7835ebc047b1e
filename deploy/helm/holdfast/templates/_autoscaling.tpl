{{- define "holdfast.behavior" -}}
# Scale up at once, down slowly: a pod that stops hands back its work in flight.
scaleUp:
  policies:
    - { type: Percent, value: 100, periodSeconds: 30 }
scaleDown:
  stabilizationWindowSeconds: 300
  policies:
    - { type: Pods, value: 1, periodSeconds: 60 }
{{- end }}
