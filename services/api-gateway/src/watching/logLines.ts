import type { WatchedExecution } from '@holdfast/db/executions/watch';

/** A line that goes on for longer is cut. */
const longestLine = 16_384;

export type LogLines = {
  /** Characters that were taken, whole lines or not. */
  taken(): number;
  /** Characters up to the end of the last line that was given. */
  given(): number;
  take(sighting: Pick<WatchedExecution, 'logFrom' | 'log'>): void;
  /** The lines that are whole; all that is there once the log `isOver`. */
  give(isOver: boolean): string[];
};

/** Makes lines of a log that comes piece by piece, from a position on. */
export function openLogLines(from: number): LogLines {
  let taken = from;
  let rest = '';

  return {
    taken: () => taken,
    given: () => taken - lengthOf(rest),
    take({ logFrom, log }) {
      if (logFrom === null) return;
      // What lies between is not kept any more.
      if (logFrom > taken && rest !== '') rest += '\n';
      const fresh = Array.from(log ?? '').slice(Math.max(0, taken - logFrom));
      taken = Math.max(taken, logFrom) + fresh.length;
      rest += fresh.join('');
    },
    give(isOver) {
      // A return at the very end may be half of a line's end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      const last = lines.pop() ?? '';
      const isGiven = isOver || last.length > longestLine;
      rest = isGiven ? '' : last;
      return isGiven && last !== '' ? [...lines, last.replace(/\r$/, '')] : lines;
    },
  };
}

/** As PostgreSQL counts them. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
