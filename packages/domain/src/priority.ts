/** Which of an organization's executions are started first: `high` before `normal` before `low`. */
export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const defaultPriority: Priority = 'normal';

/** As the table holds it: the lower, the sooner. */
export function priorityRank(priority: Priority): number {
  return priorities.indexOf(priority);
}
