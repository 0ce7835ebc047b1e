export type Schema = Readonly<Record<string, unknown>>;

export type Input = Readonly<Record<string, unknown>>;

type Kind = 'file' | 'files' | 'choice' | 'boolean' | 'number' | 'text' | 'lines' | 'json';

/** A property of a model's input as a field of the form, with its references followed. */
export type SchemaField = { name: string; kind: Kind; schema: Schema; isRequired: boolean };

const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const objectOf = (value: unknown): Input => (isSchema(value) ? value : {});

/** What a schema allows, besides null. */
export function typesOf({ type }: Schema): unknown[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
}

const branchesOf = (schema: Schema): unknown[] =>
  [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? [];

/** A schema with its reference followed; a nullable one counts as what it is otherwise. */
function resolved(schema: unknown, root: Schema): Schema {
  if (!isSchema(schema)) return {};
  const { $ref: reference } = schema;
  const steps =
    typeof reference === 'string' && reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  const found = steps.reduce<unknown>((at, step) => (isSchema(at) ? at[step] : undefined), root);
  const { $ref: _, ...own } = schema;
  const whole = steps.length > 0 && isSchema(found) ? { ...found, ...own } : schema;
  const [only, ...others] = branchesOf(whole).filter((one) => isSchema(one) && one['type'] !== 'null');
  return others.length === 0 && isSchema(only) ? { ...only, ...whole } : whole;
}

function kindOf(schema: Schema, root: Schema): Kind {
  const [type, ...others] = typesOf(schema);
  if (schema['format'] === 'file') return 'file';
  if (Array.isArray(schema['enum'])) return 'choice';
  if (others.length > 0) return 'json';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  if (type === 'array') {
    const items = resolved(schema['items'], root);
    if (items['format'] === 'file') return 'files';
    return typesOf(items)[0] === 'string' ? 'lines' : 'json';
  }
  const takesText = branchesOf(schema).some((one) => isSchema(one) && typesOf(one)[0] === 'string');
  return takesText ? 'text' : 'json';
}

/** JSON of the database has no order of its own. `x-order` is what Cog and Replicate write. */
function orderOf(schema: unknown): number {
  const order = isSchema(schema) ? schema['x-order'] : undefined;
  return typeof order === 'number' ? order : Number.MAX_VALUE;
}

const propertiesOf = (schema: Schema) =>
  Object.entries(objectOf(schema['properties'])).sort(([, a], [, b]) => orderOf(a) - orderOf(b));

export const requiredOf = ({ required }: Schema): string[] =>
  Array.isArray(required) ? required.map(String) : [];

/** The fields of an object's schema: the required ones first, the others by their `x-order`. */
export function fieldsOf(root: Schema): SchemaField[] {
  const required = requiredOf(root);
  const fields = propertiesOf(root).map(([name, part]): SchemaField => {
    const schema = resolved(part, root);
    return { name, schema, kind: kindOf(schema, root), isRequired: required.includes(name) };
  });
  return [
    ...fields.filter(({ isRequired }) => isRequired),
    ...fields.filter(({ isRequired }) => !isRequired),
  ];
}

/** The input with one value changed, or without it; in the order of the schema, so that the same input is the same request. */
export function inputWith(input: Input, name: string, entered: unknown, root: Schema): Input {
  const { [name]: _, ...others } = input;
  const all: Input = entered === undefined ? others : { ...others, [name]: entered };
  const names = new Set([...propertiesOf(root).map(([one]) => one), ...Object.keys(all)]);
  return Object.fromEntries([...names].filter((one) => one in all).map((one) => [one, all[one]]));
}

export function rangeOf({ minimum, maximum }: Schema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return `${minimum} – ${maximum}`;
  if (typeof minimum === 'number') return `≥ ${minimum}`;
  return typeof maximum === 'number' ? `≤ ${maximum}` : '';
}

/** Whether a problem with `input.images[0]` is one of the field `images`. */
export const isAbout = (problem: string, field: string): boolean =>
  problem === `input.${field}` ||
  problem.startsWith(`input.${field}.`) ||
  problem.startsWith(`input.${field}[`);
