import type { JsonObject } from './values.ts';

export class SchemaError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** For schemas without an `$id`. */
const ownUrl = 'schema://input/';

/** These hold values, or names that look like keywords. */
const notSchemas = new Set(['enum', 'const', 'default', 'examples', 'example']);

/** Finds what a `$ref` in a schema refers to. @throws SchemaError for what is not in this document */
export function indexSchema(root: unknown): (reference: string, from: JsonObject) => unknown {
  const bases = new Map<unknown, string>();
  const targets = new Map<string, unknown>([[ownUrl, root]]);
  const unvisited: { part: unknown; base: string }[] = [{ part: root, base: ownUrl }];
  for (let next = unvisited.pop(); next; next = unvisited.pop()) {
    const { part, base: outer } = next;
    if (part === null || typeof part !== 'object' || bases.has(part)) continue;
    const { $id, $anchor, $dynamicRef } = part as JsonObject;
    if (typeof $dynamicRef === 'string') throw new SchemaError(['$dynamicRef is not supported: use $ref']);
    const base = typeof $id === 'string' ? urlOf($id, outer) : outer;
    bases.set(part, base);
    if (base !== outer) targets.set(base, part);
    if (typeof $anchor === 'string') targets.set(`${base}#${$anchor}`, part);
    for (const [name, one] of Object.entries(part))
      if (!notSchemas.has(name)) unvisited.push({ part: one, base });
  }

  return (reference, from) => {
    const url = urlOf(reference, bases.get(from) ?? ownUrl);
    const [base = '', fragment = ''] = url.split('#');
    const target = fragment.startsWith('/')
      ? atPointer(targets.get(base), fragment)
      : targets.get(fragment === '' ? base : url);
    if (target === undefined) throw new SchemaError([`$ref: ${reference} is not in this schema`]);
    return target;
  };
}

function urlOf(reference: string, base: string): string {
  try {
    return new URL(reference, base).href.replace(/#$/, '');
  } catch {
    throw new SchemaError([`${reference} is not a URL`]);
  }
}

function atPointer(target: unknown, pointer: string): unknown {
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    target,
  );
}
