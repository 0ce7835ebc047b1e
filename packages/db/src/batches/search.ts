import { type Batch, type BatchStatus, finalBatchStatuses } from '@holdfast/domain/batch';
import type { Database } from '../client.ts';
import { type Condition, givenConditions, runStatement } from '../statement.ts';
import { batchColumnsSql } from './batches.ts';

export type BatchSearch = {
  id?: string | undefined;
  organizationId?: string | undefined;
  statuses?: readonly BatchStatus[] | undefined;
  cursor?: string | undefined;
};

/** Where a page ends that looked at as many batches as it may. */
type Reached = { id: string; createdAt: Date };

/** How many batches a page of an operator looks at, however few of them match. */
export const searchedPerPage = 10_000;

/** Batches of any organization, newest first. `reached` is null if all were looked at, or as many match as `limit`. */
export async function searchBatches(
  db: Database,
  search: BatchSearch,
  limit: number,
  searched: number,
): Promise<{ rows: Batch[]; reached: Reached | null }> {
  const slice = givenConditions(sliceConditions, search, 2);
  const match = givenConditions(matchConditions, search, 2 + slice.values.length);
  const [kind, condition] = isOfUnended(search) ? ['unended', 'ended_at IS NULL'] : ['all', 'true'];
  const source = `batches WHERE ${condition}${slice.sql} ORDER BY id DESC`;
  const rows = await runStatement<Batch>(
    db.pool,
    `search_batches_${kind}_${slice.key}_${match.key}`,
    `SELECT ${batchColumnsSql} FROM (SELECT * FROM ${source} LIMIT $1) b WHERE true${match.sql} ORDER BY id DESC LIMIT $2`,
    [searched, limit, ...slice.values, ...match.values],
  );
  if (rows.length >= limit) return { rows, reached: null };
  const [reached] = await runStatement<Reached>(
    db.pool,
    `search_batches_reached_${kind}_${slice.key}`,
    `SELECT id, created_at AS "createdAt" FROM ${source} OFFSET $1 - 1 LIMIT $2`,
    [searched, 1, ...slice.values],
  );
  return { rows, reached: reached ?? null };
}

/** Batches that have not ended are few, and have an index. Those of one organization are read by its own index. */
const isOfUnended = ({ organizationId, statuses }: BatchSearch) =>
  organizationId === undefined &&
  statuses?.every((one) => !finalBatchStatuses.some((final) => final === one));

const sliceConditions: Condition<BatchSearch>[] = [
  { name: 'id', sql: 'id = ?' },
  { name: 'organizationId', sql: 'organization_id = ?' },
  { name: 'cursor', sql: 'id < ?' },
];

const matchConditions: Condition<BatchSearch>[] = [{ name: 'statuses', sql: 'status = ANY (?::text[])' }];
