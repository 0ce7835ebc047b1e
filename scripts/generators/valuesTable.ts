import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFolder, type Dict, defaults, isDict } from './chart.ts';

type Schema = {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  enum?: string[];
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  description?: string;
};
type Row = { place: string; type: string; preset: string; meaning: string };

const page = join(chartFolder, 'README.md');
const root = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8')) as Schema & {
  definitions: Record<string, Schema>;
};

/** A schema with what it refers to merged into it. */
function resolved(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/definitions/', '');
  const parts = [...(name ? [root.definitions[name] ?? {}] : []), ...(schema.allOf ?? [])].map(resolved);
  return Object.assign({}, ...parts, schema) as Schema;
}

function typeOf(schema: Schema): string {
  const { enum: choices, anyOf, type, items } = resolved(schema);
  if (choices) return choices.map((one) => `\`${one}\``).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${typeOf(items ?? {})}s`;
  return { object: 'mapping', boolean: 'true or false' }[type ?? ''] ?? type ?? 'any';
}

/** Values that a table cell shows whole; the others are in values.yaml. */
function presetOf(value: unknown): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text.length > 80 ? 'see values.yaml' : `\`${text}\``;
}

function rowsOf(schema: Schema, value: unknown, place: string): Row[] {
  const { properties, description = '' } = resolved(schema);
  // Parts of a pod's resources are Kubernetes', and mostly one map each.
  if (!properties || 'requests' in properties)
    return [{ place, type: typeOf(schema), preset: presetOf(value), meaning: description }];
  return Object.entries(properties).flatMap(([name, part]) =>
    rowsOf(part, isDict(value) ? value[name] : undefined, place === '' ? name : `${place}.${name}`),
  );
}

/** The services have the same values, mostly with other defaults: one row for all of them. */
function rowsOfServices(services: Schema, values: Dict): Row[] {
  const rows = Object.entries(services.properties ?? {}).flatMap(([service, schema]) =>
    rowsOf(schema, values[service], 'services.<name>').map((row) => ({ ...row, service })),
  );
  return [...Map.groupBy(rows, ({ place }) => place).values()].map((same) => {
    const presets = new Set(same.map(({ preset }) => preset));
    const [first] = same;
    const preset =
      presets.size === 1 ? first?.preset : same.map((row) => `${row.service} ${row.preset}`).join(', ');
    return {
      place: first?.place ?? '',
      type: first?.type ?? '',
      meaning: first?.meaning ?? '',
      preset: preset ?? '',
    };
  });
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

/** The README of the chart with the table of every value, from values.schema.json and values.yaml. */
export function readmeWithValues(): string {
  const values = defaults();
  const rows = Object.entries(root.properties ?? {})
    // Helm's own, which a parent chart may set.
    .filter(([name]) => name !== 'global')
    .flatMap(([name, schema]) =>
      name === 'services' ? rowsOfServices(schema, values[name] as Dict) : rowsOf(schema, values[name], name),
    )
    .map(({ place, type, preset, meaning }) => `| \`${place}\` | ${type} | ${preset} | ${cell(meaning)} |`);
  const table = ['| Value | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
  const [before, , after] = readFileSync(page, 'utf8').split(/<!-- (?:values|end of values) -->/);
  return `${before}<!-- values -->\n\n${table}\n\n<!-- end of values -->${after}`;
}
