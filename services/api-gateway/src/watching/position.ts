import type { Execution } from '@holdfast/domain/execution';
import { executionStatuses } from '@holdfast/domain/statuses';

/** How far somebody has been told of an execution: all that any gateway needs to go on from there. */
export type Position = Pick<Execution, 'progress' | 'queuePosition'> & {
  /** Null: of nothing yet. */
  status: Execution['status'] | null;
  /** Characters of log. */
  logs: number;
};

export const beginning: Position = { status: null, progress: null, queuePosition: null, logs: 0 };

/** The id of an event: `1:0.35::120`. */
export function eventId({ status, progress, queuePosition, logs }: Position): string {
  const rank = status === null ? '' : executionStatuses.indexOf(status);
  return [rank, progress ?? '', queuePosition ?? '', logs].join(':');
}

const shape = /^([0-6]?):(\d(?:\.\d{1,20})?(?:e-\d{1,3})?)?:(\d{1,9})?:(\d{1,15})$/;

/** What an id says. One that is not ours says nothing: all is told again. */
export function positionOf(id: string | undefined): Position {
  const [, rank, progress, queuePosition, logs] = shape.exec(id ?? '') ?? [];
  if (logs === undefined) return beginning;
  return {
    status: rank ? (executionStatuses[Number(rank)] ?? null) : null,
    progress: progress === undefined ? null : Number(progress),
    queuePosition: queuePosition === undefined ? null : Number(queuePosition),
    logs: Number(logs),
  };
}
