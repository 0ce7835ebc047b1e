import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

export const idPrefixes = [
  'exec',
  'file',
  'wh',
  'evt',
  'req',
  'key',
  'org',
  'dlv',
  'att',
  'cbk',
  'act',
  'ses',
  'pses',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

const uuidShape = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const shapes = Object.fromEntries(
  idPrefixes.map((prefix) => [prefix, new RegExp(`^${prefix}_${uuidShape}$`)]),
) as Record<IdPrefix, RegExp>;

/** Three hexadecimal digits. */
export const maxCell = 0xfff;
let cell = 0;

/** Marks all ids and API keys that this process makes from now on (docs/adr/0049). */
export function useCell(number: number): void {
  cell = number;
}

export const cellDigits = (): string => cell.toString(16).padStart(3, '0');

const pool = Buffer.alloc(16 * 256);
let taken = pool.length;

/** From a buffer filled for many ids: a system call costs more than an id. */
function randomBytes(): Buffer {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += 16;
  return pool.subarray(taken - 16, taken);
}

let latest = { msecs: 0, seq: 0 };

/** The prefix and a UUIDv7 with the cell after its version: ids sort by creation time, within one process strictly. */
export function newId(prefix: IdPrefix): string {
  const random = randomBytes();
  const msecs = Date.now();
  // Within a millisecond the sequence counts up from a random start in the lower half of its 20 bits.
  latest =
    msecs > latest.msecs ? { msecs, seq: random.readUInt32BE(6) >>> 13 } : { ...latest, seq: latest.seq + 1 };
  return `${prefix}_${uuidv7({ random, msecs: latest.msecs, seq: ((cell << 20) | latest.seq) >>> 0 })}`;
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return shapes[prefix].test(value);
}
