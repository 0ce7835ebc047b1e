type Schema = Record<string, unknown>;

/** The properties of an input, a row each: name (`*`: must be given), what may stand there, what it is for. */
export function describeInput(schema: Schema): string[][] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, part]) => {
    const described = isObject(part) ? part : {};
    const { default: preset, description } = described;
    const text = [
      typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : '',
      preset === undefined ? '' : `Default ${JSON.stringify(preset)}.`,
    ];
    return [
      `${name}${required.includes(name) ? '*' : ''}`,
      kindOf(described),
      text.filter(Boolean).join(' '),
    ];
  });
}

function kindOf(schema: Schema): string {
  const { enum: choices, const: only, type, format, items, anyOf, oneOf } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return choices.map((one) => String(one)).join(' | ');
  const branches = [anyOf, oneOf].flat().filter(isObject);
  if (branches.length > 0) return branches.map(kindOf).join(' or ');
  if (type === 'array') return `list of ${isObject(items) ? kindOf(items) : 'anything'}`;
  const kind = format === 'file' ? 'file' : [type ?? 'anything'].flat().map(String).join(' or ');
  return `${kind}${rangeOf(schema)}`;
}

const ranges = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
] as const;

function rangeOf(schema: Schema): string {
  return ranges
    .filter(([least, most]) => schema[least] !== undefined || schema[most] !== undefined)
    .map(([least, most, unit]) => ` ${bound(schema[least])}..${bound(schema[most])}${unit}`)
    .join('');
}

const bound = (value: unknown) => (typeof value === 'number' ? String(value) : '');

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
