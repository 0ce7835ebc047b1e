import { openStatuses } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { quoted } from '../executions/statusList.ts';
import { runStatement } from '../statement.ts';

export type OpenHolds = { count: number; oldestS: number };

/**
 * How many executions have not ended, each with its hold (no more than `atMost` are counted), and how long ago the one that
 * expires first was created: that one is found without a look at all the others.
 */
export async function readOpenHolds(db: Database, atMost: number): Promise<OpenHolds> {
  const [row] = await runStatement<OpenHolds>(db.pool, 'read_open_holds', statement, [atMost]);
  return row ?? { count: 0, oldestS: 0 };
}

const open = `FROM executions WHERE status IN (${quoted(openStatuses)})`;

const statement = `SELECT (SELECT count(*) FROM (SELECT 1 ${open} LIMIT $1) found)::float8 AS count,
  coalesce(greatest(0, extract(epoch FROM now() - (SELECT created_at ${open} ORDER BY expires_at LIMIT 1))), 0)::float8
    AS "oldestS"`;
