type Schema = Record<string, unknown>;

/** A schema inside a schema, and where it is. */
export type SchemaPart = { schema: Schema; path: (string | number)[] };

const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const singles = [
  'items',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
];

/** The schema itself and every schema inside it: not its defaults, examples and properties of the same names. */
export function schemaParts(schema: unknown, path: SchemaPart['path'] = []): SchemaPart[] {
  if (!isObject(schema)) return [];
  const inside = Object.entries(schema).flatMap(([keyword, value]) => {
    if (singles.includes(keyword)) return schemaParts(value, [...path, keyword]);
    if (lists.includes(keyword) && Array.isArray(value))
      return value.flatMap((one, index) => schemaParts(one, [...path, keyword, index]));
    if (maps.includes(keyword) && isObject(value))
      return Object.entries(value).flatMap(([name, one]) => schemaParts(one, [...path, keyword, name]));
    return [];
  });
  return [{ schema, path }, ...inside];
}

function isObject(value: unknown): value is Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
