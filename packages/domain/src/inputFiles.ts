import { limits } from './limits.ts';
import type { ProviderRoute } from './modelRoute.ts';
import { compilePattern, type Pattern } from './pattern.ts';

type Schema = Record<string, unknown>;

export type InputFile = { path: (string | number)[]; id: string };

/** Valid in a property with `format: file`; URLs and paths are not. */
export const fileReferenceFormat = /^file_[A-Za-z0-9_-]{1,64}$/;

const prefix = /^file_/i;
const fileId = /^file_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * `file_...` strings where the schema says `format: file`, and `file_<uuid>` strings where it says nothing. In a property
 * that it declares as text they are text.
 */
export function findInputFiles(schema: unknown, input: unknown): InputFile[] {
  return find(schema, input, { shape: prefix, isMeant: isReference });
}

/** URLs and data URIs where the schema says `format: file`; `id` is the URL. Compatible APIs take them. */
export function findInputUrls(schema: unknown, input: unknown): InputFile[] {
  return find(schema, input, { shape: /^(https?|data):/i, isMeant: (_url, schemas) => schemas.some(isFile) });
}

/** Texts of this shape that these schemas make files. */
type Wanted = { shape: RegExp; isMeant(text: string, schemas: readonly Schema[]): boolean };

function find(schema: unknown, input: unknown, wanted: Wanted): InputFile[] {
  const holders = new Set<unknown>();
  // Most inputs refer to no file, and the walk through the schema costs more.
  return findHolders(input, wanted, holders)
    ? filesIn({ root: schema, holders, ...wanted }, [schema], input, [])
    : [];
}

/** Adds the lists and objects that hold a text of the shape. */
function findHolders(value: unknown, wanted: Wanted, holders: Set<unknown>): boolean {
  if (typeof value === 'string') return wanted.shape.test(value);
  if (value === null || typeof value !== 'object') return false;
  for (const one of Object.values(value)) if (findHolders(one, wanted, holders)) holders.add(value);
  return holders.has(value);
}

/** Walks schemas and value together. `schemas` apply to the value. */
function filesIn(
  search: Wanted & { root: unknown; holders: ReadonlySet<unknown> },
  schemas: readonly unknown[],
  value: unknown,
  path: InputFile['path'],
): InputFile[] {
  const { root, holders, shape, isMeant } = search;
  if (typeof value === 'string') {
    return shape.test(value) && isMeant(value, applying(root, schemas, value)) ? [{ path, id: value }] : [];
  }
  if (!holders.has(value)) return [];
  const parts = applying(root, schemas, value);
  const steps = Array.isArray(value) ? value.keys() : Object.keys(value as object);
  return [...steps].flatMap((step) => {
    const inside = parts.flatMap((part) => schemasOf(part, step));
    return filesIn(search, inside, Reflect.get(value as object, step), [...path, step]);
  });
}

function isReference(text: string, schemas: readonly Schema[]): boolean {
  if (schemas.some(isFile)) return fileReferenceFormat.test(text);
  return fileId.test(text) && !schemas.some(isText);
}

const isFile = ({ format }: Schema) => format === 'file';

const textKeywords = ['const', 'enum', 'format', 'maxLength', 'minLength', 'pattern'];

function isText(schema: Schema): boolean {
  if (schema.type !== undefined) return [schema.type].flat().includes('string');
  return textKeywords.some((keyword) => keyword in schema);
}

/** The schemas, and what they apply to the same value. A schema may refer to itself. */
function applying(root: unknown, schemas: readonly unknown[], value: unknown): Schema[] {
  const found = new Set<Schema>();
  const unvisited = [...schemas];
  while (unvisited.length > 0) {
    const schema = unvisited.pop();
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    if (typeof schema.$ref === 'string') unvisited.push(definitionOf(root, schema.$ref));
    unvisited.push(...[schema.allOf ?? []].flat(), schema.then, schema.else);
    unvisited.push(...Object.values(Object(schema.dependentSchemas)));
    const branches = [schema.anyOf ?? [], schema.oneOf ?? []].flat();
    unvisited.push(...branches.filter((branch) => !contradicts(root, branch, value)));
  }
  return [...found];
}

/** Whether a branch is for other values, by its type or by a property with other fixed values: `kind: { const: url }`. */
function contradicts(root: unknown, branch: unknown, value: unknown): boolean {
  if (!isObject(branch)) return false;
  const { $ref, type, properties } = branch;
  if (typeof $ref === 'string')
    return contradicts(root, { ...Object(definitionOf(root, $ref)), $ref: null }, value);
  const name = Array.isArray(value) ? 'array' : typeof value;
  if (type !== undefined && ![type].flat().includes(name)) return true;
  if (!isObject(value) || !isObject(properties)) return false;
  return Object.entries(properties).some(([property, part]) => {
    if (!isObject(part) || !Object.hasOwn(value, property)) return false;
    const allowed = 'const' in part ? [part.const] : part.enum;
    return Array.isArray(allowed) && !allowed.includes(value[property]);
  });
}

/** The schemas of an item or a property. */
function schemasOf(schema: Schema, step: string | number): unknown[] {
  const { prefixItems, items, properties, additionalProperties } = schema;
  if (typeof step === 'number')
    return [Array.isArray(prefixItems) && step in prefixItems ? prefixItems[step] : items];
  const own = isObject(properties) && Object.hasOwn(properties, step) ? [properties[step]] : [];
  const declared = [...own, ...patternSchemas(schema, step)];
  return declared.length > 0 ? declared : [additionalProperties];
}

/** The catalogue keeps the same schema until the definition changes. */
const compiled = new WeakMap<object, { pattern: Pattern; schema: unknown }[]>();

function patternSchemas({ patternProperties }: Schema, name: string): unknown[] {
  if (!isObject(patternProperties)) return [];
  const patterns =
    compiled.get(patternProperties) ??
    Object.entries(patternProperties).map(([source, schema]) => ({
      pattern: compilePattern(source),
      schema,
    }));
  compiled.set(patternProperties, patterns);
  return patterns.filter(({ pattern }) => pattern.test(name)).map(({ schema }) => schema);
}

/** A data URI is held in memory during its run, a third larger than the file. */
const dataUriBytes = 8 * 1024 * 1024;

export function maxInputFileBytes({ files }: Pick<ProviderRoute, 'files'>): number {
  return files.max_bytes ?? (files.as === 'data_uri' ? dataUriBytes : limits.maxFileBytes);
}

export function replaceInputFiles(
  input: Record<string, unknown>,
  files: readonly InputFile[],
  replacement: (id: string) => string,
): Record<string, unknown> {
  const copy = structuredClone(input);
  for (const { path, id } of files) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
    (parent as Record<string, unknown>)[path.at(-1) ?? ''] = replacement(id);
  }
  return copy;
}

/** What a `$ref` into the same schema refers to. */
export function definitionOf(root: unknown, reference: string): unknown {
  const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
