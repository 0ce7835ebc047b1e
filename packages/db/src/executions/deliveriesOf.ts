import { transitions } from '@holdfast/domain/statuses';

/** The ids of the events of an execution: that it started, and how it ended. */
export function eventsOfSql(executionId: string): string {
  return `event_id(${executionId}, '${transitions.start.event}'), event_id(${executionId}, '${transitions.complete.event}')`;
}

/** That a delivery is of an execution, which its id begins like: its time, and a dash that sorts before `g`. */
export function deliveriesOfSql(alias: string, executionId: string): string {
  const start = `'dlv_' || substr(${executionId}::text, 6, 14)`;
  return `${alias}.id >= ${start} AND ${alias}.id < ${start} || 'g' AND ${alias}.event_id IN (${eventsOfSql(executionId)})`;
}
