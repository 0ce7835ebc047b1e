import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { afterSql, type Order, type Page, pageSql } from '../pages.ts';
import { runStatement, sameIdSql } from '../statement.ts';
import { executionColumns, outputBytesSql } from './read.ts';

type VideoPage = {
  /** Null: of all models. */
  models: readonly string[] | null;
  /** The last id of the page before. */
  after: string | null;
  order: Order;
  limit: number;
};

/** An organization's executions that OpenAI's clients know as videos, but for erased ones, by the time in their ids. */
export async function listVideoExecutions(
  db: Database,
  organizationId: string,
  { models, after, order, limit }: VideoPage,
): Promise<Page<Execution>> {
  const values = [organizationId, models, after, limit];
  const rows = await runStatement<Execution & { next: string | null }>(
    db.pool,
    `list_video_executions_${order}`,
    statements[order],
    values,
  );
  return { rows, next: rows.at(-1)?.next ?? null };
}

const statements = { asc: listSql('asc'), desc: listSql('desc') };

function listSql(order: Order): string {
  const ids = `SELECT v.id FROM executions v
    WHERE v.organization_id = $1 AND v.webhook_dialect ->> 'operation' = 'videos' AND v.erased_at IS NULL
      AND ($2::text[] IS NULL OR v.model = ANY ($2)) AND ${afterSql('v.id COLLATE "POSIX"', 'exec', '$3', order)}
    ORDER BY v.id COLLATE "POSIX" ${order}`;
  return `WITH RECURSIVE ${pageSql({ ids, limit: '$4', bytes: outputBytesSql })}
    SELECT whole.*, p.next FROM page p
    CROSS JOIN LATERAL (SELECT ${executionColumns('e')} FROM executions e WHERE ${sameIdSql('p.id')}) whole
    ORDER BY p.nth`;
}
