type Schema = Record<string, unknown>;

/** The names of all properties that a JSON Schema of an object lists, in whatever branch. */
export function inputProperties(schema: Schema): Set<string> {
  const found = new Set<string>();
  collect(schema, schema, found, 0);
  return found;
}

function collect(root: Schema, node: unknown, found: Set<string>, depth: number): void {
  if (!isObject(node) || depth > 16) return;
  const { properties, allOf, anyOf, oneOf, $ref } = node;
  for (const name of Object.keys(isObject(properties) ? properties : {})) found.add(name);
  const parts = [allOf, anyOf, oneOf, node['if'], node['then'], node['else']].flat();
  for (const part of parts) collect(root, part, found, depth + 1);
  if (typeof $ref === 'string' && $ref.startsWith('#/')) {
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
    collect(root, target, found, depth + 1);
  }
}

const isObject = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
