import type { oas31 } from 'zod-openapi';
import type { ApiDocument } from './document.ts';
import { operationsOf, requestContent, responsesOf } from './operations.ts';

/** Adds an example to every JSON body of a document that has none. */
export function addExamples(document: ApiDocument): void {
  const schemas = document.components?.schemas ?? {};
  for (const { operation } of operationsOf(document)) {
    const responses = responsesOf(document, operation).map(
      ({ response }) => response.content?.['application/json'],
    );
    for (const media of [requestContent(operation), ...responses]) addExample(media, schemas);
  }
}

function addExample(
  media: oas31.MediaTypeObject | undefined,
  schemas: NonNullable<oas31.ComponentsObject['schemas']>,
): void {
  if (!media?.schema || media.example !== undefined) return;
  media.example = sampleOf(media.schema, schemas);
}

type Schema = oas31.SchemaObject | oas31.ReferenceObject;
type Schemas = Record<string, Schema>;

/** A value that matches a schema, built from its examples. Nullable fields are null. */
export function sampleOf(given: Schema, schemas: Schemas): unknown {
  const { example } = given as oas31.SchemaObject;
  if (example !== undefined) return example;
  const schema = resolved(given, schemas);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choices.some((choice) => resolved(choice, schemas).type === 'null')) return null;
  const [first] = [...choices, ...(schema.allOf ?? [])];
  return first ? sampleOf(first, schemas) : sampleOfType(schema, schemas);
}

export function resolved(schema: Schema, schemas: Schemas): oas31.SchemaObject {
  const name = '$ref' in schema ? schema.$ref?.split('/').pop() : undefined;
  const found = name === undefined ? undefined : schemas[name];
  return found ? resolved(found, schemas) : (schema as oas31.SchemaObject);
}

function sampleOfType(schema: oas31.SchemaObject, schemas: Schemas): unknown {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one === 'null') : schema.type;
  switch (type ?? schema.type) {
    case 'object':
      return sampleOfObject(schema, schemas);
    case 'array':
      return schema.items ? [sampleOf(schema.items, schemas)] : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.format === 'uri' ? 'https://example.com/path' : '…';
  }
}

function sampleOfObject({ properties = {} }: oas31.SchemaObject, schemas: Schemas): unknown {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([name, one]) => [name, sampleOf(one, schemas)]));
}
