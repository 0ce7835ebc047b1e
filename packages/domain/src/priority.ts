export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const defaultPriority: Priority = 'normal';

/** As stored: lower ranks start first. */
export function priorityRank(priority: Priority): number {
  return priorities.indexOf(priority);
}
