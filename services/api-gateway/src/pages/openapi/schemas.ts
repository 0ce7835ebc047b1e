import type { CreateDocumentOptions, oas31 } from 'zod-openapi';
import type { ApiDocument } from './document.ts';
import { operationsOf, requestContent } from './operations.ts';
import { resolved } from './samples.ts';

type Override = NonNullable<CreateDocumentOptions['override']>;

export const schemaForClients: Override = ({ jsonSchema, zodSchema, io }) => {
  const { type } = zodSchema._zod.def;
  // Responses get new fields in later versions: a generated client must accept unknown ones.
  if (io === 'output' && type === 'object' && jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties;
  }
  // What zod adds of its own says no more than `format` and `integer`.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Moves the defaults of bodies into descriptions: generators of types take a field with a default for one that is always sent. */
export function describeDefaults(document: ApiDocument): void {
  const schemas = document.components?.schemas ?? {};
  for (const { operation } of operationsOf(document)) {
    const { properties = {} } = resolved(requestContent(operation)?.schema ?? {}, schemas);
    for (const field of Object.values(properties) as oas31.SchemaObject[]) {
      if (field.default === undefined) continue;
      const text = `Default: \`${JSON.stringify(field.default)}\``;
      field.description = field.description === undefined ? text : `${field.description}. ${text}`;
      delete field.default;
    }
  }
}
