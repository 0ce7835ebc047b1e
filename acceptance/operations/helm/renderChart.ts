import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { chartFolder, type Dict, readChartYaml } from '../../../scripts/generators/chart.ts';

export type KubernetesObject = Dict & {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
};

const release = { name: 'hf', namespace: 'prod' };

/** The names of the chart's value files in ci/, for `valuesOf`. */
export const valueSets = ['minimal', 'everything', 'hpa', 'keda', 'keda-prometheus'];

/** The values in one of these files. */
export const valuesOf = (name: string): Dict => readChartYaml(`ci/${name}-values.yaml`);

/** Helm's own rendering of a chart. @throws with Helm's message if values.schema.json refuses the values */
export function renderChart(values: Dict, folder = chartFolder): KubernetesObject[] {
  return objectsOf(helm(values, folder));
}

/** What `helm install` prints, which needs a cluster: so the notes are rendered as a template of a copy of the chart. */
export function notesOf(values: Dict, folder: string): string {
  cpSync(chartFolder, folder, { recursive: true });
  const notes = readFileSync(join(folder, 'templates/NOTES.txt'), 'utf8').replaceAll(/^/gm, '  ');
  writeFileSync(join(folder, 'templates/notes.yaml'), `kind: Notes\ntext: |\n${notes}`);
  return String(renderChart(values, folder).find(({ kind }) => kind === 'Notes')?.['text']);
}

function helm(values: Dict, folder: string): string {
  const args = ['template', release.name, folder, '--namespace', release.namespace, '--values', '-'];
  // scripts/helm.mjs finds Helm or installs it; without it, these tests are not run.
  return execFileSync(process.env['HELM'] ?? 'helm', [...args, '--kube-version', '1.36.0'], {
    input: stringify(values),
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 2 ** 24,
  });
}

/** Every object of a stream of YAML documents. */
export function objectsOf(text: string): KubernetesObject[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => {
      if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`);
      return document.toJS() as KubernetesObject | null;
    })
    .filter((object) => object !== null);
}
