import { randomFillSync } from 'node:crypto';

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
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

const uuidShape = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const shapes = Object.fromEntries(
  idPrefixes.map((prefix) => [prefix, new RegExp(`^${prefix}_${uuidShape}$`)]),
) as Record<IdPrefix, RegExp>;

/** Random bytes for many ids: a system call costs more than an id. */
const pool = Buffer.alloc(16 * 256);
let next = pool.length;

let latestMs = 0;
let sequence = 0;

/** The prefix and a UUIDv7 (RFC 9562): ids sort by creation time, within one process strictly. */
export function newId(prefix: IdPrefix): string {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const at = next;
  next += 16;
  const nowMs = Date.now();
  if (nowMs > latestMs) {
    latestMs = nowMs;
    // Within a millisecond the sequence counts up from a random start in the lower half.
    sequence = pool.readUInt32BE(at + 6) >>> 1;
  } else sequence += 1;
  return `${prefix}_${formatUuid(at)}`;
}

/** Time (48 bits), version 7, the sequence (32 bits, the variant within), and the 42 random bits that are left. */
function formatUuid(at: number): string {
  pool.writeUIntBE(latestMs, at, 6);
  pool[at + 6] = 0x70 | (sequence >>> 28);
  pool[at + 7] = sequence >>> 20;
  pool[at + 8] = 0x80 | ((sequence >>> 14) & 0x3f);
  pool[at + 9] = sequence >>> 6;
  pool[at + 10] = (sequence << 2) | ((pool[at + 10] ?? 0) & 0x03);
  const hex = pool.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return shapes[prefix].test(value);
}
