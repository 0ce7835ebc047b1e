import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

/** As of the containers that Replicate runs: Python's client reads schemas of older ones differently. */
const cogVersion = '0.14.0';

/** Holdfast keeps no such time: clients show it at most. */
const created = '2024-01-01T00:00:00.000Z';

export function versionRecord(id: string, definition: ModelDefinition) {
  const { input_schema: input } = definition;
  return {
    id,
    created_at: created,
    cog_version: cogVersion,
    openapi_schema: {
      openapi: '3.0.2',
      info: { title: 'Cog', version: '0.1.0' },
      paths: {},
      components: {
        schemas: {
          Input: { title: 'Input', ...(forReplicate(input) as object) },
          Output: outputSchema(definition),
        },
      },
    },
  };
}

/** Files are URLs there, and references begin at the root of the document. */
function forReplicate(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forReplicate);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'format' && value === 'file') return [key, 'uri'];
      if (key === '$ref' && typeof value === 'string')
        return [key, value.replace(/^#\//, '#/components/schemas/Input/')];
      return [key, forReplicate(value)];
    }),
  );
}

const url = { type: 'string', format: 'uri' };

/** The iterator is what clients concatenate. */
function outputSchema({ output: { kind }, stream }: ModelDefinition): object {
  if (kind === 'text')
    return stream === 'text'
      ? {
          title: 'Output',
          type: 'array',
          items: { type: 'string' },
          'x-cog-array-type': 'iterator',
          'x-cog-array-display': 'concatenate',
        }
      : { title: 'Output', type: 'string' };
  if (kind === 'raw') return { title: 'Output' };
  if (kind === 'images') return { title: 'Output', type: 'array', items: url };
  return { title: 'Output', ...url };
}
