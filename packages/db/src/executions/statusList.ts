import type { ExecutionStatus } from '@holdfast/domain/statuses';

/** Statuses as an SQL list, from the transition table alone. */
export function quoted(statuses: readonly ExecutionStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
