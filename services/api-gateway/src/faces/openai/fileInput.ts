import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { type OpenaiOperation, targetOf } from '@holdfast/domain/modelOpenai';
import { refused, setAt } from './mapping.ts';
import { type FileProperty, filePropertiesOf, propertiesOf, takesAny } from './properties.ts';

export type AttachedFile = { field: string; id: string };

/** Other names for what the fields mean, which are part of a property's name. */
const meanings: Record<string, RegExp> = {
  image: /^(?!.*mask).*(image|img|photo|picture)/i,
  mask: /mask/i,
  file: /audio|file|speech|sound|voice/i,
  video: /video|film|movie/i,
};

/** The input with the files where its model takes them. @throws ApiError if it has no place for one of them */
export function withFiles(
  definition: ModelDefinition,
  operation: OpenaiOperation,
  input: Record<string, unknown>,
  attached: readonly AttachedFile[],
): Record<string, unknown> {
  const properties = filePropertiesOf(definition);
  const whole = { ...input };
  for (const [field, files] of Map.groupBy(attached, (one) => one.field)) {
    const ids = files.map(({ id }) => id);
    const { name, takesOne, takesMany } = placeOf(definition, operation, field, properties);
    if (ids.length > 1 && !takesMany) throw refused(field, `The model takes one file as \`${field}\`.`);
    setAt(whole, name, ids.length === 1 && takesOne ? ids[0] : ids);
  }
  return whole;
}

/** @throws ApiError */
function placeOf(
  definition: ModelDefinition,
  operation: OpenaiOperation,
  field: string,
  properties: readonly FileProperty[],
): FileProperty {
  const target = targetOf(definition, operation, field);
  const known =
    typeof target === 'string'
      ? (properties.find(({ name }) => name === target) ?? { name: target, takesOne: true, takesMany: false })
      : propertyFor(field, properties);
  if (known !== undefined) return known;
  if (takesAny(definition)) return { name: field, takesOne: true, takesMany: true };
  throw refused(field, `The model does not take a file as \`${field}\`.`);
}

function propertyFor(field: string, properties: readonly FileProperty[]): FileProperty | undefined {
  return (
    properties.find(({ name }) => name === field) ??
    properties.find(({ name }) => meanings[field]?.test(name)) ??
    (['mask', 'video'].includes(field)
      ? undefined
      : properties.find(({ name }) => !meanings['mask']?.test(name)))
  );
}

/** The fields of a form are texts: those of numbers and flags become what the schema says. */
export function typedInput(
  definition: ModelDefinition,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const properties = propertiesOf(definition);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typed(value, properties[name]?.['type'])]),
  );
}

function typed(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value;
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  const isNumber = (type === 'integer' || type === 'number') && Number.isFinite(Number(value));
  return isNumber ? Number(value) : value;
}
