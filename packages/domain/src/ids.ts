import { v7 as uuidv7 } from 'uuid';

export const idPrefixes = ['exec', 'file', 'wh', 'evt', 'req', 'key', 'org', 'dlv', 'att', 'cbk'] as const;
export type IdPrefix = (typeof idPrefixes)[number];

const uuidShape = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const shapes = Object.fromEntries(
  idPrefixes.map((prefix) => [prefix, new RegExp(`^${prefix}_${uuidShape}$`)]),
) as Record<IdPrefix, RegExp>;

/** A new id: the prefix and a UUIDv7, so that ids sort by the time they were made. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${uuidv7()}`;
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return shapes[prefix].test(value);
}
