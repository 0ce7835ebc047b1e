import type { IdPrefix } from '@holdfast/domain/ids';

const dayMs = 86_400_000;
/** An execution lives a day at most, and clocks differ: what belongs together was made within these days. */
const marginMs = 3 * dayMs;

/**
 * The lowest id with this prefix that can belong to rows of these ids, of whatever kind: UUIDv7s hold their time. As a
 * parameter (`id >= $2`) it lets PostgreSQL leave aside the partitions of all months before, which `id = ANY ($1)` does
 * not. There is no upper bound beside it on purpose: for a planner that knows little of a table, a range of ids would
 * look cheaper to read than the ids themselves.
 */
export function firstId(prefix: IdPrefix, ids: readonly string[]): string {
  return firstIdSince(prefix, Math.min(...ids.map(timeOf)));
}

/** The lowest id with this prefix that can belong to rows that were made at this time (Unix milliseconds) or later. */
export function firstIdSince(prefix: IdPrefix, timeMs: number): string {
  const first = timeMs - marginMs;
  // Of what is no id of ours nothing is known.
  return Number.isFinite(first) && first > 0 ? `${prefix}_${shown(first)}` : `${prefix}_`;
}

/** Milliseconds since 1970. */
function timeOf(id: string): number {
  const start = id.indexOf('_') + 1;
  return Number.parseInt(id.slice(start, start + 8) + id.slice(start + 9, start + 13), 16);
}

/** The beginning of a UUIDv7 of this time. */
function shown(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
