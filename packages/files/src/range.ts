import parse from 'range-parser';
import type { ByteRange } from './store.ts';

/**
 * Reads a Range header against a size. null: answer the whole (no header, several ranges, or one we can't read,
 * which RFC 9110 lets a server ignore).
 */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  if (header === undefined) return null;
  if (sizeBytes > 0 && isLongSuffix(header, sizeBytes)) return { start: 0, end: sizeBytes - 1 };
  const ranges = parse(sizeBytes, header);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  const [range] = ranges;
  return range ? { start: range.start, end: range.end } : null;
}

/** RFC 9110, 14.1.3: of a file that is shorter than the suffix asked for, all is sent. */
function isLongSuffix(header: string, sizeBytes: number): boolean {
  const suffix = /^bytes=-(\d+)$/.exec(header)?.[1];
  return suffix !== undefined && Number(suffix) > sizeBytes;
}
