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
  'bat',
  'alert',
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

const latest = { msecs: 0, seq: 0 };

/** The prefix and a UUIDv7 with the cell after its version: ids sort by creation time, within one process strictly. */
export function newId(prefix: IdPrefix): string {
  const bytes = randomBytes();
  const msecs = Date.now();
  // Within a millisecond the sequence counts up from a random start in the lower half of its 20 bits.
  latest.seq = msecs > latest.msecs ? bytes.readUInt32BE(6) >>> 13 : latest.seq + 1;
  latest.msecs = Math.max(latest.msecs, msecs);
  uuidv7({ random: bytes, msecs: latest.msecs, seq: ((cell << 20) | latest.seq) >>> 0 }, bytes);
  // Half the garbage of uuid's own text.
  const hex = bytes.toString('hex');
  return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return shapes[prefix].test(value);
}
