import type { OutcomeMapping } from '@holdfast/domain/outcome';
import { z } from 'zod';

/** A path in the input as it was sent: `['messages', 0, 'content']`. */
export type FieldPath = readonly (string | number)[];

const step = z.union([z.string(), z.number()]);
const detail = z.object({
  detail: z.union([
    z.string(),
    z.array(z.looseObject({ loc: z.array(step).catch([]), msg: z.string().catch('') })),
  ]),
});

/** The client's name of a field, no deeper than the model's schema: the rest may be secret. Null when clients do not set it. */
export function clientField(path: FieldPath, { fields = {} }: Pick<OutcomeMapping, 'fields'>): string | null {
  const [first, ...rest] = path;
  const field = Object.hasOwn(fields, String(first)) ? fields[String(first)] : undefined;
  return field === undefined ? null : ['input', field.name, ...knownSteps(rest, field.schema)].join('.');
}

function knownSteps([next, ...rest]: FieldPath, schema: unknown): string[] {
  if (next === undefined || schema === null || typeof schema !== 'object') return [];
  const { items, properties } = schema as { items?: unknown; properties?: Record<string, unknown> };
  const name = String(next);
  if (/^\d{1,6}$/.test(name)) return items === undefined ? [] : [name, ...knownSteps(rest, items)];
  return properties && Object.hasOwn(properties, name) ? [name, ...knownSteps(rest, properties[name])] : [];
}

/** FastAPI's `{detail: [{loc, msg}]}` or `{detail}`: the text, and the fields below `body`. */
export function readDetail(json: unknown): { text: string; fields: FieldPath[] } {
  const found = detail.safeParse(json).data?.detail ?? '';
  if (typeof found === 'string') return { text: found, fields: [] };
  return {
    text: found
      .map(({ loc, msg }) => [loc.filter((one) => one !== 'body').join('.'), msg])
      .map((parts) => parts.filter((part) => part !== '').join(': '))
      .join('; '),
    fields: found.filter(({ loc }) => loc[0] === 'body').map(({ loc }) => loc.slice(1)),
  };
}
