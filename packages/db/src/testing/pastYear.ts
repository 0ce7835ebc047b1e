import pg from 'pg';

/** In the year of a `pastYear`. */
export const months = 12;

/**
 * Writes executions for the twelve months of 2025, each completed in a second: in the tables alone, with a journal but
 * without balances. It serves tests of statements that old rows must not slow down.
 */
export async function fillPastYear(
  databaseUrl: string,
  organizationIds: string[],
  perMonth: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`SELECT make_partitions('2025-01-01'::date, '2025-12-01'::date)`);
  // A journal of years is not made step by step: its triggers are disabled.
  await client.query('SET session_replication_role = replica');
  for (const organizationId of organizationIds) {
    await client.query(madeExecutions, [organizationId, perMonth]);
    await client.query(madeTransfers, [organizationId, perMonth]);
  }
  await client.query('SELECT recount_usage()');
  await client.end();
}

/** Number `i` of month `m`, made at `made`. */
const each = `
  FROM generate_series(0, ${months - 1}) AS m, generate_series(0, $2::int - 1) AS i
  CROSS JOIN LATERAL (SELECT '2025-01-01Z'::timestamptz + m * interval '1 month' + i * (interval '27 days' / $2::int)
    AS made) AS at
  CROSS JOIN LATERAL (SELECT lpad(to_hex((extract(epoch FROM made) * 1000)::bigint), 12, '0') AS hex) AS h
  CROSS JOIN LATERAL (SELECT 'exec_' || substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-'
    || substr(md5($1::text || m || '-' || i), 1, 12) AS id) AS made_id`;

const madeExecutions = `
INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, cost, input_tokens,
  output_tokens, created_at, completed_at, expires_at)
SELECT id, $1::text, 'm', 'COMPLETED', '{}', 0.6, 0.5, 0.2, 1, 2, made, made + interval '1 second', made ${each}`;

/** After a top-up, a hold, a settlement and a remainder for each execution. */
const madeTransfers = `
WITH topped_up AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
    held_after, created_at)
  VALUES ($1::text, 1, 'top_up', 'funding', 'available', 1000000, 1000000, 0, '2025-01-01Z')
)
INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
  held_after, execution_id, created_at)
SELECT $1::text, 2 + 3 * (m * $2::int + i) + k.n, k.kind, k.debit, k.credit, k.amount, 1, 1, id,
  made + CASE k.n WHEN 0 THEN interval '0' ELSE interval '1 second' END ${each}
CROSS JOIN (VALUES (0, 'hold', 'available', 'held', 0.6), (1, 'settle', 'held', 'revenue', 0.2),
  (2, 'remainder', 'held', 'available', 0.4)) AS k (n, kind, debit, credit, amount)`;
