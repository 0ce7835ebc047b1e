import type { Place } from './yamlPlace.ts';

/** A part of a JSON Schema of draft 7. */
export type SchemaNode = {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  allOf?: SchemaNode[];
  then?: SchemaNode;
  $ref?: string;
  definitions?: Record<string, SchemaNode>;
};

export type Suggestion = { label: string; kind: string; about: string };

/** What the schema allows at a place: the names of fields, or the values of one. */
export function suggestionsAt(schema: SchemaNode, { path, isValue }: Place): Suggestion[] {
  const nodes = path.reduce(
    (found, step) => found.flatMap((node) => below(schema, node, step)),
    variants(schema, schema),
  );
  const found = isValue ? nodes.flatMap(valuesOf) : nodes.flatMap((node) => namesIn(schema, node));
  return [...new Map(found.map((one) => [one.label, one])).values()];
}

/** A node with what it refers to and the forms that it can have. */
function variants(root: SchemaNode, node: SchemaNode): SchemaNode[] {
  const { $ref, anyOf = [], allOf = [], then } = node;
  const referred = $ref && root.definitions?.[$ref.replace('#/definitions/', '')];
  const others = [...anyOf, ...allOf, ...(then ? [then] : []), ...(referred ? [referred] : [])];
  return [node, ...others.flatMap((one) => variants(root, one))];
}

function below(root: SchemaNode, { items, properties, additionalProperties }: SchemaNode, step: string) {
  const named = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const next = step === '*' ? items : (named ?? others);
  return next ? variants(root, next) : [];
}

function namesIn(root: SchemaNode, { properties = {}, required = [] }: SchemaNode): Suggestion[] {
  return Object.entries(properties).map(([label, node]) => {
    const described = variants(root, node).find(({ description }) => description !== undefined);
    const preset = node.default === undefined ? '' : ` Default ${JSON.stringify(node.default)}.`;
    return {
      label,
      kind: required.includes(label) ? 'required' : '',
      about: `${described?.description ?? ''}${preset}`,
    };
  });
}

function valuesOf({ enum: choices, const: only, type, description = '' }: SchemaNode): Suggestion[] {
  const values = choices ?? (only === undefined ? (type === 'boolean' ? [true, false] : []) : [only]);
  return values.map((value) => ({ label: String(value), kind: '', about: description }));
}
