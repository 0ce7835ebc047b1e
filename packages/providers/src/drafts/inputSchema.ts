import { withDefaults } from '@holdfast/domain/inputDefaults';
import { definitionOf, isObject } from '@holdfast/domain/inputFiles';
import { compilePattern } from '@holdfast/domain/pattern';
import { inputProblem } from '../catalogue/inputSchema.ts';

export type Schema = Record<string, unknown>;

/** An `input_schema`, and for each property what its provider leaves open. */
export type DraftInput = { schema: Schema; notes: Record<string, string> };

/** `isFile`: whether a text is the URL of a file; `examples`: inputs that the provider shows. */
type Reading = {
  document: unknown;
  isFile(name: string, part: Schema): boolean;
  order?: readonly string[];
  examples?: Record<string, unknown>;
};

/** A schema that refers to itself is cut off there: any value is accepted. */
const maxDepth = 8;

/** What validation understands. Titles, formats that are not checked and hints for forms are left out. */
const kept = [
  'type',
  'enum',
  'const',
  'description',
  'required',
  'additionalProperties',
  'x-order',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
];

/** An input of an OpenAPI document as an `input_schema`: references resolved, URLs of files as `format: file`. */
export function draftInput(input: unknown, reading: Reading): DraftInput {
  const { properties, required } = simplified(input, reading, '', 0);
  const found = isObject(properties) ? properties : {};
  const named = (reading.order ?? []).filter((name) => Object.hasOwn(found, name));
  const names = [...new Set([...named, ...Object.keys(found)])];
  const parts = names.map((name): [string, Schema] => {
    const order = named.indexOf(name);
    return [name, { ...(order >= 0 && { 'x-order': order }), ...(found[name] as Schema) }];
  });
  const schema: Schema = {
    type: 'object',
    additionalProperties: false,
    ...(Array.isArray(required) && required.length > 0 && { required }),
    properties: Object.fromEntries(parts.map(([name, part]) => [name, withValidDefault(part)])),
  };
  const notes = parts.flatMap(([name, part]) => {
    const open = openBounds(part);
    return open.length === 0 ? [] : [[name, `Set ${open.join(' and ')}: the provider states none.`]];
  });
  return { schema: withExample(schema, reading.examples ?? {}), notes: Object.fromEntries(notes) };
}

function simplified(value: unknown, reading: Reading, name: string, depth: number): Schema {
  if (!isObject(value) || depth > maxDepth) return {};
  return known(flattened(value, reading, depth), reading, name, depth);
}

/** References and `allOf` in place of what they refer to, as a schema of the document. */
function flattened(value: Schema, reading: Reading, depth: number): Schema {
  const { $ref, allOf, ...own } = value;
  if (depth > maxDepth) return own;
  const applied = [typeof $ref === 'string' ? definitionOf(reading.document, $ref) : undefined, allOf].flat();
  return Object.assign({}, ...applied.filter(isObject).map((one) => flattened(one, reading, depth + 1)), own);
}

function known(part: Schema, reading: Reading, name: string, depth: number): Schema {
  const found = Object.fromEntries(Object.entries(part).filter(([keyword]) => kept.includes(keyword)));
  const branches = [part['anyOf'], part['oneOf']].flat().filter(isObject);
  const nested = branches.map((one) => simplified(one, reading, name, depth + 1));
  const values = nested.filter(({ type }) => type !== 'null');
  const isNullable = part['nullable'] === true || values.length < nested.length;
  if (values.length === 1) Object.assign(found, { ...values[0], ...described(part) });
  if (values.length > 1) found['anyOf'] = isNullable ? [...values, { type: 'null' }] : values;
  if (isNullable && values.length <= 1) allowNull(found);
  if (reading.isFile(name, { ...part, ...found })) {
    return { type: 'string', format: 'file', ...described(part) };
  }
  if (isObject(part['items'])) found['items'] = simplified(part['items'], reading, name, depth + 1);
  if (isObject(part['properties'])) found['properties'] = propertiesOf(part['properties'], reading, depth);
  if (isObject(found['additionalProperties']))
    found['additionalProperties'] = simplified(found['additionalProperties'], reading, name, depth + 1);
  if (part['default'] !== undefined && part['default'] !== null) found['default'] = part['default'];
  return { ...found, ...exclusiveBounds(part), ...patternOf(part) };
}

function propertiesOf(properties: Schema, reading: Reading, depth: number): Schema {
  const entries = Object.entries(properties).map(([name, part]) => [
    name,
    simplified(part, reading, name, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

function described({ description, 'x-order': order }: Schema): Schema {
  const text = typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : '';
  return { ...(order !== undefined && { 'x-order': order }), ...(text !== '' && { description: text }) };
}

/** Clients send null for what they leave out, where the provider takes it. */
function allowNull(found: Schema): void {
  if (typeof found['type'] === 'string') found['type'] = [found['type'], 'null'];
  if (Array.isArray(found['enum'])) found['enum'] = [...found['enum'], null];
}

/** OpenAPI 3.0 writes `exclusiveMinimum: true` beside `minimum`. */
function exclusiveBounds(part: Schema): Schema {
  const bounds = (['Minimum', 'Maximum'] as const).flatMap((bound) => {
    const given = part[`exclusive${bound}`];
    const value = given === true ? part[bound.toLowerCase()] : given;
    return typeof value === 'number' ? [[`exclusive${bound}`, value]] : [];
  });
  return Object.fromEntries(bounds);
}

/** Patterns that can't be run in linear time are left to the provider. */
function patternOf({ pattern }: Schema): Schema {
  if (typeof pattern !== 'string') return {};
  try {
    compilePattern(pattern);
    return { pattern };
  } catch {
    return {};
  }
}

/** A default that its own schema refuses, or the URL of the provider's sample file, would fail every create. */
function withValidDefault(part: Schema): Schema {
  const { default: value, ...rest } = part;
  if (value === undefined || hasFile(part)) return rest;
  const isValid = inputProblem({ type: 'object', properties: { value: rest } }, { value }) === null;
  return isValid ? part : rest;
}

const hasFile = (part: Schema): boolean =>
  part['format'] === 'file' || (isObject(part['items']) && hasFile(part['items']));

/** The keywords that bound how long a value may be, where they are missing. */
function openBounds(part: Schema): string[] {
  const { items, properties, anyOf, enum: choices, const: only } = part;
  const isText = [part['type']].flat().includes('string');
  const isFixed = choices !== undefined || only !== undefined || part['format'] === 'file';
  const own = [
    ...(isText && !isFixed && part['maxLength'] === undefined ? ['maxLength'] : []),
    ...([part['type']].flat().includes('array') && part['maxItems'] === undefined ? ['maxItems'] : []),
  ];
  const inside = [items, ...Object.values(Object(properties)), ...[anyOf ?? []].flat()].filter(isObject);
  return [...new Set([...own, ...inside.flatMap(openBounds)])];
}

/** An input for `models test`: what the provider shows of the required properties, with sample files. */
function withExample(schema: Schema, shown: Record<string, unknown>): Schema {
  const properties = schema['properties'] as Record<string, Schema>;
  const names = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const entries = names.flatMap((name) => {
    const value = properties[name] && sampleOf(name, properties[name], shown[name]);
    return value === undefined ? [] : [[name, value]];
  });
  const example = withDefaults(schema, Object.fromEntries(entries));
  const isUsable = inputProblem(schema, example) === null;
  return isUsable && entries.length > 0 ? { ...schema, examples: [Object.fromEntries(entries)] } : schema;
}

function sampleOf(name: string, part: Schema, shown: unknown): unknown {
  const file = /audio|sound|speech|voice/.test(name) ? 'file_sample-audio' : 'file_sample';
  if (part['format'] === 'file') return file;
  if (hasFile(part)) return [file];
  if (shown !== undefined) return shown;
  const { default: value, enum: choices } = part;
  if (value !== undefined) return value;
  if (Array.isArray(choices)) return choices[0];
  return [part['type']].flat().includes('string') ? 'A lighthouse at dawn' : undefined;
}
