import { ApiError } from '@holdfast/domain/errors';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

/** A field of a request, and what its model may call it. `isEssential`: leaving it out would change what the client gets. */
export type Wanted = { names: readonly string[]; value: unknown; isEssential?: boolean };

/** Makes the input of a model of the client's fields that its schema declares. @throws ApiError for an essential one that it does not declare */
export function inputFor(
  { input_schema: schema }: ModelDefinition,
  wanted: readonly Wanted[],
): Record<string, unknown> {
  const known = new Set(Object.keys((schema as { properties?: object }).properties ?? {}));
  const takesAny = schema['additionalProperties'] !== false && known.size === 0;
  const entries = wanted.flatMap(({ names, value, isEssential }): [string, unknown][] => {
    if (value === undefined || value === null) return [];
    const name = names.find((one) => known.has(one)) ?? (takesAny ? names[0] : undefined);
    if (name !== undefined) return [[name, value]];
    if (!isEssential) return [];
    const [field = ''] = names;
    const message = `The model does not support \`${field}\`.`;
    throw new ApiError('INPUT_VALIDATION_ERROR', message, {
      details: [{ field, code: 'unsupported_parameter', message }],
    });
  });
  return Object.fromEntries(entries);
}
