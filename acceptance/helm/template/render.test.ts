import { describe, expect, it } from '@jest/globals';
import { parseTemplate } from './parse.ts';
import { render } from './render.ts';
import type { Definitions } from './tree.ts';

function rendered(template: string, dot: unknown = {}): string {
  const definitions: Definitions = new Map();
  const nodes = parseTemplate(template, definitions);
  return render(nodes, definitions, dot);
}

const Files = { Get: (file: string) => `text of ${file}` };
const dot = { Files, a: 'x', n: 3, no: false, none: null, list: ['p', 'q'], map: { z: 1, b: 2 } };

describe('a template', () => {
  it.each([
    ['{{ .a }}-{{ .n }}-{{ .no }}-{{ .none }}-{{ .missing }}', 'x-3-false--'],
    ['a \n {{- .a -}} \n b', 'axb'],
    ['a{{/* said */}}b{{- /* said */}} c', 'ab c'],
    ['{{ if .no }}1{{ else if .n }}2{{ else }}3{{ end }}', '2'],
    ['{{ if and .n (not .no) }}1{{ else }}2{{ end }}', '1'],
    ['{{ range .list }}{{ . }},{{ end }}', 'p,q,'],
    ['{{ range $i, $x := .list }}{{ $i }}{{ $x }}{{ $.a }} {{ end }}', '0px 1qx '],
    ['{{ range $key, $value := .map }}{{ $key }}{{ $value }} {{ end }}', 'b2 z1 '],
    ['{{ range .none }}1{{ else }}2{{ end }}', '2'],
    ['{{ with .map }}{{ .z }}{{ end }}{{ with .no }}1{{ else }}{{ .a }}{{ end }}', '1x'],
    ['{{ $x := 1 }}{{ if .n }}{{ $x = 2 }}{{ end }}{{ $x }}', '2'],
    ['{{ $x := 1 }}{{ if .n }}{{ $x := 2 }}{{ end }}{{ $x }}', '1'],
    ['{{ define "d" }}[{{ .q }}]{{ end }}{{ include "d" (dict "q" .a) | quote }}', '"[x]"'],
    ['{{ printf "%s:%d" .a 7 | trunc 2 }}{{ `}}` }}{{ "}}" }}', 'x:}}}}'],
    ['{{ or .no .a "y" }}{{ and .n .no "y" }}', 'xfalse'],
    ['{{ .Files.Get "f" | quote }}', '"text of f"'],
    ['{{ toYaml .map }}', 'z: 1\nb: 2'],
    ['{{ merge (dict "z" 5 "y" "") .map (dict "y" "w") | toJson }}', '{"z":5,"y":"w","b":2}'],
  ])('%s renders as %j', (template, text) => {
    expect(rendered(template, dot)).toBe(text);
  });

  it.each([
    '{{ if .a }}',
    '{{ end }}',
    '{{ .a',
    '{{ .a.b }}',
    '{{ .missing.b }}',
    '{{ $unknown }}',
    '{{ lookup "v1" }}',
    '{{ include "unknown" . }}',
    '{{ .a .n }}',
    '{{ (dict "a" 1).a }}',
    '{{ (.a }}',
    '{{ 1000000 }}',
    '{{ .list }}',
  ])('%s is refused', (template) => {
    expect(() => rendered(template, dot)).toThrow();
  });
});
