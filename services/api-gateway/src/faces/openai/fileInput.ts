import { ApiError } from '@holdfast/domain/errors';
import { isObject } from '@holdfast/domain/inputFiles';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';

export type AttachedFile = { field: string; id: string };

type FileProperty = { name: string; takesOne: boolean; takesMany: boolean };

/** Other names for what the fields mean, which are part of a property's name. */
const meanings: Record<string, RegExp> = {
  image: /^(?!.*mask).*(image|img|photo|picture)/i,
  mask: /mask/i,
  file: /audio|file|speech|sound|voice/i,
};

/** The properties of the input that refer to the files. @throws ApiError if the model's schema has none for one of them */
export function fileInput(
  definition: ModelDefinition,
  attached: readonly AttachedFile[],
): Record<string, unknown> {
  const properties = filePropertiesOf(definition);
  const byField = Map.groupBy(attached, ({ field }) => field);
  return Object.fromEntries(
    [...byField].map(([field, files]): [string, unknown] => {
      const ids = files.map(({ id }) => id);
      const [first = ''] = ids;
      if (isOpen(definition)) return [field, ids.length === 1 ? first : ids];
      const property = propertyFor(field, properties);
      if (property === undefined) throw refused(field, `The model does not take a file as \`${field}\`.`);
      if (ids.length === 1 && property.takesOne) return [property.name, first];
      if (!property.takesMany) throw refused(field, `The model takes one file as \`${field}\`.`);
      return [property.name, ids];
    }),
  );
}

function propertyFor(field: string, properties: readonly FileProperty[]): FileProperty | undefined {
  return (
    properties.find(({ name }) => name === field) ??
    properties.find(({ name }) => meanings[field]?.test(name)) ??
    (field === 'mask' ? undefined : properties.find(({ name }) => !meanings['mask']?.test(name)))
  );
}

function filePropertiesOf(definition: ModelDefinition): FileProperty[] {
  return Object.entries(propertiesOf(definition)).flatMap(([name, schema]) => {
    const branches = [schema, schema['anyOf'] ?? [], schema['oneOf'] ?? []].flat().filter(isObject);
    const takesOne = branches.some(({ format }) => format === 'file');
    const takesMany = branches.some(({ items }) => isObject(items) && items['format'] === 'file');
    return takesOne || takesMany ? [{ name, takesOne, takesMany }] : [];
  });
}

function propertiesOf({ input_schema: schema }: ModelDefinition): Record<string, Record<string, unknown>> {
  const { properties } = schema;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, isObject(one) ? one : {}]),
  );
}

function isOpen(definition: ModelDefinition): boolean {
  const { additionalProperties } = definition.input_schema;
  return additionalProperties !== false && Object.keys(propertiesOf(definition)).length === 0;
}

function refused(field: string, message: string): ApiError {
  return new ApiError('INPUT_VALIDATION_ERROR', message, {
    details: [{ field, code: 'unsupported_parameter', message }],
  });
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
