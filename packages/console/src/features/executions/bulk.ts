import { executionStatuses, type Filters, openStatuses, searched, timesOf } from '../search/filters.ts';

export type BulkAction = 'cancel' | 'rerun';

const possible: Record<BulkAction, readonly string[]> = {
  cancel: openStatuses,
  rerun: executionStatuses.filter((status) => !openStatuses.some((open) => open === status)),
};
/** Without a filter by status: what completed is not run again by accident. */
const byDefault: Record<BulkAction, readonly string[]> = {
  cancel: openStatuses,
  rerun: ['FAILED', 'EXPIRED'],
};

/** Lists go back as far. */
const lookBackMs = 30 * 86_400_000;

/**
 * The filter of a request about all executions of the list that the action is possible for, created until now. Null: the
 * request knows not all of the list's filters, or the action is possible for none of its statuses.
 */
export function bulkFilter(action: BulkAction, filters: Filters, nowMs: number): object | null {
  const { q, status, model, provider, error } = filters;
  const { metadata_name: name, metadata_value: value } = searched(q);
  if (provider || (q && !name)) return null;
  const statuses = status
    ? status.split(',').filter((one) => possible[action].includes(one))
    : byDefault[action];
  if (statuses.length === 0) return null;
  const { from, to } = timesOf(filters);
  return {
    status: statuses,
    ...(model && { model }),
    ...(error && { error_code: [error] }),
    ...(name && value && { metadata: { name, value } }),
    created_after: from ?? new Date(nowMs - lookBackMs).toISOString(),
    created_before: to ?? new Date(nowMs).toISOString(),
  };
}
