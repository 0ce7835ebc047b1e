{{- define "holdfast.behavior" -}}
# Up at once, down slowly: a pod that goes hands back what it has in hand.
scaleUp:
  policies:
    - { type: Percent, value: 100, periodSeconds: 30 }
scaleDown:
  stabilizationWindowSeconds: 300
  policies:
    - { type: Pods, value: 1, periodSeconds: 60 }
{{- end }}
