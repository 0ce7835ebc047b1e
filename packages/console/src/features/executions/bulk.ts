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

/** Those of the list's statuses, from which the action is possible. */
export const bulkStatuses = (action: BulkAction, { status }: Filters): readonly string[] =>
  status ? status.split(',').filter((one) => possible[action].includes(one)) : byDefault[action];

/** Whether one organization's requests know all filters; other executions are named to them by id. */
export function isKnown({ organization, provider, q }: Filters): boolean {
  return Boolean(organization) && !provider && (!q || searched(q).metadata_name !== undefined);
}

/** The filter of a request about all executions of the list that the action is possible for, created until now. */
export function bulkFilter(action: BulkAction, filters: Filters, nowMs: number): object {
  const { metadata_name: name, metadata_value: value } = searched(filters.q);
  const { from, to } = timesOf(filters);
  return {
    status: bulkStatuses(action, filters),
    ...(filters.model && { model: filters.model }),
    ...(filters.error && { error_code: [filters.error] }),
    ...(name && value && { metadata: { name, value } }),
    created_after: from ?? new Date(nowMs - lookBackMs).toISOString(),
    created_before: to ?? new Date(nowMs).toISOString(),
  };
}

/** What requests of one organization are about. */
export type Part = { organization: string; filter: object };

const idsPerRequest = 1000;

/** Requests that name these executions by id. */
export function partsOf(
  rows: readonly { id: string; organization_id: string }[],
  status: readonly string[],
): Part[] {
  const byOrganization = Map.groupBy(rows, (row) => row.organization_id);
  return [...byOrganization].flatMap(([organization, own]) =>
    Array.from({ length: Math.ceil(own.length / idsPerRequest) }, (_, n) => {
      const ids = own.slice(n * idsPerRequest, (n + 1) * idsPerRequest).map(({ id }) => id);
      return { organization, filter: { ids, status } };
    }),
  );
}
