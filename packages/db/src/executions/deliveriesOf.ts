import { transitions } from '@holdfast/domain/statuses';

/** The ids of the events of an execution: that it started, and how it ended. */
export function eventsOfSql(executionId: string): string {
  return `event_id(${executionId}, '${transitions.start.event}'), event_id(${executionId}, '${transitions.complete.event}')`;
}

/** That a delivery is of an execution. */
export function deliveriesOfSql(alias: string, executionId: string): string {
  return `${hasTimeSql(alias, `substr(${executionId}::text, 6, 14)`)} AND ${alias}.event_id IN (${eventsOfSql(executionId)})`;
}

/** That a delivery is of an event. */
export function deliveriesOfEventSql(alias: string, eventId: string): string {
  return `${hasTimeSql(alias, `substr(${eventId}, 5, 14)`)} AND ${alias}.event_id = ${eventId}`;
}

/** The id of a delivery begins like that of its event and its execution: with a time, and a dash that sorts before `g`. */
const hasTimeSql = (alias: string, time: string) =>
  `${alias}.id >= 'dlv_' || ${time} AND ${alias}.id < 'dlv_' || ${time} || 'g'`;
