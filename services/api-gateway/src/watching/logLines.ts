import type { WatchedExecution } from '@holdfast/db/executions/watch';

/** A longer line is cut. */
const maxLineLength = 16_384;

export type LogLines = {
  /** Characters received, including an incomplete line. */
  received(): number;
  /** Characters up to the end of the last flushed line. */
  flushed(): number;
  add(piece: Pick<WatchedExecution, 'logFrom' | 'log'>): void;
  /** The complete lines and, once the log `isComplete`, the rest. */
  flush(isComplete: boolean): string[];
};

/** Splits a log that arrives in pieces into lines, from a position on. */
export function openLogLines(from: number): LogLines {
  let received = from;
  let rest = '';

  return {
    received: () => received,
    flushed: () => received - lengthOf(rest),
    add({ logFrom, log }) {
      if (logFrom === null) return;
      // The part in between is no longer kept.
      if (logFrom > received && rest !== '') rest += '\n';
      const added = Array.from(log ?? '').slice(Math.max(0, received - logFrom));
      received = Math.max(received, logFrom) + added.length;
      rest += added.join('');
    },
    flush(isComplete) {
      // A carriage return at the very end may be half of a CRLF.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      const last = lines.pop() ?? '';
      const includesLast = isComplete || last.length > maxLineLength;
      rest = includesLast ? '' : last;
      return includesLast && last !== '' ? [...lines, last.replace(/\r$/, '')] : lines;
    },
  };
}

/** In characters as PostgreSQL counts them. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
