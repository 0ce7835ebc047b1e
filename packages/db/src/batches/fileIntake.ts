import type { Batch, InputError } from '@holdfast/domain/batch';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { batchColumnsSql } from './batches.ts';

/** A process that takes in a file says so more often than this; another one takes over the file of one that died. */
const leaseSql = "now() + interval '60 seconds'";

/** The open batch whose file has waited longest; null: none waits. Two processes may take in the same file: its lines are added once. */
export async function claimFileIntake(db: Database): Promise<Batch | null> {
  const [row] = await runStatement<Batch>(db.pool, 'claim_file_intake', claimSql, []);
  return row ?? null;
}

const claimSql = `UPDATE batches SET intake_at = ${leaseSql}
WHERE status = 'open' AND id = (
  SELECT id FROM batches WHERE status = 'open' AND intake_at <= now() ORDER BY intake_at LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING ${batchColumnsSql}`;

export async function renewFileIntake(db: Database, id: string): Promise<void> {
  await runStatement(db.pool, 'renew_file_intake', renewSql, [id]);
}

const renewSql = `UPDATE batches SET intake_at = ${leaseSql} WHERE id = $1 AND status = 'open'`;

/** Cancels an open batch whose file has lines that it cannot take. */
export async function refuseFile(db: Database, id: string, errors: readonly InputError[]): Promise<void> {
  await runStatement(db.pool, 'refuse_batch_file', refuseSql, [id, JSON.stringify(errors)]);
}

const refuseSql = `UPDATE batches SET status = 'finishing', ends_as = 'cancelled', input_errors = $2::json
WHERE id = $1 AND status = 'open'`;

/** The last batch that this key created by an equal request within `seconds`. */
export async function findRecentBatch(
  db: Database,
  {
    organizationId,
    apiKeyId,
    requestHash,
  }: Pick<Batch, 'organizationId' | 'apiKeyId'> & { requestHash: string },
  seconds: number,
): Promise<Batch | null> {
  const values = [organizationId, apiKeyId, requestHash, seconds];
  const [row] = await runStatement<Batch>(db.pool, 'find_recent_batch', recentSql, values);
  return row ?? null;
}

const recentSql = `SELECT ${batchColumnsSql} FROM (
  SELECT * FROM batches WHERE organization_id = $1 ORDER BY id DESC LIMIT 100
) b WHERE api_key_id = $2 AND request_hash = $3 AND created_at > now() - $4::int * interval '1 second' ORDER BY id DESC LIMIT 1`;
