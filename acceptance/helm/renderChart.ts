import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { parseTemplate } from './template/parse.ts';
import { render } from './template/render.ts';
import type { Definitions, Node } from './template/tree.ts';
import { type Dict, isDict } from './template/values.ts';

export const chartFolder = resolve(import.meta.dirname, '../../deploy/helm/holdfast');

/** The output of `helm template`: objects by file, and the notes. */
export type RenderedChart = { objects: KubernetesObject[]; notes: string };
export type KubernetesObject = Dict & {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
};

export const release = { name: 'hf', namespace: 'prod' };

const readYaml = (file: string, folder = chartFolder) =>
  parse(readFileSync(join(folder, file), 'utf8')) as Dict;

/** The names of the chart's value files in ci/, for `valuesOf`. */
export const valueSets = ['minimal', 'everything', 'hpa', 'keda', 'keda-prometheus'];

/** The values in one of these files. */
export const valuesOf = (name: string): Dict => readYaml(`ci/${name}-values.yaml`);

export const defaults = (): Dict => readYaml('values.yaml');

/** Renders a chart with values merged over its defaults, as Helm does. @throws if values.schema.json refuses them */
export function renderChart(values: Dict, folder = chartFolder): RenderedChart {
  const merged = laidOver(readYaml('values.yaml', folder), values);
  const problems = schemaProblems(merged, folder);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const chart = readYaml('Chart.yaml', folder);
  const dot = {
    Values: merged,
    Release: { Name: release.name, Namespace: release.namespace, Service: 'Helm' },
    Files: { Get: (file: string) => readFileSync(join(folder, file), 'utf8') },
    Chart: { Name: chart['name'], Version: chart['version'], AppVersion: chart['appVersion'] },
  };
  const { files, definitions } = parsedTemplates(folder);
  const texts = files.map(({ name, nodes }) => ({ name, text: render(nodes, definitions, dot) }));
  return {
    objects: texts.filter(({ name }) => name.endsWith('.yaml')).flatMap(({ text }) => objectsOf(text)),
    notes: texts.find(({ name }) => name === 'NOTES.txt')?.text ?? '',
  };
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

function parsedTemplates(folder: string): {
  files: { name: string; nodes: Node[] }[];
  definitions: Definitions;
} {
  const definitions: Definitions = new Map();
  const names = readdirSync(join(folder, 'templates')).toSorted();
  const files = names.map((name) => {
    const text = readFileSync(join(folder, 'templates', name), 'utf8');
    return { name, nodes: parseTemplate(text, definitions) };
  });
  return { files, definitions };
}

function laidOver(under: Dict, over: Dict): Dict {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isDict(below) && isDict(value) ? laidOver(below, value) : value;
  }
  return merged;
}

function schemaProblems(values: Dict, folder: string): string[] {
  const schema = JSON.parse(readFileSync(join(folder, 'values.schema.json'), 'utf8')) as Dict;
  const validate = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  }).compile(schema);
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
