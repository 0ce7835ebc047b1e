import type { oas31 } from 'zod-openapi';
import { resolved } from '../openapi/samples.ts';

export type FieldRow = {
  /** `input`, `error.code`, `endpoints[].id`. */
  name: string;
  type: string;
  required: boolean;
  description: string;
};

type Schema = oas31.SchemaObject | oas31.ReferenceObject;
type Schemas = Record<string, Schema>;

const maxDepth = 4;

/** The fields of a JSON body; fields of nested objects follow their parent. */
export function fieldRows(given: Schema, schemas: Schemas, parent = '', depth = 0): FieldRow[] {
  const schema = withoutNull(given, schemas);
  if (depth > maxDepth) return [];
  if (schema.type === 'array' && schema.items) {
    return fieldRows(schema.items, schemas, `${parent}[]`, depth);
  }
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([key, one]) => {
    const name = parent === '' ? key : `${parent}.${key}`;
    const row = {
      name,
      type: typeName(one, schemas),
      required: required.has(key),
      description: descriptionOf(one, schemas),
    };
    return [row, ...fieldRows(one, schemas, name, depth + 1)];
  });
}

/** `string`, `integer or null`, `array of object`, with the bounds. */
export function typeName(given: Schema, schemas: Schemas): string {
  const schema = withoutNull(given, schemas);
  const plain = Array.isArray(schema.type)
    ? schema.type.filter((type) => type !== 'null').join(' or ')
    : schema.type;
  const items = schema.type === 'array' && schema.items ? ` of ${typeName(schema.items, schemas)}` : '';
  const name = `${plain ?? (schema.const === undefined ? 'any' : typeof schema.const)}${items}`;
  return `${name}${boundsOf(schema)}${isNullable(given, schemas) ? ' or null' : ''}`;
}

function boundsOf({ type, minimum, maximum, minLength, maxLength }: oas31.SchemaObject): string {
  const [min, max] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  const bound = (value: number | undefined) =>
    value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? '' : String(value);
  const text = `${bound(min)}…${bound(max)}`;
  return text === '…' ? '' : ` (${text}${type === 'string' ? ' characters' : ''})`;
}

/** The description of a field, its choices and its default. */
export function descriptionOf(given: Schema, schemas: Schemas): string {
  const schema = withoutNull(given, schemas);
  const text = (given as oas31.SchemaObject).description ?? schema.description ?? '';
  const values = valuesOf(schema);
  const ofItems = schema.type === 'array' && schema.items && valuesOf(withoutNull(schema.items, schemas));
  const defaultText = schema.default === undefined ? '' : `Default: \`${JSON.stringify(schema.default)}\`.`;
  return [text && `${text}.`, values && `One of ${values}.`, ofItems && `Any of ${ofItems}.`, defaultText]
    .filter(Boolean)
    .join(' ');
}

function valuesOf(schema: oas31.SchemaObject): string | undefined {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  return values?.map((value) => `\`${String(value)}\``).join(', ');
}

function choicesOf(given: Schema, schemas: Schemas): Schema[] {
  const schema = resolved(given, schemas);
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] as Schema[];
}

function isNull(schema: Schema, schemas: Schemas): boolean {
  return resolved(schema, schemas).type === 'null';
}

function isNullable(given: Schema, schemas: Schemas): boolean {
  const { type } = resolved(given, schemas);
  return (
    choicesOf(given, schemas).some((one) => isNull(one, schemas)) ||
    (Array.isArray(type) && type.includes('null'))
  );
}

/** The schema without its null variant. */
function withoutNull(given: Schema, schemas: Schemas): oas31.SchemaObject {
  const other = choicesOf(given, schemas).find((one) => !isNull(one, schemas));
  return other ? withoutNull(other, schemas) : resolved(given, schemas);
}
