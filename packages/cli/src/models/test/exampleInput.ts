type Schema = Record<string, unknown>;

/** The first example of an `input_schema`; without one, its defaults and the least that must be given. */
export function exampleInput(schema: Schema): Record<string, unknown> {
  const [first] = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : [];
  if (isObject(first)) return first;
  const least = leastOf(schema);
  return isObject(least) ? least : {};
}

function leastOf(schema: Schema): unknown {
  const { default: preset, const: only, enum: choices, examples } = schema;
  const [given] = [preset, only, [choices, examples].flat()[0]].filter((value) => value !== undefined);
  if (given !== undefined) return given;
  const branch = [schema['anyOf'], schema['oneOf']].flat().find(isObject);
  if (branch) return leastOf(branch);
  return leastOfType[String([schema['type']].flat()[0])]?.(schema) ?? null;
}

const leastOfType: Record<string, (schema: Schema) => unknown> = {
  string: ({ format, minLength }) => (format === 'file' ? 'file_example' : text(number(minLength, 1))),
  integer: ({ minimum }) => Math.ceil(number(minimum, 1)),
  number: ({ minimum }) => number(minimum, 1),
  boolean: () => false,
  array: ({ items, minItems }) =>
    Array.from({ length: number(minItems, 0) }, () => (isObject(items) ? leastOf(items) : 'example')),
  object: ({ properties, required }) => {
    const needed = Array.isArray(required) ? required : [];
    const entries = Object.entries(isObject(properties) ? properties : {}).filter(
      ([name, part]) => needed.includes(name) || (isObject(part) && part['default'] !== undefined),
    );
    return Object.fromEntries(
      entries.map(([name, part]) => [name, isObject(part) ? leastOf(part) : 'example']),
    );
  },
};

const text = (length: number) =>
  'A lighthouse at dawn. '
    .repeat(Math.ceil(length / 22))
    .trim()
    .padEnd(length, '.');

const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
