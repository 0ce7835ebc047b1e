import { definitionOf, isObject } from './inputFiles.ts';

type Values = Record<string, unknown>;

/** The catalogue keeps the same schema until the definition changes. */
const havingDefaults = new WeakMap<object, boolean>();

/**
 * The input with the schema's defaults in place of missing properties; the given input is not changed. A default in an
 * alternative (`anyOf`, `oneOf`, `if`) does not count, nor does null, for which most schemas mean an absent value.
 */
export function withDefaults(schema: Values, input: Values): Values {
  return hasDefaults(schema)
    ? (filled({ root: schema, steps: maxSteps }, schema, input, 0) as Values)
    : input;
}

function hasDefaults(schema: Values): boolean {
  const known = havingDefaults.get(schema) ?? JSON.stringify(schema).includes('"default":');
  havingDefaults.set(schema, known);
  return known;
}

/** The largest input needs half of it; a schema that combines itself with itself would need any number. */
const maxSteps = 1_000_000;

type Walk = { root: Values; steps: number };

/** `depth` bounds recursive schemas. */
function filled(walk: Walk, schema: unknown, value: unknown, depth: number): unknown {
  walk.steps -= 1;
  if (!isObject(schema) || depth > 32 || walk.steps < 0) return value;
  const { root } = walk;
  const { $ref, allOf, items, properties } = schema;
  const fill = (part: unknown, one: unknown) => filled(walk, part, one, depth + 1);
  const parts = [...(typeof $ref === 'string' ? [definitionOf(root, $ref)] : []), ...[allOf ?? []].flat()];
  const whole = parts.reduce<unknown>((one, part) => fill(part, one), value);
  if (Array.isArray(whole)) {
    const list = whole.map((one) => fill(items, one));
    return list.some((one, index) => one !== whole[index]) ? list : whole;
  }
  if (!isObject(whole) || !isObject(properties)) return whole;
  const changed = Object.entries(properties).flatMap(([name, part]) => {
    const given = Object.hasOwn(whole, name) ? whole[name] : undefined;
    const one = given === undefined ? defaultOf(root, part) : fill(part, given);
    return one === undefined || one === given ? [] : [[name, one] as const];
  });
  return changed.length === 0 ? whole : { ...whole, ...Object.fromEntries(changed) };
}

function defaultOf(root: Values, schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  if ('default' in schema) return schema.default ?? undefined;
  const referred = typeof schema.$ref === 'string' ? definitionOf(root, schema.$ref) : undefined;
  return isObject(referred) ? (referred.default ?? undefined) : undefined;
}
