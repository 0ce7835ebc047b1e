import type { Batch, BatchFileKind, ItemError, ItemStatus } from '@holdfast/domain/batch';
import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { outputBytesSql } from '../executions/read.ts';
import { pageSql } from '../pages.ts';
import { runStatement } from '../statement.ts';

export type FileLine = {
  /** Its place in the file. */
  number: string;
  customId: string;
  status: ItemStatus;
  model: string;
  /** Null: it ended before it was an execution. */
  executionId: string | null;
  /** Why there was none. */
  error: ItemError | null;
} & Pick<
  Execution,
  | 'metadata'
  | 'cost'
  | 'output'
  | 'inputTokens'
  | 'outputTokens'
  | 'billed'
  | 'finishReason'
  | 'errorCode'
  | 'errorMessage'
> & { [Key in 'createdAt' | 'completedAt' | 'erasedAt']: Execution[Key] | null };

const pageSize = 500;

/** The next lines of a file of a batch, after the one with this number; a page of large outputs has few. None: these are all so far. */
export async function readFileLines(
  db: Database,
  batch: Pick<Batch, 'id'>,
  kind: BatchFileKind,
  after: string,
): Promise<FileLine[]> {
  const name = `read_batch_${kind}`;
  return await runStatement<FileLine>(db.pool, name, statements[kind], [batch.id, after, pageSize]);
}

const columns = `i.number::text AS number, i.custom_id AS "customId", i.status, i.model, i.execution_id AS "executionId", i.error,
  coalesce(e.metadata, i.metadata) AS metadata, e.cost, e.output, e.input_tokens AS "inputTokens",
  e.output_tokens AS "outputTokens", e.billed, e.finish_reason AS "finishReason", e.error_code AS "errorCode",
  e.error_message AS "errorMessage", e.created_at AS "createdAt",
  e.completed_at AS "completedAt", e.erased_at AS "erasedAt"`;

const executionSql = (id: string) => `LATERAL (
  SELECT metadata, cost, output, input_tokens, output_tokens, billed, finish_reason, error_code, error_message,
    created_at, completed_at, erased_at
  FROM executions WHERE id = ${id} OFFSET 0
) e ON true`;

const itemsSql = (statuses: string) =>
  `FROM batch_items WHERE batch_id = $1 AND status IN (${statuses}) AND number > $2::bigint ORDER BY number`;

const statements: Record<BatchFileKind, string> = {
  output: `
WITH RECURSIVE ${pageSql({ ids: `SELECT execution_id ${itemsSql(`'completed'`)}`, limit: '$3::int', bytes: outputBytesSql })}
SELECT ${columns}
FROM (
  SELECT * ${itemsSql(`'completed'`)} LIMIT (SELECT max(nth) FROM page)
) i LEFT JOIN ${executionSql('i.execution_id')} ORDER BY i.number`,
  error: `
SELECT ${columns}
FROM (
  SELECT * ${itemsSql(`'failed', 'cancelled', 'expired'`)} LIMIT $3::int
) i LEFT JOIN ${executionSql('i.execution_id')} ORDER BY i.number`,
};
