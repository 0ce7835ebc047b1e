import type { IdPrefix } from '@holdfast/domain/ids';

const dayMs = 86_400_000;
const marginMs = 3 * dayMs;

/**
 * The lowest id these can have (UUIDv7s carry their time): `id >= $2` lets PostgreSQL skip earlier partitions, `ANY`
 * does not. No upper bound: without statistics a range would look cheaper to the planner than the ids.
 */
export function firstId(prefix: IdPrefix, ids: readonly string[]): string {
  return firstIdSince(prefix, Math.min(...ids.map(timeOf)));
}

/** As `firstId`, for rows created at this Unix time (ms) or later. */
export function firstIdSince(prefix: IdPrefix, timeMs: number): string {
  const first = timeMs - marginMs;
  return Number.isFinite(first) && first > 0 ? `${prefix}_${shown(first)}` : `${prefix}_`;
}

function timeOf(id: string): number {
  const start = id.indexOf('_') + 1;
  return Number.parseInt(id.slice(start, start + 8) + id.slice(start + 9, start + 13), 16);
}

function shown(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
